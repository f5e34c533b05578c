// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our formats beside CSR as candidates.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatConversion.hpp>
#include <Tomokkos_SpmvFormats.hpp>

#include "Tomokkos_BenchOwn.hpp"

namespace Tomokkos::Bench {
namespace {

template <class Matrix>
std::size_t bytes_read(const Matrix& A) {
  return A.memory_bytes();
}

/// ELLPACK-R never reads its padding.
template <class Scalar, class MemorySpace>
std::size_t bytes_read(const EllRMatrix<Scalar, MemorySpace>& A) {
  return static_cast<std::size_t>(A.num_nonzeros()) * (sizeof(Ordinal) + sizeof(Scalar)) +
         (A.row_lengths.extent(0) + A.rows.extent(0)) * sizeof(Ordinal);
}

/// `y = M x` with M as \p convert makes it from CSR.
template <class ExecutionSpace, class Scalar, class Convert>
Product<Scalar> converted_product(const ExecutionSpace& exec, const SpmvOptions& options,
                                  const Convert& convert) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = decltype(convert());
  struct Made {
    Matrix A;
    SpmvPlan<ExecutionSpace, Matrix> plan;
  };
  auto made = std::make_shared<Made>();
  Product<Scalar> product;
  product.setup_seconds = seconds_of([&] {
    made->A = convert();
    made->plan = SpmvPlan<ExecutionSpace, Matrix>(exec, made->A, options);
    exec.fence();
  });
  product.matrix_bytes = bytes_read(made->A);
  product.memory_bytes = made->A.memory_bytes() + made->plan.memory_bytes();
  product.fill = fill_of(made->A);
  product.run = [exec, made](const Scalar* x, Scalar* y) {
    spmv(exec, made->plan, made->A, Scalar(1),
         VectorView<const Scalar, MemorySpace>(x, made->A.num_cols), Scalar(0),
         VectorView<Scalar, MemorySpace>(y, made->A.num_rows));
  };
  return product;
}

/// Calls `attempt(variant, options, convert)` for every shape of \p format.
template <class ExecutionSpace, class Scalar, class Attempt>
void for_each_shape(MatrixFormat format, const ExecutionSpace& exec, bool deterministic,
                    const Attempt& attempt) {
  using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvOptions options;
  options.deterministic = deterministic;
  switch (format) {
    case MatrixFormat::csr:
      return;
    case MatrixFormat::coo:
      attempt("segmented", options, [&](const Csr& A) { return coo_from_csr(exec, A); });
      return;
    case MatrixFormat::ell:
      attempt("scalar", options, [&](const Csr& A) { return ell_from_csr(exec, A); });
      return;
    case MatrixFormat::ell_r:
      for (const int threads : {1, 2, 4, 8}) {
        options.vector_length = threads;
        attempt("threads_" + std::to_string(threads), options,
                [&](const Csr& A) { return ell_r_from_csr(exec, A); });
        if (Impl::is_host_space<ExecutionSpace>) break;
      }
      options.vector_length = 1;
      attempt("sorted", options, [&](const Csr& A) {
        EllROptions sorted;
        sorted.sort_by_length = true;
        return ell_r_from_csr(exec, A, sorted);
      });
      return;
    case MatrixFormat::hyb:
      attempt("ell_coo", options, [&](const Csr& A) { return hyb_from_csr(exec, A); });
      return;
    case MatrixFormat::sell:
      for (const Ordinal sigma : {1, 256, 8192})
        attempt("sigma_" + std::to_string(sigma), options, [&exec, sigma](const Csr& A) {
          SellOptions sell;
          sell.sigma = sigma;
          return sell_from_csr(exec, A, sell);
        });
      return;
    case MatrixFormat::bcsr:
      attempt("2x2", options, [&](const Csr& A) { return bcsr_from_csr<2>(exec, A); });
      attempt("3x3", options, [&](const Csr& A) { return bcsr_from_csr<3>(exec, A); });
      attempt("4x4", options, [&](const Csr& A) { return bcsr_from_csr<4>(exec, A); });
      attempt("8x8", options, [&](const Csr& A) { return bcsr_from_csr<8>(exec, A); });
      return;
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_format_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         MatrixFormat format, const BenchOptions& options, bool of_transpose) {
  const ExecutionSpace exec = matrix_case.exec();
  for_each_shape<ExecutionSpace, Scalar>(
      format, exec, options.deterministic,
      [&](const std::string& shape, const SpmvOptions& spmv_options, const auto& convert) {
        list.attempt(std::string(to_string(format)), (of_transpose ? "stored:" : "") + shape, [&] {
          const auto& A = of_transpose ? matrix_case.transposed() : matrix_case.matrix();
          auto product = converted_product<ExecutionSpace, Scalar>(exec, spmv_options,
                                                                   [&] { return convert(A); });
          if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
          return product;
        });
      });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)         \
  template void add_format_products<SPACE, SCALAR>( \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, MatrixFormat, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
