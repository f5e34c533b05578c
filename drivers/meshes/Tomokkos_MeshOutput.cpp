// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshOutput.hpp>
#include <Tomokkos_RunFiles.hpp>

namespace Tomokkos {

void require_pictures(const OutputSection& output) {
  if (output.picture_size > 0 && !can_write_png())
    throw ConfigError(
        "output.picture_size: pictures need libpng, which this program was built without; set it "
        "to 0");
}

void require_replaceable_meshes(const ProblemSection& problem, const OutputSection& output) {
  check_replaced_files(problem, output, [](const std::filesystem::path& file) {
    if (file.extension() == ".obj") require_replaceable(file, obj_output);
    if (file.extension() == ".ply") require_replaceable(file, ply_output);
  });
}

void write_mesh(RunOutput& output, const std::string& name, MeshFileKind kind,
                const TriangleMesh& mesh) {
  if (kind == MeshFileKind::obj) return write_textured_mesh(output, name, mesh, {});
  output.write_file(name + ".ply", [&](const auto& path) { write_ply(path, mesh); });
}

void write_textured_mesh(RunOutput& output, const std::string& name, const TriangleMesh& mesh,
                         std::span<const Point2> texture_coordinates) {
  output.write_file(name + ".obj",
                    [&](const auto& path) { write_obj(path, mesh, texture_coordinates); });
}

void write_picture(RunOutput& output, const std::string& name, const RgbImage& picture) {
  output.write_file(name + ".png", [&](const auto& path) { write_png(path, picture); });
}

}  // namespace Tomokkos
