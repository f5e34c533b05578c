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

  /// \brief See `operator_row_ranks`, `operator_column_ranks`; the scale is spread alike.
  const Communicator<ExecutionSpace>* row_ranks() const {
    return operator_row_ranks<ExecutionSpace>(A_);
  }
  const Communicator<ExecutionSpace>* column_ranks() const {
    return operator_column_ranks<ExecutionSpace>(A_);
  }

  /// \brief See `operator_reserve`.
  void reserve(const ExecutionSpace& exec, int vectors) const {
    workspace(exec, 0, scale_.extent(0), static_cast<std::size_t>(vectors));
    operator_reserve(exec, A_, vectors);
  }
  void reserve_transpose(const ExecutionSpace& exec) const { operator_reserve_transpose(exec, A_); }

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const {
    const auto scaled_x = workspace(exec, 0, num_cols(), X.extent(1));
    const auto product = workspace(exec, 1, rows.size(num_rows()), X.extent(1));
    scale(exec, 0, Scalar(1), X, Scalar(0), scaled_x);
    operator_apply<ExecutionSpace, Scalar>(exec, A_, Scalar(1), scaled_x, Scalar(0), product, rows);
    scale(exec, rows.begin, alpha, product, beta, Y);
  }

  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const {
    const auto scaled_x = workspace(exec, 0, rows.size(num_rows()), X.extent(1));
    const auto product = workspace(exec, 1, num_cols(), X.extent(1));
    scale(exec, rows.begin, Scalar(1), X, Scalar(0), scaled_x);
    operator_apply_transpose<ExecutionSpace, Scalar>(exec, A_, Scalar(1), scaled_x, Scalar(0),
                                                     product, rows);
    scale(exec, 0, alpha, product, beta, Y);
  }

 private:
  /// The first or the second half of the workspace as a multivector of \p rows rows.
  MultiVectorView<Scalar, memory_space> workspace(const ExecutionSpace& exec, int half,
                                                  std::size_t rows, std::size_t columns) const {
    const std::size_t size = scale_.extent(0) * columns;
    if (work_.size() < 2 * size)
      work_ =
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::ScaledOperator::work", 2 * size);
    return MultiVectorView<Scalar, memory_space>(work_.data() + half * size, rows, columns);
  }

  /// `to = alpha diag(scale) from + beta to` with the scale from \p first_row on.
  void scale(const ExecutionSpace& exec, Ordinal first_row, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& from, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& to) const {
    require_equal("rows of the result", static_cast<long long>(to.extent(0)),
                  "rows that are scaled", static_cast<long long>(from.extent(0)));
    require(first_row >= 0 && first_row + from.extent(0) <= scale_.extent(0),
            "rows " + std::to_string(first_row) + " to " +
                std::to_string(first_row + static_cast<long long>(from.extent(0))) +
                " are not among the " + std::to_string(scale_.extent(0)) + " rows of the operator");
    const VectorView<const Scalar, memory_space> factors(scale_.data() + first_row, from.extent(0));
    Kokkos::parallel_for("Tomokkos::scaled_operator::scale", Impl::element_range(exec, from.size()),
                         Impl::ScaleRows<Scalar, memory_space>{alpha, beta, factors, from, to});
  }

  Operator A_;
  Vector<Scalar, memory_space> scale_;
  mutable Vector<Scalar, memory_space> work_;
};

}  // namespace Tomokkos
