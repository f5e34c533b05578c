// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AnalyticSinogram.hpp>
#include <Tomokkos_ScanInput.hpp>
#include <Tomokkos_SimulatedData.hpp>
#include <algorithm>
#include <cmath>
#include <span>

namespace Tomokkos {

std::vector<double> analytic_data(PhantomKind kind, const RunInput& input) {
  const EllipsePhantom phantom = make_phantom(kind);
  const auto& rays = *scan_of(input.rows);
  const ScanGeometry& scan = rays.scan;
  if (!input.volume.is_centered() || !input.volume.has_square_pixels() || scan.has_vectors() ||
      scan.detector_shape == DetectorShape::curved)
    return as_config_error("problem.data: analytic", [&] {
      return analytic_sinogram(phantom, input.volume, scan, rays.projector == Projector::strip);
    });
  const HalfExtent extent =
      half_extent(input.volume.rows, input.volume.columns, input.volume.pixel);
  const std::vector<double> angles = scan.views.radians();
  std::vector<double> positions;
  for (Ordinal i = 0; i < scan.detectors; ++i) positions.push_back(scan.position(i));
  const double width = rays.projector == Projector::strip ? scan.detector_width : 0.0;
  return as_config_error("problem.data: analytic", [&] {
    if (scan.beam == Beam::parallel)
      return analytic_parallel_sinogram(phantom, extent, angles, positions, width);
    return analytic_fan_sinogram(phantom, extent, {scan.source_to_origin, scan.origin_to_detector},
                                 angles, positions, width);
  });
}

namespace {

std::optional<double> add_noise_to(const NoiseConfig& noise, std::uint64_t seed,
                                   std::span<double> data) {
  return as_config_error("problem.noise", [&]() -> std::optional<double> {
    if (noise.kind == NoiseKind::poisson)
      return add_poisson_noise(data, noise.model, noise.counts, seed);
    if (noise.kind == NoiseKind::gaussian)
      return add_gaussian_noise(data, noise.scale, noise.sigma, seed);
    return std::nullopt;
  });
}

/// Norm of the noise in the kept rays.
double noise_of_kept(std::span<const double> clean, std::span<const double> noisy,
                     const std::vector<char>& mask) {
  double squared = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i)
    if (mask[i] != 0) squared += (noisy[i] - clean[i]) * (noisy[i] - clean[i]);
  return std::sqrt(squared);
}

}  // namespace

std::vector<double> measure_projection(const NoiseConfig& noise, std::uint64_t seed,
                                       RunInput& input) {
  std::vector<double>& data = input.data;
  const auto phantoms = static_cast<std::size_t>(input.phantoms);
  const std::size_t rows = data.size() / phantoms;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!input.multiplicative.empty()) data[i] *= input.multiplicative[i % rows];
    if (!input.background.empty()) data[i] += input.background[i % rows];
  }
  clear_masked_data(input);
  const std::vector<char>& mask = input.masks.rows;
  const std::vector<double> clean = mask.empty() ? std::vector<double>() : data;
  data.resize(rows * static_cast<std::size_t>(input.slices));
  std::vector<double> levels;
  for (std::size_t j = static_cast<std::size_t>(input.slices); j-- > 0;) {
    const std::span<double> slice(data.data() + j * rows, rows);
    if (j >= phantoms) std::copy_n(data.begin(), rows, slice.begin());
    // Process the first slice last: the others are copied from it.
    if (const auto level = add_noise_to(noise, seed + j, slice))
      levels.insert(levels.begin(),
                    mask.empty()
                        ? *level
                        : noise_of_kept({clean.data() + j % phantoms * rows, rows}, slice, mask));
  }
  clear_masked_data(input);
  if (!levels.empty())
    input.notes.set("noise_level", input.stack ? Description(levels) : Description(levels.front()));
  return levels;
}

}  // namespace Tomokkos
