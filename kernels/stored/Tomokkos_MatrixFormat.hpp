// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>
#include <string>

namespace Tomokkos {

/// \brief The storage formats of a matrix, by the names that configurations and reports use.
enum class MatrixFormat {
  csr,              ///< compressed sparse rows
  coo,              ///< a sorted list of entries
  ell,              ///< ELLPACK: every row padded to the longest
  ell_r,            ///< ELLPACK-R: the same, with the lengths of the rows
  hyb,              ///< ELLPACK for the first entries of each row, a list for the rest
  sell,             ///< SELL-C-sigma: chunks of C rows, each padded to its longest
  bcsr,             ///< compressed rows of dense square blocks
  ray_tiles,        ///< segments of rows in tiles of columns: one copy for both products
  packed_csr,       ///< rows whose columns take 16 bits beside a base of a group of entries
  pair_blocked,     ///< pairs of rows, a long and a short one, in dense sub-matrices (cuART)
  scsr,             ///< one ray of each orbit under the symmetries of a square image
  block_circulant,  ///< the first row of blocks of a block-circulant matrix
  automatic         ///< one of these, chosen from the backend and the matrix: see `choose_format`
};

template <>
struct EnumNames<MatrixFormat> {
  static constexpr std::array<std::pair<MatrixFormat, std::string_view>, 13> names{
      {{MatrixFormat::csr, "csr"},
       {MatrixFormat::coo, "coo"},
       {MatrixFormat::ell, "ell"},
       {MatrixFormat::ell_r, "ell_r"},
       {MatrixFormat::hyb, "hyb"},
       {MatrixFormat::sell, "sell"},
       {MatrixFormat::bcsr, "bcsr"},
       {MatrixFormat::ray_tiles, "ray_tiles"},
       {MatrixFormat::packed_csr, "packed_csr"},
       {MatrixFormat::pair_blocked, "pair_blocked"},
       {MatrixFormat::scsr, "scsr"},
       {MatrixFormat::block_circulant, "block_circulant"},
       {MatrixFormat::automatic, "automatic"}}};
};

/// \brief Column of a padding entry in every padded format. Padding is passed over, never
/// multiplied: an infinity or a NaN in x reaches only the rows that touch it.
inline constexpr Ordinal padding_column = -1;

/// \brief When a conversion is refused instead of made.
struct PaddingLimit {
  /// Stored entries over nonzeros. Beyond this a format is slower and larger than CSR by more than
  /// it could ever gain.
  double largest_fill = 8;
};

/// \brief Throws `Error`, with the numbers, when \p stored entries for \p nonzeros exceed \p limit.
void check_fill(MatrixFormat format, Offset stored, Offset nonzeros, const PaddingLimit& limit);

/// \brief Entries of \p A in memory, padding and fill included, over its nonzeros; 1 for none.
template <class Matrix>
double fill_of(const Matrix& A) {
  return A.num_nonzeros() > 0
             ? static_cast<double>(A.num_stored()) / static_cast<double>(A.num_nonzeros())
             : 1.0;
}

}  // namespace Tomokkos
