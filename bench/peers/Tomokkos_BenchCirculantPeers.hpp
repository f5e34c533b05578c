// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with block-circulant matrices by libraries without such a format: k products of the
// first block row with one vector, or one product with several vectors. The vectors lie as the
// library needs them, X twice where necessary. The time to bring them into that order does not
// count.
#pragma once

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief Makes the products of \p peer with a block-circulant matrix, under the format `csr`.
///
/// Transposed products use the first block row of C^T and are called `stored:...`.
///
///  - `k_spmv:...`: part p of Y is the first block row times (x; x) from part p on.
///  - `k_spmv_op_t:...`: the transposed first block row times part p of Y is added to (x; x) from
///    part p on. The two halves are added at the end.
///  - `spmm_eq5:...`: one product with several vectors, X column-major with the leading dimension
///    n_B (eq. 5).
///  - `spmm_eq6:...`: one product with several vectors of a matrix whose columns are those of the
///    replicated X, which is row-major with the leading dimension 1 (eq. 6).
///  - `spmm_copy:...`: products with columns of the anti-circulant matrix, at most 32 at a time.
///  The
///    columns are first written to memory, which counts.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> circulant_peer_products(const PeerLibrary<ExecutionSpace, Scalar>& peer,
                                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                            const BenchOptions& options, bool of_transpose);

}  // namespace Tomokkos::Bench
