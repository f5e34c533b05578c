// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists that feed explicit instantiation, the factories, the names in configurations and the
// tests. A scalar or a backend is added here and nowhere else.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>

/// \brief X(scalar) for every scalar type that is compiled.
#define TOMOKKOS_FOR_EACH_SCALAR(X) X(float) X(double)

// One host backend: OpenMP, or Serial where Kokkos was built without OpenMP.
#if defined(KOKKOS_ENABLE_OPENMP)
#define TOMOKKOS_HOST_SPACE Kokkos::OpenMP
#elif defined(KOKKOS_ENABLE_SERIAL)
#define TOMOKKOS_HOST_SPACE Kokkos::Serial
#else
#error "Tomokkos needs a Kokkos with the OpenMP or the Serial backend"
#endif

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief X(execution space) for every backend that is compiled.
#define TOMOKKOS_FOR_EACH_SPACE(X) X(TOMOKKOS_HOST_SPACE) X(Kokkos::Cuda)
/// \brief X(execution space, scalar) for every pair that is compiled.
#define TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(X) \
  X(TOMOKKOS_HOST_SPACE, float)               \
  X(TOMOKKOS_HOST_SPACE, double) X(Kokkos::Cuda, float) X(Kokkos::Cuda, double)
#else
#define TOMOKKOS_FOR_EACH_SPACE(X) X(TOMOKKOS_HOST_SPACE)
#define TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(X) \
  X(TOMOKKOS_HOST_SPACE, float) X(TOMOKKOS_HOST_SPACE, double)
#endif

namespace Tomokkos {

/// \brief Name of a backend in configurations and reports: `openmp`, `serial`, `cuda`.
template <class ExecutionSpace>
constexpr const char* backend_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) return "cuda";
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::OpenMP>) return "openmp";
#endif
  return "serial";
}

/// \brief Name of a scalar in configurations and reports: `float`, `double`.
template <class Scalar>
constexpr const char* scalar_name() {
  if constexpr (std::is_same_v<Scalar, float>) return "float";
  return "double";
}

}  // namespace Tomokkos
