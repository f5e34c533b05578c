// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key `ordering`, wherever it stands.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Describes the key `ordering`: one name for rows and columns, or `{columns, rows,
/// entries}`.
///
/// \param subsets ordered subsets of the solver; of more than one the rows are in the order that
/// deals the views out to them unless another is named.
void describe_ordering(Keys& key, OrderingOptions& ordering, int subsets = 1);

/// \brief The order where the key is absent.
OrderingOptions default_ordering(int subsets);

/// \brief Fills in what `ordering`, read from \p reader, leaves open, and refuses what is no order.
void complete_ordering(const ConfigReader& reader, OrderingOptions& ordering, int subsets);

/// \brief The key `ordering` of \p reader.
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
