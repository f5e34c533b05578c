// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for our formats other than CSR, made from the list of formats.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_MatrixOperator.hpp>

#include <optional>

#include "Tomokkos_BenchOurProducts.hpp"

namespace Tomokkos::Bench {
namespace {

/// Matrix in one of the types of a format, with the plan of its products.
template <class ExecutionSpace, class Matrix>
struct Planned {
  Matrix A;
  Impl::ProductPlan<ExecutionSpace, Matrix> plan;
};

template <class ExecutionSpace, class Matrix>
std::shared_ptr<Planned<ExecutionSpace, Matrix>> planned(
    const ExecutionSpace& exec,
    const CsrMatrix<typename Matrix::scalar_type, typename ExecutionSpace::memory_space>& A,
    const typename FormatTraits<Matrix>::Options& shape, const SpmvOptions& options) {
  using Traits = FormatTraits<Matrix>;
  auto made = std::make_shared<Planned<ExecutionSpace, Matrix>>();
  made->A = Traits::from_csr(exec, A, shape);
  made->plan = {exec, made->A, Traits::product_options(options, shape)};
  exec.fence();
  return made;
}

/// Makes the product with \p A in one shape of a format. If \p of_copy is set, makes the transposed
/// product from the same copy of the matrix. Stores the options of the product in \p options.
template <class ExecutionSpace, class Scalar, class Format>
Product<Scalar> shaped_product(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const typename Format::Options& shape, SpmvOptions& options,
                               bool of_copy) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Product<Scalar> product;
  Format::template Matrices<Scalar, MemorySpace>::for_each([&]<class Matrix>() {
    using Traits = FormatTraits<Matrix>;
    if (!Traits::matches_options(shape)) return;
    std::shared_ptr<Planned<ExecutionSpace, Matrix>> made;
    product.setup_seconds =
        seconds_of([&] { made = planned<ExecutionSpace, Matrix>(exec, A, shape, options); });
    options = made->plan.options();
    product.matrix_bytes = Traits::product_bytes(made->A);
    product.memory_bytes = made->A.memory_bytes() + made->plan.memory_bytes();
    product.fill = fill_of(made->A);
    if (of_copy) product.copy = made.get();
    product.run = [exec, made, of_copy](const Scalar* x, Scalar* y) {
      using In = VectorView<const Scalar, MemorySpace>;
      using Out = VectorView<Scalar, MemorySpace>;
      const Matrix& M = made->A;
      if constexpr (Traits::one_copy) {
        if (of_copy) {
          spmv_transpose(exec, made->plan, M, Scalar(1), In(x, M.num_rows), Scalar(0),
                         Out(y, M.num_cols));
          return;
        }
      }
      spmv(exec, made->plan, M, Scalar(1), In(x, M.num_cols), Scalar(0), Out(y, M.num_rows));
    };
  });
  return product;
}

/// Makes the product in the format that the library chooses for \p A. \p shape becomes the variant
/// and says what was chosen. The time of the choice is part of the set-up.
template <class ExecutionSpace, class Scalar>
Product<Scalar> chosen_product(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               bool deterministic, std::string& shape) {
  FormatOptions choice;
  const double seconds = seconds_of([&] { choice = choose_format(exec, A); });
  const std::string format(to_string(format_of(choice)));
  shape = format + ':';
  SpmvOptions options;
  options.deterministic = deterministic;
  Product<Scalar> product;
  with_format(choice, [&]<class Format>(const typename Format::Options& chosen) {
    if constexpr (Format::format == MatrixFormat::csr) {
      using Csr = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
      shape += "automatic";
      const auto made = planned<ExecutionSpace, Csr>(exec, A, chosen, options);
      product.matrix_bytes = csr_bytes(A, sizeof(Offset));
      product.memory_bytes = A.memory_bytes() + made->plan.memory_bytes();
      product.choice = "csr " + std::string(to_string(made->plan.options().variant));
      product.run = [exec, made](const Scalar* x, Scalar* y) {
        using MemorySpace = typename ExecutionSpace::memory_space;
        spmv(exec, made->plan, made->A, Scalar(1),
             VectorView<const Scalar, MemorySpace>(x, made->A.num_cols), Scalar(0),
             VectorView<Scalar, MemorySpace>(y, made->A.num_rows));
      };
    } else if constexpr (requires { Format::shape_name(chosen); }) {
      shape += Format::shape_name(chosen);
      product = shaped_product<ExecutionSpace, Scalar, Format>(exec, A, chosen, options, false);
      // Replace the number of threads per row by the one used, in case the library chose it.
      typename Format::Options used = chosen;
      if constexpr (requires { used.threads_per_row; })
        used.threads_per_row = options.vector_length;
      product.choice = format + ' ' + Format::shape_name(used);
    }
  });
  product.setup_seconds += seconds;
  return product;
}

template <class ExecutionSpace, class Scalar>
void add_chosen_product(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                        const BenchOptions& options, bool of_transpose) {
  std::string shape = "automatic";
  std::optional<Product<Scalar>> product;
  const auto make = [&] {
    const auto& A = of_transpose ? matrix_case.matrix(true) : matrix_case.matrix();
    auto made =
        chosen_product<ExecutionSpace, Scalar>(matrix_case.exec(), A, options.deterministic, shape);
    if (of_transpose) made.setup_seconds += matrix_case.transposed_seconds();
    return made;
  };
  // The name is known only once the product is made. An error is reported under the name known so
  // far.
  std::string reason;
  try {
    product = make();
  } catch (const std::exception& problem) {
    reason = problem.what();
  }
  list.attempt("automatic", (of_transpose ? "stored:" : "") + shape, [&] {
    if (!product) throw Error(reason);
    return std::move(*product);
  });
}

/// Adds the products of all shapes of one format. One copy serves both products if the format
/// supports that.
template <class Format, class ExecutionSpace, class Scalar>
void add_shapes(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                const BenchOptions& options, bool of_transpose) {
  if constexpr (requires { Format::shape_name(typename Format::Options{}); }) {
    const bool by_copy = of_transpose && !Format::one_copy;
    if (by_copy && !wants(options, TransposeMethod::stored)) return;
    Format::for_each_shape(
        Impl::is_host_space<ExecutionSpace>, [&](const typename Format::Options& shape) {
          list.attempt(std::string(to_string(Format::format)),
                       (by_copy ? "stored:" : "") + Format::shape_name(shape), [&] {
                         SpmvOptions product_options;
                         product_options.deterministic = options.deterministic;
                         const auto& A = by_copy ? matrix_case.matrix(true) : matrix_case.matrix();
                         auto product = shaped_product<ExecutionSpace, Scalar, Format>(
                             matrix_case.exec(), A, shape, product_options,
                             of_transpose && !by_copy);
                         if (by_copy) product.setup_seconds += matrix_case.transposed_seconds();
                         return product;
                       });
        });
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_format_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const std::string& format, const BenchOptions& options,
                         bool of_transpose) {
  if (format == "automatic") {
    if (!of_transpose || wants(options, TransposeMethod::stored))
      add_chosen_product(list, matrix_case, options, of_transpose);
    return;
  }
  if (format == "block_circulant") {
    list.attempt(format, "", []() -> Product<Scalar> {
      throw Error(
          "applies only to matrices given by their first block row, not to general matrices in "
          "CSR");
    });
    return;
  }
  for_each_format([&]<class Format>() {
    if (to_string(Format::format) == format)
      add_shapes<Format>(list, matrix_case, options, of_transpose);
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void add_format_products<SPACE, SCALAR>(ProductList<SCALAR>&,                          \
                                                   BenchCase<SPACE, SCALAR>&, const std::string&, \
                                                   const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
