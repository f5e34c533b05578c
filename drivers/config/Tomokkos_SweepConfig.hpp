// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowOrder.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief Order in which the sweeps of `art` and `block_art` visit the rows, from the section
/// `solver`.
struct SweepConfig {
  ViewOrder order = ViewOrder::sequential;
  WithinView within_view = WithinView::sequential;
  std::optional<Ordinal>
      stride;  ///< for `strided`: rays from one visit to the next; empty: from the geometry
  std::uint64_t seed = 1;  ///< for `random`
  std::optional<Ordinal>
      block_rows;  ///< for `block_art`: rows of a block; empty: the rows of a view

  /// \brief True when rows are visited in the order of the matrix.
  bool is_sequential() const {
    return order == ViewOrder::sequential && within_view == WithinView::sequential;
  }
};

}  // namespace Tomokkos
