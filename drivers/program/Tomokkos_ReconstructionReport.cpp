// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the results of a reconstruction: images, sinogram, report.
#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <span>

namespace Tomokkos {

namespace {

/// Shape of \p slices arrays. Arrays without a shape form pictures with one column.
std::vector<std::size_t> stacked(std::vector<std::size_t> shape, Ordinal slices) {
  if (shape.size() == 1) shape.push_back(1);
  shape.insert(shape.begin(), static_cast<std::size_t>(slices));
  return shape;
}

/// Ordered subsets of the rows of \p system.
template <class ExecutionSpace, class Scalar>
RowSubsets row_subsets(const SystemTask& task, const BuiltSystem<ExecutionSpace, Scalar>& system) {
  if (system.subsets) return *system.subsets;
  const SubsetDivision cut = subsets_of(task);
  return {system.A.num_rows(), task.needs.subsets, cut.unit, cut.begins};
}

/// Picture of the first view of \p data, an array (v, u, view). Each row has increasing u; the row
/// with the largest v is on top.
template <class Scalar>
std::vector<Scalar> first_view_of(const ConeBeamScan& scan, std::span<const Scalar> data) {
  const auto columns = static_cast<std::size_t>(scan.detectors[0]);
  const auto rows = static_cast<std::size_t>(scan.detectors[1]);
  const auto views = static_cast<std::size_t>(scan.views);
  std::vector<Scalar> picture;
  picture.reserve(rows * columns);
  for (std::size_t row = rows; row-- > 0;)
    for (std::size_t column = 0; column < columns; ++column)
      picture.push_back(data[(row * columns + column) * views]);
  return picture;
}

/// Sum of the moved bytes over all ranks. Collective.
TrafficBytes traffic_of_all(const RankGroup& ranks, const TrafficBytes& own) {
  std::vector<double> sums{static_cast<double>(own.forward), static_cast<double>(own.transpose),
                           static_cast<double>(own.iteration)};
  ranks.sum(sums);
  return {static_cast<std::size_t>(sums[0]), static_cast<std::size_t>(sums[1]),
          static_cast<std::size_t>(sums[2])};
}

}  // namespace

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::image_shape() const {
  const RunInput& input = parts_.input;
  if (input.volume.rows == 0) return solution_shape();
  std::vector<std::size_t> shape{static_cast<std::size_t>(input.volume.rows),
                                 static_cast<std::size_t>(input.volume.columns)};
  if (config_.problem.volume.slices)
    shape.insert(shape.begin(), static_cast<std::size_t>(input.depth));
  if (input.stack) shape.insert(shape.begin(), static_cast<std::size_t>(input.slices));
  return shape;
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::solution_shape() const {
  const RunInput& input = parts_.input;
  if (input.volume.rows > 0 && !polar_volume(input.rows)) return image_shape();
  const auto size = static_cast<std::size_t>(parts_.natural().pixels);
  const auto blocks = static_cast<std::size_t>(input.blocks);
  std::vector<std::size_t> shape{size};
  if (blocks > 0) shape = {size / blocks, blocks};
  return input.stack ? stacked(std::move(shape), input.slices) : shape;
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::sinogram_shape() const {
  const RunInput& input = parts_.input;
  const std::vector<Ordinal> lengths = data_shape(
      input.rows, static_cast<Ordinal>(input.data.size() / static_cast<std::size_t>(input.slices)));
  std::vector<std::size_t> shape(lengths.begin(), lengths.end());
  return input.stack ? stacked(std::move(shape), input.slices) : shape;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::set_results(const std::vector<Scalar>& image,
                                                         Description& result) const {
  const RunInput& input = parts_.input;
  const Results& results = run_.outcome().results;
  const auto& errors = parts_.errors.by_slice();
  std::vector<PhantomRegion> regions;
  if (const auto& phantom = config_.problem.phantom;
      phantom && phantom->file.empty() && !polar_volume(input.rows))
    regions = through_slices(phantom_regions(phantom->kind, input.volume.rows, input.volume.columns,
                                             phantom->sampling_in(input.volume)),
                             input.depth, static_cast<Ordinal>(input.volume.num_pixels()));
  // Evaluate only pixels that are reconstructed.
  for (PhantomRegion& region : regions)
    for (auto* pixels : {&region.hot, &region.cold})
      *pixels = kept_of(std::move(*pixels), input.masks.columns);
  Description slices = Description::list(false);
  for (std::size_t j = 0; j < results.size(); ++j) {
    Description slice = result_description(results[j], errors[j]);
    const std::size_t pixels = image.size() / results.size();
    if (!regions.empty())
      slice.set("regions", regions_description<Scalar>(regions, input.phantom,
                                                       {image.data() + j * pixels, pixels}));
    slices.add(std::move(slice));
  }
  if (!input.stack) {
    result.set("result", slices.items().front());
    return;
  }
  result.set("result", stack_description(results));
  result.set("slices", std::move(slices));
}

template <class ExecutionSpace, class Scalar>
Description Reconstruction<ExecutionSpace, Scalar>::report(const std::vector<Scalar>& image) {
  const auto& system = *parts_.system;
  const SystemTask& task = parts_.task;
  const SolveOutcome& outcome = run_.outcome();
  Description result = run_.report_head();
  result.set("matrix", matrix_description(system.statistics, system.csr_bytes()));
  if (system.way) result.set("plan", plan_description(*system.way));
  result.set("operator", system.report);
  if (task.needs.subsets > 1) {
    Description subsets =
        subsets_description(row_subsets<ExecutionSpace, Scalar>(task, system), task.wish.ordering);
    if (is_sart(config_.solver.kind())) subsets.set("visits", config_.solver.sweep.order);
    result.set("subsets", std::move(subsets));
  }
  if (task.needs.rows) result.set("sweep", sweep_.report(config_.solver.sweep, task.needs.blocks));
  result.set("data", parts_.input.notes);
  if (Description resumed = run_.checkpoints().report(); !resumed.is_empty())
    result.set("resumed", std::move(resumed));
  Description seconds = run_.clock().description();
  seconds.set("iterations", outcome.iteration_seconds);
  result.set("seconds", std::move(seconds));
  run_.report_steps(result);
  set_results(image, result);
  Description warnings = Description::list(false);
  for (const std::string& line : unusual_) warnings.add(line);
  if (const std::string line = describe_unexplained(parts_.unexplained); !line.empty())
    warnings.add(line);
  if (!warnings.items().empty()) result.set("warnings", std::move(warnings));

  result.set("traffic", traffic_description(traffic_, task.needs.transpose, outcome.iterations,
                                            outcome.iteration_seconds));
  result.set("peak_memory", memory_description(peaks_));
  result.set("window", run_.output().windows());
  run_.report_files(result);
  if (parts_.input.stack)
    result.set("history", stack_history_description(outcome.results));
  else
    set_history(result, outcome.results.front(), parts_.errors.by_slice().front());
  return result;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_solution(const std::string& name,
                                                            const std::vector<Scalar>& solution,
                                                            const std::vector<std::size_t>& shape) {
  const PolarVolume* polar = polar_volume(parts_.input.rows);
  if (!polar) return run_.output().template write_image<Scalar>(name, solution, shape);
  const PolarGrid grid(*polar);
  const auto voxels = static_cast<std::size_t>(grid.num_voxels());
  std::vector<std::size_t> polar_shape{static_cast<std::size_t>(grid.block_cols()),
                                       static_cast<std::size_t>(grid.blocks())};
  // Volumes of a stack.
  if (shape.size() > 3) polar_shape.insert(polar_shape.begin(), shape.front());
  run_.output().template write_as<Scalar>(ImageContent::array, name + "_polar", solution,
                                          polar_shape);
  std::vector<Scalar> boxes;
  for (std::size_t first = 0; first < solution.size(); first += voxels) {
    const std::span<const Scalar> volume(solution.data() + first, voxels);
    const auto box = cartesian_from_polar<Scalar>(config_.problem.scanner_volume(), grid, volume);
    boxes.insert(boxes.end(), box.begin(), box.end());
  }
  run_.output().template write_image<Scalar>(name, boxes, shape);
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_results(const std::vector<Scalar>& image) {
  const RunInput& input = parts_.input;
  peaks_ = run_.peaks();
  traffic_ = traffic_of_all(ranks_, run_.outcome().traffic);
  write_solution("reconstruction", image, image_shape());
  if (!input.phantom.empty()) {
    const std::vector<Scalar> phantom(input.phantom.begin(), input.phantom.end());
    // The slices of a stack share one phantom unless each has its own.
    std::vector<std::size_t> shape = image_shape();
    if (input.stack && input.phantoms == 1) shape.erase(shape.begin());
    write_solution("phantom", phantom, shape);
  }
  const std::vector<Scalar> sinogram(input.data.begin(), input.data.end());
  run_.output().template write_sinogram<Scalar>("sinogram", sinogram, sinogram_shape());
  if (const auto* beam = std::get_if<ConeBeamRows>(&input.rows))
    run_.output().template write_projection<Scalar>(
        "projection_000", first_view_of<Scalar>(beam->scan, sinogram),
        static_cast<std::size_t>(beam->scan.detectors[1]),
        static_cast<std::size_t>(beam->scan.detectors[0]));
  write_report(image);
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_report(const std::vector<Scalar>& image) {
  if (!ranks_.is_first()) return;
  run_.write_report(report(image));
  for (const auto& file : run_.output().files()) run_.progress().message("wrote " + file.string());
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template std::vector<std::size_t> Reconstruction<SPACE, SCALAR>::image_shape() const;    \
  template std::vector<std::size_t> Reconstruction<SPACE, SCALAR>::solution_shape() const; \
  template void Reconstruction<SPACE, SCALAR>::write_results(const std::vector<SCALAR>&);  \
  template void Reconstruction<SPACE, SCALAR>::write_report(const std::vector<SCALAR>&);   \
  template void Reconstruction<SPACE, SCALAR>::write_solution(                             \
      const std::string&, const std::vector<SCALAR>&, const std::vector<std::size_t>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
