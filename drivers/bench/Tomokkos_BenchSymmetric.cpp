// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One ray of each orbit as a candidate: `scsr`.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>

#include "Tomokkos_BenchOwn.hpp"

namespace Tomokkos::Bench {
namespace {

/// The stored rays, and products with them by one way to transpose.
template <class ExecutionSpace, class Scalar>
struct Symmetric {
  SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> A;
  SymmetricOperator<ExecutionSpace, Scalar> op;
  std::size_t transposed_bytes = 0;
  double seconds = 0;
};

template <class ExecutionSpace, class Scalar>
std::shared_ptr<Symmetric<ExecutionSpace, Scalar>> symmetric(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, TransposeMethod method) {
  using Made = Symmetric<ExecutionSpace, Scalar>;
  std::shared_ptr<void>& shared = matrix_case.shared("scsr " + std::string(to_string(method)));
  if (!shared) {
    const auto& of = matrix_case.rays().scan;
    require(of.has_value(),
            "is of the system matrix of a scan, all rays and pixels in natural order");
    const ExecutionSpace exec = matrix_case.exec();
    std::shared_ptr<Made> made;
    const double seconds = seconds_of([&] {
      const auto A = build_symmetric_projection<ExecutionSpace, Scalar>(exec, of->volume, of->scan,
                                                                        of->projector);
      OperatorOptions options;
      options.transpose = method;
      const CsrOperator<ExecutionSpace, Scalar> stored(exec, A.stored, options);
      made = std::make_shared<Made>(
          Made{A, {A.symmetry, stored}, stored.transposed_matrix().memory_bytes()});
      made->op.reserve(exec, 1);
      exec.fence();
    });
    made->seconds = seconds;
    shared = made;
  }
  return std::static_pointer_cast<Made>(shared);
}

template <class ExecutionSpace, class Scalar>
Product<Scalar> symmetric_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                  TransposeMethod method, bool of_transpose) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ExecutionSpace exec = matrix_case.exec();
  const auto made = symmetric(matrix_case, method);
  const auto vectors = static_cast<std::size_t>(made->A.num_rows() + made->A.num_cols());
  Product<Scalar> product;
  product.setup_seconds = made->seconds;
  // What the product reads and writes beside x and y.
  product.matrix_bytes =
      (of_transpose ? made->op.apply_transpose_bytes() : made->op.apply_bytes()) -
      vectors * sizeof(Scalar);
  product.memory_bytes = made->op.memory_bytes();
  if (!of_transpose) product.memory_bytes -= made->transposed_bytes;
  product.fill = static_cast<double>(made->A.stored.num_nonzeros()) /
                 static_cast<double>(matrix_case.matrix().num_nonzeros());
  product.copy = made.get();
  product.run = [exec, made, of_transpose](const Scalar* x, Scalar* y) {
    using In = MultiVectorView<const Scalar, MemorySpace>;
    using Out = MultiVectorView<Scalar, MemorySpace>;
    const auto rows = static_cast<std::size_t>(made->A.num_rows());
    const auto columns = static_cast<std::size_t>(made->A.num_cols());
    if (of_transpose)
      made->op.apply_transpose(exec, Scalar(1), In(x, rows, 1), Scalar(0), Out(y, columns, 1));
    else
      made->op.apply(exec, Scalar(1), In(x, columns, 1), Scalar(0), Out(y, rows, 1));
  };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_symmetric_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options, bool of_transpose) {
  const std::string format(to_string(MatrixFormat::scsr));
  if (!of_transpose) {
    list.attempt(format, "csr",
                 [&] { return symmetric_product(matrix_case, TransposeMethod::stored, false); });
    return;
  }
  for (const TransposeMethod method : {TransposeMethod::stored, TransposeMethod::atomic}) {
    // Additions in any order.
    if (!wants(options, method) || (method == TransposeMethod::atomic && options.deterministic))
      continue;
    list.attempt(format, std::string(to_string(method)) + ":csr",
                 [&] { return symmetric_product(matrix_case, method, true); });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)            \
  template void add_symmetric_products<SPACE, SCALAR>( \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
