// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <array>
#include <cstddef>
#include <optional>

namespace Tomokkos {

/// \brief The rows among which `choose_format` would sort by length: long enough that a chunk holds
/// equal rows, short enough that the results of neighbours stay near each other.
inline constexpr Ordinal sorting_window = 8192;

/// \brief Figures of a matrix from which its format is chosen; `format_statistics` finds them.
struct FormatStatistics {
  RowStatistics rows;
  /// Entries that SELL would store, padding included, with rows as they come.
  Offset sell_entries = 0;
  /// Entries that SELL would store with every `sorting_window` rows sorted by length.
  Offset sorted_sell_entries = 0;
  /// Stored entries over nonzeros of each of `block_sizes`, estimated from a sample of the rows; 0:
  /// not known.
  std::array<double, block_sizes.size()> block_fill{};
};

/// \brief A format with its shape. The variant of CSR and all launch numbers are chosen afterwards,
/// by `choose_spmv_launch` and its like.
struct FormatChoice {
  MatrixFormat format = MatrixFormat::csr;
  Ordinal sigma = 1;  ///< of `sell`
  int block = 4;      ///< of `bcsr`
};

/// \brief The format whose product should be the fastest: the bytes that each one reads over the
/// share of the bandwidth that it was measured to reach. CSR, which needs no conversion, unless
/// another one promises to be clearly faster.
///
/// A pure function, as `choose_spmv_launch`. The conversion itself is not weighed: it costs some to
/// a hundred products.
///
/// \param largest_fill stored entries over nonzeros that no choice exceeds; nothing: the limit of
/// each format
/// \param several_vectors products with several vectors at once are meant
FormatChoice choose_format(const DeviceTraits& device, const FormatStatistics& statistics,
                           std::size_t scalar_bytes, std::optional<double> largest_fill = {},
                           bool several_vectors = false);

}  // namespace Tomokkos
