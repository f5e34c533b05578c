// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The candidate `computed`, which stores no matrix.
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <algorithm>
#include <cmath>

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

/// Returns the largest change of each row of `A x`, or column of `A^T x`, that the rounding of a
/// position may cause, in units of that rounding. A ray enters two pixels in a line of the image
/// over as many lines as the inverse of the slope of their weights.
template <class MemorySpace>
std::vector<double> slopes(const ComputedProjection<MemorySpace>& projection, bool of_transpose) {
  const ScanGeometry& scan = projection.scan;
  const double lines = std::max(projection.volume.rows, projection.volume.columns);
  std::vector<double> of_rows;
  double of_all = 0;
  for (const ViewSteps& view : projection.steps_on_host) {
    double steepest = 0;
    for (Ordinal detector = 0; detector < scan.detectors; ++detector) {
      double angle = std::atan2(view.sine, view.cosine);
      if (scan.beam == Beam::fan)
        angle -=
            std::atan2(scan.position(detector), scan.source_to_origin + scan.origin_to_detector);
      const double x = std::fabs(std::cos(angle)), y = std::fabs(std::sin(angle));
      // Rays close to an axis are exact.
      const double slope = projection.projector == Projector::line
                               ? std::min(1024.0, std::max(x, y) / std::max(std::min(x, y), 1e-9))
                               : 1.0;
      const double scale = projection.volume.pixel / std::max(x, y);
      of_rows.push_back(scale * (slope + lines));
      steepest = std::max(steepest, scale * slope);
    }
    of_all += 2 * view.taps * steepest;
  }
  if (!of_transpose) return of_rows;
  return std::vector<double>(static_cast<std::size_t>(projection.num_cols), of_all);
}

/// Error of a product divided by its bound, which is widened by the rounding of positions.
template <class ExecutionSpace, class Scalar>
double error_of_computed(
    const ExecutionSpace& exec,
    const ComputedProjection<typename ExecutionSpace::memory_space>& projection,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, bool of_transpose,
    const Scalar* x, const Scalar* y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Input = Kokkos::View<const Scalar*, MemorySpace>;
  const auto rows = static_cast<std::size_t>(of_transpose ? A.num_cols : A.num_rows);
  const auto columns = static_cast<std::size_t>(of_transpose ? A.num_rows : A.num_cols);
  const auto wide = widen<ExecutionSpace, Scalar>(exec, Input(x, columns));
  auto reference = of_transpose
                       ? reference_transposed_product<ExecutionSpace, Scalar>(exec, A, wide)
                       : reference_product<ExecutionSpace, Scalar>(exec, A, wide);
  const double size = projection.volume.rows + projection.volume.columns;
  const double rounding = std::is_same_v<Scalar, float> ? 0x1p-22 : 0x1p-50 * size;
  const auto entries = copy_to_device(exec, slopes(projection, of_transpose));
  const auto widened =
      allocate<Kokkos::View<double*, MemorySpace>>(exec, "Tomokkos::Bench::bound", rows);
  Kokkos::parallel_for("Tomokkos::bench::widen_bound", Impl::element_range(exec, rows),
                       WidenBound<MemorySpace>{reference.bound, entries, rounding, widened});
  reference.bound = widened;
  exec.fence();
  return largest_error<ExecutionSpace, Scalar>(exec, reference, Input(y, rows));
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
  if (made->op.projection().is_stepped())
    product.error = [exec, made, csr = matrix_case.matrix(), of_transpose](const Scalar* x,
                                                                           const Scalar* y) {
      return error_of_computed<ExecutionSpace, Scalar>(exec, made->op.projection(), csr,
                                                       of_transpose, x, y);
    };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_computed_products(ProductList<Scalar>& list,
                           BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose) {
  list.attempt("computed", "", [&] { return computed_product_of(matrix_case, of_transpose); });
}

template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, Scalar> computed_operator(
    BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  return computed(matrix_case)->op;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                            \
  template void add_computed_products<SPACE, SCALAR>(ProductList<SCALAR>&,             \
                                                     BenchCase<SPACE, SCALAR>&, bool); \
  template AnyOperator<SPACE, SCALAR> computed_operator<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
