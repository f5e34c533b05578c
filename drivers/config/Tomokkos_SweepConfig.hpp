// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowOrder.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief Of `solver`: how the sweeps of `art` and `block_art` go through the rows.
struct SweepConfig {
  ViewOrder order = ViewOrder::sequential;
  WithinView within_view = WithinView::sequential;
  std::optional<Ordinal> stride;      ///< of `strided`; empty: from the geometry
  std::uint64_t seed = 1;             ///< of `random`
  std::optional<Ordinal> block_rows;  ///< `block_art`; empty: those of a view

  /// \brief True when rows are visited as the matrix numbers them.
  bool is_sequential() const {
    return order == ViewOrder::sequential && within_view == WithinView::sequential;
  }
};

}  // namespace Tomokkos
