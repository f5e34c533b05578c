// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of SIRT over pixels and rays: weights, residuals, updates.
#pragma once

#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_MissingData.hpp>

namespace Tomokkos::Impl {

/// Largest magnitude in a vector.
template <class Scalar, class MemorySpace>
struct LargestMagnitude {
  VectorView<const Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = static_cast<double>(x(i));
    const double magnitude = value < 0 ? -value : value;
    if (magnitude > largest) largest = magnitude;
  }
};

/// Adds the magnitudes of the sums of each column: those of its first set in every subset.
template <class Scalar, class MemorySpace>
struct AddMagnitudes {
  VectorView<const Scalar, MemorySpace> sums;  // subsets x columns x sets
  VectorView<Scalar, MemorySpace> total;
  Offset subsets, sets;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    const Offset columns = static_cast<Offset>(total.extent(0));
    double magnitude = 0;
    for (Offset i = 0; i < subsets; ++i) {
      const double value = static_cast<double>(sums((i * columns + j) * sets));
      magnitude += value < 0 ? -value : value;
    }
    total(j) = static_cast<Scalar>(magnitude);
  }
};

/// First entry that is at least `least`.
template <class Scalar, class MemorySpace>
struct FirstFrom {
  VectorView<const Scalar, MemorySpace> x;
  double least;
  KOKKOS_FUNCTION void operator()(const Offset i, Offset& first) const {
    if (static_cast<double>(x(i)) >= least && i < first) first = i;
  }
};

/// Sets x to a unit vector; to 0 if `one` is not an index.
template <class Scalar, class MemorySpace>
struct SetUnit {
  VectorView<Scalar, MemorySpace> x;
  Offset one;
  KOKKOS_FUNCTION void operator()(const Offset i) const { x(i) = i == one ? Scalar(1) : Scalar(0); }
};

/// Computes `sum = 1 / sum`, 0 if the sum is too small.
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

/// Computes `projection = R (b - projection)`, 0 where b was not measured. Sum: squared residual.
template <class Scalar, class MemorySpace>
struct SirtResidual {
  VectorView<const Scalar, MemorySpace> b, row_weight;
  VectorView<Scalar, MemorySpace> projection;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double residual = measured_residual(b(e.at), projection(e.at));
    projection(e.at) = static_cast<Scalar>(residual * static_cast<double>(row_weight(e.row)));
    sums.value[0] = multiply_add(residual, residual, sums.value[0]);
  }
};

/// Computes `x = clamp(x + relaxation C back)` in the active slices. Sums: squared change, squared
/// norm.
template <class Scalar, class MemorySpace>
struct SirtUpdate {
  VectorView<const Scalar, MemorySpace> back;
  RowFactor<Scalar, MemorySpace> col_weight;
  VectorView<const int, MemorySpace> active;
  VectorView<Scalar, MemorySpace> x;
  Scalar relaxation, minimum, maximum;

  KOKKOS_FUNCTION Scalar moved(const Offset at, const Offset row, const Offset column) const {
    Scalar after = multiply_add(relaxation * col_weight.at(row, column), back(at), x(at));
    // A NaN fails both comparisons and stays visible.
    if (after < minimum) after = minimum;
    if (after > maximum) after = maximum;
    return after;
  }

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const Scalar before = x(e.at);
    const Scalar after = moved(e.at, e.row, e.column);
    x(e.at) = active(e.column) != 0 ? after : before;
    const double change = static_cast<double>(after) - static_cast<double>(before);
    add_squares(change, static_cast<double>(after), sums);
  }
};

/// Updates x by a subset, without sums.
template <class Scalar, class MemorySpace>
struct SirtUpdateSubset {
  SirtUpdate<Scalar, MemorySpace> update;
  Offset columns;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset row = at / columns, column = at - row * columns;
    if (update.active(column) != 0) update.x(at) = update.moved(at, row, column);
  }
};

}  // namespace Tomokkos::Impl
