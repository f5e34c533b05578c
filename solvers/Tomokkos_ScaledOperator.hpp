// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Operator.hpp>

namespace Tomokkos {

namespace Impl {

/// `y(i, j) = alpha scale(i) x(i, j) + beta y(i, j)`
template <class Scalar, class MemorySpace>
struct ScaleRows {
  Scalar alpha, beta;
  VectorView<const Scalar, MemorySpace> scale;
  MultiVectorView<const Scalar, MemorySpace> x;
  MultiVectorView<Scalar, MemorySpace> y;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(x.extent(1));
    const Offset i = index / columns;
    const Offset j = index % columns;
    const Scalar scaled = alpha * scale(i) * x(i, j);
    y(i, j) = beta == Scalar(0) ? scaled : scaled + beta * y(i, j);
  }
};

}  // namespace Impl

/// \brief `diag(scale) A diag(scale)` for any square operator, from its plain product and two
/// passes over vectors.
///
/// Holds a copy of \p scale and workspace that grows with the number of columns of X; serves one
/// execution-space instance at a time.
template <class ExecutionSpace, class Scalar, class Operator>
class ScaledOperator {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  ScaledOperator(const ExecutionSpace& exec, Operator A,
                 const VectorView<const Scalar, memory_space>& scale)
      : A_(std::move(A)),
        scale_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::ScaledOperator::scale",
                                                      scale.extent(0))) {
    Kokkos::deep_copy(exec, scale_, scale);
  }

  Ordinal num_rows() const { return A_.num_rows(); }
  Ordinal num_cols() const { return A_.num_cols(); }
  bool has_transpose() const { return operator_has_transpose<ExecutionSpace, Scalar>(A_); }

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const {
    const auto [scaled_x, product] = scale_in(exec, X);
    A_.apply(exec, Scalar(1), scaled_x, Scalar(0), product);
    scale_out(exec, alpha, product, beta, Y);
  }

  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y) const {
    const auto [scaled_x, product] = scale_in(exec, X);
    operator_apply_transpose<ExecutionSpace, Scalar>(exec, A_, Scalar(1), scaled_x, Scalar(0),
                                                     product);
    scale_out(exec, alpha, product, beta, Y);
  }

 private:
  auto scale_in(const ExecutionSpace& exec,
                const MultiVectorView<const Scalar, memory_space>& X) const {
    if (work_.size() < 2 * X.size())
      work_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::ScaledOperator::work",
                                                     2 * X.size());
    const MultiVectorView<Scalar, memory_space> scaled(work_.data(), X.extent(0), X.extent(1));
    const MultiVectorView<Scalar, memory_space> product(work_.data() + X.size(), X.extent(0),
                                                        X.extent(1));
    Kokkos::parallel_for(
        "Tomokkos::scaled_operator::scale_in", Impl::element_range(exec, X.size()),
        Impl::ScaleRows<Scalar, memory_space>{Scalar(1), Scalar(0), scale_, X, scaled});
    return std::pair(MultiVectorView<const Scalar, memory_space>(scaled), product);
  }

  void scale_out(const ExecutionSpace& exec, Scalar alpha,
                 const MultiVectorView<const Scalar, memory_space>& product, Scalar beta,
                 const MultiVectorView<Scalar, memory_space>& Y) const {
    Kokkos::parallel_for("Tomokkos::scaled_operator::scale_out",
                         Impl::element_range(exec, Y.size()),
                         Impl::ScaleRows<Scalar, memory_space>{alpha, beta, scale_, product, Y});
  }

  Operator A_;
  Vector<Scalar, memory_space> scale_;
  mutable Vector<Scalar, memory_space> work_;
};

}  // namespace Tomokkos
