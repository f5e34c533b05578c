// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_KrylovFrame.hpp>

namespace Tomokkos::Impl {

/// Number of basis vectors that one reduction multiplies.
inline constexpr int gmres_group = 8;

/// Scalars that steer a cycle, on the device.
enum class GmresScalar : int {
  usable,   // number of valid columns of the triangle
  closed,   // 1: the space has no further direction; the rest of the cycle does nothing
  inverse,  // 1 / |w|, the factor that normalises the next basis vector
  begun,    // residual at the beginning of the cycle
  hat_squared,
  fault,  // a KrylovFault
  fault_iteration,
  count
};

/// Small arrays of a cycle of m steps, stored one after the other.
template <class MemorySpace>
struct GmresSmall {
  VectorView<double, MemorySpace> values;
  int m;

  static Offset length(Offset m) {
    return static_cast<Offset>(GmresScalar::count) + 5 * (m + 2) + m * (m + 1);
  }
  KOKKOS_FUNCTION double& operator()(GmresScalar which) const {
    return values(static_cast<int>(which));
  }
  KOKKOS_FUNCTION double& row(int which, int i) const {
    return values(static_cast<int>(GmresScalar::count) + which * (m + 2) + i);
  }
  /// Coefficients of one pass of the orthogonalisation, and the sum of both passes.
  KOKKOS_FUNCTION double& projection(int i) const { return row(0, i); }
  KOKKOS_FUNCTION double& column(int i) const { return row(1, i); }
  KOKKOS_FUNCTION double& cosine(int i) const { return row(2, i); }
  KOKKOS_FUNCTION double& sine(int i) const { return row(3, i); }
  /// Rotated right-hand side of the least-squares problem; its last entry is the residual.
  KOKKOS_FUNCTION double& rotated(int i) const { return row(4, i); }
  /// Triangle, column by column, and below it the coefficients of the basis in x.
  KOKKOS_FUNCTION double& triangle(int i, int j) const {
    return values(static_cast<int>(GmresScalar::count) + 5 * (m + 2) +
                  static_cast<Offset>(j) * (m + 1) + i);
  }
  KOKKOS_FUNCTION double& weight(int j) const { return triangle(m, j); }

  KOKKOS_FUNCTION bool faulty() const { return (*this)(GmresScalar::fault) != 0; }
  KOKKOS_FUNCTION bool idle() const { return faulty() || (*this)(GmresScalar::closed) != 0; }
  KOKKOS_FUNCTION void halt(KrylovFault fault, int iteration) const {
    (*this)(GmresScalar::fault) = static_cast<double>(fault);
    (*this)(GmresScalar::fault_iteration) = iteration;
    (*this)(GmresScalar::inverse) = 0;
  }
};

/// Starts a cycle from the sum `|b - A x|^2`. If a cycle has not lowered the residual, the next
/// would not either.
template <class MemorySpace>
struct GmresBegin {
  GmresSmall<MemorySpace> at;
  double rounding;
  int iteration;
  bool compares;  // compares the residual with that of the cycle before

  KOKKOS_FUNCTION void operator()(const Offset, const Sums<1>& sums) const {
    const double residual = sqrt(sums.value[0]);
    at(GmresScalar::usable) = 0;
    at(GmresScalar::closed) = residual > 0 ? 0 : 1;
    at(GmresScalar::inverse) = 0;
    if (at.faulty()) return;
    if (!is_finite_number(residual)) {
      at.halt(KrylovFault::non_finite_product, iteration);
    } else if (compares && residual > 0 &&
               residual >= (1 - 10 * rounding) * at(GmresScalar::begun)) {
      at.halt(KrylovFault::stagnated, iteration);
    } else {
      at(GmresScalar::begun) = residual;
      at.rotated(0) = residual;
      const double inverse = 1 / residual;
      if (residual > 0 && is_finite_number(inverse)) at(GmresScalar::inverse) = inverse;
    }
  }
};

/// Normalises `v = w / |w|` in place, and computes `hat = M^-1 v` if the product needs it.
template <class Scalar, class MemorySpace>
struct GmresNormalise {
  GmresSmall<MemorySpace> at;
  EntryInverse<Scalar, MemorySpace> inverse;
  VectorView<Scalar, MemorySpace> v, hat;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double factor = at(GmresScalar::inverse);
    const Scalar kept =
        factor == 0 ? Scalar(0) : static_cast<Scalar>(factor * static_cast<double>(v(i)));
    v(i) = kept;
    if (hat.extent(0) > 0) hat(i) = static_cast<Scalar>(inverse(i, static_cast<double>(kept)));
  }
};

/// Sums: products of up to `gmres_group` basis vectors, `n` apart, with w.
template <class Scalar, class MemorySpace>
struct GmresProject {
  VectorView<const Scalar, MemorySpace> basis, w;
  Offset n;
  int vectors;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<gmres_group>& sums) const {
    const double value = static_cast<double>(w(e.at));
    for (int i = 0; i < gmres_group; ++i)
      if (i < vectors)
        sums.value[i] =
            multiply_add(static_cast<double>(basis(i * n + e.at)), value, sums.value[i]);
  }
};

/// Stores the computed coefficients, from `first` on, and adds them to the column.
template <class MemorySpace>
struct GmresKeep {
  GmresSmall<MemorySpace> at;
  int first, vectors;
  bool adds;

  KOKKOS_FUNCTION void operator()(const Offset, const Sums<gmres_group>& sums) const {
    for (int i = 0; i < vectors; ++i) {
      at.projection(first + i) = sums.value[i];
      at.column(first + i) = adds ? at.column(first + i) + sums.value[i] : sums.value[i];
    }
  }
};

/// Computes `w -= V h`.
template <class Scalar, class MemorySpace>
struct GmresSubtract {
  GmresSmall<MemorySpace> at;
  VectorView<const Scalar, MemorySpace> basis;
  VectorView<Scalar, MemorySpace> w;
  int vectors;

  KOKKOS_FUNCTION Scalar subtract(const Offset row) const {
    const Offset n = static_cast<Offset>(w.extent(0));
    double value = static_cast<double>(w(row));
    for (int i = 0; i < vectors; ++i)
      value = multiply_add(-at.projection(i), static_cast<double>(basis(i * n + row)), value);
    return w(row) = static_cast<Scalar>(value);
  }
  KOKKOS_FUNCTION void operator()(const Offset row) const { subtract(row); }
  /// Also sums `|w|^2`.
  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double value = static_cast<double>(subtract(e.at));
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Step j: computes the new column of the triangle by Givens rotations, and the residual of the
/// iterate, from `|w|^2` after the orthogonalisation (the sum) and before it (in `column(j + 1)`).
template <class MemorySpace>
struct GmresRotate {
  GmresSmall<MemorySpace> at;
  VectorView<double, MemorySpace> logged;
  double rounding;
  int j, iteration;
  bool hat_is_measured;

  KOKKOS_FUNCTION void operator()(const Offset, const Sums<1>& sums) const {
    if (!at.idle()) take(sqrt(sums.value[0]), sqrt(at.column(j + 1)));
    if (at.faulty()) return;
    const double residual = at.rotated(static_cast<int>(at(GmresScalar::usable)));
    logged(0) = residual * residual;
  }

  KOKKOS_FUNCTION void take(double rest, double whole) const {
    at(GmresScalar::inverse) = 0;
    if (hat_is_measured && !is_finite_number(at(GmresScalar::hat_squared))) {
      at.halt(KrylovFault::non_finite_preconditioner, iteration);
      return;
    }
    bool finite = is_finite_number(rest) && is_finite_number(whole);
    for (int i = 0; i <= j; ++i) finite = finite && is_finite_number(at.column(i));
    if (!finite) {
      at.halt(KrylovFault::non_finite_product, iteration);
      return;
    }
    const bool closes = rest <= 10 * rounding * whole;
    double value = at.column(0);
    for (int i = 0; i < j; ++i) {
      const double next = at.column(i + 1);
      at.triangle(i, j) = at.cosine(i) * value + at.sine(i) * next;
      value = at.cosine(i) * next - at.sine(i) * value;
    }
    const double under = closes ? 0 : rest;
    const double size = hypot(value, under);
    if (!(size > 10 * rounding * whole)) {  // the matrix is singular on this space
      at.halt(KrylovFault::breakdown, iteration);
      return;
    }
    at.cosine(j) = value / size;
    at.sine(j) = under / size;
    at.triangle(j, j) = size;
    at.rotated(j + 1) = -at.sine(j) * at.rotated(j);
    at.rotated(j) *= at.cosine(j);
    at(GmresScalar::usable) = j + 1;
    at(GmresScalar::closed) = closes ? 1 : 0;
    if (!closes) at(GmresScalar::inverse) = 1 / rest;
  }
};

/// Computes the coefficients of the basis in x by back substitution. Uses one thread.
template <class MemorySpace>
struct GmresSubstitute {
  GmresSmall<MemorySpace> at;

  KOKKOS_FUNCTION void operator()(const Offset) const {
    const int usable = static_cast<int>(at(GmresScalar::usable));
    for (int i = usable - 1; i >= 0; --i) {
      double value = at.rotated(i);
      for (int j = i + 1; j < usable; ++j) value -= at.triangle(i, j) * at.weight(j);
      at.weight(i) = value / at.triangle(i, i);
    }
  }
};

/// Computes `x = start + M^-1 V y`; if M^-1 is applied separately, only `x = V y`.
template <class Scalar, class MemorySpace>
struct GmresCombine {
  GmresSmall<MemorySpace> at;
  EntryInverse<Scalar, MemorySpace> inverse;
  VectorView<const Scalar, MemorySpace> basis, start;
  VectorView<Scalar, MemorySpace> x;
  bool applied;

  KOKKOS_FUNCTION void operator()(const Offset row) const {
    const Offset n = static_cast<Offset>(x.extent(0));
    const int usable = static_cast<int>(at(GmresScalar::usable));
    double value = 0;
    for (int i = 0; i < usable; ++i)
      value = multiply_add(at.weight(i), static_cast<double>(basis(i * n + row)), value);
    if (!applied) value = static_cast<double>(start(row)) + inverse(row, value);
    x(row) = static_cast<Scalar>(value);
  }
};

/// Computes `x = start + hat`; only `x = start` if no basis vector was combined.
template <class Scalar, class MemorySpace>
struct GmresAdd {
  GmresSmall<MemorySpace> at;
  VectorView<const Scalar, MemorySpace> start, hat;
  VectorView<Scalar, MemorySpace> x;

  KOKKOS_FUNCTION void operator()(const Offset row) const {
    x(row) = at(GmresScalar::usable) > 0 ? start(row) + hat(row) : start(row);
  }
};

}  // namespace Tomokkos::Impl
