// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a phantom to an archive, reads it back, draws it, and generates a mesh.
#include <Tomokkos.hpp>
#include <filesystem>
#include <iostream>
#include <span>
#include <vector>

int main() {
  const std::vector<double> image =
      Tomokkos::sample_phantom(Tomokkos::PhantomKind::shepp_logan, 16, 16);
  const std::filesystem::path archive = "phantom.npz", picture = "phantom.png";
  Tomokkos::write_npz(archive, {{"image", {16, 16}, std::span<const double>(image)}});
  const auto again = Tomokkos::read_npz_array<double>(archive, "image");
  Tomokkos::write_png<double>(picture, image, 16, 16, {0, 1});
  const bool passed = again.data == image && std::filesystem::file_size(picture) > 0 &&
                      Tomokkos::num_triangles(Tomokkos::disk({.vertices = 50})) > 0;
  std::filesystem::remove(archive);
  std::filesystem::remove(picture);
  std::cout << (passed ? "all steps succeeded\n" : "a step failed\n");
  return passed ? 0 : 1;
}
