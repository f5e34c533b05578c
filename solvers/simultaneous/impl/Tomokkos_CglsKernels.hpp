// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_LeastSquaresKernels.hpp>

namespace Tomokkos::Impl {

/// Scalars of the recursion: one array over the slices per scalar, stored one after the other on
/// the device.
enum class CglsScalar : int {
  gamma,              // |s|^2
  image_squared,      // |q|^2
  direction_squared,  // |p|^2, computed only with damping
  alpha,              // gamma / (|q|^2 + damping^2 |p|^2)
  beta,               // new gamma / gamma
  idle,               // number of consecutive iterations that have not changed x
  last_change,        // last change of x at the iterate from which a solve resumes
  shortest,           // smallest alpha of the solve
  count
};

template <class MemorySpace>
struct CglsScalars {
  VectorView<double, MemorySpace> values;
  Offset slices;

  KOKKOS_FUNCTION double& operator()(CglsScalar which, Offset slice) const {
    return values(static_cast<Offset>(which) * slices + slice);
  }
};

/// One sum per slice, `stride` apart.
template <class MemorySpace>
struct SliceSums {
  VectorView<double, MemorySpace> values;
  Offset stride;
  KOKKOS_FUNCTION double operator()(Offset slice) const { return values(slice * stride); }
};

/// Number of consecutive iterations without a change of x after which CGLS stops. The recursion
/// would otherwise accumulate rounding errors.
inline constexpr int cgls_idle_iterations = 2;

/// True if the gradient is at the rounding level of the product `A^T r`: x is the solution, and
/// further steps would follow rounding errors. The residual is null if it is unknown here.
template <class MemorySpace>
KOKKOS_INLINE_FUNCTION bool is_gradient_rounding(double gamma, double shortest, double negligible,
                                                 const SliceSums<MemorySpace>& residual,
                                                 Offset slice) {
  return residual.values.data() != nullptr &&
         gamma * shortest <= negligible * negligible * residual(slice);
}

/// Computes `alpha = gamma / (|q|^2 + damping^2 |p|^2)`; 0 if the direction has vanished, if the
/// quotient is not finite, and once x no longer changes or the direction lies along a numerical
/// null space: a step length is at least the inverse of the largest squared singular value and at
/// most that of the smallest one.
template <class MemorySpace>
struct CglsStepLength {
  CglsScalars<MemorySpace> at;
  double damping_squared;
  /// Squared changes of x in the previous iteration; null if unknown.
  SliceSums<MemorySpace> last_change;
  /// Ratio of singular values below which the smaller one counts as 0.
  double negligible;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    double& idle = at(CglsScalar::idle, j);
    if (last_change.values.data() != nullptr && idle < cgls_idle_iterations)
      idle = last_change(j) == 0 ? idle + 1 : 0;
    if (idle >= cgls_idle_iterations) {
      at(CglsScalar::alpha, j) = 0;
      return;
    }
    double curvature = at(CglsScalar::image_squared, j);
    if (damping_squared > 0)
      curvature = multiply_add(damping_squared, at(CglsScalar::direction_squared, j), curvature);
    const double length = curvature > 0 ? at(CglsScalar::gamma, j) / curvature : 0;
    at(CglsScalar::alpha, j) = length - length == 0 ? length : 0;
    double& shortest = at(CglsScalar::shortest, j);
    if (length * negligible * negligible > shortest) {
      idle = cgls_idle_iterations;
      at(CglsScalar::alpha, j) = 0;
    } else if (length > 0 && length < shortest) {
      shortest = length;
    }
  }
};

/// Computes `beta = new gamma / gamma` and sets `gamma = new gamma`.
template <class MemorySpace>
struct CglsUpdate {
  CglsScalars<MemorySpace> at;
  SliceSums<MemorySpace> new_gamma;
  SliceSums<MemorySpace> residual;  // squared norms
  double negligible;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    const double gamma = at(CglsScalar::gamma, j);
    at(CglsScalar::beta, j) = gamma > 0 ? new_gamma(j) / gamma : 0;
    at(CglsScalar::gamma, j) = new_gamma(j);
    if (is_gradient_rounding(new_gamma(j), at(CglsScalar::shortest, j), negligible, residual, j))
      at(CglsScalar::idle, j) = cgls_idle_iterations;
  }
};

/// Starts the recursion: the first direction is the gradient.
template <class MemorySpace>
struct CglsBegin {
  CglsScalars<MemorySpace> at;
  SliceSums<MemorySpace> gamma, residual;  // squared norms
  VectorView<const int, MemorySpace> chosen;
  double negligible;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    if (chosen(j) == 0) return;
    at(CglsScalar::gamma, j) = gamma(j);
    at(CglsScalar::direction_squared, j) = gamma(j);
    const bool is_solved =
        is_gradient_rounding(gamma(j), at(CglsScalar::shortest, j), negligible, residual, j);
    at(CglsScalar::idle, j) = is_solved ? cgls_idle_iterations : 0;
  }
};

/// Computes `r -= alpha q`. Sum: squared residual.
template <class Scalar, class MemorySpace>
struct CglsReduceResidual {
  VectorView<const double, MemorySpace> alpha;
  VectorView<const Scalar, MemorySpace> image;
  VectorView<Scalar, MemorySpace> residual;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double value = multiply_add(-alpha(e.column), static_cast<double>(image(e.at)),
                                      static_cast<double>(residual(e.at)));
    residual(e.at) = static_cast<Scalar>(value);
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Computes `s -= damping^2 (x + alpha p)`. Sum: squared gradient.
template <class Scalar, class MemorySpace>
struct CglsGradient {
  VectorView<const double, MemorySpace> alpha;
  VectorView<const Scalar, MemorySpace> direction, x;
  VectorView<Scalar, MemorySpace> gradient;
  double damping_squared;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    double value = static_cast<double>(gradient(e.at));
    if (damping_squared > 0) {
      const double length = alpha(e.column);
      const double here = static_cast<double>(x(e.at));
      const double there =
          length == 0 ? here : multiply_add(length, static_cast<double>(direction(e.at)), here);
      value = multiply_add(-damping_squared, there, value);
      gradient(e.at) = static_cast<Scalar>(value);
    }
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Computes `x += alpha p` in the active slices and `p = s + beta p`. Sums: squared change, squared
/// norm of x.
template <class Scalar, class MemorySpace>
struct CglsAdvance {
  VectorView<const double, MemorySpace> alpha, beta;
  VectorView<const Scalar, MemorySpace> gradient;
  VectorView<const int, MemorySpace> active;
  VectorView<Scalar, MemorySpace> direction, x;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const Scalar kept = x(e.at);
    const double before = static_cast<double>(kept);
    const double p = static_cast<double>(direction(e.at));
    const double length = alpha(e.column);
    // The vector may contain non-finite entries; a step of length 0 must not use them.
    const Scalar moved = length == 0 ? kept : static_cast<Scalar>(multiply_add(length, p, before));
    x(e.at) = active(e.column) != 0 ? moved : kept;
    direction(e.at) =
        static_cast<Scalar>(multiply_add(beta(e.column), p, static_cast<double>(gradient(e.at))));
    const double after = static_cast<double>(moved);
    add_squares(after - before, after, sums);
  }
};

}  // namespace Tomokkos::Impl
