// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief Lists every solver: its name and its parameters. A new solver needs its own files and a
/// line here; the specialisation of `SolverOf` beside its class holds the other properties.
#define TOMOKKOS_FOR_EACH_SOLVER(X) \
  X(mlem, MlemParams)               \
  X(sirt, SirtParams)               \
  X(cgls, CglsParams)               \
  X(art, ArtParams)                 \
  X(block_art, BlockArtParams)      \
  X(sart, SartParams)               \
  X(os_sart, OsSartParams)          \
  X(pcg, PcgParams)                 \
  X(bicgstab, BiCgStabParams)       \
  X(gmres, GmresParams)             \
  X(lsmr, LsmrParams)               \
  X(fbp, FbpParams)

enum class SolverKind {
#define TOMOKKOS_KIND(name, Params) name,
  TOMOKKOS_FOR_EACH_SOLVER(TOMOKKOS_KIND)
#undef TOMOKKOS_KIND
};

template <>
struct EnumNames<SolverKind> {
  static constexpr std::array<std::pair<SolverKind, std::string_view>,
#define TOMOKKOS_COUNT(name, Params) +1
                              0 TOMOKKOS_FOR_EACH_SOLVER(TOMOKKOS_COUNT)>
#undef TOMOKKOS_COUNT
      names{{
#define TOMOKKOS_NAME(name, Params) {SolverKind::name, #name},
          TOMOKKOS_FOR_EACH_SOLVER(TOMOKKOS_NAME)
#undef TOMOKKOS_NAME
      }};
};

/// \brief Problem that a solver is meant for.
enum class SolverTask {
  images,          ///< image reconstruction only
  least_squares,   ///< reconstruction, and linear systems of any shape
  square_systems,  ///< linear systems with a square matrix
};

/// \brief Returns the task of \p kind.
SolverTask task_of(SolverKind kind);

/// \brief Returns whether \p kind solves systems that are distributed over ranks.
bool supports_ranks(SolverKind kind);

}  // namespace Tomokkos
