// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

/// \brief True when `geometry.type` of \p problem is `cone_beam`.
bool is_cone_beam(const ConfigReader& problem);

/// \brief `geometry` and `volume` of a cone beam, and what else in \p problem belongs to it; into
/// \p result. Throws `ConfigError`.
void read_cone_beam(const ConfigReader& problem, ProblemSection& result);

/// \brief The phantom of a cone beam by its name: a solid one, or one of the plane. Throws
/// `ConfigError` with both.
void read_solid_phantom(const ConfigReader& reader, std::string_view key, PhantomConfig& result);

/// \brief Adds `volume` and `geometry` again, with every default.
void add_cone_beam(const ProblemSection& problem, ConfigNode& node);

}  // namespace Tomokkos
