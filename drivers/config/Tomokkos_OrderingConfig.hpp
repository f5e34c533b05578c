// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The key `ordering`, which occurs in several sections.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_OrderNames.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Describes the key `ordering`: one name for rows and columns, or `{columns, rows,
/// entries}`.
///
/// \param subsets number of ordered subsets of the solver. With more than one, the default order of
/// the rows groups the views by subset.
/// \param by_views only the order of whole views can be chosen
void describe_ordering(Keys& key, OrderingOptions& ordering, int subsets = 1,
                       bool by_views = false);

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
