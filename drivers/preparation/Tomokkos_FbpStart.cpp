// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FbpStart.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <algorithm>
#include <cmath>
#include <optional>
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

void fill_excluded_rays(RunInput& input) {
  input.filled = fill_missing(scan_of(input.rows)->scan, input.fill_mask, input.data);
  if (input.filled.values > 0) input.notes.set("interpolated", input.filled.describe());
}

void prepare_filtered_data(const InputUse& use, RunInput& input) {
  const bool is_solver = use.needs.filters;
  if (!is_solver && !use.starts_filtered) return;
  const std::string place = is_solver ? "solver.type" : "solver.start";
  const std::string remedy =
      is_solver ? "use an iterative solver" : "give zeros, ones, a number or a .npy file";
  const auto& rows = *scan_of(input.rows);
  const std::vector<char>& mask = input.masks.rows;
  const auto rays = static_cast<std::size_t>(rows.num_rows());

  const bool has_data = !input.data.empty();
  std::optional<DataEnds> ends;
  if (has_data) {
    ends.emplace();
    // A background that is read from a file later would count as the object.
    if (!use.background || use.background->file.empty()) {
      std::vector<double> data = input.data;
      if (use.background)
        for (double& value : data) value -= use.background->value;
      ends = data_ends(data, input.views, input.detectors, mask);
    }
  }
  input.suspect(suspect_views(rows.volume, rows.scan, ends ? &*ends : nullptr, place, remedy));
  const std::size_t all = has_data ? input.data.size() : rays;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < all; ++i)
    if ((has_data && std::isnan(input.data[i])) || (!mask.empty() && mask[i % rays] == 0))
      ++missing;
  const double share = static_cast<double>(missing) / static_cast<double>(all);
  if (share > largest_missing_share && !has_suspicion(input, SuspicionKind::data))
    input.suspicions.push_back(
        {SuspicionKind::data, place,
         "fbp interpolates " + std::to_string(missing) + " of " + std::to_string(all) +
             " values that are missing or excluded, more than 2 %",
         is_solver ? "use an iterative solver, which leaves them out" : remedy});
  if (!is_solver) return;
  input.fill_mask = std::move(input.masks.rows);
  input.masks.rows.clear();
  input.missing_rays = input.missing_values = 0;
  if (const Description* found = input.notes.find("missing")) {
    Description note = *found;
    note.set("rays_taken_out", 0);
    if (input.stack) note.set("values_left_out", 0);
    input.notes.set("missing", std::move(note));
  }
  fill_excluded_rays(input);
}

template <class ExecutionSpace, class Scalar>
FbpStart fbp_start(const ExecutionSpace& exec, const RunInput& input, bool is_positive) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& scan = *scan_of(input.rows);
  const auto rays = static_cast<std::size_t>(scan.num_rows());
  const auto pixels = static_cast<std::size_t>(scan.num_cols());
  const FilteredBackProjection<ExecutionSpace, Scalar> project(exec, scan.volume, scan.scan);
  const auto image =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::fbp_start::image", pixels);
  std::vector<Scalar> data(rays), host(pixels);
  FbpStart result;
  for (Ordinal slice = 0; slice < input.slices; ++slice) {
    const double* const of_slice = input.data.data() + static_cast<std::size_t>(slice) * rays;
    std::vector<double> values(of_slice, of_slice + rays);
    for (std::size_t i = 0; i < rays; ++i) {
      if (!input.background.empty()) values[i] -= input.background[i];
      if (input.multiplicative.empty()) continue;
      values[i] = input.multiplicative[i] == 0 ? std::nan("") : values[i] / input.multiplicative[i];
    }
    const FilledRays filled = fill_missing(scan.scan, input.masks.rows, values);
    if (slice < input.slices - input.repeated_slices) result.filled.add(filled);
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
      throw InputError("solver.start: fbp needs data, but slice " +
                       std::to_string(slice + input.slab_begin) +
                       " has no ray with a measurement and a factor (solver.multiplicative); give "
                       "uniform, ones, a number or a .npy file");
    std::copy(values.begin(), values.end(), data.begin());
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
