// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Sirt.hpp>
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

  KOKKOS_FUNCTION Sums<1> operator()(const Offset i) const {
    const double residual = static_cast<double>(b(i)) - static_cast<double>(projection(i));
    projection(i) = static_cast<Scalar>(residual * static_cast<double>(row_weight(i)));
    return {residual * residual};
  }
};

/// `x = clamp(x + relaxation C back)`; sums: squared change, squared norm.
template <class Scalar, class MemorySpace>
struct SirtUpdate {
  VectorView<const Scalar, MemorySpace> back, col_weight;
  VectorView<Scalar, MemorySpace> x;
  Scalar relaxation, minimum, maximum;

  KOKKOS_FUNCTION Sums<2> operator()(const Offset j) const {
    const Scalar before = x(j);
    Scalar after = before + relaxation * col_weight(j) * back(j);
    // A NaN passes both comparisons by and stays visible.
    if (after < minimum) after = minimum;
    if (after > maximum) after = maximum;
    x(j) = after;
    const double change = static_cast<double>(after) - static_cast<double>(before);
    return {change * change, static_cast<double>(after) * static_cast<double>(after)};
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
Sirt<ExecutionSpace, Scalar>::Sirt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const SirtParams& params)
    : params_(validated(params)),
      projection_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::projection", num_rows)),
      row_weight_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::row_weight", num_rows)),
      back_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::back", num_cols)),
      col_weight_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Sirt::col_weight", num_cols)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Sirt::sums", 1)),
      reduction_(exec),
      log_(exec, params.iterations) {}

template <class ExecutionSpace, class Scalar>
std::size_t Sirt<ExecutionSpace, Scalar>::workspace_bytes() const {
  return 2 * (projection_.extent(0) + back_.extent(0)) * sizeof(Scalar) +
         (sums_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) + log_.bytes();
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
SolveResult Sirt<ExecutionSpace, Scalar>::solve(const ExecutionSpace& exec, const Operator& A,
                                                const ConstVectorType& b, const VectorType& x,
                                                const Monitor<ExecutionSpace, Scalar>& monitor) {
  static_assert(TransposableOperator<Operator, ExecutionSpace, Scalar>,
                "SIRT needs an operator with apply and apply_transpose");
  const Impl::ScopedRegion region("Tomokkos::Sirt::solve");
  require_shapes(A.num_rows(), A.num_cols(), static_cast<Ordinal>(projection_.extent(0)),
                 static_cast<Ordinal>(back_.extent(0)), b.extent(0), x.extent(0));
  require_entries<ExecutionSpace, Scalar>(exec, "the data", b);
  const auto forward = [&](const ConstVectorType& from, const VectorType& to) {
    operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1), as_multivector(from), Scalar(0),
                                           as_multivector(to));
  };
  const auto backward = [&](const ConstVectorType& from, const VectorType& to) {
    operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1), as_multivector(from),
                                                     Scalar(0), as_multivector(to));
  };

  fill<ExecutionSpace, Scalar>(exec, back_, Scalar(1));
  forward(back_, row_weight_);
  invert(exec, "row", row_weight_);
  fill<ExecutionSpace, Scalar>(exec, projection_, Scalar(1));
  backward(projection_, col_weight_);
  invert(exec, "column", col_weight_);
  dot<ExecutionSpace, Scalar>(exec, reduction_, b, b, sums_);
  const double rhs_norm = std::sqrt(to_host<ExecutionSpace>(exec, sums_));
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, Impl::Objective::none,
                                               params_.iterations, params_.check_every,
                                               params_.stop, monitor, rhs_norm);

  // Per iteration: A and A^T once; residual: projection, b, R read, projection written, 4 m values;
  // update: back, C, x read, x written, 4 n values.
  for (int k = 0;; ++k) {
    forward(x, projection_);
    reduce_to_device<1>(exec, "Tomokkos::sirt::residual", static_cast<Offset>(b.extent(0)),
                        Impl::SirtResidual<Scalar, memory_space>{b, row_weight_, projection_},
                        reduction_, log_.slot(k, Impl::RecordField::residual_squared));
    if (const auto reason = loop.look(exec, k, x)) return loop.finish(*reason);
    backward(projection_, back_);
    reduce_to_device<2>(
        exec, "Tomokkos::sirt::update", static_cast<Offset>(x.extent(0)),
        Impl::SirtUpdate<Scalar, memory_space>{
            back_, col_weight_, x, static_cast<Scalar>(params_.relaxation),
            static_cast<Scalar>(params_.minimum), static_cast<Scalar>(params_.maximum)},
        reduction_, log_.slot(k + 1, Impl::RecordField::change_squared));
  }
}

#define TOMOKKOS_SIRT(EXTERN, ExecutionSpace, Scalar)                    \
  EXTERN template class Sirt<ExecutionSpace, Scalar>;                    \
  EXTERN template SolveResult Sirt<ExecutionSpace, Scalar>::solve(       \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&, \
      const VectorView<const Scalar, ExecutionSpace::memory_space>&,     \
      const VectorView<Scalar, ExecutionSpace::memory_space>&,           \
      const Monitor<ExecutionSpace, Scalar>&);
#define TOMOKKOS_SIRT_EXTERN(ExecutionSpace, Scalar) TOMOKKOS_SIRT(extern, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_SIRT_EXTERN)
#undef TOMOKKOS_SIRT_EXTERN

}  // namespace Tomokkos
