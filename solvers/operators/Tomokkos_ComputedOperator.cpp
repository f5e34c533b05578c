// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
ComputedOperator<ExecutionSpace, Scalar>::ComputedOperator(ComputedProjection<memory_space> A,
                                                           bool exact)
    : A_(std::move(A)), is_stepped_(A_.is_stepped() && !exact) {}

template <class ExecutionSpace, class Scalar>
void ComputedOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec, int vectors,
                                                       RowRange rows) const {
  if (is_stepped_) reserve_stepped_workspace(exec, A_, vectors, work_, rows);
}

template <class ExecutionSpace, class Scalar>
std::size_t ComputedOperator<ExecutionSpace, Scalar>::memory_bytes() const {
  return A_.memory_bytes() + work_.memory_bytes() + squared_norms_.extent(0) * sizeof(double) +
         (inverse_ ? inverse_->memory_bytes() : 0);
}

template <class ExecutionSpace, class Scalar>
std::size_t ComputedOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  const auto entries = static_cast<std::size_t>(num_rows()) + static_cast<std::size_t>(num_cols());
  return A_.memory_bytes() + entries * static_cast<std::size_t>(vectors) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
void ComputedOperator<ExecutionSpace, Scalar>::apply(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  if (!is_stepped_)
    return computed_product<ExecutionSpace, Scalar>(exec, A_, alpha, X, beta, Y, rows);
  reserve(exec, static_cast<int>(X.extent(1)), rows);
  stepped_product<ExecutionSpace, Scalar>(exec, A_, work_, alpha, X, beta, Y, rows);
}

template <class ExecutionSpace, class Scalar>
void ComputedOperator<ExecutionSpace, Scalar>::apply_transpose(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  if (!is_stepped_)
    return computed_transposed_product<ExecutionSpace, Scalar>(exec, A_, alpha, X, beta, Y, rows);
  reserve(exec, static_cast<int>(X.extent(1)), rows);
  stepped_transposed_product<ExecutionSpace, Scalar>(exec, A_, work_, alpha, X, beta, Y, rows);
}

template <class ExecutionSpace, class Scalar>
auto ComputedOperator<ExecutionSpace, Scalar>::row_squared_norms(const ExecutionSpace& exec) const
    -> const Vector<double, memory_space>& {
  if (squared_norms_.data() == nullptr)
    squared_norms_ = computed_squared_norms<ExecutionSpace, Scalar>(exec, A_);
  return squared_norms_;
}

template <class ExecutionSpace, class Scalar>
auto ComputedOperator<ExecutionSpace, Scalar>::largest_block_counts(const ExecutionSpace& exec,
                                                                    const RowSubsets& blocks,
                                                                    const Ranks* ranks) const
    -> Vector<Ordinal, memory_space> {
  return computed_block_counts<ExecutionSpace>(exec, A_, blocks, ranks);
}

template <class ExecutionSpace, class Scalar>
void ComputedOperator<ExecutionSpace, Scalar>::filtered_back_projection(
    const ExecutionSpace& exec, RampWindow window,
    const MultiVectorView<const Scalar, memory_space>& B,
    const MultiVectorView<Scalar, memory_space>& X) const {
  if (!inverse_ || window != window_) {
    inverse_.emplace(exec, A_.volume, A_.scan, window);
    window_ = window;
  }
  const bool rays_move = A_.rays.to_natural.extent(0) > 0;
  const bool pixels_move = A_.pixels.to_natural.extent(0) > 0;
  using Array = Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space>;
  Array data, images;
  MultiVectorView<const Scalar, memory_space> natural_data = B;
  MultiVectorView<Scalar, memory_space> natural_images = X;
  if (rays_move) {
    data =
        allocate<Array>(exec, "Tomokkos::ComputedOperator::data", A_.scan.num_rays(), B.extent(1));
    scatter<ExecutionSpace, Scalar>(exec, A_.rays, B, data);
    natural_data = data;
  }
  if (pixels_move) {
    images = allocate<Array>(exec, "Tomokkos::ComputedOperator::images", A_.volume.num_pixels(),
                             X.extent(1));
    natural_images = images;
  }
  inverse_->apply(exec, natural_data, natural_images);
  if (pixels_move)
    gather<ExecutionSpace, Scalar>(exec, A_.pixels,
                                   MultiVectorView<const Scalar, memory_space>(natural_images), X);
  Impl::fence(exec, "ComputedOperator: the natural copies are no longer needed");
}

template <class ExecutionSpace, class Scalar>
void ComputedOperator<ExecutionSpace, Scalar>::kaczmarz_sweep(
    const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
    const VectorView<const Scalar, memory_space>& b,
    const VectorView<Scalar, memory_space>& x) const {
  computed_kaczmarz_sweep<ExecutionSpace, Scalar>(exec, A_, sweep.order, row_squared_norms(exec),
                                                  {sweep.relaxation, sweep.minimum, sweep.maximum},
                                                  b, x);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class ComputedOperator<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
