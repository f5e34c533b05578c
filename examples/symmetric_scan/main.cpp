// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructs a slice from a symmetric scan: one of eight rays is stored (`scsr`).
//   symmetric_scan data.npy image.npy      (data: 60 views x 91 detectors)
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using namespace Tomokkos;
  using Space = Kokkos::DefaultExecutionSpace;
  if (argc < 3) return std::cout << "usage: symmetric_scan data.npy image.npy\n", 0;
  const ScanGeometry scan{.views = ViewAngles::evenly_spaced(60), .detectors = 91};
  const ScanRows rays{VolumeGeometry{64, 64}, scan};
  const SirtParams params{.iterations = 20};
  ReconstructOptions options;
  options.wish.set_format("scsr");

  const auto made =
      reconstruct<Space, float>(Space(), rays, read_npy<double>(argv[1]).data, params, options);
  std::cout << name_of(made.way) << ": " << made.way.because << '\n';
  write_npy<float>(argv[2], made.images, {64, 64});
}
