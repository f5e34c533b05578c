// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients after Chronopoulos and Gear: u = M^-1 r, w = A u, s = A p by its own
// recursion, and a single reduction.
#pragma once

#include <impl/Tomokkos_PcgKernels.hpp>

namespace Tomokkos::Impl {

/// Source of u: r itself, `D^-1 r`, or a vector that the preconditioner has computed.
enum class PcgInverse { identity, diagonal, applied };

/// Computes `p = u + beta p`, `s = w + beta s`, `x += alpha p` in the active columns,
/// `r -= alpha s`, and for a diagonal preconditioner u from the new r.
template <class Scalar, class MemorySpace>
struct PcgAdvanceAll {
  VectorView<const double, MemorySpace> alpha, beta;
  VectorView<const Scalar, MemorySpace> image;  // w
  VectorView<const int, MemorySpace> active;
  VectorView<const Scalar, MemorySpace> diagonal;
  PcgInverse inverse;
  VectorView<Scalar, MemorySpace> preconditioned;  // u; not read if it equals r
  VectorView<Scalar, MemorySpace> residual, direction, shadow, x;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(active.extent(0));
    const Offset row = columns == 1 ? at : at / columns;
    const Offset column = columns == 1 ? 0 : at % columns;
    const double length = alpha(column), direction_factor = beta(column);
    const double r = static_cast<double>(residual(at));
    const double u = inverse == PcgInverse::identity ? r : static_cast<double>(preconditioned(at));
    const double w = static_cast<double>(image(at));
    const double p = direction_factor == 0
                         ? u
                         : multiply_add(direction_factor, static_cast<double>(direction(at)), u);
    const double s = direction_factor == 0
                         ? w
                         : multiply_add(direction_factor, static_cast<double>(shadow(at)), w);
    direction(at) = static_cast<Scalar>(p);
    shadow(at) = static_cast<Scalar>(s);
    // The vector may contain non-finite entries; a step of length 0 must not use them.
    if (length == 0) return;
    if (active(column) != 0)
      x(at) = static_cast<Scalar>(
          multiply_add(length, static_cast<double>(direction(at)), static_cast<double>(x(at))));
    const Scalar moved =
        static_cast<Scalar>(multiply_add(-length, static_cast<double>(shadow(at)), r));
    residual(at) = moved;
    if (inverse == PcgInverse::diagonal)
      preconditioned(at) =
          static_cast<Scalar>(static_cast<double>(diagonal(row)) * static_cast<double>(moved));
  }
};

/// Sums: `r . u`, `u . w`, r . r, and if requested `|b - A x|^2`.
template <class Scalar, class MemorySpace>
struct PcgMeasureAll {
  VectorView<const Scalar, MemorySpace> residual, preconditioned, image;
  GivenResidual<Scalar, MemorySpace> given;
  bool measures;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<4>& sums) const {
    const double r = static_cast<double>(residual(e.at));
    const double u = static_cast<double>(preconditioned(e.at));
    sums.value[0] = multiply_add(r, u, sums.value[0]);
    sums.value[1] = multiply_add(u, static_cast<double>(image(e.at)), sums.value[1]);
    sums.value[2] = multiply_add(r, r, sums.value[2]);
    if (!measures) return;
    const double there = given(e, r);
    sums.value[3] = multiply_add(there, there, sums.value[3]);
  }
};

/// Writes the records of iterate k from these sums, and computes `beta = new rho / rho` and
/// `alpha = rho / (u . w - beta rho / alpha)` for the next step. In chosen columns the recursion
/// starts with beta = 0.
template <class MemorySpace>
struct PcgUpdateAll {
  PcgScalars<MemorySpace> at;
  VectorView<double, MemorySpace> logged_rho, logged_residual;
  Offset stride;
  int iteration;  // number of the next step
  PcgLook look;   // use of the fourth sum
  bool begins;    // starts the chosen columns; the others are unchanged
  VectorView<const int, MemorySpace> chosen;
  double least;  // see `least_rho`

  KOKKOS_FUNCTION void operator()(const Offset j, const Sums<4>& sums) const {
    at(PcgScalar::improves, j) = 0;
    if (begins && chosen(j) == 0) return;
    if (begins) {
      at.clear_fault(j);
      at.compare(j, sums.value[3]);
    }
    if (!at.faulty(j)) advance_step(j, sums.value[0], sums.value[1], sums.value[2]);
    if (begins || at.faulty(j)) return;
    logged_rho(j * stride) = at(PcgScalar::rho, j);
    if (look == PcgLook::none || !is_finite_number(sums.value[3])) return;
    const bool reached = at.reaches(j, sums.value[3]);
    if (look == PcgLook::watched && !reached) return;
    logged_residual(j * stride) = sums.value[3];
    if (look == PcgLook::checked) at.compare(j, sums.value[3]);
    if (reached) at.halt(j, PcgFault::reached, iteration);
  }

  KOKKOS_FUNCTION void advance_step(Offset j, double rho, double curvature, double norm) const {
    const double before = begins ? 0 : at(PcgScalar::rho, j);
    const double step = at(PcgScalar::alpha, j);
    if (!is_finite_number(rho)) {
      at.halt(j, PcgFault::non_finite_preconditioner, iteration);
      return;
    }
    if (rho < 0 || (rho == 0 && norm > 0)) {
      at.halt(j, PcgFault::indefinite_preconditioner, iteration);
      return;
    }
    if (begins)
      at(PcgScalar::begun, j) = rho;
    else if (rho <= least * at(PcgScalar::begun, j))
      rho = 0;
    at(PcgScalar::rho, j) = rho;
    at(PcgScalar::alpha, j) = 0;
    at(PcgScalar::beta, j) = 0;
    if (rho == 0) return;
    if (!is_finite_number(curvature)) {
      at.halt(j, PcgFault::non_finite_product, iteration);
      return;
    }
    const double direction_factor = before > 0 && step > 0 ? rho / before : 0;
    const double denominator =
        direction_factor > 0 ? curvature - direction_factor * rho / step : curvature;
    const double length = rho / denominator;
    const double fresh = rho / curvature;
    if (curvature <= 0 || !is_finite_number(fresh)) {
      at.halt(j, PcgFault::indefinite, iteration);
      return;
    }
    // If rounding alone makes the denominator negative, the directions restart.
    const bool continues = denominator > 0 && is_finite_number(length);
    at(PcgScalar::beta, j) = continues ? direction_factor : 0;
    at(PcgScalar::alpha, j) = continues ? length : fresh;
  }
};

/// Computes `u = D^-1 r`.
template <class Scalar, class MemorySpace>
struct ApplyDiagonal {
  VectorView<const Scalar, MemorySpace> diagonal;
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < from.extent(1); ++j)
      to(i, j) =
          static_cast<Scalar>(static_cast<double>(diagonal(i)) * static_cast<double>(from(i, j)));
  }
};

}  // namespace Tomokkos::Impl
