// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief In which order the rows or the columns of a matrix are numbered
/// (docs/library/orderings.md).
enum class Ordering {
  natural,    ///< as they come: pixels row by row, rays view by view
  tiles,      ///< pixels in tiles of 4 columns x 8 rows, rays in tiles of 4 detectors x 8 views
  squares,    ///< pixels in squares of 64 x 64, which are the tiles of `ray_tiles`; rays natural
  hilbert,    ///< pixels, or rays, along a Hilbert curve
  by_length,  ///< rows, the longest first
  rcm,        ///< reverse Cuthill-McKee, the same for rows and columns
  subsets     ///< rays in ordered subsets, the views dealt out among them
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

/// \brief In which order the entries of a row stand.
enum class EntryOrder {
  sorted,      ///< by column
  interleaved  ///< dealt out to the lanes that load 16 bytes each: see `csr_interleaved`
};

template <>
struct EnumNames<EntryOrder> {
  static constexpr std::array<std::pair<EntryOrder, std::string_view>, 2> names{
      {{EntryOrder::sorted, "sorted"}, {EntryOrder::interleaved, "interleaved"}}};
};

/// \brief The order of a matrix. `by_length` and `subsets` are for rows, `rcm` for both or for
/// none.
struct OrderingOptions {
  Ordering columns = Ordering::natural;
  Ordering rows = Ordering::natural;
  EntryOrder entries = EntryOrder::sorted;
  int subsets = 1;  ///< of `rows: subsets`: how many

  friend constexpr bool operator==(const OrderingOptions&, const OrderingOptions&) = default;
};

/// \brief True when the columns follow from where pixels lie in an image.
constexpr bool orders_pixels(const OrderingOptions& ordering) {
  return ordering.columns == Ordering::tiles || ordering.columns == Ordering::squares ||
         ordering.columns == Ordering::hilbert;
}

}  // namespace Tomokkos
