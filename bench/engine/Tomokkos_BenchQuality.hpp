// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effect of 16-bit values on an image.
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <Tomokkos_Views.hpp>
#include <cmath>
#include <string>

#include "Tomokkos_BenchVectorMath.hpp"

namespace Tomokkos::Bench {

/// \brief Name of the format with plain values that corresponds to a format with 16-bit values:
/// `ray_tiles_half` -> `ray_tiles`. Empty for other formats.
inline std::string plain_format(const std::string& format) {
  for (const auto& [values, name] : EnumNames<StoredPrecision>::names) {
    const std::string suffix = '_' + std::string(name);
    if (format.size() > suffix.size() && format.ends_with(suffix))
      return format.substr(0, format.size() - suffix.size());
  }
  return {};
}

template <class Scalar, class MemorySpace>
struct SquaredDistance {
  Vector<Scalar, MemorySpace> x, y;
  KOKKOS_FUNCTION void operator()(const Ordinal i, double& sum) const {
    const double difference = static_cast<double>(x(i)) - static_cast<double>(y(i));
    sum += difference * difference;
  }
};

/// \brief Returns `|x - y| / |y|`, computed in double.
template <class ExecutionSpace, class Scalar>
double relative_distance(const ExecutionSpace& exec,
                         const Vector<Scalar, typename ExecutionSpace::memory_space>& x,
                         const Vector<Scalar, typename ExecutionSpace::memory_space>& y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, x.extent(0));
  double distance = 0;
  Kokkos::parallel_reduce("Tomokkos::bench::distance", all,
                          SquaredDistance<Scalar, MemorySpace>{x, y}, distance);
  return std::sqrt(distance / dot_in_double(exec, y, y));
}

}  // namespace Tomokkos::Bench
