// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of `EquationRows`: numbers of variables, normalised rows, what locked variables
// contribute.
#pragma once

#include <Tomokkos_EquationRows.hpp>
#include <Tomokkos_MultiplyAdd.hpp>

namespace Tomokkos::Impl {

/// Free (or locked) variables numbered in their order, and those of the other kind marked.
template <class MemorySpace>
struct NumberVariables {
  VectorView<const char, MemorySpace> locked;
  bool number_locked;
  Ordinal num_variables;
  Kokkos::View<Ordinal*, MemorySpace> from_natural;

  KOKKOS_FUNCTION void operator()(const Ordinal variable, Ordinal& count, const bool final) const {
    const bool is_locked = locked.extent(0) > 0 && locked(variable) != 0;
    const bool mine = is_locked == number_locked;
    if (final) from_natural(variable) = mine ? count : not_mapped;
    if (mine) ++count;
  }
};

template <class MemorySpace>
struct InvertNumbers {
  Kokkos::View<const Ordinal*, MemorySpace> from_natural;
  Kokkos::View<Ordinal*, MemorySpace> to_natural;

  KOKKOS_FUNCTION void operator()(const Ordinal variable) const {
    if (from_natural(variable) >= 0) to_natural(from_natural(variable)) = variable;
  }
};

/// The values of some variables; zeros where there are none.
template <class Scalar, class MemorySpace>
struct PickValues {
  Kokkos::View<const Ordinal*, MemorySpace> variables;
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(to.extent(1));
    to.data()[index] =
        from.data() == nullptr ? Scalar(0) : from(variables(index / columns), index % columns);
  }
};

/// The first entry that is an infinity or a NaN, or becomes one when its row is multiplied by its
/// factor, of the rows named or of all.
template <class Scalar, class MemorySpace>
struct FirstNotFinite {
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  MultiVectorView<const Scalar, MemorySpace> values;
  VectorView<const double, MemorySpace> factors;  // empty: none

  KOKKOS_FUNCTION void operator()(const Offset index, Offset& first) const {
    const Offset columns = static_cast<Offset>(values.extent(1));
    const Offset place = index / columns;
    const Offset row = rows.data() == nullptr ? place : rows(place);
    const Offset at = row * columns + index % columns;
    Scalar value = values.data()[at];
    if (factors.data() != nullptr)
      value = static_cast<Scalar>(factors(row) * static_cast<double>(value));
    if (!(value - value == Scalar(0)) && at < first) first = at;
  }
};

/// Rows divided by their norms where that is asked for, multiplied by their factors, and looked at.
template <class Scalar, class MemorySpace>
struct ScaleEquations {
  CsrArrays<Scalar, MemorySpace> free, locked;
  MultiVectorView<Scalar, MemorySpace> right_hand_sides;
  VectorView<double, MemorySpace> factors;
  bool normalize;

  using Arrays = CsrArrays<Scalar, MemorySpace>;

  KOKKOS_FUNCTION static void add_squares(const Arrays& part, Offset row, double unit,
                                          double& sum) {
    for (Offset k = part.row_offsets(row); k < part.row_offsets(row + 1); ++k) {
      const double value = static_cast<double>(part.values(k)) / unit;
      sum = multiply_add(value, value, sum);
    }
  }
  KOKKOS_FUNCTION static void keep_largest(const Arrays& part, Offset row, double& largest) {
    for (Offset k = part.row_offsets(row); k < part.row_offsets(row + 1); ++k) {
      const double size = fabs(static_cast<double>(part.values(k)));
      if (size > largest) largest = size;
    }
  }
  /// Squares that leave the range of double are formed of entries in units of the largest.
  KOKKOS_FUNCTION double norm(Offset row) const {
    double sum = 0;
    add_squares(free, row, 1, sum);
    add_squares(locked, row, 1, sum);
    if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
    double largest = 0;
    keep_largest(free, row, largest);
    keep_largest(locked, row, largest);
    if (largest == 0 || !(largest - largest == 0)) return largest;
    sum = 0;
    add_squares(free, row, largest, sum);
    add_squares(locked, row, largest, sum);
    return largest * sqrt(sum);
  }
  KOKKOS_FUNCTION static bool multiply(Scalar& value, double factor) {
    value = static_cast<Scalar>(factor * static_cast<double>(value));
    return value - value == Scalar(0);
  }
  KOKKOS_FUNCTION static bool multiply(const Arrays& part, Offset row, double factor) {
    bool finite = true;
    for (Offset k = part.row_offsets(row); k < part.row_offsets(row + 1); ++k)
      finite = multiply(part.values(k), factor) && finite;
    return finite;
  }

  KOKKOS_FUNCTION void operator()(const Offset row, Offset& first) const {
    double factor = factors(row);
    EquationFault fault = EquationFault::none;
    if (normalize) {
      const double length = norm(row);
      if (length == 0) fault = EquationFault::zero_row;
      factor = length == 0 ? 0 : factor / length;
    }
    factors(row) = factor;
    bool finite = multiply(free, row, factor);
    finite = multiply(locked, row, factor) && finite;
    for (Offset j = 0; j < static_cast<Offset>(right_hand_sides.extent(1)); ++j)
      finite = multiply(right_hand_sides(row, j), factor) && finite;
    if (fault == EquationFault::none && !finite) fault = EquationFault::not_finite;
    if (fault == EquationFault::none) return;
    const Offset found = row * equation_fault_kinds + static_cast<Offset>(fault);
    if (found < first) first = found;
  }
};

/// `T = B - L X`, one entry each.
template <class Scalar, class MemorySpace>
struct SubtractLocked {
  CsrArrays<Scalar, MemorySpace> locked;
  MultiVectorView<const Scalar, MemorySpace> X, B;
  MultiVectorView<Scalar, MemorySpace> T;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(T.extent(1));
    const Offset row = index / columns, j = index % columns;
    double sum = B(row, j);
    for (Offset k = locked.row_offsets(row); k < locked.row_offsets(row + 1); ++k)
      sum = multiply_add(-static_cast<double>(locked.values(k)),
                         static_cast<double>(X(locked.columns(k), j)), sum);
    T(row, j) = static_cast<Scalar>(sum);
  }
};

template <class Scalar, class MemorySpace>
struct ScaleRightHandSides {
  MultiVectorView<const Scalar, MemorySpace> from;
  VectorView<const double, MemorySpace> factors;
  MultiVectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset row = index / static_cast<Offset>(to.extent(1));
    to.data()[index] = static_cast<Scalar>(factors(row) * static_cast<double>(from.data()[index]));
  }
};

/// All variables from the free and the locked ones.
template <class Scalar, class MemorySpace>
struct ScatterVariables {
  Kokkos::View<const Ordinal*, MemorySpace> free_places, locked_places;
  MultiVectorView<const Scalar, MemorySpace> free, locked;
  MultiVectorView<Scalar, MemorySpace> all;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(all.extent(1));
    const Offset variable = index / columns, j = index % columns;
    const Ordinal place = free_places(variable);
    all(variable, j) = place >= 0 ? free(place, j) : locked(locked_places(variable), j);
  }
};

}  // namespace Tomokkos::Impl
