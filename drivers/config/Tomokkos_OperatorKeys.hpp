// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `operator`: the common keys and those of a single format.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Describes the keys of `operator` for the format in \p section and for \p solver.
void describe(Keys& key, OperatorWish& section, const SolverSection& solver);

/// \brief Keys of `operator` that at least one format has.
std::vector<std::string_view> operator_keys();

/// \brief Methods of the transposed product for the format of \p section. For `automatic`: the
/// methods that all formats with a copy have.
std::vector<TransposeMethod> methods_of(const OperatorWish& section);

/// \brief Default method: `stored` if the format of \p section keeps a copy, otherwise `automatic`.
TransposeMethod usual_transpose(const OperatorWish& section);

/// \brief Values of `operator.format`: the stored formats, and `scsr`, `block_circulant` and
/// `automatic`.
std::vector<std::string_view> format_names();

/// \brief Formats with \p property, and the formats \p parts, for messages: `csr, ray_tiles and
/// ...`.
std::string names_of_formats(bool (*property)(MatrixFormat),
                             const std::vector<StoredPart>& parts = {});

/// \brief Other ways to store the matrix of \p wish and to multiply with it, each with a name such
/// as `variant: crs_vector`. Keeps the ordering of \p section where the way allows it, and no other
/// key.
///
/// \param section `operator` of the effective configuration
std::vector<std::pair<std::string, ConfigNode>> other_operators(const ConfigNode& section,
                                                                const OperatorWish& wish,
                                                                const SolverSection& solver,
                                                                const ProblemSection& problem);

/// \brief Name of the phase of a run that prepares the products with a matrix.
std::string preparation_of(const OperatorWish& wish, bool uses_transpose);

// The key `ordering`, which `bench` has, too.

/// \brief Completes \p ordering, read from \p reader, and refuses invalid combinations.
void complete_ordering(const ConfigReader& reader, OrderingOptions& ordering, int subsets);

/// \brief Reads the key `ordering` of \p reader.
OrderingOptions read_ordering(const ConfigReader& reader, int subsets = 1);

/// \brief Writes \p ordering as in a configuration: as a single name if possible.
ConfigNode ordering_node(const OrderingOptions& ordering);

/// \brief Describes the order of columns and rows on one line: `tiles`, `columns hilbert, rows
/// by_length`.
std::string describe(const OrderingOptions& ordering);

}  // namespace Tomokkos
