// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `problem`.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

/// \brief Reason why `problem.blocks` is refused.
inline constexpr const char* blocks_are_of_block_row =
    "applies only to problem.block_row; for problem.matrix give operator.blocks";

/// \brief Describes the keys of `problem` for its type and geometry.
///
/// \param use purpose of the configuration, which decides which keys are required
void describe(Keys& key, ProblemSection& problem, ConfigUse use);

void describe(Keys& key, MeshConfig& mesh);
void describe(Keys& key, CrystalLayer& layer);
void describe(Keys& key, PolarVolume& polar);
void describe(Keys& key, ScannerConfig& config);
void describe(Keys& key, GeometryConfig& geometry);
void describe(Keys& key, StencilRows& stencil);

/// \brief Reads a share of the vertices, `1/10` or `0.1`. Empty if \p node is not a number.
///
/// \throws ConfigError unless the share is above 0 and at most 1
std::optional<double> read_locked_share(const ConfigNode& node, const std::string& path);
/// \brief Writes the pins of a chart as in a configuration.
ConfigNode pins_node(const std::optional<PinsConfig>& pins);

/// \brief Describes the keys of `problem` for a tomography, except `type`.
void describe_tomography(Keys& key, ProblemSection& problem);

/// \brief Describes the keys of `problem.volume`.
void describe_volume(Keys& key, ProblemSection& problem);

/// \brief Refuses an unknown `type` in the section \p geometry.
void check_geometry_type(const ConfigReader& geometry);

/// \brief Reason why `problem.projector` has no effect on a geometry other than a scan.
std::string why_no_projector(const ProblemSection& problem);

/// \brief A geometry in the help: the key and its value that choose it, with its defaults, and the
/// lines of `problem` after its type.
struct GeometryExample {
  const char* selector;
  const char* kind;
  GeometryConfig geometry;
  const char* example;
};
std::vector<GeometryExample> geometry_examples();

/// \brief Geometry that the section \p problem names, with its defaults.
GeometryConfig default_geometry(const ConfigReader& problem);

}  // namespace Tomokkos
