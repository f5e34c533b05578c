// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidate `computed`, which stores no matrix.
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <algorithm>

#include "Tomokkos_BenchIntegerValues.hpp"
#include "Tomokkos_BenchOurProducts.hpp"

namespace Tomokkos::Bench {
namespace {

template <class ExecutionSpace, class Scalar>
struct Computed {
  ComputedOperator<ExecutionSpace, Scalar> op;
  double seconds = 0;
};

template <class ExecutionSpace, class Scalar>
std::shared_ptr<Computed<ExecutionSpace, Scalar>> computed(
    BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using Built = Computed<ExecutionSpace, Scalar>;
  std::shared_ptr<void>& shared = matrix_case.shared("computed");
  if (!shared) {
    const auto& of = matrix_case.rays().scan;
    require(
        of.has_value(),
        "applies only to the system matrix of a scan with all rays and pixels in natural order");
    std::shared_ptr<Built> made;
    const double seconds = seconds_of([&] {
      made = std::make_shared<Built>(Built{ComputedOperator<ExecutionSpace, Scalar>(
          make_computed_projection(matrix_case.exec(), of->volume, of->scan, of->projector))});
    });
    made->seconds = seconds;
    shared = made;
  }
  return std::static_pointer_cast<Built>(shared);
}

/// Error of `y = A x` with respect to its bound, which is widened by the rounding of positions: in
/// each line of the image where a ray enters two pixels, this times the slope of their weights.
template <class ExecutionSpace, class Scalar>
double error_of_computed(
    const ExecutionSpace& exec,
    const ComputedProjection<typename ExecutionSpace::memory_space>& projection,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, const Scalar* x,
    const Scalar* y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Input = Kokkos::View<const Scalar*, MemorySpace>;
  const auto wide =
      widen<ExecutionSpace, Scalar>(exec, Input(x, static_cast<std::size_t>(A.num_cols)));
  auto reference = reference_product<ExecutionSpace, Scalar>(exec, A, wide);
  constexpr double rounding = std::is_same_v<Scalar, float> ? 0x1p-22 : 0x1p-44;
  constexpr double steepest = 1024;  // steeper rays are along an axis, or exact
  std::vector<double> widths;
  widths.reserve(static_cast<std::size_t>(A.num_rows));
  const double lines = std::max(projection.volume.rows, projection.volume.columns);
  for (const ViewSteps& view : projection.steps_on_host)
    widths.insert(widths.end(), static_cast<std::size_t>(projection.scan.detectors),
                  view.scale * (std::min(view.fall, steepest) + lines));
  const auto entries = copy_to_device(exec, widths);
  const auto widened = allocate<Kokkos::View<double*, MemorySpace>>(
      exec, "Tomokkos::Bench::bound", static_cast<std::size_t>(A.num_rows));
  Kokkos::parallel_for("Tomokkos::bench::widen_bound", Impl::element_range(exec, A.num_rows),
                       WidenBound<MemorySpace>{reference.bound, entries, rounding, widened});
  reference.bound = widened;
  exec.fence();
  return largest_error<ExecutionSpace, Scalar>(exec, reference,
                                               Input(y, static_cast<std::size_t>(A.num_rows)));
}

template <class ExecutionSpace, class Scalar>
Product<Scalar> computed_product_of(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                    bool of_transpose) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ExecutionSpace exec = matrix_case.exec();
  const auto made = computed(matrix_case);
  Product<Scalar> product;
  product.setup_seconds = made->seconds;
  product.matrix_bytes = product.memory_bytes = made->op.memory_bytes();
  product.fill = 0;  // nothing is stored
  product.copy = made.get();
  product.run = [exec, made, of_transpose](const Scalar* x, Scalar* y) {
    using In = MultiVectorView<const Scalar, MemorySpace>;
    using Out = MultiVectorView<Scalar, MemorySpace>;
    const auto rows = static_cast<std::size_t>(made->op.num_rows());
    const auto columns = static_cast<std::size_t>(made->op.num_cols());
    if (of_transpose)
      made->op.apply_transpose(exec, Scalar(1), In(x, rows, 1), Scalar(0), Out(y, columns, 1));
    else
      made->op.apply(exec, Scalar(1), In(x, columns, 1), Scalar(0), Out(y, rows, 1));
  };
  if (!of_transpose && made->op.projection().is_stepped())
    product.error = [exec, made, csr = matrix_case.matrix()](const Scalar* x, const Scalar* y) {
      return error_of_computed<ExecutionSpace, Scalar>(exec, made->op.projection(), csr, x, y);
    };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_computed_products(ProductList<Scalar>& list,
                           BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  list.attempt("computed", "", [&] { return computed_product_of(matrix_case, of_transpose); });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                \
  template void add_computed_products<SPACE, SCALAR>(ProductList<SCALAR>&, \
                                                     BenchCase<SPACE, SCALAR>&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
