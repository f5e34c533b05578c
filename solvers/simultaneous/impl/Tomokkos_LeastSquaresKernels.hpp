// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_MissingData.hpp>
#include <limits>

namespace Tomokkos::Impl {

/// Singular values below this part of the largest cannot be told from 0.
template <class Scalar>
inline constexpr double negligible_part =
    8.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());

/// Writes the record of the start.
template <class MemorySpace>
struct LogStart {
  VectorView<const double, MemorySpace> from;
  VectorView<double, MemorySpace> to;
  Offset stride;
  KOKKOS_FUNCTION void operator()(const Offset j) const { to(j * stride) = from(j); }
};

/// Copies `to = from` in the chosen slices.
template <class Scalar, class MemorySpace>
struct CopyChosen {
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;
  VectorView<const int, MemorySpace> chosen;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < from.extent(1); ++j)
      if (chosen(j) != 0) to(i, j) = from(i, j);
  }
};

/// Computes `residual = b - image`, which may be one array, with 0 where b was not measured. Sum:
/// squared residual.
template <class Scalar, class MemorySpace>
struct FirstResidual {
  VectorView<const Scalar, MemorySpace> b, image;
  VectorView<Scalar, MemorySpace> residual;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double value = measured_residual(b(e.at), image(e.at));
    residual(e.at) = static_cast<Scalar>(value);
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Computes `s -= damping^2 x`. Sum: squared gradient.
template <class Scalar, class MemorySpace>
struct DampedGradient {
  VectorView<const Scalar, MemorySpace> x;
  VectorView<Scalar, MemorySpace> gradient;
  double damping_squared;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    double value = static_cast<double>(gradient(e.at));
    if (damping_squared > 0) {
      value = multiply_add(-damping_squared, static_cast<double>(x(e.at)), value);
      gradient(e.at) = static_cast<Scalar>(value);
    }
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

}  // namespace Tomokkos::Impl
