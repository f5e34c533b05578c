// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libraries without block-circulant matrices do with one: k products of the first row of
// blocks with a vector, or one of its products with several. Their vectors lie as they want them,
// X twice where they need that; what brings them there does not count.
#pragma once

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief The products of \p peer, under the format `csr`; transposed ones from the first row of
/// blocks of C^T as `stored:...`.
///
///  - `k_spmv:...`: part p of Y is the first row of blocks times (x; x) from part p on;
///  - `k_spmv_op_t:...`: its transpose times part p of Y, added to (x; x) from part p on, the two
///    halves of which are added at the end;
///  - `spmm_eq5:...`: the product with several vectors, X column-major with the leading dimension
///    n_B (eq. 5);
///  - `spmm_eq6:...`: the same of the matrix whose columns are those of X replicated, row-major
///    with the leading dimension 1 (eq. 6);
///  - `spmm_copy:...`: the same with columns of the anti-circulant matrix, at most 32 at a time,
///    that are written to memory before, which counts.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> circulant_peer_products(const PeerLibrary<ExecutionSpace, Scalar>& peer,
                                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                            const BenchOptions& options, bool of_transpose);

}  // namespace Tomokkos::Bench
