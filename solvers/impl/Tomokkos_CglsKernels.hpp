// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Reduce.hpp>

namespace Tomokkos::Impl {

/// The scalars of the recursion, in one array on the device.
enum class CglsScalar : int {
  gamma,                  // |s|^2
  image_squared,          // |q|^2
  direction_squared,      // |p|^2, formed with damping only
  alpha,                  // gamma / (|q|^2 + damping^2 |p|^2)
  beta,                   // new gamma / gamma
  true_residual_squared,  // of a check
  true_gradient_squared,
  zero,  // a step of length 0
  count
};

/// `alpha = gamma / (|q|^2 + damping^2 |p|^2)`; 0 where the direction has vanished.
template <class MemorySpace>
struct CglsStepLength {
  VectorView<double, MemorySpace> scalars;
  double damping_squared;

  KOKKOS_FUNCTION double& at(CglsScalar which) const { return scalars(static_cast<int>(which)); }
  KOKKOS_FUNCTION void operator()(const Offset) const {
    double curvature = at(CglsScalar::image_squared);
    if (damping_squared > 0) curvature += damping_squared * at(CglsScalar::direction_squared);
    at(CglsScalar::alpha) = curvature > 0 ? at(CglsScalar::gamma) / curvature : 0;
  }
};

/// `beta = new gamma / gamma; gamma = new gamma`.
template <class MemorySpace>
struct CglsTurn {
  VectorView<double, MemorySpace> scalars;
  VectorView<const double, MemorySpace> new_gamma;

  KOKKOS_FUNCTION double& at(CglsScalar which) const { return scalars(static_cast<int>(which)); }
  KOKKOS_FUNCTION void operator()(const Offset) const {
    const double gamma = at(CglsScalar::gamma);
    at(CglsScalar::beta) = gamma > 0 ? new_gamma(0) / gamma : 0;
    at(CglsScalar::gamma) = new_gamma(0);
  }
};

/// The first direction is the gradient.
template <class MemorySpace>
struct CglsBegin {
  VectorView<double, MemorySpace> scalars;
  VectorView<const double, MemorySpace> gamma;

  KOKKOS_FUNCTION double& at(CglsScalar which) const { return scalars(static_cast<int>(which)); }
  KOKKOS_FUNCTION void operator()(const Offset) const {
    at(CglsScalar::gamma) = gamma(0);
    at(CglsScalar::direction_squared) = gamma(0);
  }
};

/// `r = b - image`; sum: squared residual.
template <class Scalar, class MemorySpace>
struct CglsFirstResidual {
  VectorView<const Scalar, MemorySpace> b, image;
  VectorView<Scalar, MemorySpace> residual;

  KOKKOS_FUNCTION Sums<1> operator()(const Offset i) const {
    const double value = static_cast<double>(b(i)) - static_cast<double>(image(i));
    residual(i) = static_cast<Scalar>(value);
    return {value * value};
  }
};

/// `r -= alpha q`; sum: squared residual.
template <class Scalar, class MemorySpace>
struct CglsReduceResidual {
  VectorView<const double, MemorySpace> alpha;
  VectorView<const Scalar, MemorySpace> image;
  VectorView<Scalar, MemorySpace> residual;

  KOKKOS_FUNCTION Sums<1> operator()(const Offset i) const {
    const double value =
        static_cast<double>(residual(i)) - alpha(0) * static_cast<double>(image(i));
    residual(i) = static_cast<Scalar>(value);
    return {value * value};
  }
};

/// `s -= damping^2 (x + alpha p)`; sum: squared gradient.
template <class Scalar, class MemorySpace>
struct CglsGradient {
  VectorView<const double, MemorySpace> alpha;
  VectorView<const Scalar, MemorySpace> direction, x;
  VectorView<Scalar, MemorySpace> gradient;
  double damping_squared;

  KOKKOS_FUNCTION Sums<1> operator()(const Offset j) const {
    double value = static_cast<double>(gradient(j));
    if (damping_squared > 0) {
      const double step = alpha(0) == 0 ? 0 : alpha(0) * static_cast<double>(direction(j));
      value -= damping_squared * (static_cast<double>(x(j)) + step);
      gradient(j) = static_cast<Scalar>(value);
    }
    return {value * value};
  }
};

/// `x += alpha p; p = s + beta p`; sums: squared change, squared norm of x.
template <class Scalar, class MemorySpace>
struct CglsAdvance {
  VectorView<const double, MemorySpace> alpha, beta;
  VectorView<const Scalar, MemorySpace> gradient;
  VectorView<Scalar, MemorySpace> direction, x;

  KOKKOS_FUNCTION Sums<2> operator()(const Offset j) const {
    const double before = static_cast<double>(x(j));
    const double p = static_cast<double>(direction(j));
    x(j) = static_cast<Scalar>(before + alpha(0) * p);
    direction(j) = static_cast<Scalar>(static_cast<double>(gradient(j)) + beta(0) * p);
    const double after = static_cast<double>(x(j));
    return {(after - before) * (after - before), after * after};
  }
};

}  // namespace Tomokkos::Impl
