// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief Every solver: its name and its parameters. A new solver is its own files and a line here;
/// `SolverOf` of its parameters, beside the class, says what else there is to know.
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
  X(lsmr, LsmrParams)

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

/// \brief What a solver is for.
enum class SolverTask {
  images,          ///< reconstructions alone
  least_squares,   ///< reconstructions, and linear systems of any shape
  square_systems,  ///< linear systems of a square matrix
};

/// \brief What \p kind is for.
SolverTask task_of(SolverKind kind);

/// \brief Whether \p kind solves systems that are spread over ranks.
bool supports_ranks(SolverKind kind);

}  // namespace Tomokkos
