// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our formats beside CSR as candidates.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatConversion.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvFormats.hpp>

#include <optional>

#include "Tomokkos_BenchFormatBytes.hpp"
#include "Tomokkos_BenchOwn.hpp"

namespace Tomokkos::Bench {
namespace {

/// `y = M x` with M as \p convert makes it from CSR.
template <class ExecutionSpace, class Scalar, class Convert>
Product<Scalar> converted_product(const ExecutionSpace& exec, const SpmvOptions& options,
                                  const Convert& convert, SpmvOptions* used = nullptr) {
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
  product.fill = stored_per_nonzero(made->A);
  if (used != nullptr) *used = made->plan.options();
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
    case MatrixFormat::ray_tiles:
    case MatrixFormat::packed_csr:
    case MatrixFormat::pair_blocked:
    case MatrixFormat::scsr:
    case MatrixFormat::block_circulant:
    case MatrixFormat::automatic:
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

/// The product of the format that the library chooses for \p A. Its variant says what was chosen;
/// the choosing is part of the set-up.
template <class ExecutionSpace, class Scalar>
Product<Scalar> chosen_product(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               bool deterministic, std::string& shape) {
  FormatChoice choice;
  const double seconds = seconds_of([&] { choice = choose_format(exec, A); });
  shape = std::string(to_string(choice.format)) + ':';
  SpmvOptions options;
  options.deterministic = deterministic;
  Product<Scalar> product;
  const auto make = [&](const std::string& name, const auto& convert) {
    shape += name;
    product = converted_product<ExecutionSpace, Scalar>(exec, options, convert, &options);
    product.choice = std::string(to_string(choice.format)) + ' ' + name;
  };
  if (choice.format == MatrixFormat::sell) {
    SellOptions sell;
    sell.sigma = choice.sigma;
    make("sigma_" + std::to_string(choice.sigma), [&] { return sell_from_csr(exec, A, sell); });
  } else if (choice.format == MatrixFormat::ell_r) {
    make("threads_0", [&] { return ell_r_from_csr(exec, A); });
    product.choice = "ell_r threads_" + std::to_string(options.vector_length);
  } else if (choice.format == MatrixFormat::coo) {
    make("segmented", [&] { return coo_from_csr(exec, A); });
  } else if (choice.format == MatrixFormat::ell) {
    make("scalar", [&] { return ell_from_csr(exec, A); });
  } else if (choice.format == MatrixFormat::bcsr) {
    const std::string size = std::to_string(choice.block);
    const std::string name = size + 'x' + size;
    if (choice.block == 2) make(name, [&] { return bcsr_from_csr<2>(exec, A); });
    if (choice.block == 3) make(name, [&] { return bcsr_from_csr<3>(exec, A); });
    if (choice.block == 4) make(name, [&] { return bcsr_from_csr<4>(exec, A); });
    if (choice.block == 8) make(name, [&] { return bcsr_from_csr<8>(exec, A); });
  } else {
    make("automatic", [&] { return A; });
    product.choice = "csr " + std::string(to_string(options.variant));
    product.matrix_bytes = csr_bytes(A, sizeof(Offset));
  }
  product.setup_seconds += seconds;
  return product;
}

template <class ExecutionSpace, class Scalar>
void add_chosen_product(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                        const BenchOptions& options, bool of_transpose) {
  std::string shape = "automatic";
  std::optional<Product<Scalar>> product;
  const auto make = [&] {
    const auto& A = of_transpose ? matrix_case.transposed() : matrix_case.matrix();
    auto made =
        chosen_product<ExecutionSpace, Scalar>(matrix_case.exec(), A, options.deterministic, shape);
    if (of_transpose) made.setup_seconds += matrix_case.transposed_seconds();
    return made;
  };
  // The name is known once it is made; what goes wrong is noted under the name so far.
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

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_format_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         MatrixFormat format, const BenchOptions& options, bool of_transpose) {
  const ExecutionSpace exec = matrix_case.exec();
  if (format == MatrixFormat::automatic) {
    add_chosen_product(list, matrix_case, options, of_transpose);
    return;
  }
  if (format == MatrixFormat::block_circulant) {
    list.attempt(std::string(to_string(format)), "", []() -> Product<Scalar> {
      throw Error("is of matrices whose first row of blocks is given, not of any in CSR");
    });
    return;
  }
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
