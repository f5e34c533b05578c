// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_Types.hpp>
#include <cstddef>
#include <optional>

namespace Tomokkos {

/// \brief Number of rows among which `choose_format` would sort by length.
///
/// It is large enough that a chunk holds rows of equal length, and small enough that the results of
/// neighbouring rows stay close in memory.
inline constexpr Ordinal sorting_window = 8192;

/// \brief Information from which a format makes its offers for a matrix.
struct FormatChoiceInput {
  const DeviceTraits& device;
  const RowStatistics& rows;
  std::size_t scalar_bytes = 0;
  /// Maximum ratio of stored entries to nonzeros; empty: the limit of each format.
  std::optional<double> largest_fill;
  /// True if products with several vectors at once are planned.
  bool several_vectors = false;

  double num_nonzeros() const { return static_cast<double>(rows.nonzeros); }
  double num_rows() const { return static_cast<double>(rows.rows); }
  /// \brief Returns the bytes of \p count entries, each with a column.
  double entry_bytes(double count) const {
    return count * (sizeof(Ordinal) + static_cast<double>(scalar_bytes));
  }
  /// \brief True if the last-level cache of a GPU holds the matrix.
  bool is_cached() const { return device.gpu && Impl::is_cached(rows, scalar_bytes); }
  /// \brief True if no rows are so long that a GPU would wait for them.
  ///
  /// Always true on a host, where each thread has many rows of any lengths.
  bool rows_are_even() const { return !device.gpu || Impl::rows_are_even(rows); }
  /// \brief Returns the number of stored entries that the limit allows.
  double most_entries() const {
    return largest_fill.value_or(PaddingLimit{}.largest_fill) * num_nonzeros();
  }
};

/// \brief Options of a format together with the estimated cost of its product.
///
/// The cost is the number of bytes read divided by the measured share of the bandwidth. Matrices in
/// the cache of a GPU are compared by time per byte relative to CSR.
template <class Options>
struct Offer {
  double cost = 0;
  Options options;
};

}  // namespace Tomokkos
