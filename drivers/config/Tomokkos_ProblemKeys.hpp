// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `problem`.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

/// \brief Why `problem.blocks` is refused.
inline constexpr const char* blocks_are_of_block_row =
    "is of problem.block_row; of problem.matrix it is operator.blocks";

/// \brief Describes the keys of `problem` for the type and the geometry that it has.
///
/// \param use what the configuration is for, which decides what must be there
void describe(Keys& key, ProblemSection& problem, ConfigUse use);

void describe(Keys& key, MeshConfig& mesh);
void describe(Keys& key, StencilRows& stencil);

/// \brief Describes the keys of `problem` for a tomography, without `type`.
void describe_tomography(Keys& key, ProblemSection& problem);

/// \brief Refuses a mesh without a size, or of more triangles than an index counts. \p problem has
/// the key `mesh`.
void check_mesh(const ConfigReader& problem, const MeshConfig& mesh);
/// \brief Refuses more points than an index counts. \p parent has the key `stencil`.
void check_stencil(const ConfigReader& parent, const StencilRows& stencil);

/// \brief The keys of `problem.geometry`.
std::vector<std::string_view> geometry_keys(const ProblemSection& problem);

/// \brief A geometry with the defaults that it has where \p problem, the section, names it.
GeometryConfig default_geometry(const ConfigReader& problem);

/// \brief The defaults of a parallel or fan beam.
ScanConfig default_scan(Beam beam);

}  // namespace Tomokkos
