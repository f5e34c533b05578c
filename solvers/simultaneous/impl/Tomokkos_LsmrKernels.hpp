// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <impl/Tomokkos_LeastSquaresKernels.hpp>

namespace Tomokkos::Impl {

/// Scalars of the recursion: one array over the slices per scalar, stored one after the other on
/// the device. The names follow the paper.
enum class LsmrScalar : int {
  u_squared,        // |u|^2 over the rows of A, before normalisation
  u_below_squared,  // |u|^2 over the rows below, with damping
  v_squared,
  x_squared,  // |x|^2, computed only with damping
  u_scale,    // u is stored unnormalised; this factor normalises it
  v_scale,
  alpha,
  beta,
  alpha_bar,
  rho,
  rho_bar,
  c_bar,
  s_bar,
  zeta,
  zeta_bar,  // |A^T r| up to its sign
  // Scalars for the norm of the residual.
  beta_dot,
  beta_double_dot,
  rho_dot,
  theta_tilde,
  tau_tilde,
  // Coefficients of the vector updates.
  turn_h_bar,
  step,
  turn_h,
  residual_squared,
  largest,  // largest entry of the bidiagonal matrix in this solve
  count
};

template <class MemorySpace>
struct LsmrScalars {
  VectorView<double, MemorySpace> values;
  Offset slices;

  KOKKOS_FUNCTION double& operator()(LsmrScalar which, Offset slice) const {
    return values(static_cast<Offset>(which) * slices + slice);
  }
};

/// Returns the quotient; 0 if the divisor is 0.
KOKKOS_INLINE_FUNCTION double quotient(double of, double by) { return by != 0 ? of / by : 0; }

/// Takes an entry of the bidiagonal matrix: 0 if it is negligible beside the largest one, so that
/// the recursion ends there instead of going on with a vector of rounding errors.
KOKKOS_INLINE_FUNCTION double take_entry(double entry, double negligible, double& largest) {
  if (entry <= negligible * largest) return 0;
  if (entry > largest) largest = entry;
  return entry;
}

/// Rotation that maps (a, b) to (r, 0).
struct Rotation {
  double c = 1, s = 0, r = 0;

  KOKKOS_FUNCTION Rotation(double a, double b) : r(sqrt(a * a + b * b)) {
    if (r == 0) return;
    c = a / r;
    s = b / r;
  }
};

/// Computes the first vectors from the residual and its gradient.
template <class MemorySpace>
struct LsmrBegin {
  LsmrScalars<MemorySpace> at;
  VectorView<const double, MemorySpace> gradient_squared;
  VectorView<const int, MemorySpace> chosen;
  double damping_squared, negligible;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    if (chosen(j) == 0) return;
    double squared = at(LsmrScalar::u_squared, j);
    if (damping_squared > 0)
      squared = multiply_add(damping_squared, at(LsmrScalar::x_squared, j), squared);
    const double beta = sqrt(squared);
    const double alpha = take_entry(quotient(sqrt(gradient_squared(j)), beta), negligible,
                                    at(LsmrScalar::largest, j));
    const double gradient = alpha == 0 ? 0 : sqrt(gradient_squared(j));
    at(LsmrScalar::u_scale, j) = quotient(1, beta);
    at(LsmrScalar::v_scale, j) = quotient(1, gradient);
    at(LsmrScalar::alpha, j) = at(LsmrScalar::alpha_bar, j) = alpha;
    at(LsmrScalar::beta, j) = at(LsmrScalar::beta_double_dot, j) = beta;
    at(LsmrScalar::zeta_bar, j) = gradient;
    at(LsmrScalar::rho, j) = at(LsmrScalar::rho_bar, j) = at(LsmrScalar::rho_dot, j) = 1;
    at(LsmrScalar::c_bar, j) = 1;
    for (const LsmrScalar zero : {LsmrScalar::s_bar, LsmrScalar::zeta, LsmrScalar::beta_dot,
                                  LsmrScalar::theta_tilde, LsmrScalar::tau_tilde})
      at(zero, j) = 0;
    at(LsmrScalar::residual_squared, j) = squared;
  }
};

/// Sets `v = gradient`, `h = gradient / |gradient|`, `h_bar = 0`, and `u = -damping x` in the rows
/// below, in the chosen slices.
template <class Scalar, class MemorySpace>
struct LsmrBeginVectors {
  LsmrScalars<MemorySpace> at;
  MultiVectorView<const Scalar, MemorySpace> gradient, x;
  MultiVectorView<Scalar, MemorySpace> v, h, h_bar, u_below;  // the last is empty without damping
  VectorView<const int, MemorySpace> chosen;
  double damping;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < v.extent(1); ++j) {
      if (chosen(j) == 0) continue;
      v(i, j) = gradient(i, j);
      h(i, j) = static_cast<Scalar>(at(LsmrScalar::v_scale, static_cast<Offset>(j)) *
                                    static_cast<double>(gradient(i, j)));
      h_bar(i, j) = Scalar(0);
      if (u_below.extent(0) > 0)
        u_below(i, j) = static_cast<Scalar>(-damping * static_cast<double>(x(i, j)));
    }
  }
};

/// Computes `u = factor image - alpha u` with both normalised on the fly. `factor` is 1 for the
/// rows of A and the damping for those below, where `image` is v itself. Sum: `|u|^2`.
template <class Scalar, class MemorySpace>
struct LsmrLeft {
  LsmrScalars<MemorySpace> at;
  VectorView<const Scalar, MemorySpace> image;
  VectorView<Scalar, MemorySpace> u;
  double factor;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double kept = at(LsmrScalar::alpha, e.column) * at(LsmrScalar::u_scale, e.column);
    const double value =
        multiply_add(-kept, static_cast<double>(u(e.at)),
                     factor * at(LsmrScalar::v_scale, e.column) * static_cast<double>(image(e.at)));
    u(e.at) = static_cast<Scalar>(value);
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Computes the norm of u.
template <class MemorySpace>
struct LsmrBeta {
  LsmrScalars<MemorySpace> at;
  bool is_damped;
  double negligible;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    double squared = at(LsmrScalar::u_squared, j);
    if (is_damped) squared += at(LsmrScalar::u_below_squared, j);
    at(LsmrScalar::beta, j) = take_entry(sqrt(squared), negligible, at(LsmrScalar::largest, j));
    at(LsmrScalar::u_scale, j) = quotient(1, at(LsmrScalar::beta, j));
  }
};

/// Computes `v = A^T u - beta v` with both normalised on the fly. Sum: `|v|^2`.
template <class Scalar, class MemorySpace>
struct LsmrRight {
  LsmrScalars<MemorySpace> at;
  VectorView<const Scalar, MemorySpace> back, u_below;  // the last is empty without damping
  VectorView<Scalar, MemorySpace> v;
  double damping;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    double from = static_cast<double>(back(e.at));
    if (u_below.extent(0) > 0)
      from = multiply_add(damping, static_cast<double>(u_below(e.at)), from);
    const double kept = at(LsmrScalar::beta, e.column) * at(LsmrScalar::v_scale, e.column);
    const double value =
        multiply_add(-kept, static_cast<double>(v(e.at)), at(LsmrScalar::u_scale, e.column) * from);
    v(e.at) = static_cast<Scalar>(value);
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Computes the norm of v, both rotations, and the norm of the residual (sections 2.3 and 5.1 of
/// the paper). If nothing is left to do, all scalars stay unchanged.
template <class MemorySpace>
struct LsmrUpdate {
  LsmrScalars<MemorySpace> at;
  double negligible;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    using S = LsmrScalar;
    const double alpha = at(S::alpha, j) =
        take_entry(sqrt(at(S::v_squared, j)), negligible, at(S::largest, j));
    at(S::v_scale, j) = quotient(1, alpha);
    const Rotation first(at(S::alpha_bar, j), at(S::beta, j));
    at(S::turn_h_bar, j) = at(S::step, j) = at(S::turn_h, j) = 0;
    if (first.r == 0) {
      at(S::zeta_bar, j) = 0;
      return;
    }
    const double theta = first.s * alpha;
    at(S::alpha_bar, j) = first.c * alpha;
    const double theta_bar = at(S::s_bar, j) * first.r;
    const Rotation second(at(S::c_bar, j) * first.r, theta);
    const double old_zeta = at(S::zeta, j);
    at(S::turn_h_bar, j) = quotient(theta_bar * first.r, at(S::rho, j) * at(S::rho_bar, j));
    at(S::zeta, j) = second.c * at(S::zeta_bar, j);
    at(S::zeta_bar, j) = -second.s * at(S::zeta_bar, j);
    at(S::step, j) = quotient(at(S::zeta, j), first.r * second.r);
    at(S::turn_h, j) = theta / first.r;
    at(S::rho, j) = first.r;
    at(S::rho_bar, j) = second.r;
    at(S::c_bar, j) = second.c;
    at(S::s_bar, j) = second.s;
    measure(j, first, theta_bar, second.r, old_zeta);
    // A gradient at the rounding level of the products: the next step would follow rounding errors.
    const double level = negligible * at(S::largest, j);
    if (at(S::zeta_bar, j) * at(S::zeta_bar, j) <= level * level * at(S::residual_squared, j))
      at(S::alpha, j) = at(S::alpha_bar, j) = at(S::v_scale, j) = 0;
  }

  KOKKOS_FUNCTION void measure(const Offset j, const Rotation& first, double theta_bar,
                               double rho_bar, double old_zeta) const {
    using S = LsmrScalar;
    const double beta_hat = first.c * at(S::beta_double_dot, j);
    at(S::beta_double_dot, j) *= -first.s;
    const double old_theta = at(S::theta_tilde, j);
    const Rotation tilde(at(S::rho_dot, j), theta_bar);
    at(S::theta_tilde, j) = tilde.s * rho_bar;
    at(S::rho_dot, j) = tilde.c * rho_bar;
    at(S::beta_dot, j) = tilde.c * beta_hat - tilde.s * at(S::beta_dot, j);
    const double tau = at(S::tau_tilde, j) =
        quotient(old_zeta - old_theta * at(S::tau_tilde, j), tilde.r);
    const double tau_dot =
        quotient(at(S::zeta, j) - at(S::theta_tilde, j) * tau, at(S::rho_dot, j));
    const double part = at(S::beta_dot, j) - tau_dot;
    at(S::residual_squared, j) =
        part * part + at(S::beta_double_dot, j) * at(S::beta_double_dot, j);
  }
};

/// Computes `h_bar = h - turn h_bar` and `x += step h_bar` in the active slices, and
/// `h = v - turn h` with v normalised on the fly. Sums: squared change, squared norm of x.
template <class Scalar, class MemorySpace>
struct LsmrAdvance {
  LsmrScalars<MemorySpace> at;
  VectorView<const Scalar, MemorySpace> v;
  VectorView<const int, MemorySpace> active;
  VectorView<Scalar, MemorySpace> h, h_bar, x;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const auto here = [&](LsmrScalar which) { return at(which, e.column); };
    const double direction = static_cast<double>(h(e.at));
    const double turned =
        multiply_add(-here(LsmrScalar::turn_h_bar), static_cast<double>(h_bar(e.at)), direction);
    h_bar(e.at) = static_cast<Scalar>(turned);
    const Scalar kept = x(e.at);
    const double step = here(LsmrScalar::step);
    // The vector may contain non-finite entries; a step of length 0 must not use them.
    const Scalar moved =
        step == 0 ? kept
                  : static_cast<Scalar>(multiply_add(step, turned, static_cast<double>(kept)));
    x(e.at) = active(e.column) != 0 ? moved : kept;
    h(e.at) =
        static_cast<Scalar>(multiply_add(-here(LsmrScalar::turn_h), direction,
                                         here(LsmrScalar::v_scale) * static_cast<double>(v(e.at))));
    add_squares(static_cast<double>(moved) - static_cast<double>(kept), static_cast<double>(moved),
                sums);
  }
};

/// Writes the record of an iterate: `|b - A x|^2`, without the damping that the recursion includes,
/// and `|A^T r|^2`. With several ranks only the first records the residual, because records are
/// summed over the ranks.
template <class MemorySpace>
struct LsmrRecord {
  LsmrScalars<MemorySpace> at;
  VectorView<double, MemorySpace> residual, gradient;
  Offset stride;
  double damping_squared;
  bool records_residual;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    double squared = at(LsmrScalar::residual_squared, j);
    if (damping_squared > 0)
      squared = multiply_add(-damping_squared, at(LsmrScalar::x_squared, j), squared);
    residual(j * stride) = records_residual && squared > 0 ? squared : 0;
    const double zeta_bar = at(LsmrScalar::zeta_bar, j);
    gradient(j * stride) = zeta_bar * zeta_bar;
  }
};

}  // namespace Tomokkos::Impl
