// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_KrylovFrame.hpp>

namespace Tomokkos::Impl {

/// Scalars of the recursion, on the device.
enum class BiCgStabScalar : int {
  rho,             // shadow . r
  alpha,           // rho / (shadow . v)
  omega,           // t . s / t . t
  beta,            // (new rho / rho) (alpha / omega)
  renews,          // 1: the directions restart with the residual of this iteration
  since,           // iterations since the last restart of the directions
  first_squared,   // |r|^2 at the last start of the recursion
  begun_squared,   // |r|^2 at the last restart of the directions
  shadow_squared,  // |shadow|^2
  mixed,           // 1: shadow differs from the residual at the last restart
  mix,             // share of v or t in the next shadow besides r; these are orthogonal to r
  mixes_t,         // 1: the share is one of t
  fault,           // a KrylovFault
  fault_iteration,
  count
};

template <class MemorySpace>
struct BiCgStabScalars {
  VectorView<double, MemorySpace> values;

  KOKKOS_FUNCTION double& operator()(BiCgStabScalar which) const {
    return values(static_cast<int>(which));
  }
  KOKKOS_FUNCTION bool faulty() const { return (*this)(BiCgStabScalar::fault) != 0; }
  KOKKOS_FUNCTION void halt(KrylovFault fault, int iteration) const {
    (*this)(BiCgStabScalar::fault) = static_cast<double>(fault);
    (*this)(BiCgStabScalar::fault_iteration) = iteration;
    (*this)(BiCgStabScalar::alpha) = 0;
    (*this)(BiCgStabScalar::omega) = 0;
  }
};

/// Starts from the sum `|r|^2`: shadow = r, so rho has the same value.
template <class MemorySpace>
struct BiCgStabBegin {
  BiCgStabScalars<MemorySpace> at;

  KOKKOS_FUNCTION void operator()(const Offset, const Sums<1>& sums) const {
    at(BiCgStabScalar::rho) = sums.value[0];
    at(BiCgStabScalar::first_squared) = sums.value[0];
    at(BiCgStabScalar::begun_squared) = sums.value[0];
    at(BiCgStabScalar::shadow_squared) = sums.value[0];
    at(BiCgStabScalar::since) = 0;
    at(BiCgStabScalar::mixed) = 0;
    at(BiCgStabScalar::mix) = 0;
  }
};

/// Sums: `shadow . v`, `|v|^2`, and for an applied preconditioner `|M^-1 p|^2`.
template <class Scalar, class MemorySpace, int N>
struct BiCgStabProject {
  VectorView<const Scalar, MemorySpace> shadow, v, hat;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<N>& sums) const {
    const double value = static_cast<double>(v(e.at));
    sums.value[0] = multiply_add(static_cast<double>(shadow(e.at)), value, sums.value[0]);
    sums.value[1] = multiply_add(value, value, sums.value[1]);
    if constexpr (N > 2) {
      const double z = static_cast<double>(hat(e.at));
      sums.value[2] = multiply_add(z, z, sums.value[2]);
    }
  }
};

/// Computes alpha; 0 if the solve is done or the directions must restart.
template <class MemorySpace>
struct BiCgStabStepLength {
  BiCgStabScalars<MemorySpace> at;
  double rounding;
  int iteration;

  template <int N>
  KOKKOS_FUNCTION void operator()(const Offset, const Sums<N>& sums) const {
    const double rho = at(BiCgStabScalar::rho);
    at(BiCgStabScalar::alpha) = 0;
    at(BiCgStabScalar::renews) = 0;
    at(BiCgStabScalar::mix) = 0;
    if (at.faulty() || rho == 0) return;
    const double projection = sums.value[0], squared = sums.value[1];
    if (N > 2 && !is_finite_number(sums.value[N - 1])) {
      at.halt(KrylovFault::non_finite_preconditioner, iteration);
    } else if (!is_finite_number(projection) || !is_finite_number(squared)) {
      at.halt(KrylovFault::non_finite_product, iteration);
    } else {
      const double alpha = rho / projection;
      const double whole = sqrt(at(BiCgStabScalar::shadow_squared)) * sqrt(squared);
      if (fabs(projection) > rounding * whole && is_finite_number(alpha))
        at(BiCgStabScalar::alpha) = alpha;
      else
        renew(squared);
    }
  }

  /// If p equals r, the same shadow would fail in the same way.
  KOKKOS_FUNCTION void renew(double squared) const {
    at(BiCgStabScalar::renews) = 1;
    if (at(BiCgStabScalar::since) > 0 || squared == 0) return;
    at(BiCgStabScalar::mix) = sqrt(at(BiCgStabScalar::begun_squared)) / sqrt(squared);
    at(BiCgStabScalar::mixes_t) = 0;
  }
};

/// Replaces r by `s = r - alpha v`, and computes `hat = M^-1 s` if the product needs it.
template <class Scalar, class MemorySpace>
struct BiCgStabHalfStep {
  BiCgStabScalars<MemorySpace> at;
  EntryInverse<Scalar, MemorySpace> inverse;
  VectorView<const Scalar, MemorySpace> v;
  VectorView<Scalar, MemorySpace> r, hat;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double alpha = at(BiCgStabScalar::alpha);
    double s = static_cast<double>(r(i));
    // The vector may contain non-finite entries; a step of length 0 must not use them.
    if (alpha != 0) s = multiply_add(-alpha, static_cast<double>(v(i)), s);
    const Scalar kept = static_cast<Scalar>(s);
    r(i) = kept;
    if (hat.extent(0) > 0) hat(i) = static_cast<Scalar>(inverse(i, static_cast<double>(kept)));
  }
};

/// Sums: `t . s`, `|t|^2`, `|s|^2`, and for an applied preconditioner `|M^-1 s|^2`.
template <class Scalar, class MemorySpace, int N>
struct BiCgStabStabilise {
  VectorView<const Scalar, MemorySpace> s, t, hat;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<N>& sums) const {
    const double a = static_cast<double>(s(e.at)), b = static_cast<double>(t(e.at));
    sums.value[0] = multiply_add(b, a, sums.value[0]);
    sums.value[1] = multiply_add(b, b, sums.value[1]);
    sums.value[2] = multiply_add(a, a, sums.value[2]);
    if constexpr (N > 3) {
      const double z = static_cast<double>(hat(e.at));
      sums.value[3] = multiply_add(z, z, sums.value[3]);
    }
  }
};

/// Computes omega; 0 if s is 0, or if omega cannot be computed, in which case the directions
/// restart.
template <class MemorySpace>
struct BiCgStabOmega {
  BiCgStabScalars<MemorySpace> at;
  double rounding;
  int iteration;

  template <int N>
  KOKKOS_FUNCTION void operator()(const Offset, const Sums<N>& sums) const {
    at(BiCgStabScalar::omega) = 0;
    if (at.faulty() || at(BiCgStabScalar::alpha) == 0) return;
    const double projection = sums.value[0], squared = sums.value[1], rest = sums.value[2];
    // s is the result of the product before.
    if (N > 3 && is_finite_number(rest) && !is_finite_number(sums.value[N - 1])) {
      at.halt(KrylovFault::non_finite_preconditioner, iteration);
    } else if (!is_finite_number(projection + squared + rest)) {
      at.halt(KrylovFault::non_finite_product, iteration);
    } else if (rest > 0) {
      const double omega = projection / squared;
      if (fabs(projection) > rounding * sqrt(squared) * sqrt(rest) && is_finite_number(omega))
        at(BiCgStabScalar::omega) = omega;
      else
        renew(squared, rest);
    }
  }

  /// With shadow = s the next alpha would not exist. If the step to s lowers nothing and the shadow
  /// is already mixed, stop with a breakdown.
  KOKKOS_FUNCTION void renew(double squared, double rest) const {
    if (at(BiCgStabScalar::since) == 0 && at(BiCgStabScalar::mixed) != 0 &&
        !(rest < at(BiCgStabScalar::begun_squared))) {
      at.halt(KrylovFault::breakdown, iteration);
      return;
    }
    at(BiCgStabScalar::renews) = 1;
    at(BiCgStabScalar::mix) = squared > 0 ? sqrt(rest) / sqrt(squared) : 0;
    at(BiCgStabScalar::mixes_t) = 1;
  }
};

/// Computes `x += alpha M^-1 p + omega M^-1 s` and `r = s - omega t` in place. Sums: `shadow . r`,
/// `|r|^2`, and with \p N = 4 the squared change and the squared norm of x.
template <class Scalar, class MemorySpace, int N>
struct BiCgStabAdvance {
  BiCgStabScalars<MemorySpace> at;
  VectorView<const Scalar, MemorySpace> shadow, direction_hat, residual_hat, t;
  VectorView<Scalar, MemorySpace> r, x;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<N>& sums) const {
    const double alpha = at(BiCgStabScalar::alpha), omega = at(BiCgStabScalar::omega);
    const double before = static_cast<double>(x(e.at));
    double after = before, value = static_cast<double>(r(e.at));
    if (alpha != 0) after = multiply_add(alpha, static_cast<double>(direction_hat(e.at)), after);
    if (omega != 0) {
      after = multiply_add(omega, static_cast<double>(residual_hat(e.at)), after);
      value = multiply_add(-omega, static_cast<double>(t(e.at)), value);
    }
    x(e.at) = static_cast<Scalar>(after);
    const Scalar kept = static_cast<Scalar>(value);
    r(e.at) = kept;
    value = static_cast<double>(kept);
    sums.value[0] = multiply_add(static_cast<double>(shadow(e.at)), value, sums.value[0]);
    sums.value[1] = multiply_add(value, value, sums.value[1]);
    if constexpr (N > 2) {
      after = static_cast<double>(static_cast<Scalar>(after));
      const double change = after - before;
      sums.value[2] = multiply_add(change, change, sums.value[2]);
      sums.value[3] = multiply_add(after, after, sums.value[3]);
    }
  }
};

/// Computes beta or restarts the directions, and writes the record of the iterate. Directions that
/// fail in their first iteration without lowering the residual would fail again: a breakdown.
template <class MemorySpace>
struct BiCgStabUpdate {
  BiCgStabScalars<MemorySpace> at;
  /// Record of the iterate, from the squared residual on.
  VectorView<double, MemorySpace> logged;
  double rounding;
  int iteration;

  template <int N>
  KOKKOS_FUNCTION void operator()(const Offset, const Sums<N>& sums) const {
    const auto field = [](RecordField f) {
      return static_cast<int>(f) - static_cast<int>(RecordField::residual_squared);
    };
    if (at.faulty()) return;
    const double next = sums.value[0], squared = sums.value[1];
    logged(0) = squared;
    if (N > 2) {
      logged(field(RecordField::change_squared)) = sums.value[N - 2];
      logged(field(RecordField::norm_squared)) = sums.value[N - 1];
    }
    if (!is_finite_number(next) || !is_finite_number(squared)) {
      at.halt(KrylovFault::non_finite_product, iteration + 1);
      return;
    }
    // No digit of x is significant.
    if (rounding * sqrt(squared) > sqrt(at(BiCgStabScalar::first_squared))) {
      at.halt(KrylovFault::breakdown, iteration + 1);
      return;
    }
    const double alpha = at(BiCgStabScalar::alpha), begun = at(BiCgStabScalar::begun_squared);
    at(BiCgStabScalar::since) += 1;
    const double beta = next / at(BiCgStabScalar::rho) * (alpha / at(BiCgStabScalar::omega));
    const double whole = sqrt(at(BiCgStabScalar::shadow_squared)) * sqrt(squared);
    const bool ends = at(BiCgStabScalar::renews) != 0 || fabs(next) <= rounding * whole ||
                      !is_finite_number(beta);
    at(BiCgStabScalar::renews) = 0;
    at(BiCgStabScalar::rho) = next;
    at(BiCgStabScalar::beta) = beta;
    if (squared == 0) {
      at(BiCgStabScalar::rho) = 0;
      at(BiCgStabScalar::beta) = 0;
    } else if (ends && at(BiCgStabScalar::since) <= 1 && !(squared < begun) &&
               (at(BiCgStabScalar::mix) == 0 || at(BiCgStabScalar::mixed) != 0)) {
      at.halt(KrylovFault::breakdown, alpha == 0 ? iteration : iteration + 1);
    } else if (ends) {
      const bool mixes = at(BiCgStabScalar::mix) != 0;
      at(BiCgStabScalar::rho) = squared;
      at(BiCgStabScalar::beta) = 0;
      at(BiCgStabScalar::renews) = 1;
      at(BiCgStabScalar::since) = 0;
      at(BiCgStabScalar::begun_squared) = squared;
      at(BiCgStabScalar::shadow_squared) = mixes ? 2 * squared : squared;
      at(BiCgStabScalar::mixed) = mixes ? 1 : 0;
    }
  }
};

/// Computes `p = r + beta (p - omega v)`, and `hat = M^-1 p` if the product needs it. At a start or
/// restart p = r, and shadow = r or a mixture of r and an orthogonal vector of the same length.
template <class Scalar, class MemorySpace>
struct BiCgStabDirection {
  BiCgStabScalars<MemorySpace> at;
  EntryInverse<Scalar, MemorySpace> inverse;
  VectorView<const Scalar, MemorySpace> r, v, t;
  VectorView<Scalar, MemorySpace> shadow, p, hat;
  bool begins;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    if (at.faulty()) return;
    const double residual = static_cast<double>(r(i));
    double value = residual;
    if (begins || at(BiCgStabScalar::renews) != 0) {
      const double mix = at(BiCgStabScalar::mix);
      double other = 0;
      if (mix != 0)
        other = mix * static_cast<double>(at(BiCgStabScalar::mixes_t) != 0 ? t(i) : v(i));
      shadow(i) = static_cast<Scalar>(residual + other);
    } else if (at(BiCgStabScalar::beta) != 0) {
      const double rest = multiply_add(-at(BiCgStabScalar::omega), static_cast<double>(v(i)),
                                       static_cast<double>(p(i)));
      value = multiply_add(at(BiCgStabScalar::beta), rest, residual);
    }
    const Scalar kept = static_cast<Scalar>(value);
    p(i) = kept;
    if (hat.extent(0) > 0) hat(i) = static_cast<Scalar>(inverse(i, static_cast<double>(kept)));
  }
};

}  // namespace Tomokkos::Impl
