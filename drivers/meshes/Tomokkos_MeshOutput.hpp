// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MeshPictures.hpp>
#include <Tomokkos_ProblemConfig.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <span>
#include <string>

namespace Tomokkos {

/// \brief Checks that this program can write the pictures of \p output.
///
/// \throws ConfigError otherwise
void require_pictures(const OutputSection& output);

/// \brief Checks that a run of \p problem replaces no OBJ or PLY file that is none.
///
/// \throws ConfigError with the first such file
void require_replaceable_meshes(const ProblemSection& problem, const OutputSection& output);

/// \brief Writes `<name>.obj` or `<name>.ply`, selected by \p kind.
void write_mesh(RunOutput& output, const std::string& name, MeshFileKind kind,
                const TriangleMesh& mesh);

/// \brief Writes `<name>.obj` with texture coordinates, one per vertex.
void write_textured_mesh(RunOutput& output, const std::string& name, const TriangleMesh& mesh,
                         std::span<const Point2> texture_coordinates);

/// \brief Writes `<name>.png` in colours.
void write_picture(RunOutput& output, const std::string& name, const RgbImage& picture);

}  // namespace Tomokkos
