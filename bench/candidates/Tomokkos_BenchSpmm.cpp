// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for our products with several vectors at once.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_Spmm.hpp>

#include "Tomokkos_BenchOurProducts.hpp"

namespace Tomokkos::Bench {
namespace {

template <class ExecutionSpace, class Scalar>
using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;

template <class ExecutionSpace, class Scalar, class X, class Y>
void multiply(const ExecutionSpace& exec,
              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, const X& x,
              const Y& y) {
  spmm(exec, A, all_rows, Scalar(1), x, Scalar(0), y);
}

template <class ExecutionSpace, class Matrix, class X, class Y>
requires(!Impl::is_csr<Matrix>) void multiply(const ExecutionSpace& exec, const Matrix& A,
                                              const X& x, const Y& y) {
  using Scalar = typename Matrix::scalar_type;
  spmm(exec, A, Scalar(1), x, Scalar(0), y);
}

/// Makes `Y = M X`, with M converted from CSR by \p convert.
template <class ExecutionSpace, class Scalar, class Convert>
Product<Scalar> converted_multiproduct(const ExecutionSpace& exec, int vectors,
                                       const Convert& convert) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = decltype(convert());
  auto made = std::make_shared<Matrix>();
  Product<Scalar> product;
  product.vectors = vectors;
  product.setup_seconds = seconds_of([&] { *made = convert(); });
  product.matrix_bytes = FormatTraits<Matrix>::product_bytes(*made);
  product.memory_bytes = made->memory_bytes();
  if constexpr (!Impl::is_csr<Matrix>) product.fill = fill_of(*made);
  product.run = [exec, made, vectors](const Scalar* x, Scalar* y) {
    multiply(exec, *made, MultiVectorView<const Scalar, MemorySpace>(x, made->num_cols, vectors),
             MultiVectorView<Scalar, MemorySpace>(y, made->num_rows, vectors));
  };
  return product;
}

/// Name of a shape in products with several vectors. It leaves out the threads per row, which apply
/// only to the product with one vector.
template <class Options>
std::string several_name(const Options& shape, const std::string& name) {
  if constexpr (requires { shape.threads_per_row; })
    return shape.sort_by_length ? name : "rows";
  else
    return name;
}

/// Calls `attempt(shape, convert)` for every shape of \p format. For a format without this product,
/// \p convert throws.
template <class ExecutionSpace, class Scalar, class Attempt>
void for_each_multiproduct(const std::string& format, const BenchOptions& options,
                           const ExecutionSpace& exec, const Attempt& attempt) {
  using Matrix = Csr<ExecutionSpace, Scalar>;
  const auto refuse = [&](const std::string& reason) {
    attempt("rows", [reason](const Matrix&) -> Matrix { throw Error(reason); });
  };
  if (format == "csr") {
    for (const EntryOrder order : options.entries)
      attempt("rows" + entries_suffix(order), [&exec, order](const Matrix& A) {
        return order == EntryOrder::sorted ? A : interleaved<ExecutionSpace, Scalar>(exec, A);
      });
    return;
  }
  if (format == "block_circulant")
    return refuse(
        "applies only to matrices given by their first block row, not to general matrices in CSR");
  bool found = false;
  for_each_format([&]<class Format>() {
    if constexpr (requires { Format::shape_name(typename Format::Options{}); }) {
      if (to_string(Format::format) != format) return;
      using Types =
          typename Format::template Matrices<Scalar, typename ExecutionSpace::memory_space>;
      Types::for_each([&]<class M>() {
        if constexpr (!Impl::is_csr<M> && FormatTraits<M>::several_vectors) {
          Format::for_each_shape(true, [&](const typename Format::Options& shape) {
            if (!FormatTraits<M>::matches_options(shape)) return;
            found = true;
            const std::string name = several_name(shape, Format::shape_name(shape));
            attempt(name, [&exec, shape](const Matrix& A) {
              return FormatTraits<M>::from_csr(exec, A, shape);
            });
          });
        }
      });
    }
  });
  if (!found) refuse(format + " has no product with several vectors");
}

}  // namespace

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_multiproducts(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                      const BenchOptions& options, int vectors, bool of_transpose) {
  ProductList<Scalar> list("tomokkos");
  const ExecutionSpace exec = matrix_case.exec();
  for (const std::string& format : options.formats)
    for_each_multiproduct<ExecutionSpace, Scalar>(
        format, options, exec, [&](const std::string& shape, const auto& convert) {
          list.attempt(format, product_name((of_transpose ? "stored:" : "") + shape, vectors), [&] {
            const auto& A = of_transpose ? matrix_case.matrix(true) : matrix_case.matrix();
            auto product = converted_multiproduct<ExecutionSpace, Scalar>(
                exec, vectors, [&] { return convert(A); });
            if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
            return product;
          });
        });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template ProductList<SCALAR> our_multiproducts<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&, \
                                                                const BenchOptions&, int, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
