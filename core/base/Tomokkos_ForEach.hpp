// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of scalar types and backends. They drive explicit instantiation, the factories, the names
// in configurations and the tests. To add a scalar or a backend, change only this file.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>

/// \brief Expands X(scalar) for every compiled scalar type.
#define TOMOKKOS_FOR_EACH_SCALAR(X) X(float) X(double)

// One host backend: OpenMP, or Serial if Kokkos was built without OpenMP.
#if defined(KOKKOS_ENABLE_OPENMP)
#define TOMOKKOS_HOST_SPACE Kokkos::OpenMP
#elif defined(KOKKOS_ENABLE_SERIAL)
#define TOMOKKOS_HOST_SPACE Kokkos::Serial
#else
#error "Tomokkos needs a Kokkos with the OpenMP or the Serial backend"
#endif

#if defined(KOKKOS_ENABLE_CUDA)
/// \brief Expands X(execution space) for every compiled backend.
#define TOMOKKOS_FOR_EACH_SPACE(X) X(TOMOKKOS_HOST_SPACE) X(Kokkos::Cuda)
/// \brief Expands X(execution space, scalar) for every compiled combination.
#define TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(X) \
  X(TOMOKKOS_HOST_SPACE, float)               \
  X(TOMOKKOS_HOST_SPACE, double) X(Kokkos::Cuda, float) X(Kokkos::Cuda, double)
/// \brief Declares that the library contains `Class<execution space, scalar>` for every compiled
/// combination, so that sources that use the class do not compile it again.
#define TOMOKKOS_EXTERN_CLASS(Class)                        \
  extern template class Class<TOMOKKOS_HOST_SPACE, float>;  \
  extern template class Class<TOMOKKOS_HOST_SPACE, double>; \
  extern template class Class<Kokkos::Cuda, float>;         \
  extern template class Class<Kokkos::Cuda, double>;
#else
#define TOMOKKOS_FOR_EACH_SPACE(X) X(TOMOKKOS_HOST_SPACE)
#define TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(X) \
  X(TOMOKKOS_HOST_SPACE, float) X(TOMOKKOS_HOST_SPACE, double)
#define TOMOKKOS_EXTERN_CLASS(Class)                       \
  extern template class Class<TOMOKKOS_HOST_SPACE, float>; \
  extern template class Class<TOMOKKOS_HOST_SPACE, double>;
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
