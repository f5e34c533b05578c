// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FbpStart.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {
namespace {

/// Raises the values of an image to a thousandth of the mean of the positive ones and returns how
/// many were raised.
std::int64_t make_positive(double* image, std::size_t size) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (image[i] > 0) {
      sum += image[i];
      ++count;
    }
  const double least = count > 0 ? 1e-3 * sum / static_cast<double>(count) : 1.0;
  std::int64_t raised = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (!(image[i] >= least)) {
      image[i] = least;
      ++raised;
    }
  return raised;
}

}  // namespace

void check_fbp(const RunInput& input, const std::string& key, const std::string& remedy) {
  if (!input.masks.rows.empty() || input.missing_values > 0)
    throw InputError(key + ": fbp needs the data of all rays, but some are excluded or missing; " +
                     remedy);
  try {
    view_shares(std::get<ScanRows>(input.rows).scan);
  } catch (const Error& error) {
    throw InputError(key + ": fbp: " + error.what() + "; " + remedy);
  }
}

template <class ExecutionSpace, class Scalar>
FbpStart fbp_start(const ExecutionSpace& exec, const RunInput& input, bool is_positive) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& scan = std::get<ScanRows>(input.rows);
  const auto rays = static_cast<std::size_t>(scan.num_rows());
  const auto pixels = static_cast<std::size_t>(scan.num_cols());
  const FilteredBackProjection<ExecutionSpace, Scalar> project(exec, scan.volume, scan.scan);
  const auto image =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::fbp_start::image", pixels);
  std::vector<Scalar> data(rays), host(pixels);
  FbpStart result;
  for (Ordinal slice = 0; slice < input.slices; ++slice) {
    const double* const of_slice = input.data.data() + static_cast<std::size_t>(slice) * rays;
    for (std::size_t i = 0; i < rays; ++i) {
      double value = of_slice[i];
      if (!input.background.empty()) value -= input.background[i];
      if (!input.multiplicative.empty()) {
        if (input.multiplicative[i] == 0)
          throw InputError(
              "solver.start: fbp needs the data of all rays, but solver.multiplicative "
              "is 0 for ray " +
              std::to_string(i) + "; give uniform, ones, a number or a .npy file");
        value /= input.multiplicative[i];
      }
      data[i] = static_cast<Scalar>(value);
    }
    const auto on_device = copy_to_device(exec, data);
    project.apply(exec, {on_device.data(), rays, 1}, {image.data(), pixels, 1});
    Kokkos::deep_copy(exec, VectorView<Scalar, Kokkos::HostSpace>(host.data(), pixels), image);
    Impl::fence(exec, "fbp_start: the image has arrived");
    result.images.insert(result.images.end(), host.begin(), host.end());
    if (is_positive)
      result.raised += make_positive(result.images.data() + result.images.size() - pixels, pixels);
  }
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template FbpStart fbp_start<SPACE, SCALAR>(const SPACE&, const RunInput&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
