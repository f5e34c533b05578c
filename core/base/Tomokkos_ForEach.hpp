// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of scalar types and backends. They drive explicit instantiation, the factories, the names
// in configurations and the tests. To add a scalar, change only this file. Backends are listed in
// cmake/TomokkosBackends.cmake, which writes Tomokkos_Spaces.hpp.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Spaces.hpp>

/// \brief Expands X(scalar) for every compiled scalar type.
#define TOMOKKOS_FOR_EACH_SCALAR(X) X(float) X(double)

/// \brief Expands X(execution space, scalar) for every compiled combination.
#define TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(X) \
  TOMOKKOS_FOR_EACH_SPACE_WITH(X, float)      \
  TOMOKKOS_FOR_EACH_SPACE_WITH(X, double)

/// \brief Expands X(memory space, scalar) for the memory of every compiled backend, each once: for
/// what does not depend on the execution space.
#define TOMOKKOS_FOR_EACH_MEMORY_AND_SCALAR(X) \
  TOMOKKOS_FOR_EACH_MEMORY_WITH(X, float)      \
  TOMOKKOS_FOR_EACH_MEMORY_WITH(X, double)

/// \brief Declares that the library contains `Class<execution space, scalar>` for every compiled
/// combination, so that sources that use the class do not compile it again.
#define TOMOKKOS_EXTERN_CLASS(Class)                                     \
  TOMOKKOS_FOR_EACH_SPACE_WITH(TOMOKKOS_EXTERN_CLASS_WITH, Class, float) \
  TOMOKKOS_FOR_EACH_SPACE_WITH(TOMOKKOS_EXTERN_CLASS_WITH, Class, double)
#define TOMOKKOS_EXTERN_CLASS_WITH(Space, Class, Scalar) extern template class Class<Space, Scalar>;

namespace Tomokkos {

/// \brief Name of a backend in configurations and reports: `openmp`, `serial`, `cuda`.
template <class ExecutionSpace>
constexpr const char* backend_name() {
#define TOMOKKOS_NAME(Space, Name) \
  if constexpr (std::is_same_v<ExecutionSpace, Space>) return Name;
  TOMOKKOS_FOR_EACH_BACKEND(TOMOKKOS_NAME)
#undef TOMOKKOS_NAME
  return "not compiled";
}

/// \brief Name of a scalar in configurations and reports: `float`, `double`.
template <class Scalar>
constexpr const char* scalar_name() {
  if constexpr (std::is_same_v<Scalar, float>) return "float";
  return "double";
}

}  // namespace Tomokkos
