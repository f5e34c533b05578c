// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief Order in which the rows or columns of a matrix are numbered (docs/library/orderings.md).
enum class Ordering {
  natural,    ///< unchanged: pixels row by row, rays view by view
  tiles,      ///< pixels in tiles of 4 columns x 8 rows, rays in tiles of 4 detectors x 8 views
  squares,    ///< pixels in squares of 64 x 64, the tiles of `ray_tiles`; rays natural
  hilbert,    ///< pixels or rays along a Hilbert curve
  by_length,  ///< rows by length, longest first
  rcm,        ///< reverse Cuthill-McKee, the same order for rows and columns
  subsets     ///< rays in ordered subsets, to which the views are distributed
};

template <>
struct EnumNames<Ordering> {
  static constexpr std::array<std::pair<Ordering, std::string_view>, 7> names{
      {{Ordering::natural, "natural"},
       {Ordering::tiles, "tiles"},
       {Ordering::squares, "squares"},
       {Ordering::hilbert, "hilbert"},
       {Ordering::by_length, "by_length"},
       {Ordering::rcm, "rcm"},
       {Ordering::subsets, "subsets"}}};
};

/// \brief Order of the entries within a row.
enum class EntryOrder {
  sorted,      ///< by column
  interleaved  ///< distributed to lanes that load 16 bytes each: see `csr_interleaved`
};

template <>
struct EnumNames<EntryOrder> {
  static constexpr std::array<std::pair<EntryOrder, std::string_view>, 2> names{
      {{EntryOrder::sorted, "sorted"}, {EntryOrder::interleaved, "interleaved"}}};
};

/// \brief Order of the rows and columns of a matrix. `by_length` and `subsets` apply only to rows;
/// `rcm` must be set for both or for neither.
struct OrderingOptions {
  Ordering columns = Ordering::natural;
  Ordering rows = Ordering::natural;
  EntryOrder entries = EntryOrder::sorted;
  int subsets = 1;  ///< number of subsets, for `rows: subsets`

  friend constexpr bool operator==(const OrderingOptions&, const OrderingOptions&) = default;
};

/// \brief True when the order of the columns depends on the positions of pixels in an image.
constexpr bool orders_pixels(const OrderingOptions& ordering) {
  return ordering.columns == Ordering::tiles || ordering.columns == Ordering::squares ||
         ordering.columns == Ordering::hilbert;
}

}  // namespace Tomokkos
