// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key `ordering`, wherever it stands.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Reads `ordering`: one name for rows and columns, or `{columns, rows, entries}`.
///
/// \param subsets ordered subsets of the solver; of more than one the rows are in the order that
/// deals the views out to them unless another is named.
OrderingOptions read_ordering(const ConfigReader& reader, int subsets = 1);

/// \brief Refuses an order, as far as that can be known from \p problem, for lack of a grid of
/// pixels or rays, or because the matrix is not square.
void check_ordering(const ConfigReader& reader, const OrderingOptions& ordering,
                    const ProblemSection& problem);

/// \brief \p ordering as it is read: a name where one says it.
ConfigNode ordering_node(const OrderingOptions& ordering);

/// \brief The order of columns and rows on one line, for people: `tiles`, `columns hilbert, rows
/// by_length`.
std::string describe(const OrderingOptions& ordering);

}  // namespace Tomokkos
