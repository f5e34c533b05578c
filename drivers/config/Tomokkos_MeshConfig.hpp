// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What problems on meshes have in common in a configuration: the mesh, and how it is written.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_MeshShape.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief `problem.mesh`: a mesh from a file or a generated one, then refined, then with noise.
struct MeshConfig {
  std::filesystem::path file;  ///< wins when it is named
  MeshShape shape = MeshShape::hills;
  MeshSize size;
  std::uint64_t seed = 1;   ///< of the shape and of the noise
  int refine = 0;           ///< levels: each cuts every triangle into four
  double noise = 0.0;       ///< standard deviation, in mean lengths of an edge
  bool weld = false;        ///< joins vertices of the file that coincide, before all else
  ConfigPosition position;  ///< for what only the mesh can tell
};

/// \brief Which vertices a smoothing keeps where they are.
enum class LockRule {
  share,   ///< so many of them, chosen by `run.seed`
  border,  ///< those on borders
  file     ///< those whose numbers a file holds
};

/// \brief `problem.locked`
struct LocksConfig {
  LockRule rule = LockRule::share;
  double share = 0.1;
  std::string text = "1/10";  ///< the share as it was written
  std::filesystem::path file;
  ConfigPosition position;
};

/// \brief `problem.pins`: the two vertices of a chart that are put somewhere.
struct PinsConfig {
  std::array<Ordinal, 2> vertices;  ///< from 0; from 1 where they are written
  /// Nothing: at (0, 0) and (their distance, 0).
  std::optional<std::array<std::array<double, 2>, 2>> positions;
  ConfigPosition position;  ///< for what only the mesh can tell
};

/// \brief What the matrix of a conformal map is made of.
enum class ChartForm {
  shared,    ///< a Laplacian that u and v share, and couplings along the border: the fewest bytes
  complex,   ///< blocks `[a -b; b a]`
  equations  ///< two equations a triangle, assembled on the device; `operator.format` counts
};

template <>
struct EnumNames<ChartForm> {
  static constexpr std::array<std::pair<ChartForm, std::string_view>, 3> names{
      {{ChartForm::shared, "shared"},
       {ChartForm::complex, "complex"},
       {ChartForm::equations, "equations"}}};
};

/// \brief The file that a mesh is written to.
enum class MeshFileKind { obj, ply };

template <>
struct EnumNames<MeshFileKind> {
  static constexpr std::array<std::pair<MeshFileKind, std::string_view>, 2> names{
      {{MeshFileKind::obj, "obj"}, {MeshFileKind::ply, "ply"}}};
};

/// \brief True for the endings of mesh files: .obj, .off, .ply.
bool is_mesh_file(const std::filesystem::path& file);

/// \brief The key `locked` of \p problem where it is a share of the vertices, `1/10` or `0.1`;
/// nothing where it is absent or anything else. Throws `ConfigError` for a share that is not above
/// 0 and at most 1.
std::optional<double> read_locked_share(const ConfigReader& problem);

/// \brief The key `locked` of \p problem: `1/10`, `0.1`, `border`, or a `.npy` or `.txt` file.
/// Throws `ConfigError`.
LocksConfig read_locks(const ConfigReader& problem);

/// \brief The key `pins` of \p problem: two vertices, or two of `{vertex: 1, position: [u, v]}`;
/// nothing for `auto`. Throws `ConfigError`, also for two that are one, or lie at one place.
std::optional<PinsConfig> read_pins(const ConfigReader& problem);

/// \brief The values again.
ConfigNode to_node(const LocksConfig& locks);
ConfigNode to_node(const PinsConfig& pins);

}  // namespace Tomokkos
