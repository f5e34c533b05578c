// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AnalyticSinogram.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_SimulatedData.hpp>

namespace Tomokkos {

std::vector<double> analytic_data(const ProblemSection& problem, const RunInput& input) {
  const EllipsePhantom phantom = make_phantom(problem.phantom->kind);
  const HalfExtent extent =
      half_extent(input.volume.rows, input.volume.columns, input.volume.pixel);
  const std::vector<double> angles = input.scan.views.radians();
  std::vector<double> positions;
  for (Ordinal i = 0; i < input.detectors; ++i) positions.push_back(input.scan.position(i));
  const double width = problem.projector == Projector::strip ? input.scan.detector_width : 0.0;
  try {
    if (input.scan.beam == Beam::parallel)
      return analytic_parallel_sinogram(phantom, extent, angles, positions, width);
    return analytic_fan_sinogram(phantom, extent,
                                 {input.scan.source_to_origin, input.scan.origin_to_detector},
                                 angles, positions, width);
  } catch (const Error& error) {
    throw ConfigError(std::string("problem.data: analytic: ") + error.what());
  }
}

std::optional<double> add_noise(const RunConfig& config, std::vector<double>& data) {
  const NoiseConfig& noise = config.problem.noise;
  try {
    switch (noise.kind) {
      case NoiseKind::none:
        return std::nullopt;
      case NoiseKind::poisson:
        return add_poisson_noise(data, noise.model, noise.counts, config.run.seed);
      case NoiseKind::gaussian:
        return add_gaussian_noise(data, noise.scale, noise.sigma, config.run.seed);
    }
  } catch (const Error& error) {
    throw ConfigError(std::string("problem.noise: ") + error.what());
  }
  return std::nullopt;
}

}  // namespace Tomokkos
