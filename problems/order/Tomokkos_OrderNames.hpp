// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Orders of columns and rows that a single name stands for.
OrderingOptions ordering_named(Ordering name);

/// \brief Order where none is given: with several \p subsets, views are grouped by subset.
OrderingOptions default_ordering(int subsets);

/// \brief Single name of \p ordering, if it has one.
std::optional<Ordering> single_name(const OrderingOptions& ordering);

/// \brief Describes \p ordering as in a configuration: by a single name if possible.
Description description_of(const OrderingOptions& ordering);

}  // namespace Tomokkos
