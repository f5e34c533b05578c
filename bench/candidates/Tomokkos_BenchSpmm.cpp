// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our products with several vectors at once as candidates.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatConversion.hpp>
#include <Tomokkos_Spmm.hpp>

#include "Tomokkos_BenchFormatBytes.hpp"
#include "Tomokkos_BenchOwn.hpp"

namespace Tomokkos::Bench {
namespace {

template <class ExecutionSpace, class Scalar>
using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace, class Scalar, class X, class Y>
void multiply(const ExecutionSpace& exec,
              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, const X& x,
              const Y& y) {
  spmm<ExecutionSpace, Scalar>(exec, A, all_rows, Scalar(1), x, Scalar(0), y);
}

template <class ExecutionSpace, class Matrix, class X, class Y>
requires(Impl::has_spmm<Matrix>) void multiply(const ExecutionSpace& exec, const Matrix& A,
                                               const X& x, const Y& y) {
  using Scalar = typename Matrix::scalar_type;
  spmm(exec, A, Scalar(1), x, Scalar(0), y);
}

/// `Y = M X` with M as \p convert makes it from CSR.
template <class ExecutionSpace, class Scalar, class Convert>
Product<Scalar> converted_multiproduct(const ExecutionSpace& exec, int vectors,
                                       const Convert& convert) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = decltype(convert());
  auto made = std::make_shared<Matrix>();
  Product<Scalar> product;
  product.vectors = vectors;
  product.setup_seconds = seconds_of([&] { *made = convert(); });
  product.matrix_bytes = bytes_read(*made);
  product.memory_bytes = made->memory_bytes();
  product.fill = stored_per_nonzero(*made);
  product.run = [exec, made, vectors](const Scalar* x, Scalar* y) {
    multiply(exec, *made, MultiVectorView<const Scalar, MemorySpace>(x, made->num_cols, vectors),
             MultiVectorView<Scalar, MemorySpace>(y, made->num_rows, vectors));
  };
  return product;
}

/// Calls `attempt(variant, convert)` for every shape of \p format; for a format without this
/// product with what throws.
template <class ExecutionSpace, class Scalar, class Attempt>
void for_each_multiproduct(MatrixFormat format, const BenchOptions& options,
                           const ExecutionSpace& exec, const Attempt& attempt) {
  using Matrix = Csr<ExecutionSpace, Scalar>;
  switch (format) {
    case MatrixFormat::csr:
      for (const EntryOrder order : options.entries)
        attempt("rows" + entries_suffix(order), [&exec, order](const Matrix& A) {
          return order == EntryOrder::sorted ? A : interleaved<ExecutionSpace, Scalar>(exec, A);
        });
      return;
    case MatrixFormat::ell_r:
      for (const bool sorted : {false, true})
        attempt(sorted ? "sorted" : "rows", [&exec, sorted](const Matrix& A) {
          EllROptions options;
          options.sort_by_length = sorted;
          return ell_r_from_csr(exec, A, options);
        });
      return;
    case MatrixFormat::sell:
      for (const Ordinal sigma : {1, 256, 8192})
        attempt("sigma_" + std::to_string(sigma), [&exec, sigma](const Matrix& A) {
          SellOptions options;
          options.sigma = sigma;
          return sell_from_csr(exec, A, options);
        });
      return;
    case MatrixFormat::bcsr:
      attempt("2x2", [&exec](const Matrix& A) { return bcsr_from_csr<2>(exec, A); });
      attempt("3x3", [&exec](const Matrix& A) { return bcsr_from_csr<3>(exec, A); });
      attempt("4x4", [&exec](const Matrix& A) { return bcsr_from_csr<4>(exec, A); });
      attempt("8x8", [&exec](const Matrix& A) { return bcsr_from_csr<8>(exec, A); });
      return;
    case MatrixFormat::coo:
    case MatrixFormat::ell:
    case MatrixFormat::hyb:
    case MatrixFormat::ray_tiles:
    case MatrixFormat::packed_csr:
    case MatrixFormat::pair_blocked:
    case MatrixFormat::scsr:
    case MatrixFormat::automatic:
      attempt("rows", [format](const Matrix&) -> Matrix {
        throw Error(std::string(to_string(format)) + " has no product with several vectors");
      });
      return;
    case MatrixFormat::block_circulant:
      attempt("rows", [](const Matrix&) -> Matrix {
        throw Error("is of matrices whose first row of blocks is given, not of any in CSR");
      });
      return;
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> own_multiproducts(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                      const BenchOptions& options, int vectors, bool of_transpose) {
  ProductList<Scalar> list("tomokkos");
  const ExecutionSpace exec = matrix_case.exec();
  for (const MatrixFormat format : options.formats)
    for_each_multiproduct<ExecutionSpace, Scalar>(
        format, options, exec, [&](const std::string& shape, const auto& convert) {
          list.attempt(std::string(to_string(format)),
                       product_name((of_transpose ? "stored:" : "") + shape, vectors), [&] {
                         const auto& A =
                             of_transpose ? matrix_case.transposed() : matrix_case.matrix();
                         auto product = converted_multiproduct<ExecutionSpace, Scalar>(
                             exec, vectors, [&] { return convert(A); });
                         if (of_transpose)
                           product.setup_seconds += matrix_case.transposed_seconds();
                         return product;
                       });
        });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template ProductList<SCALAR> own_multiproducts<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&, \
                                                                const BenchOptions&, int, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
