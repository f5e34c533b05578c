// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The orders in which a GPU takes blocks of ray tiles. With more blocks than teams run at once the
// largest go first, so that all multiprocessors end at nearly the same time.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Types.hpp>
#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <map>
#include <utility>

namespace Tomokkos::Impl {

/// Lists of different ranges that a block has room in, on average: of rows, which may be those of
/// single views, and of columns.
inline constexpr Offset row_lists = 24, column_lists = 8;

/// Lists of blocks for ranges of rows, or of columns, kept from the first time that one is asked
/// for.
template <class MemorySpace>
class BlockOrders {
 public:
  using List = Vector<Ordinal, MemorySpace>;

  /// Entries that the memory of a list is worth at least, however few it has.
  static constexpr Offset least_list = 128;
  /// Lists that there is room for in any case.
  static constexpr Offset least_lists = 64;

  BlockOrders() = default;
  /// With room for \p lists of all \p blocks.
  BlockOrders(Offset lists, Offset blocks) : room_(lists * blocks + least_lists * least_list) {}

  /// That of \p range, which `make()` forms of up to \p most blocks; none where there is no room:
  /// the order is worth little memory, and no error.
  template <class Make>
  const List* find_or_make(RowRange range, Offset most, const Make& make) {
    const std::pair key(range.begin, range.end);
    if (const auto found = lists_.find(key); found != lists_.end()) return &found->second;
    if (taken_ + std::max(most, least_list) > room_) return nullptr;
    try {
      const List& list = lists_.emplace(key, make()).first->second;
      const auto entries = static_cast<Offset>(list.extent(0));
      taken_ += std::max(entries, least_list);
      entries_ += entries;
      return &list;
    } catch (const MemoryError&) {
      room_ = taken_;
      return nullptr;
    }
  }

  std::size_t memory_bytes() const { return static_cast<std::size_t>(entries_) * sizeof(Ordinal); }

 private:
  std::map<std::pair<Ordinal, Ordinal>, List> lists_;
  Offset room_ = 0, taken_ = 0, entries_ = 0;
};

}  // namespace Tomokkos::Impl
