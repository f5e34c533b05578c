// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the products of a rank and of the sums over ranks.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Ranks.hpp>

namespace Tomokkos {

/// \brief Measures the seconds of a product and, with \p both, of a transposed product of \p A with
/// the given number of \p vectors: the median of a few, after a warm-up of a tenth of a second.
/// Ranks run at the same time, so ranks that share a GPU share its speed. 0 if A has no rows.
template <class ExecutionSpace, class Scalar>
double seconds_of_products(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                           bool both = true, Ordinal vectors = 1);

/// \brief Measures the products of a single process, for the report, in seconds: `forward`,
/// `transposed` and both `products` with the given number of vectors. Each is the median of a few
/// after a warm-up of a tenth of a second, in a list with one entry per rank. Without a transposed
/// product, only `forward`.
template <class ExecutionSpace, class Scalar>
Description measure_products(const ExecutionSpace& exec,
                             const AnyOperator<ExecutionSpace, Scalar>& A, Ordinal vectors,
                             bool both);

/// \brief Measures the cost of sums over ranks, for the report, in seconds: `forward`, `transposed`
/// and both `products` with each rank's own rows, `products_and_sums` of all ranks together, `sums`
/// alone (of ten in a row), each the median of a few. `rate` is the rate of the sums alone in bytes
/// per second that a rank sends. `exposed` is the fraction of `products_and_sums` by which it
/// exceeds the longest `products`.
///
/// \param in_turns ranks share a GPU: each multiplies its own rows while the others wait; then
/// `in_turns` is described as well and `exposed` is absent
template <class ExecutionSpace, class Scalar>
Description measure_sums(const ExecutionSpace& exec, const Ranks& ranks, bool in_turns,
                         const Communicator<ExecutionSpace>& communicator,
                         const DistributedOperator<ExecutionSpace, Scalar>& A, Ordinal vectors);

}  // namespace Tomokkos
