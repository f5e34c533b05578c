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

/// \brief The rows among which `choose_format` would sort by length: long enough that a chunk holds
/// equal rows, short enough that the results of neighbours stay near each other.
inline constexpr Ordinal sorting_window = 8192;

/// \brief What a format knows when it makes an offer for a matrix.
struct FormatCase {
  const DeviceTraits& device;
  const RowStatistics& rows;
  std::size_t scalar_bytes = 0;
  /// Stored entries over nonzeros that no choice exceeds; nothing: the limit of each format.
  std::optional<double> largest_fill;
  /// Products with several vectors at once are meant.
  bool several_vectors = false;

  double num_nonzeros() const { return static_cast<double>(rows.nonzeros); }
  double num_rows() const { return static_cast<double>(rows.rows); }
  /// \brief Bytes of \p count entries with a column each.
  double entry_bytes(double count) const {
    return count * (sizeof(Ordinal) + static_cast<double>(scalar_bytes));
  }
  /// \brief True where the last cache of a GPU holds the matrix.
  bool is_cached() const { return device.gpu && Impl::is_cached(rows, scalar_bytes); }
  /// \brief True where a GPU would not wait for some long rows; a thread of a host has many rows of
  /// any lengths.
  bool rows_are_even() const { return !device.gpu || Impl::rows_are_even(rows); }
  /// \brief Stored entries that the limit allows.
  double most_entries() const {
    return largest_fill.value_or(PaddingLimit{}.largest_fill) * num_nonzeros();
  }
};

/// \brief A shape of a format with what its product costs: the bytes that it reads over the share
/// of the bandwidth that it was measured to reach. Matrices in the cache of a GPU compare by time
/// per byte against CSR.
template <class Options>
struct Offer {
  double cost = 0;
  Options options;
};

}  // namespace Tomokkos
