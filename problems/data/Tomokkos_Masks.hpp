// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels and rays that take no part in a reconstruction.
#pragma once

#include <Tomokkos_RowSubsets.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Which rows (rays) and columns (pixels) of a matrix are kept, by natural index; empty: all
/// of them. What is not kept is gone from the matrix.
struct MatrixMasks {
  std::vector<char> rows, columns;

  bool any() const { return !rows.empty() || !columns.empty(); }
};

/// \brief Reads a mask: a `.npy` file of any number type, not 0 is kept.
///
/// \param key of the configuration, for messages
/// \param lengths that it must have, and \p names of these, for messages ("rows x columns")
/// \throw InputError for what is no array of finite numbers and for a mask that keeps nothing;
/// DimensionMismatch with both shapes.
std::vector<char> read_mask(const std::filesystem::path& file, const std::string& key,
                            const std::vector<std::size_t>& lengths, const std::string& names);

/// \brief How many of \p all are kept by \p mask.
Ordinal count_kept(const std::vector<char>& mask, Ordinal all);

/// \brief What \p mask keeps of \p order, in that order.
std::vector<Ordinal> kept_of(std::vector<Ordinal> order, const std::vector<char>& mask);

/// \brief The positions of natural \p indices among those that \p mask keeps, of which they are.
std::vector<Ordinal> positions_among_kept(std::vector<Ordinal> indices,
                                          const std::vector<char>& mask);

/// \brief Where subsets of all rows begin when only those that \p mask keeps are left.
///
/// \param order of all rows, of which \p subsets are ranges
std::vector<Ordinal> begins_of_kept(const std::vector<Ordinal>& order, const RowSubsets& subsets,
                                    const std::vector<char>& mask);

}  // namespace Tomokkos
