// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Reduce.hpp>

namespace Tomokkos::Impl {

/// The largest entry.
template <class Scalar, class MemorySpace>
struct LargestEntry {
  VectorView<const Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = static_cast<double>(x(i));
    if (value > largest) largest = value;
  }
};

/// Scales and masks the voxels; sums: inactive voxels, sum of x.
template <class Scalar, class MemorySpace>
struct MlemScaleVoxels {
  VectorView<Scalar, MemorySpace> sensitivity;  // in; out: 1 where active, else 0
  VectorView<Scalar, MemorySpace> scale, x;
  double threshold;

  KOKKOS_FUNCTION Sums<2> operator()(const Offset j) const {
    const double s = static_cast<double>(sensitivity(j));
    const bool active = s > threshold;
    sensitivity(j) = active ? Scalar(1) : Scalar(0);
    scale(j) = active ? static_cast<Scalar>(1 / s) : Scalar(0);
    // Adding 0 turns a negative zero of the start into 0.
    x(j) = active ? x(j) + Scalar(0) : Scalar(0);
    return {active ? 0.0 : 1.0, static_cast<double>(x(j))};
  }
};

/// Finds the rows that take part; sums: excluded rows, their counts, the other counts, |g|^2.
template <class Scalar, class MemorySpace>
struct MlemWeighRows {
  VectorView<const Scalar, MemorySpace> row_sum, multiplicative, g;
  VectorView<Scalar, MemorySpace> weight;

  KOKKOS_FUNCTION Sums<4> operator()(const Offset i) const {
    const Scalar n = multiplicative.extent(0) > 0 ? multiplicative(i) : Scalar(1);
    const bool included = n > Scalar(0) && row_sum(i) > Scalar(0);
    weight(i) = included ? n : Scalar(0);
    const double counts = static_cast<double>(g(i));
    return {included ? 0.0 : 1.0, included ? 0.0 : counts, included ? counts : 0.0,
            counts * counts};
  }
};

/// `projection = n g / (n projection + b)`; sums: squared residual, log-likelihood.
template <class Scalar, class MemorySpace>
struct MlemRatio {
  VectorView<const Scalar, MemorySpace> g, weight, additive;
  VectorView<Scalar, MemorySpace> projection;
  bool log_likelihood;

  KOKKOS_FUNCTION Sums<2> operator()(const Offset i) const {
    const double counts = static_cast<double>(g(i));
    const double n = static_cast<double>(weight(i));
    double model = n * static_cast<double>(projection(i));
    if (additive.extent(0) > 0) model += static_cast<double>(additive(i));
    const double difference = counts - model;
    double likelihood = 0;
    if (log_likelihood && n > 0) likelihood = (counts > 0 ? counts * Impl::log(model) : 0) - model;
    projection(i) = model > 0 ? static_cast<Scalar>(n * counts / model) : Scalar(0);
    return {difference * difference, likelihood};
  }
};

/// `x = x scale back`; sums: squared change, squared norm.
template <class Scalar, class MemorySpace>
struct MlemUpdate {
  VectorView<const Scalar, MemorySpace> back, scale;
  VectorView<Scalar, MemorySpace> x;

  KOKKOS_FUNCTION Sums<2> operator()(const Offset j) const {
    const Scalar before = x(j);
    const Scalar factor = scale(j) * back(j);
    Scalar after = scale(j) > Scalar(0) ? before * factor : Scalar(0);
    // No negative zero, while a NaN stays visible.
    if (after <= Scalar(0)) after = Scalar(0);
    x(j) = after;
    const double change = static_cast<double>(after) - static_cast<double>(before);
    return {change * change, static_cast<double>(after) * static_cast<double>(after)};
  }
};

/// Sums: counts, `n_i row_sum_i`, both over the rows that see the image.
template <class Scalar, class MemorySpace>
struct UniformStartSums {
  VectorView<const Scalar, MemorySpace> row_sum, multiplicative, g;

  KOKKOS_FUNCTION Sums<2> operator()(const Offset i) const {
    const double n = multiplicative.extent(0) > 0 ? static_cast<double>(multiplicative(i)) : 1.0;
    const double weight = n * static_cast<double>(row_sum(i));
    return {weight > 0 ? static_cast<double>(g(i)) : 0.0, weight > 0 ? weight : 0.0};
  }
};

template <class Scalar, class MemorySpace>
struct FillWithQuotient {
  VectorView<const double, MemorySpace> sums;
  VectorView<Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    x(j) = sums(1) > 0 ? static_cast<Scalar>(sums(0) / sums(1)) : Scalar(0);
  }
};

}  // namespace Tomokkos::Impl
