// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libraries without block-circulant matrices do with one: k products of the first row of
// blocks with a vector, or one of its products with several. Their vectors lie as they want them,
// X twice where they need that; what brings them there does not count.
#pragma once

#include "Tomokkos_BenchCirculantCase.hpp"
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
ProductList<Scalar> circulant_peer_products(Peer peer,
                                            CirculantCase<ExecutionSpace, Scalar>& matrix_case,
                                            const BenchOptions& options, bool of_transpose);

/// \brief The ways of eq. 5 and 6, by their names.
enum class CirculantSpmm { eq5, eq6 };

inline std::string name_of(CirculantSpmm way) {
  return way == CirculantSpmm::eq5 ? "spmm_eq5" : "spmm_eq6";
}

/// \brief What a library multiplies in one of these ways, and how its vectors lie: X is
/// `A.num_cols x vectors`, Y `A.num_rows x vectors`, row-major or column-major with these leading
/// dimensions.
template <class ExecutionSpace, class Scalar>
struct CirculantSpmmProblem {
  using memory_space = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  CsrMatrix<Scalar, memory_space> A;
  Kokkos::View<const std::int32_t*, memory_space> offsets;
  Ordinal vectors = 1;
  bool row_major = true;
  Ordinal x_stride = 1, y_stride = 1;
  Vector<Scalar, memory_space> x, y;  // of the case, for what is prepared

  /// A product with the sizes and layouts filled in.
  Product<Scalar> product() const {
    Product<Scalar> result;
    result.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
    result.memory_bytes = result.matrix_bytes;
    result.x_layout = row_major ? VectorLayout::rows_twice : VectorLayout::blocks_twice;
    result.y_layout = row_major ? VectorLayout::as_it_is : VectorLayout::blocks;
    return result;
  }
};

// One per peer: what it makes of such a problem, under the name of the way, with the variants that
// it has behind that.

#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
template <class ExecutionSpace, class Scalar>
void add_kokkos_kernels_circulant(ProductList<Scalar>& list, const std::string& name,
                                  const CirculantSpmmProblem<ExecutionSpace, Scalar>& problem);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)
template <class Scalar>
void add_cusparse_circulant(ProductList<Scalar>& list, const std::string& name,
                            const CirculantSpmmProblem<Kokkos::Cuda, Scalar>& problem);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_MKL)
template <class ExecutionSpace, class Scalar>
void add_mkl_circulant(ProductList<Scalar>& list, const std::string& name,
                       const CirculantSpmmProblem<ExecutionSpace, Scalar>& problem);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
template <class ExecutionSpace, class Scalar>
void add_eigen_circulant(ProductList<Scalar>& list, const std::string& name,
                         const CirculantSpmmProblem<ExecutionSpace, Scalar>& problem);
#endif

}  // namespace Tomokkos::Bench
