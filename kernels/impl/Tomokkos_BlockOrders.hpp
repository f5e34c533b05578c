// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The orders in which a GPU takes blocks of ray tiles. Those that are more than the teams that run
// at once begin with the largest, and end on all multiprocessors at nearly the same time.
#pragma once

#include <Tomokkos_Types.hpp>
#include <Tomokkos_Views.hpp>
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

  BlockOrders() = default;
  /// With room for \p entries of all lists together.
  explicit BlockOrders(Offset entries) : room_(entries) {}

  /// That of \p range, which `make()` forms of up to \p most blocks; none where no room is left,
  /// since so many ranges are so short that the order is not worth its memory.
  template <class Make>
  const List* find_or_make(RowRange range, Offset most, const Make& make) {
    const std::pair key(range.begin, range.end);
    if (const auto found = lists_.find(key); found != lists_.end()) return &found->second;
    if (held_ + most > room_) return nullptr;
    const List& list = lists_.emplace(key, make()).first->second;
    held_ += static_cast<Offset>(list.extent(0));
    return &list;
  }

  std::size_t memory_bytes() const { return static_cast<std::size_t>(held_) * sizeof(Ordinal); }

 private:
  std::map<std::pair<Ordinal, Ordinal>, List> lists_;
  Offset room_ = 0, held_ = 0;
};

}  // namespace Tomokkos::Impl
