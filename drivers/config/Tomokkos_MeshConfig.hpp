// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configuration of problems on meshes: the mesh, its fixed vertices, and its output.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_MeshShape.hpp>
#include <Tomokkos_OperatorWish.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Contents of `problem.mesh`: a mesh from a file or a generated one. It is refined first,
/// then noise is added.
struct MeshConfig {
  std::filesystem::path file;  ///< takes precedence over the generated mesh
  MeshShape shape = MeshShape::hills;
  MeshSize size;
  std::uint64_t seed = 1;   ///< seed of the shape and of the noise
  int refine = 0;           ///< refinement levels; each cuts every triangle into four
  double noise = 0.0;       ///< standard deviation, in mean lengths of an edge
  bool weld = false;        ///< joins coinciding vertices of the file before any other step
  ConfigPosition position;  ///< for errors found only when the mesh is known
};

/// \brief Choice of the vertices that smoothing keeps fixed.
enum class LockRule {
  share,   ///< random share, drawn with `run.seed`
  border,  ///< vertices on borders
  file     ///< vertex numbers from a file
};

/// \brief Contents of `problem.locked`.
struct LocksConfig {
  LockRule rule = LockRule::share;
  double share = 0.1;
  std::string text = "1/10";  ///< the share as it was written
  std::filesystem::path file;
  ConfigPosition position;
};

/// \brief Contents of `problem.pins`: the two vertices of a chart that have a fixed position.
struct PinsConfig {
  std::array<Ordinal, 2> vertices;  ///< numbered from 0; in files from 1
  /// Positions (u, v). Empty: (0, 0) and (their distance, 0).
  std::optional<std::array<std::array<double, 2>, 2>> positions;
  ConfigPosition position;  ///< for errors found only when the mesh is known
};

/// \brief File format of a written mesh.
enum class MeshFileKind { obj, ply };

template <>
struct EnumNames<MeshFileKind> {
  static constexpr std::array<std::pair<MeshFileKind, std::string_view>, 2> names{
      {{MeshFileKind::obj, "obj"}, {MeshFileKind::ply, "ply"}}};
};

/// \brief True for the extensions of mesh files: .obj, .off, .ply.
bool is_mesh_file(const std::filesystem::path& file);

/// \brief Reads a share of the vertices, `1/10` or `0.1`. Empty if \p node is not a number.
///
/// \throws ConfigError unless the share is above 0 and at most 1
std::optional<double> read_locked_share(const ConfigNode& node, const std::string& path);

/// \brief Reads `problem.locked`: `1/10`, `0.1`, `border`, or a `.npy` or `.txt` file.
///
/// \throws ConfigError
LocksConfig read_locks(const ConfigNode& node, const std::string& path);

/// \brief Reads `problem.pins`: two vertices, or two of `{vertex: 1, position: [u, v]}`. Empty for
/// `auto`.
///
/// \throws ConfigError also if both are the same vertex or have the same position
std::optional<PinsConfig> read_pins(const ConfigNode& node, const std::string& path);

/// \brief Writes the values as in a configuration.
ConfigNode locks_node(const LocksConfig& locks);
ConfigNode pins_node(const std::optional<PinsConfig>& pins);

}  // namespace Tomokkos
