// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief Our own products: each forward variant, or the transposed methods `atomic` and
/// `stored:<variant>`.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> own_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                 const BenchOptions& options, bool of_transpose);

/// \brief Our own transposition, result and workspace allocated anew each time.
template <class ExecutionSpace, class Scalar>
void add_own_transposition(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case);

}  // namespace Tomokkos::Bench
