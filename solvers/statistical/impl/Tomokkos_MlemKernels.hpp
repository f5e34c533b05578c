// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_MissingData.hpp>

namespace Tomokkos::Impl {

/// Largest entry of a column.
template <class Scalar, class MemorySpace>
struct LargestEntry {
  VectorView<const Scalar, MemorySpace> x;
  Offset column, columns;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = static_cast<double>(x(i * columns + column));
    if (value > largest) largest = value;
  }
};

/// Inverts and masks the sensitivity. Sum: number of inactive voxels.
template <class Scalar, class MemorySpace>
struct MlemScaleVoxels {
  VectorView<Scalar, MemorySpace> sensitivity;      // in; out: 1 where active, else 0
  VectorView<Scalar, MemorySpace> scale;            // voxels x sets
  VectorView<const double, MemorySpace> threshold;  // one per set
  Offset sets, set;                                 // first set

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double s = static_cast<double>(sensitivity(e.at));
    const bool active = s > threshold(set + e.column);
    sensitivity(e.at) = active ? Scalar(1) : Scalar(0);
    scale(e.row * sets + set + e.column) = active ? static_cast<Scalar>(1 / s) : Scalar(0);
    sums.value[0] += active ? 0.0 : 1.0;
  }
};

/// Masks the start image. Sum: the values of x.
template <class Scalar, class MemorySpace>
struct MlemMaskStart {
  RowFactor<Scalar, MemorySpace> scale;
  VectorView<Scalar, MemorySpace> x;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    // Adding 0 turns a negative zero of the start into 0.
    x(e.at) = scale(e) > Scalar(0) ? x(e.at) + Scalar(0) : Scalar(0);
    sums.value[0] += static_cast<double>(x(e.at));
  }
};

/// Finds the rows that are used: `weight` is n_i for them, otherwise 0.
template <class Scalar, class MemorySpace>
struct MlemWeighRows {
  VectorView<const Scalar, MemorySpace> row_sum, multiplicative;
  VectorView<Scalar, MemorySpace> weight;  // rows x sets
  Offset sets, set;                        // of a row with one sum

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Scalar n = multiplicative.extent(0) > 0 ? multiplicative(i) : Scalar(1);
    weight(i * sets + set) = n > Scalar(0) && row_sum(i) > Scalar(0) ? n : Scalar(0);
  }
};

/// Sets `factors = 0` where g was not measured.
template <class Scalar, class MemorySpace>
struct MlemClearMissing {
  VectorView<const Scalar, MemorySpace> g;
  VectorView<Scalar, MemorySpace> factors;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    if (is_missing(g(i))) factors(i) = Scalar(0);
  }
};

/// Writes 1 for every positive value, otherwise 0.
template <class Scalar, class MemorySpace>
struct MlemMarkPositive {
  VectorView<const Scalar, MemorySpace> x;
  VectorView<Scalar, MemorySpace> marks;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    marks(i) = x(i) > Scalar(0) ? Scalar(1) : Scalar(0);
  }
};

/// Counts the used rows that hold counts although the model is 0.
template <class Scalar, class MemorySpace>
struct MlemDarkRows {
  RowFactor<Scalar, MemorySpace> weight, additive;
  VectorView<const Scalar, MemorySpace> g, projection;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const bool is_lit = additive.values.extent(0) > 0 && additive(e) > Scalar(0);
    if (g(e.at) > Scalar(0) && weight(e) > Scalar(0) && !is_lit && projection(e.at) == Scalar(0))
      sums.value[0] += 1;
  }
};

/// Largest `g / (n projection + b)`, also times n, over the used rows with a tiny model.
template <class Scalar, class MemorySpace>
struct MlemLargestRatio {
  RowFactor<Scalar, MemorySpace> weight, additive;
  VectorView<const Scalar, MemorySpace> g, projection;
  Offset slices;
  double tiny;  // larger models are not the fault of the start

  KOKKOS_FUNCTION void operator()(const Offset at, double& largest) const {
    const Offset row = at / slices, column = at - row * slices;
    const double n = static_cast<double>(weight.at(row, column));
    const double counts = static_cast<double>(g(at));
    if (!(n > 0) || !(counts > 0)) return;
    double model = n * static_cast<double>(projection(at));
    if (additive.values.extent(0) > 0) model += static_cast<double>(additive.at(row, column));
    if (!(model > 0 && model < tiny)) return;
    const double ratio = (n > 1 ? n : 1) * counts / model;
    if (ratio > largest) largest = ratio;
  }
};

/// Sums: number of excluded rows (including those that were not measured), their counts, all other
/// counts, |g|^2.
template <class Scalar, class MemorySpace>
struct MlemCount {
  RowFactor<Scalar, MemorySpace> weight;
  VectorView<const Scalar, MemorySpace> g;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<4>& sums) const {
    const bool missing = is_missing(g(e.at));
    const bool included = weight(e) > Scalar(0) && !missing;
    const double counts = missing ? 0 : static_cast<double>(g(e.at));
    sums.value[0] += included ? 0.0 : 1.0;
    sums.value[1] += included ? 0.0 : counts;
    sums.value[2] += included ? counts : 0.0;
    sums.value[3] = multiply_add(counts, counts, sums.value[3]);
  }
};

/// Computes the ratio `projection = n g / (n projection + b)`, 0 where g was not measured. Sums:
/// counts of the model, squared residual, log-likelihood.
template <class Scalar, class MemorySpace>
struct MlemRatio {
  VectorView<const Scalar, MemorySpace> g;
  RowFactor<Scalar, MemorySpace> weight, additive;
  VectorView<Scalar, MemorySpace> projection;
  bool log_likelihood;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<3>& sums) const {
    if (is_missing(g(e.at))) {
      projection(e.at) = Scalar(0);
      return;
    }
    const double counts = static_cast<double>(g(e.at));
    const double n = static_cast<double>(weight(e));
    const double projected = static_cast<double>(projection(e.at));
    const double model = additive.values.extent(0) > 0
                             ? multiply_add(n, projected, static_cast<double>(additive(e)))
                             : n * projected;
    const double difference = counts - model;
    if (n > 0) sums.value[0] += model;
    if (log_likelihood && n > 0)
      sums.value[2] += (counts > 0 ? counts * Impl::log(model) : 0) - model;
    projection(e.at) = model > 0 ? static_cast<Scalar>(n * counts / model) : Scalar(0);
    sums.value[1] = multiply_add(difference, difference, sums.value[1]);
  }
};

/// Computes `x = x scale back` in the active slices. Sums: squared change, squared norm.
template <class Scalar, class MemorySpace>
struct MlemUpdate {
  VectorView<const Scalar, MemorySpace> back;
  RowFactor<Scalar, MemorySpace> scale;
  VectorView<const int, MemorySpace> active;
  VectorView<Scalar, MemorySpace> x;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const Scalar before = x(e.at);
    const Scalar factor = scale(e) * back(e.at);
    Scalar after = scale(e) > Scalar(0) ? before * factor : Scalar(0);
    // Avoids a negative zero, while a NaN stays visible.
    if (after <= Scalar(0)) after = Scalar(0);
    x(e.at) = active(e.column) != 0 ? after : before;
    const double change = static_cast<double>(after) - static_cast<double>(before);
    add_squares(change, static_cast<double>(after), sums);
  }
};

/// Inverts the sensitivity of a subset: 0 for voxels that are inactive in all rows or have almost
/// no sensitivity in the subset.
template <class Scalar, class MemorySpace>
struct MlemScaleSubset {
  VectorView<const Scalar, MemorySpace> sensitivity, scale;  // scale: voxels x sets
  VectorView<const double, MemorySpace> threshold;           // one per set, for all rows
  VectorView<Scalar, MemorySpace> subset_scale;              // voxels x sets
  Offset columns, sets, set;                                 // sensitivities of sets from `set` on
  double share;
  double smallest;  // smallest number with a finite reciprocal

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Offset voxel = i / columns, own = set + (i - voxel * columns), at = voxel * sets + own;
    const double s = static_cast<double>(sensitivity(i));
    const bool seen = scale(at) > Scalar(0) && s > share * threshold(own) && s >= smallest;
    subset_scale(at) = seen ? static_cast<Scalar>(1 / s) : Scalar(0);
  }
};

/// Computes `x = x scale back` in the active slices, for the voxels that the subset can update.
template <class Scalar, class MemorySpace>
struct MlemUpdateSubset {
  VectorView<const Scalar, MemorySpace> back;
  RowFactor<Scalar, MemorySpace> scale;
  VectorView<const int, MemorySpace> active;
  VectorView<Scalar, MemorySpace> x;
  Offset columns;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset row = at / columns, column = at - row * columns;
    const Scalar factor = scale.at(row, column);
    if (active(column) == 0 || !(factor > Scalar(0))) return;
    const Scalar after = x(at) * (factor * back(at));
    // Avoids a negative zero, while a NaN stays visible.
    x(at) = after <= Scalar(0) ? Scalar(0) : after;
  }
};

/// Sums: counts and `n_i row_sum_i`, both over the rows that intersect the image.
template <class Scalar, class MemorySpace>
struct UniformStartSums {
  VectorView<const Scalar, MemorySpace> row_sum;
  RowFactor<Scalar, MemorySpace> multiplicative;
  VectorView<const Scalar, MemorySpace> g;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const double n =
        multiplicative.values.extent(0) > 0 ? static_cast<double>(multiplicative(e)) : 1.0;
    const double weight = is_missing(g(e.at)) ? 0 : n * static_cast<double>(row_sum(e.row));
    sums.value[0] += weight > 0 ? static_cast<double>(g(e.at)) : 0.0;
    sums.value[1] += weight > 0 ? weight : 0.0;
  }
};

/// Sets `x_ij = sums_j[0] / sums_j[1]`.
template <class Scalar, class MemorySpace>
struct FillWithQuotient {
  VectorView<const double, MemorySpace> sums;
  MultiVectorView<Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < x.extent(1); ++j)
      x(i, j) =
          sums(2 * j + 1) > 0 ? static_cast<Scalar>(sums(2 * j) / sums(2 * j + 1)) : Scalar(0);
  }
};

}  // namespace Tomokkos::Impl
