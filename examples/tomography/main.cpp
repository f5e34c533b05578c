// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructs an image from a simulated scan: builds the system matrix from the geometry,
// simulates data of a phantom, runs 30 iterations of MLEM, and writes a picture.
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using Space = Kokkos::DefaultExecutionSpace;
  const Space exec;
  const Tomokkos::VolumeGeometry volume{128, 128};
  Tomokkos::ScanGeometry scan;
  scan.views = Tomokkos::ViewAngles::evenly_spaced(180);
  scan.detectors = 185;
  const Tomokkos::ScanRows rays{volume, scan, Tomokkos::Projector::line};
  const auto A = Tomokkos::build_system<Space, float>(exec, rays).A;

  const auto phantom = Tomokkos::sample_phantom(Tomokkos::PhantomKind::shepp_logan, 128, 128);
  const auto truth =
      Tomokkos::copy_to_device(exec, std::vector<float>(phantom.begin(), phantom.end()));
  const auto data = Tomokkos::copy_to_device(exec, std::vector<float>(A.num_rows(), 0));
  A.apply(exec, 1, Tomokkos::as_multivector(truth), 0, Tomokkos::as_multivector(data));

  // Measured data would come from a file: one value per ray, view after view.
  const std::vector<float> measured = Tomokkos::copy_to_host(exec, data);
  Tomokkos::MlemParams params;
  params.iterations = 30;
  const auto image = Tomokkos::reconstruct<Space, float>(
      exec, rays, std::vector<double>(measured.begin(), measured.end()), params);
  const auto& result = image.results.front();
  if (Tomokkos::can_write_png())
    Tomokkos::write_png<float>("tomography.png", image.images, 128, 128, {0, 1});
  std::cout << result.iterations << " iterations, relative residual " << result.relative_residual
            << '\n';
  return result.relative_residual < 0.05 ? 0 : 1;
}
