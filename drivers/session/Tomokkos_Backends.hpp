// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatch from names to types. All code called from here is compiled for each pair of backend and
// scalar.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace Tomokkos {

/// \brief Names of the compiled backends, the default first.
inline std::vector<std::string_view> backend_names() {
#define TOMOKKOS_NAME(Space) backend_name<Space>(),
  return {TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_NAME)};
#undef TOMOKKOS_NAME
}

/// \brief Names of the compiled scalars, the default first.
inline std::vector<std::string_view> scalar_names() {
#define TOMOKKOS_NAME(Scalar) scalar_name<Scalar>(),
  return {TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_NAME)};
#undef TOMOKKOS_NAME
}

/// \brief Calls `visitor(std::type_identity<ExecutionSpace>{})` for the backend called \p name and
/// returns what it returns.
template <class Visitor>
auto visit_backend(std::string_view name, Visitor&& visitor) {
#define TOMOKKOS_VISIT(Space) \
  if (name == backend_name<Space>()) return visitor(std::type_identity<Space>{});
  TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_VISIT)
#undef TOMOKKOS_VISIT
  throw ConfigError("backend \"" + std::string(name) + "\" is not available in this build");
}

/// \brief Calls `visitor(std::type_identity<Scalar>{})` for the scalar called \p name and returns
/// what it returns.
template <class Visitor>
auto visit_scalar(std::string_view name, Visitor&& visitor) {
#define TOMOKKOS_VISIT(Scalar) \
  if (name == scalar_name<Scalar>()) return visitor(std::type_identity<Scalar>{});
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_VISIT)
#undef TOMOKKOS_VISIT
  throw ConfigError("scalar \"" + std::string(name) + "\" is not available in this build");
}

}  // namespace Tomokkos
