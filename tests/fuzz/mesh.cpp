// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_TriangleMesh.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

bool read(const std::string& name, const std::string& bytes) {
  const ScratchFile file(name, bytes);
  return accepts([&] {
    const MeshFileContents contents = read_mesh(file.path());
    try {
      check_mesh(contents.mesh, "mesh");
    } catch (const Error& error) {
      check(false, error.what());
    }
    check(contents.num_polygons <= contents.num_faces, "polygons are faces");
    const ScratchFile again("again.ply");
    write_ply(again.path(), contents.mesh);
    const TriangleMesh mesh = read_mesh(again.path()).mesh;
    check(mesh.vertices == contents.mesh.vertices && mesh.triangles == contents.mesh.triangles,
          "a mesh comes back bit for bit");
  });
}

bool run_obj(const std::string& bytes) { return read("a.obj", bytes); }
bool run_off(const std::string& bytes) { return read("a.off", bytes); }
bool run_ply(const std::string& bytes) { return read("a.ply", bytes); }

std::vector<std::string> obj_seeds() {
  return {"# a square\nv 0 0 0\nv 1 0 0 1.0\nvt 0 1\nv 1 1 .5e0\nv 0 1 0\nf 1/1 2//2 \\\n3 -1\n",
          "v 0 0 0\rv 1 0 0\rv 0 1 0\rg a\rf -3 -2 -1\r"};
}

std::vector<std::string> off_seeds() {
  return {"OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0 # last\n4 0 1 2 3 0.5\n"};
}

std::vector<std::string> ply_seeds() {
  const std::string head =
      "element vertex 3\nproperty float x\nproperty float y\nproperty double z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n";
  const auto bytes = [](const auto... values) {
    std::string result;
    ((result += std::string(reinterpret_cast<const char*>(&values), sizeof(values))), ...);
    return result;
  };
  return {"ply\nformat ascii 1.0\n" + head + "0 0 0\n1 0 0\n0 1 .5\n3 0 1 2\n",
          "ply\nformat binary_little_endian 1.0\n" + head + bytes(0.f, 0.f, 0.) +
              bytes(1.f, 0.f, 0.) + bytes(0.f, 1.f, 0.5) + "\3" + bytes(0, 1, 2)};
}

TOMOKKOS_FUZZ_TARGET(obj, run_obj, obj_seeds);
TOMOKKOS_FUZZ_TARGET(off, run_off, off_seeds);
TOMOKKOS_FUZZ_TARGET(ply, run_ply, ply_seeds);

}  // namespace
