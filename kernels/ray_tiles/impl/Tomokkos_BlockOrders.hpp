// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders in which a GPU processes the blocks of ray tiles. If there are more blocks than teams that
// run at once, the largest blocks go first, so that all multiprocessors finish at nearly the same
// time.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Types.hpp>
#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <map>
#include <utility>

namespace Tomokkos::Impl {

/// Number of lists in which a block of A can occur, on average: 24 for ranges of rows (possibly
/// those of single views), 8 for ranges of columns.
inline constexpr Offset row_lists = 24, column_lists = 8;

/// Lists of blocks for ranges of rows or of columns. A list is built when it is first requested,
/// and kept.
template <class MemorySpace>
class BlockOrders {
 public:
  using List = Vector<Ordinal, MemorySpace>;

  /// Smallest number of entries charged for a list, however short it is.
  static constexpr Offset least_list = 128;
  /// Number of lists for which there is always room.
  static constexpr Offset least_lists = 64;

  BlockOrders() = default;
  /// Reserves room for \p lists lists of all \p blocks.
  BlockOrders(Offset lists, Offset blocks) : room_(lists * blocks + least_lists * least_list) {}

  /// Returns the list of \p range, which `make()` builds with up to \p most blocks. Returns null if
  /// there is no room: the order only saves time, so lack of memory is not an error.
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
