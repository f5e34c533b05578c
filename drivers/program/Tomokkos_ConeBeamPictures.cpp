// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConeBeamPictures.hpp>
#include <Tomokkos_ForEach.hpp>
#include <cstddef>

namespace Tomokkos {

template <class Scalar>
std::vector<Scalar> view_of(const ConeBeamScan& scan, std::span<const Scalar> data, Ordinal view) {
  const auto columns = static_cast<std::size_t>(scan.detectors[0]);
  const auto rows = static_cast<std::size_t>(scan.detectors[1]);
  const auto views = static_cast<std::size_t>(scan.views);
  std::vector<Scalar> picture;
  picture.reserve(rows * columns);
  for (std::size_t row = rows; row-- > 0;)
    for (std::size_t column = 0; column < columns; ++column)
      picture.push_back(data[(row * columns + column) * views + static_cast<std::size_t>(view)]);
  return picture;
}

std::vector<double> voxel_weights(const PolarVolume& volume) {
  const PolarGrid grid(volume);
  std::vector<double> weights;
  weights.reserve(static_cast<std::size_t>(grid.block_cols()));
  double sum = 0;
  for (Ordinal column = 0; column < grid.block_cols(); ++column) {
    weights.push_back(grid.voxel_volume(grid.voxel(column * grid.blocks()).ring));
    sum += weights.back();
  }
  const double mean = sum / static_cast<double>(weights.size());
  for (double& weight : weights) weight /= mean;
  return weights;
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template std::vector<Scalar> view_of(const ConeBeamScan&, std::span<const Scalar>, Ordinal);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
