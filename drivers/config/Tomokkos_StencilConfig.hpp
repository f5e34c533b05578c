// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Types.hpp>
#include <array>

namespace Tomokkos {

/// \brief `stencil`: a box of points with the stencil of that many points.
struct StencilSource {
  int points = 27;
  std::array<Ordinal, 3> size{};
  int unknowns = 1;  ///< of each point: see `couple_unknowns`
};

/// \brief The section `stencil` of \p parent. Throws `ConfigError`, also for more points than an
/// index counts.
StencilSource read_stencil(const ConfigReader& parent);

/// \brief The section again.
ConfigNode to_node(const StencilSource& stencil);

}  // namespace Tomokkos
