// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the products of a rank take, and the sums between ranks.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunRanks.hpp>

namespace Tomokkos {

/// \brief Seconds of a product and of a transposed product of \p A: the median of a few that a
/// tenth of a second warms up. Not in turns: ranks that share a GPU have a part of its speed each.
/// 0 where A has no rows.
template <class ExecutionSpace, class Scalar>
double seconds_of_products(const ExecutionSpace& exec,
                           const AnyOperator<ExecutionSpace, Scalar>& A);

/// \brief Of one process, for the report, in seconds: `forward`, `transposed` and both `products`
/// with so many vectors, each the median of a few that a tenth of a second warms up, in lists as of
/// ranks; `forward` alone where nobody wants the other.
template <class ExecutionSpace, class Scalar>
Description measure_products(const ExecutionSpace& exec,
                            const AnyOperator<ExecutionSpace, Scalar>& A, Ordinal vectors,
                            bool both);

/// \brief What the sums between ranks cost, for the report, in seconds: `forward`, `transposed` and
/// both `products` of each rank's own rows, `products_and_sums` of all ranks together, `sums` alone
/// (of ten in a row), each the median of a few; the `rate` of the sums alone in bytes that a rank
/// sends in a second; `exposed`: the share of `products_and_sums` by which it exceeds the longest
/// `products`. Where ranks share a GPU each multiplies its own rows while the others wait, as if
/// the GPU were its own: then `in_turns` says so, and there is no `exposed`.
template <class ExecutionSpace, class Scalar>
Description measure_sums(const ExecutionSpace& exec, const RunRanks& ranks,
                        const Communicator<ExecutionSpace>& communicator,
                        const DistributedOperator<ExecutionSpace, Scalar>& A, Ordinal vectors);

}  // namespace Tomokkos
