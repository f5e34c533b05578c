// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_TracedOperator.hpp>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
TracedOperator<ExecutionSpace, Scalar>::TracedOperator(std::shared_ptr<const Projection> A)
    : A_(std::move(A)) {}

template <class ExecutionSpace, class Scalar>
void TracedOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                     int vectors) const {
  A_->reserve(exec, vectors, work_);
}

template <class ExecutionSpace, class Scalar>
std::size_t TracedOperator<ExecutionSpace, Scalar>::memory_bytes() const {
  return A_->memory_bytes() + work_.memory_bytes() + squared_norms_.extent(0) * sizeof(double);
}

template <class ExecutionSpace, class Scalar>
std::size_t TracedOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  const auto entries = static_cast<std::size_t>(num_rows()) + static_cast<std::size_t>(num_cols());
  return A_->memory_bytes() + entries * static_cast<std::size_t>(vectors) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
void TracedOperator<ExecutionSpace, Scalar>::apply(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  A_->product(exec, alpha, X, beta, Y, rows);
}

template <class ExecutionSpace, class Scalar>
void TracedOperator<ExecutionSpace, Scalar>::apply_transpose(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y, RowRange rows) const {
  A_->transposed_product(exec, alpha, X, beta, Y, rows, work_);
}

template <class ExecutionSpace, class Scalar>
auto TracedOperator<ExecutionSpace, Scalar>::row_squared_norms(const ExecutionSpace& exec) const
    -> const Vector<double, memory_space>& {
  if (squared_norms_.data() == nullptr) squared_norms_ = A_->squared_norms(exec);
  return squared_norms_;
}

template <class ExecutionSpace, class Scalar>
auto TracedOperator<ExecutionSpace, Scalar>::largest_block_counts(const ExecutionSpace& exec,
                                                                  const RowSubsets& blocks,
                                                                  const Ranks* ranks) const
    -> Vector<Ordinal, memory_space> {
  return A_->block_counts(exec, blocks, ranks);
}

template <class ExecutionSpace, class Scalar>
void TracedOperator<ExecutionSpace, Scalar>::kaczmarz_sweep(
    const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
    const VectorView<const Scalar, memory_space>& b,
    const VectorView<Scalar, memory_space>& x) const {
  A_->kaczmarz_sweep(exec, sweep.order, row_squared_norms(exec),
                     {sweep.relaxation, sweep.minimum, sweep.maximum}, b, x);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class TracedOperator<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
