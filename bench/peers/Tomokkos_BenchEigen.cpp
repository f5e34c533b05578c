// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)

// Eigen runs on the host here, even if a CUDA compiler compiles this file.
#define EIGEN_NO_CUDA
#include <Eigen/SparseCore>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

template <class Scalar>
using Sparse = Eigen::SparseMatrix<Scalar, Eigen::RowMajor, std::int32_t>;
template <class Scalar>
using SparseMap = Eigen::Map<const Sparse<Scalar>>;
template <class Scalar>
using DenseMap = Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
template <class Scalar>
using ConstDenseMap = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
/// Several vectors, stored row-major.
template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Makes an Eigen map of our arrays without a copy.
template <class Scalar, class MemorySpace, class Offsets>
SparseMap<Scalar> map(const CsrMatrix<Scalar, MemorySpace>& A, const Offsets& offsets) {
  return SparseMap<Scalar>(A.num_rows, A.num_cols, static_cast<std::int32_t>(A.num_nonzeros()),
                           offsets.data(), A.columns.data(), A.values.data());
}

/// Makes the product `y = M x` or `y = M^T x`.
template <class Scalar, class MemorySpace, class Offsets>
Product<Scalar> make_product(const CsrMatrix<Scalar, MemorySpace>& M, const Offsets& offsets,
                             int vectors, bool transposed_view) {
  Product<Scalar> product;
  product.vectors = std::max(1, vectors);
  product.matrix_bytes = csr_bytes(M, sizeof(std::int32_t));
  product.memory_bytes = product.matrix_bytes;
  const Ordinal x_rows = transposed_view ? M.num_rows : M.num_cols;
  const Ordinal y_rows = transposed_view ? M.num_cols : M.num_rows;
  product.run = [=](const Scalar* x, Scalar* y) {
    const auto mapped = map(M, offsets);
    const auto multiply = [&](auto&& Y, const auto& X) {
      if (transposed_view)
        Y.noalias() = mapped.transpose() * X;
      else
        Y.noalias() = mapped * X;
    };
    if (vectors == single_vector)
      multiply(DenseMap<Scalar>(y, y_rows), ConstDenseMap<Scalar>(x, x_rows));
    else
      multiply(Eigen::Map<Dense<Scalar>>(y, y_rows, vectors),
               Eigen::Map<const Dense<Scalar>>(x, x_rows, vectors));
  };
  if (transposed_view && vectors == single_vector)
    product.add = [=](const Scalar* x, Scalar* y) {
      DenseMap<Scalar>(y, y_rows).noalias() +=
          map(M, offsets).transpose() * ConstDenseMap<Scalar>(x, x_rows);
    };
  return product;
}

}  // namespace

std::string eigen_version() {
  return Impl::text("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> EigenPeer<ExecutionSpace, Scalar>::products(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options, int vectors,
    bool of_transpose) const {
  ProductList<Scalar> list(this->name());
  if (!of_transpose) {
    list.attempt(product_name("row_major", vectors), [&] {
      return make_product(matrix_case.matrix(), matrix_case.offsets32(), vectors, false);
    });
    return list;
  }
  list.attempt(product_name("transpose_view", vectors), [&] {
    return make_product(matrix_case.matrix(), matrix_case.offsets32(), vectors, true);
  });
  if (!options.peer_copies) return list;
  list.attempt(product_name("stored", vectors), [&] {
    auto product =
        make_product(matrix_case.matrix(true), matrix_case.offsets32(true), vectors, false);
    product.setup_seconds += matrix_case.transposed_seconds();
    return product;
  });
  return list;
}

template <class ExecutionSpace, class Scalar>
void EigenPeer<ExecutionSpace, Scalar>::add_transpositions(
    CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case) const {
  using MemorySpace = typename ExecutionSpace::memory_space;
  list.attempt(this->name(), "csr", "row_major", [&] {
    const auto A = matrix_case.matrix();
    const auto offsets = matrix_case.offsets32();
    const auto result = std::make_shared<Sparse<Scalar>>();
    Candidate candidate = matrix_case.transposition(
        [result] { *result = Sparse<Scalar>(); },
        [result] {
          result->makeCompressed();
          const Kokkos::View<Offset*, MemorySpace> row_offsets("Tomokkos::Bench::eigen",
                                                               result->rows() + 1);
          for (Eigen::Index i = 0; i <= result->rows(); ++i)
            row_offsets(i) = result->rows() > 0 ? result->outerIndexPtr()[i] : 0;
          return CsrMatrix<Scalar, MemorySpace>{
              static_cast<Ordinal>(result->rows()), static_cast<Ordinal>(result->cols()),
              row_offsets,
              Kokkos::View<const Ordinal*, MemorySpace>(result->innerIndexPtr(),
                                                        result->nonZeros()),
              Kokkos::View<const Scalar*, MemorySpace>(result->valuePtr(), result->nonZeros())};
        },
        sizeof(std::int32_t));
    candidate.launch = [A, offsets, result] { *result = map(A, offsets).transpose(); };
    return candidate;
  });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                                  \
  template ProductList<SCALAR> EigenPeer<TOMOKKOS_HOST_SPACE, SCALAR>::products(      \
      BenchCase<TOMOKKOS_HOST_SPACE, SCALAR>&, const BenchOptions&, int, bool) const; \
  template void EigenPeer<TOMOKKOS_HOST_SPACE, SCALAR>::add_transpositions(           \
      CandidateList&, BenchCase<TOMOKKOS_HOST_SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
