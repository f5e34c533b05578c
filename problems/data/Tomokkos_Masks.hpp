// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels and rays that are excluded from a reconstruction.
#pragma once

#include <Tomokkos_RowSubsets.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Rows (rays) and columns (pixels) of a matrix that are kept, by natural index; empty: all.
/// The other rows and columns are removed from the matrix.
struct MatrixMasks {
  std::vector<char> rows, columns;

  bool any() const { return !rows.empty() || !columns.empty(); }
};

/// \brief Returns \p fingerprint of a matrix, changed by \p masks, for matrices whose stored
/// entries do not show which rows and columns are kept.
std::uint64_t with_masks(std::uint64_t fingerprint, const MatrixMasks& masks);

/// \brief Reads a mask from a `.npy` file of any number type; nonzero entries are kept.
///
/// \param key key of the configuration, for messages
/// \param lengths required lengths of the array
/// \param names names of these lengths, for messages ("rows x columns")
/// \throws InputError when the file is not an array of finite numbers, or the mask keeps nothing
/// \throws DimensionMismatch with both shapes
std::vector<char> read_mask(const std::filesystem::path& file, const std::string& key,
                            const std::vector<std::size_t>& lengths, const std::string& names);

/// \brief Returns the number of entries out of \p all that \p mask keeps.
Ordinal count_kept(const std::vector<char>& mask, Ordinal all);

/// \brief Returns the entries of \p order that \p mask keeps, in the same order.
std::vector<Ordinal> kept_of(std::vector<Ordinal> order, const std::vector<char>& mask);

/// \brief Returns the positions of natural \p indices among those that \p mask keeps. All \p
/// indices must be kept.
std::vector<Ordinal> positions_among_kept(std::vector<Ordinal> indices,
                                          const std::vector<char>& mask);

/// \brief Returns the first row of each subset after removing the rows that \p mask does not keep.
///
/// \param order order of all rows, before removal; the \p subsets are ranges of it
std::vector<Ordinal> begins_of_kept(const std::vector<Ordinal>& order, const RowSubsets& subsets,
                                    const std::vector<char>& mask);

}  // namespace Tomokkos
