// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Sirt.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>

namespace Tomokkos {
namespace Impl {

/// The largest magnitude.
template <class Scalar, class MemorySpace>
struct LargestMagnitude {
  VectorView<const Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = static_cast<double>(x(i));
    const double magnitude = value < 0 ? -value : value;
    if (magnitude > largest) largest = magnitude;
  }
};

/// `sum = 1 / sum`, 0 where the sum is too small.
template <class Scalar, class MemorySpace>
struct SirtInvert {
  VectorView<Scalar, MemorySpace> sum;
  double smallest;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double value = static_cast<double>(sum(i));
    const double magnitude = value < 0 ? -value : value;
    sum(i) = magnitude > smallest ? static_cast<Scalar>(1 / value) : Scalar(0);
  }
};

/// `projection = R (b - projection)`; sum: squared residual.
template <class Scalar, class MemorySpace>
struct SirtResidual {
  VectorView<const Scalar, MemorySpace> b, row_weight;
  VectorView<Scalar, MemorySpace> projection;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double residual = static_cast<double>(b(e.at)) - static_cast<double>(projection(e.at));
    projection(e.at) = static_cast<Scalar>(residual * static_cast<double>(row_weight(e.row)));
    sums.value[0] = multiply_add(residual, residual, sums.value[0]);
  }
};

/// `x = clamp(x + relaxation C back)` in the active slices; sums: squared change, squared norm.
template <class Scalar, class MemorySpace>
struct SirtUpdate {
  VectorView<const Scalar, MemorySpace> back, col_weight;
  VectorView<const int, MemorySpace> active;
  VectorView<Scalar, MemorySpace> x;
  Scalar relaxation, minimum, maximum;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const Scalar before = x(e.at);
    Scalar after = multiply_add(relaxation * col_weight(e.row), back(e.at), before);
    // A NaN passes both comparisons by and stays visible.
    if (after < minimum) after = minimum;
    if (after > maximum) after = maximum;
    x(e.at) = active(e.column) != 0 ? after : before;
    const double change = static_cast<double>(after) - static_cast<double>(before);
    add_squares(change, static_cast<double>(after), sums);
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
Sirt<ExecutionSpace, Scalar>::Sirt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const SirtParams& params, Ordinal num_slices)
    : params_(validated(params)),
      num_slices_(require_slices(num_slices)),
      projection_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::projection",
                                                         Offset{num_rows} * num_slices)),
      row_weight_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::row_weight", num_rows)),
      back_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::back",
                                                   Offset{num_cols} * num_slices)),
      col_weight_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::col_weight", num_cols)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Sirt::sums", num_slices)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Sirt::active", num_slices)),
      reduction_(exec, num_slices),
      log_(exec, params.iterations, num_slices) {}

template <class ExecutionSpace, class Scalar>
std::size_t Sirt<ExecutionSpace, Scalar>::workspace_bytes() const {
  return (projection_.extent(0) + back_.extent(0) + row_weight_.extent(0) + col_weight_.extent(0)) *
             sizeof(Scalar) +
         (sums_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) +
         active_.extent(0) * sizeof(int) + log_.bytes();
}

template <class ExecutionSpace, class Scalar>
void Sirt<ExecutionSpace, Scalar>::invert(const ExecutionSpace& exec, const char* what,
                                          const VectorType& sums) const {
  double largest = 0;
  Kokkos::parallel_reduce("Tomokkos::sirt::largest_sum", Impl::element_range(exec, sums.extent(0)),
                          Impl::LargestMagnitude<Scalar, memory_space>{sums},
                          Kokkos::Max<double>(largest));
  Impl::fence(exec, "Sirt: the largest sum must have arrived");
  require(!(largest > 0) || largest > params_.smallest_sum,
          std::string("no ") + what + " sum of A exceeds " + std::to_string(params_.smallest_sum) +
              " (the largest is " + std::to_string(largest) +
              "): nothing would be done; choose another unit of length or lower smallest_sum");
  Kokkos::parallel_for("Tomokkos::sirt::invert_sums", Impl::element_range(exec, sums.extent(0)),
                       Impl::SirtInvert<Scalar, memory_space>{sums, params_.smallest_sum});
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
void Sirt<ExecutionSpace, Scalar>::form_weights(const ExecutionSpace& exec, const Operator& A) {
  const VectorType row_ones(projection_.data(), row_weight_.extent(0));
  const VectorType col_ones(back_.data(), col_weight_.extent(0));
  fill<ExecutionSpace, Scalar>(exec, col_ones, Scalar(1));
  operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                         as_multivector(ConstVectorType(col_ones)), Scalar(0),
                                         as_multivector(row_weight_));
  invert(exec, "row", row_weight_);
  fill<ExecutionSpace, Scalar>(exec, row_ones, Scalar(1));
  operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                                   as_multivector(ConstVectorType(row_ones)),
                                                   Scalar(0), as_multivector(col_weight_));
  invert(exec, "column", col_weight_);
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
std::vector<SolveResult> Sirt<ExecutionSpace, Scalar>::solve_stack(
    const ExecutionSpace& exec, const Operator& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const StackMonitor<ExecutionSpace, Scalar>& monitor) {
  static_assert(TransposableOperator<Operator, ExecutionSpace, Scalar>,
                "SIRT needs an operator with apply and apply_transpose");
  const Impl::ScopedRegion region("Tomokkos::Sirt::solve");
  const Offset rows = static_cast<Offset>(row_weight_.extent(0));
  const Offset columns = static_cast<Offset>(col_weight_.extent(0));
  require_stack_shapes(A.num_rows(), A.num_cols(), static_cast<Ordinal>(rows),
                       static_cast<Ordinal>(columns), num_slices_, B.extent(0), B.extent(1),
                       X.extent(0), X.extent(1));
  const ConstVectorType b = as_vector(B);
  const VectorType x = as_vector(X);
  require_entries<ExecutionSpace, Scalar>(exec, "the data", b,
                                          -std::numeric_limits<double>::infinity(), B.extent(1));
  operator_reserve(exec, A, num_slices_);
  form_weights(exec, A);
  dot_columns<ExecutionSpace, Scalar>(exec, reduction_, B, B, sums_);
  std::vector<double> rhs_norms = to_host_vector<ExecutionSpace>(exec, sums_);
  for (auto& norm : rhs_norms) norm = std::sqrt(norm);
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, active_, Impl::Objective::none,
                                               params_.iterations, params_.check_every,
                                               params_.stop, monitor, rhs_norms);
  const auto projection = Impl::as_array(projection_, B.extent(0), B.extent(1));
  const auto back = Impl::as_array(back_, X.extent(0), X.extent(1));
  const Impl::SirtResidual<Scalar, memory_space> form_residual{b, row_weight_, projection_};
  const Impl::SirtUpdate<Scalar, memory_space> update{back_,
                                                      col_weight_,
                                                      active_,
                                                      x,
                                                      static_cast<Scalar>(params_.relaxation),
                                                      static_cast<Scalar>(params_.minimum),
                                                      static_cast<Scalar>(params_.maximum)};

  // Per iteration and slice: residual: projection, b read, projection written, 3 m values; update:
  // back, x read, x written, 3 n values. Once for all slices: A, A^T, R (m values), C (n).
  for (int k = 0;; ++k) {
    operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1), X, Scalar(0), projection);
    reduce_columns_to_device<1>(exec, "Tomokkos::sirt::residual", rows, num_slices_, form_residual,
                                reduction_, log_.slot(k, Impl::RecordField::residual_squared),
                                log_.stride);
    if (loop.look(exec, k, X)) return loop.results();
    operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1), projection, Scalar(0),
                                                     back);
    reduce_columns_to_device<2>(exec, "Tomokkos::sirt::update", columns, num_slices_, update,
                                reduction_, log_.slot(k + 1, Impl::RecordField::change_squared),
                                log_.stride);
  }
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
SolveResult Sirt<ExecutionSpace, Scalar>::solve(const ExecutionSpace& exec, const Operator& A,
                                                const ConstVectorType& b, const VectorType& x,
                                                const Monitor<ExecutionSpace, Scalar>& monitor) {
  return std::move(
      solve_stack(exec, A, as_multivector(b), as_multivector(x), Impl::stack_monitor(monitor))
          .front());
}

#define TOMOKKOS_SIRT(EXTERN, ExecutionSpace, Scalar)                                 \
  EXTERN template class Sirt<ExecutionSpace, Scalar>;                                 \
  EXTERN template SolveResult Sirt<ExecutionSpace, Scalar>::solve(                    \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&,              \
      const VectorView<const Scalar, ExecutionSpace::memory_space>&,                  \
      const VectorView<Scalar, ExecutionSpace::memory_space>&,                        \
      const Monitor<ExecutionSpace, Scalar>&);                                        \
  EXTERN template std::vector<SolveResult> Sirt<ExecutionSpace, Scalar>::solve_stack( \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&,              \
      const MultiVectorView<const Scalar, ExecutionSpace::memory_space>&,             \
      const MultiVectorView<Scalar, ExecutionSpace::memory_space>&,                   \
      const StackMonitor<ExecutionSpace, Scalar>&);
#define TOMOKKOS_SIRT_EXTERN(ExecutionSpace, Scalar) TOMOKKOS_SIRT(extern, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_SIRT_EXTERN)
#undef TOMOKKOS_SIRT_EXTERN

}  // namespace Tomokkos
