// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_SliceKernels.hpp>
#include <limits>
#include <type_traits>

namespace Tomokkos::Impl {

/// Scalars of the recursion: one array over the columns per scalar, stored one after the other on
/// the device.
enum class PcgScalar : int {
  rho,              // r . z
  begun,            // rho at the last start
  alpha,            // rho / (p . A p)
  beta,             // new rho / rho
  fault,            // a PcgFault, from the iteration in which it was found
  fault_iteration,  // iteration of the fault
  true_residual_squared,
  limit,     // measured residual at which x and r stop changing; -1: none
  best,      // smallest |b - A x|^2 at a check or a start
  improves,  // 1: this iterate is the best
  count
};

/// Use of `|b - A x|^2` of an iterate.
enum class PcgLook : int {
  none,     // it is not formed
  watched,  // formed only to stop where a limit is reached
  last,     // recorded: the last iterate, which a longer solve would not check
  checked   // recorded, and compared with the best iterate
};

/// Faults that end the recursion of a column; its x then no longer changes.
enum class PcgFault : int {
  none,
  indefinite,                 // p . A p <= 0
  indefinite_preconditioner,  // r . z <= 0
  non_finite_product,
  non_finite_preconditioner,
  reached  // not a fault: a measured residual at which the host may want to stop
};

/// Returns true if `value` is neither an infinity nor a NaN.
KOKKOS_INLINE_FUNCTION bool is_finite_number(double value) { return value - value == 0; }

template <class MemorySpace>
struct PcgScalars {
  VectorView<double, MemorySpace> values;
  Offset columns;

  KOKKOS_FUNCTION double& operator()(PcgScalar which, Offset column) const {
    return values(static_cast<Offset>(which) * columns + column);
  }
  KOKKOS_FUNCTION bool faulty(Offset column) const {
    return (*this)(PcgScalar::fault, column) != 0;
  }
  /// Returns true for a measured iterate at which the host may want to stop.
  KOKKOS_FUNCTION bool reaches(Offset column, double residual_squared) const {
    const double limit = (*this)(PcgScalar::limit, column);
    return limit >= 0 &&
           (!is_finite_number(residual_squared) || Impl::sqrt(residual_squared) <= limit);
  }
  /// Records whether the measured iterate is the best so far.
  KOKKOS_FUNCTION void compare(Offset column, double residual_squared) const {
    const bool smaller = residual_squared < (*this)(PcgScalar::best, column);
    (*this)(PcgScalar::improves, column) = smaller ? 1 : 0;
    if (smaller) (*this)(PcgScalar::best, column) = residual_squared;
  }
  /// Clears the fault at which the recursion has ended.
  KOKKOS_FUNCTION void clear_fault(Offset column) const { (*this)(PcgScalar::fault, column) = 0; }
  KOKKOS_FUNCTION void halt(Offset column, PcgFault fault, int iteration) const {
    (*this)(PcgScalar::fault, column) = static_cast<double>(fault);
    (*this)(PcgScalar::fault_iteration, column) = iteration;
    (*this)(PcgScalar::alpha, column) = 0;
    (*this)(PcgScalar::beta, column) = 0;
  }
};

/// Fraction of `r . z` at the last start below which the recursion is considered finished. Beyond
/// it the recursion would follow noise that moves x away again and finally overflows. The fraction
/// is relative, so that scaling by powers of two changes no bit.
template <class Scalar>
double least_rho() {
  const double epsilon = std::numeric_limits<Scalar>::epsilon();
  return epsilon * epsilon * (epsilon * epsilon);
}

/// Sums the values.
template <class MemorySpace>
struct AddEntries {
  VectorView<const double, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    sums.value[0] += values(e.at);
  }
};

/// Computes `alpha = rho / (p . A p)` from the sum `p . A p`; 0 if the solve is done.
template <class MemorySpace>
struct PcgStepLength {
  PcgScalars<MemorySpace> at;
  int iteration;

  KOKKOS_FUNCTION void operator()(const Offset j, const Sums<1>& sums) const {
    const double curvature = sums.value[0];
    const double rho = at(PcgScalar::rho, j);
    at(PcgScalar::alpha, j) = 0;
    if (at.faulty(j) || rho == 0) return;
    if (!is_finite_number(curvature)) {
      at.halt(j, PcgFault::non_finite_product, iteration);
    } else if (curvature <= 0) {
      at.halt(j, PcgFault::indefinite, iteration);
    } else {
      const double alpha = rho / curvature;
      if (is_finite_number(alpha))
        at(PcgScalar::alpha, j) = alpha;
      else  // a positive definite matrix in this precision allows no step of this length
        at.halt(j, PcgFault::indefinite, iteration);
    }
  }
};

/// Computes `beta = new rho / rho` and writes the records of the iterate. Input: the sums `r . z`,
/// and if available `|b - A x|^2` and `r . r` (with a positive definite preconditioner `r . z > 0`
/// if `r . r` is positive).
template <class MemorySpace>
struct PcgUpdate {
  PcgScalars<MemorySpace> at;
  /// Records of all columns, `stride` apart.
  VectorView<double, MemorySpace> logged_rho, logged_residual;
  Offset stride;
  int iteration;
  PcgLook look;  // use of the second sum, the squared residual
  double least;  // see `least_rho`

  template <int N>
  KOKKOS_FUNCTION void operator()(const Offset j, const Sums<N>& sums) const {
    double rho = sums.value[0];
    at(PcgScalar::improves, j) = 0;
    if (!at.faulty(j)) {
      if (!is_finite_number(rho))
        at.halt(j, PcgFault::non_finite_preconditioner, iteration);
      else if (rho < 0 || (N > 2 && rho == 0 && sums.value[N - 1] > 0))
        at.halt(j, PcgFault::indefinite_preconditioner, iteration);
    }
    if (!at.faulty(j)) {
      if (rho <= least * at(PcgScalar::begun, j)) rho = 0;
      const double before = at(PcgScalar::rho, j);
      at(PcgScalar::beta, j) = before > 0 ? rho / before : 0;
      at(PcgScalar::rho, j) = rho;
    }
    if (at.faulty(j)) return;
    logged_rho(j * stride) = at(PcgScalar::rho, j);
    if (N == 1 || look == PcgLook::none) return;
    const double residual_squared = sums.value[N > 1 ? 1 : 0];
    const bool reached = at.reaches(j, residual_squared);
    if (look == PcgLook::watched && !reached) return;
    logged_residual(j * stride) = residual_squared;
    if (look == PcgLook::checked) at.compare(j, residual_squared);
    if (!reached) return;
    // The pass that follows must still apply the step to this iterate to x.
    const double length = at(PcgScalar::alpha, j);
    at.halt(j, PcgFault::reached, iteration + 1);
    at(PcgScalar::alpha, j) = length;
  }
};

/// `r . z` for each kind of preconditioner.
template <class Scalar, class MemorySpace>
struct IdentityInverse {
  KOKKOS_FUNCTION double operator()(const ArrayEntry&, double r) const { return r; }
};

template <class Scalar, class MemorySpace>
struct DiagonalInverse {
  VectorView<const Scalar, MemorySpace> d;
  KOKKOS_FUNCTION double operator()(const ArrayEntry& e, double r) const {
    return static_cast<double>(d(e.row)) * r;
  }
};

template <class Scalar, class MemorySpace>
struct StoredInverse {
  VectorView<const Scalar, MemorySpace> z;
  KOKKOS_FUNCTION double operator()(const ArrayEntry& e, double) const {
    return static_cast<double>(z(e.at));
  }
};

/// Residual of the given system from that of the iterated one: `r / s` if that is scaled by s.
template <class Scalar, class MemorySpace>
struct GivenResidual {
  VectorView<const Scalar, MemorySpace> scale;
  bool scaled;
  KOKKOS_FUNCTION double operator()(const ArrayEntry& e, double r) const {
    return scaled ? r / static_cast<double>(scale(e.row)) : r;
  }
};

/// Computes `r -= alpha q`. Sums: `r . z`, and with \p measures `|b - A x|^2`.
template <class Scalar, class MemorySpace, class Inverse, bool measures>
struct PcgReduceResidual {
  VectorView<const double, MemorySpace> alpha;
  VectorView<const Scalar, MemorySpace> image;
  VectorView<Scalar, MemorySpace> residual;
  Inverse inverse;
  GivenResidual<Scalar, MemorySpace> given;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<measures ? 2 : 1>& sums) const {
    move(e, alpha(e.column), residual(e.at), image(e.at), sums);
  }

  KOKKOS_FUNCTION void several(const ArrayEntry (&entries)[4], Sums<measures ? 2 : 1>& sums) const {
    const double length = alpha(entries[0].column);
    Scalar r[4], q[4];
    for (int i = 0; i < 4; ++i) {
      r[i] = residual(entries[i].at);
      q[i] = image(entries[i].at);
    }
    for (int i = 0; i < 4; ++i) move(entries[i], length, r[i], q[i], sums);
  }

  KOKKOS_FORCEINLINE_FUNCTION void move(const ArrayEntry& e, double length, Scalar r, Scalar q,
                                        Sums<measures ? 2 : 1>& sums) const {
    double value = static_cast<double>(r);
    // The vector may contain non-finite entries; a step of length 0 must not use them.
    if (length != 0) value = multiply_add(-length, static_cast<double>(q), value);
    Scalar kept = static_cast<Scalar>(value);
#if defined(__GNUC__) && defined(__x86_64__) && !defined(__CUDA_ARCH__)
    // With fused operations GCC 12 may sum the squares of values that are not yet rounded to float,
    // in one of the two kernels of this functor only. Resumed solves would then differ.
    if constexpr (std::is_same_v<Scalar, float>) asm("" : "+x"(kept));
#endif
    residual(e.at) = kept;
    value = static_cast<double>(kept);
    sums.value[0] = multiply_add(value, inverse(e, value), sums.value[0]);
    if constexpr (measures) {
      const double there = given(e, value);
      sums.value[1] = multiply_add(there, there, sums.value[1]);
    }
  }
};

/// Computes `r -= alpha q` before the preconditioner is applied.
template <class Scalar, class MemorySpace>
struct PcgMoveResidual {
  VectorView<const double, MemorySpace> alpha;
  MultiVectorView<const Scalar, MemorySpace> image;
  MultiVectorView<Scalar, MemorySpace> residual;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < residual.extent(1); ++j) {
      const double length = alpha(j);
      if (length == 0) continue;
      residual(i, j) = static_cast<Scalar>(multiply_add(-length, static_cast<double>(image(i, j)),
                                                        static_cast<double>(residual(i, j))));
    }
  }
};

/// Sums: `r . z`, `|b - A x|^2`, `r . r` of the current vectors.
template <class Scalar, class MemorySpace, class Inverse>
struct PcgMeasure {
  VectorView<const Scalar, MemorySpace> residual;
  Inverse inverse;
  GivenResidual<Scalar, MemorySpace> given;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<3>& sums) const {
    const double value = static_cast<double>(residual(e.at));
    sums.value[0] = multiply_add(value, inverse(e, value), sums.value[0]);
    const double there = given(e, value);
    sums.value[1] = multiply_add(there, there, sums.value[1]);
    sums.value[2] = multiply_add(value, value, sums.value[2]);
  }
};

/// Computes `x += alpha p` in the active columns, and `p = z + beta p`.
template <class Scalar, class MemorySpace, class Inverse>
struct PcgAdvance {
  VectorView<const double, MemorySpace> alpha, beta;
  VectorView<const Scalar, MemorySpace> residual;
  VectorView<const int, MemorySpace> active;
  Inverse inverse;
  VectorView<Scalar, MemorySpace> direction, x;

  KOKKOS_FUNCTION void advance(const ArrayEntry& e, double& change, double& after) const {
    const double length = active(e.column) != 0 ? alpha(e.column) : 0;
    const double p = static_cast<double>(direction(e.at));
    const double before = static_cast<double>(x(e.at));
    const Scalar moved =
        length == 0 ? x(e.at) : static_cast<Scalar>(multiply_add(length, p, before));
    x(e.at) = moved;
    after = static_cast<double>(moved);
    change = after - before;
    const double direction_factor = beta(e.column);
    const double z = inverse(e, static_cast<double>(residual(e.at)));
    direction(e.at) =
        static_cast<Scalar>(direction_factor == 0 ? z : multiply_add(direction_factor, p, z));
  }

  /// Processes one entry without sums.
  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(active.extent(0));
    double change, after;
    if (columns == 1)
      advance({at, 0, at}, change, after);
    else
      advance({at / columns, at % columns, at}, change, after);
  }

  /// Processes one entry. Sums: squared change, squared norm of x.
  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    double change, after;
    advance(e, change, after);
    add_squares(change, after, sums);
  }
};

/// Computes `residual = scale (b - image)`, which may be one array, and sums its unscaled square.
/// An empty scale counts as 1.
template <class Scalar, class MemorySpace>
struct PcgFirstResidual {
  VectorView<const Scalar, MemorySpace> b, image;
  VectorView<Scalar, MemorySpace> residual;
  VectorView<const Scalar, MemorySpace> scale;
  bool scaled;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double value = static_cast<double>(b(e.at)) - static_cast<double>(image(e.at));
    residual(e.at) =
        static_cast<Scalar>(scaled ? static_cast<double>(scale(e.row)) * value : value);
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Computes `to = from / scale`, or `to = scale from`, row by row.
template <class Scalar, class MemorySpace, bool divide>
struct ScaleIterate {
  VectorView<const Scalar, MemorySpace> scale;
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Scalar s = scale(i);
    for (std::size_t j = 0; j < from.extent(1); ++j)
      to(i, j) = divide ? from(i, j) / s : s * from(i, j);
  }
};

/// Computes `to = scale from` in the chosen columns. An empty scale counts as 1.
template <class Scalar, class MemorySpace>
struct TakeResidual {
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;
  VectorView<const Scalar, MemorySpace> scale;
  VectorView<const int, MemorySpace> chosen;
  bool scaled;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < from.extent(1); ++j)
      if (chosen(j) != 0) to(i, j) = scaled ? scale(i) * from(i, j) : from(i, j);
  }
};

/// Restarts the chosen columns: `rho = r . z`, and the first direction is z.
template <class MemorySpace>
struct PcgRestart {
  PcgScalars<MemorySpace> at;
  VectorView<const int, MemorySpace> chosen;
  int iteration;

  KOKKOS_FUNCTION void operator()(const Offset j, const Sums<3>& sums) const {
    at(PcgScalar::improves, j) = 0;
    if (chosen(j) == 0) return;
    at.clear_fault(j);
    at.compare(j, sums.value[1]);
    const double rho = sums.value[0];
    at(PcgScalar::rho, j) = rho;
    at(PcgScalar::begun, j) = rho;
    at(PcgScalar::beta, j) = 0;
    if (!is_finite_number(rho))
      at.halt(j, PcgFault::non_finite_preconditioner, iteration);
    else if (rho < 0 || (rho == 0 && sums.value[2] > 0))
      at.halt(j, PcgFault::indefinite_preconditioner, iteration);
  }
};

/// Keeps the iterates that are the best so far.
template <class Scalar, class MemorySpace>
struct PcgKeepBest {
  VectorView<const double, MemorySpace> improves;
  VectorView<const Scalar, MemorySpace> x;
  VectorView<Scalar, MemorySpace> best;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(improves.extent(0));
    if (improves(columns == 1 ? 0 : at % columns) != 0) best(at) = x(at);
  }
};

/// Exchanges two iterates in the chosen columns.
template <class Scalar, class MemorySpace>
struct PcgExchange {
  VectorView<const int, MemorySpace> chosen;
  VectorView<Scalar, MemorySpace> x, best;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    if (chosen(at % static_cast<Offset>(chosen.extent(0))) == 0) return;
    const Scalar value = x(at);
    x(at) = best(at);
    best(at) = value;
  }
};

/// Sets x to the start in the chosen columns, and the scaled unknowns of a scaled system.
template <class Scalar, class MemorySpace>
struct PcgTakeStart {
  MultiVectorView<const Scalar, MemorySpace> start;
  VectorView<const int, MemorySpace> chosen;
  VectorView<const Scalar, MemorySpace> scale;
  bool scaled;
  MultiVectorView<Scalar, MemorySpace> x, iterate;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < x.extent(1); ++j) {
      if (chosen(j) == 0) continue;
      x(i, j) = start(i, j);
      if (scaled) iterate(i, j) = start(i, j) / scale(i);
    }
  }
};

/// Writes the record of the start. Here, in `PcgUpdate` and in `PcgUpdateAll`, an iterate at which
/// the recursion has ended gets no record: this shows the host that a fault is to be read.
template <class MemorySpace>
struct LogRho {
  PcgScalars<MemorySpace> at;
  VectorView<double, MemorySpace> logged;
  Offset stride;

  KOKKOS_FUNCTION void operator()(const Offset j) const {
    if (!at.faulty(j)) logged(j * stride) = at(PcgScalar::rho, j);
  }
};

/// Sets `p = z` in the chosen columns.
template <class Scalar, class MemorySpace, class Inverse>
struct PcgBegin {
  VectorView<const Scalar, MemorySpace> residual;
  VectorView<const int, MemorySpace> chosen;
  Inverse inverse;
  VectorView<Scalar, MemorySpace> direction;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(chosen.extent(0));
    const ArrayEntry e{at / columns, at % columns, at};
    if (chosen(e.column) != 0)
      direction(at) = static_cast<Scalar>(inverse(e, static_cast<double>(residual(at))));
  }
};

}  // namespace Tomokkos::Impl
