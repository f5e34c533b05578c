// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Spaces.hpp>

namespace Tomokkos {

/// \brief True if the libraries are compiled for \p ExecutionSpace.
template <class ExecutionSpace>
inline constexpr bool is_compiled_space = false;
#define TOMOKKOS_COMPILED(Space) \
  template <>                    \
  inline constexpr bool is_compiled_space<Space> = true;
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_COMPILED)
#undef TOMOKKOS_COMPILED

namespace Impl {

/// \brief Execution space of a compiled function or class. Another space fails here, with the
/// option that compiles it, instead of at an undefined reference of the linker. Any other type has
/// no `memory_space`, so that a function which is looked up by its name alone is not chosen.
template <class ExecutionSpace>
struct CompiledSpace {};

template <class ExecutionSpace>
requires requires { typename ExecutionSpace::scratch_memory_space; }
struct CompiledSpace<ExecutionSpace> {
  static_assert(is_compiled_space<ExecutionSpace>,
                "Tomokkos was compiled without this execution space. Name its backend in the CMake "
                "option TOMOKKOS_BACKENDS when you configure Tomokkos, for example "
                "-DTOMOKKOS_BACKENDS=\"openmp;serial\".");
  using memory_space = typename ExecutionSpace::memory_space;
};

}  // namespace Impl

}  // namespace Tomokkos
