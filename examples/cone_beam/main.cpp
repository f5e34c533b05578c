// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructs a volume from a cone beam. The matrix of polar voxels is block-circulant, and only
// its first row of blocks is stored.
//   cone_beam data.npy image.npy      (data: 10 rows of the detector x 16 columns x 24 views)
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using namespace Tomokkos;
  using Space = Kokkos::DefaultExecutionSpace;
  if (argc < 3) return std::cout << "usage: cone_beam data.npy image.npy\n", 0;
  const PolarVolume volume{.radius = 4, .height = 5, .rings = 6, .slices = 4, .rotations = 24};
  const ConeBeamScan scan{.views = 24,
                          .detectors = {16, 10},
                          .detector_width = {1, 1},
                          .source_to_origin = 16,
                          .origin_to_detector = 8};
  const ConeBeamRows rays{volume, scan};
  const SirtParams params{.iterations = 20};
  ReconstructOptions options;
  options.wish.set_format("block_circulant");

  const auto made =
      reconstruct<Space, float>(Space(), rays, read_npy<double>(argv[1]).data, params, options);
  std::cout << name_of(made.way) << ": " << made.way.because << '\n';
  const PolarGrid grid(volume);
  write_npy<float>(
      argv[2], made.images,
      {static_cast<std::size_t>(grid.block_cols()), static_cast<std::size_t>(grid.blocks())});
}
