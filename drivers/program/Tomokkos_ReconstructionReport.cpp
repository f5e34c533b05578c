// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the results of a reconstruction: images, sinogram, report.
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

/// Writes a picture of the first view of \p data, an array of \p shape (v, u, view). Each row has
/// increasing u; the row with the largest v is on top.
template <class Scalar>
void write_first_view(RunOutput& output, std::span<const Scalar> data,
                      const std::vector<Ordinal>& shape) {
  const auto rows = static_cast<std::size_t>(shape[0]),
             columns = static_cast<std::size_t>(shape[1]),
             views = static_cast<std::size_t>(shape[2]);
  std::vector<Scalar> picture;
  picture.reserve(rows * columns);
  for (std::size_t row = rows; row-- > 0;)
    for (std::size_t column = 0; column < columns; ++column)
      picture.push_back(data[(row * columns + column) * views]);
  output.write_projection<Scalar>("projection_000", picture, rows, columns);
}

/// Sum of the moved bytes over all ranks. Collective.
TrafficBytes traffic_of_all(const RankGroup& ranks, const TrafficBytes& own) {
  std::vector<double> sums{static_cast<double>(own.forward), static_cast<double>(own.transpose),
                           static_cast<double>(own.iteration)};
  ranks.sum(sums);
  return {static_cast<std::size_t>(sums[0]), static_cast<std::size_t>(sums[1]),
          static_cast<std::size_t>(sums[2])};
}

/// Adds the results of the slices, with the regions of a phantom in their images.
template <class ExecutionSpace, class Scalar>
void set_results(const Reconstruction<ExecutionSpace, Scalar>& parts,
                 const std::vector<Scalar>& image, Description& result) {
  const RunInput& input = parts.input;
  const std::vector<SolveResult>& results = parts.run.outcome().results;
  std::vector<PhantomRegion> regions;
  if (const auto& phantom = parts.problem.phantom;
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
    Description slice = result_description(results[j], parts.errors.by_slice()[j]);
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
Description report_of(const Reconstruction<ExecutionSpace, Scalar>& parts,
                      const std::vector<Scalar>& image, const TrafficBytes& traffic,
                      const MemoryPeaks& peaks) {
  const auto& system = *parts.system;
  const SystemTask& task = parts.task;
  auto& run = parts.run;
  const SolveOutcome& outcome = run.outcome();
  Description result = run.report_head();
  result.set("matrix", matrix_description(system.statistics, system.csr_bytes()));
  if (system.way) result.set("plan", plan_description(*system.way));
  result.set("operator", system.report);
  if (task.needs.subsets > 1) {
    Description subsets =
        subsets_description(row_subsets<ExecutionSpace, Scalar>(task, system), task.wish.ordering);
    if (is_sart(parts.solver.kind())) subsets.set("visits", parts.solver.sweep.order);
    result.set("subsets", std::move(subsets));
  }
  if (task.needs.rows)
    result.set("sweep", parts.sweep.report(parts.solver.sweep, task.needs.blocks));
  result.set("data", parts.input.notes);
  run.report_resumed(result);
  Description seconds = run.clock().description();
  seconds.set("iterations", outcome.iteration_seconds);
  result.set("seconds", std::move(seconds));
  run.report_steps(result);
  set_results(parts, image, result);
  Description warnings = Description::list(false);
  for (const std::string& line : parts.unusual) warnings.add(line);
  if (const std::string line = describe_unexplained(parts.unexplained); !line.empty())
    warnings.add(line);
  if (!warnings.items().empty()) result.set("warnings", std::move(warnings));

  result.set("traffic", traffic_description(traffic, task.needs.transpose, outcome.iterations,
                                            outcome.iteration_seconds));
  result.set("peak_memory", memory_description(peaks));
  result.set("window", run.output().windows());
  run.report_files(result);
  if (parts.input.stack)
    result.set("history", stack_history_description(outcome.results));
  else
    set_history(result, outcome.results.front(), parts.errors.by_slice().front());
  return result;
}

/// Writes the image, the phantom and the data.
template <class ExecutionSpace, class Scalar>
void write_images(Reconstruction<ExecutionSpace, Scalar>& parts, const std::vector<Scalar>& image) {
  const RunInput& input = parts.input;
  RunOutput& output = parts.run.output();
  std::vector<std::size_t> shape = image_shape(input, parts.natural().pixels);
  write_solution<ExecutionSpace, Scalar>(parts, "reconstruction", image, shape);
  if (!input.phantom.empty()) {
    const std::vector<Scalar> phantom(input.phantom.begin(), input.phantom.end());
    // The slices of a stack share one phantom unless each has its own.
    if (input.stack && input.phantoms == 1) shape.erase(shape.begin());
    write_solution<ExecutionSpace, Scalar>(parts, "phantom", phantom, shape);
  }
  const std::vector<Scalar> sinogram(input.data.begin(), input.data.end());
  const std::vector<Ordinal> lengths = data_shape(
      input.rows, static_cast<Ordinal>(input.data.size() / static_cast<std::size_t>(input.slices)));
  std::vector<std::size_t> data(lengths.begin(), lengths.end());
  if (input.stack) data = stacked(std::move(data), input.slices);
  output.write_sinogram<Scalar>("sinogram", sinogram, data);
  if (lengths.size() == 3) write_first_view<Scalar>(output, sinogram, lengths);
}

}  // namespace

std::vector<std::size_t> image_shape(const RunInput& input, Ordinal pixels) {
  if (input.volume.rows == 0) return solution_shape(input, pixels);
  std::vector<std::size_t> shape{static_cast<std::size_t>(input.volume.rows),
                                 static_cast<std::size_t>(input.volume.columns)};
  if (input.is_volume) shape.insert(shape.begin(), static_cast<std::size_t>(input.depth));
  if (input.stack) shape.insert(shape.begin(), static_cast<std::size_t>(input.slices));
  return shape;
}

std::vector<std::size_t> solution_shape(const RunInput& input, Ordinal pixels) {
  if (input.volume.rows > 0 && !polar_volume(input.rows)) return image_shape(input, pixels);
  const auto size = static_cast<std::size_t>(pixels);
  const auto blocks = static_cast<std::size_t>(input.blocks);
  std::vector<std::size_t> shape{size};
  if (blocks > 0) shape = {size / blocks, blocks};
  return input.stack ? stacked(std::move(shape), input.slices) : shape;
}

template <class ExecutionSpace, class Scalar>
void write_solution(Reconstruction<ExecutionSpace, Scalar>& parts, const std::string& name,
                    const std::vector<Scalar>& solution, const std::vector<std::size_t>& shape) {
  RunOutput& output = parts.run.output();
  const PolarVolume* polar = polar_volume(parts.input.rows);
  if (!polar) return output.write_image<Scalar>(name, solution, shape);
  const PolarGrid grid(*polar);
  const auto voxels = static_cast<std::size_t>(grid.num_voxels());
  std::vector<std::size_t> polar_shape{static_cast<std::size_t>(grid.block_cols()),
                                       static_cast<std::size_t>(grid.blocks())};
  // Volumes of a stack.
  if (shape.size() > 3) polar_shape.insert(polar_shape.begin(), shape.front());
  output.write_as<Scalar>(ImageContent::array, name + "_polar", solution, polar_shape);
  std::vector<Scalar> boxes;
  for (std::size_t first = 0; first < solution.size(); first += voxels) {
    const std::span<const Scalar> volume(solution.data() + first, voxels);
    const auto box = cartesian_from_polar<Scalar>(parts.problem.scanner_volume(), grid, volume);
    boxes.insert(boxes.end(), box.begin(), box.end());
  }
  output.write_image<Scalar>(name, boxes, shape);
}

template <class ExecutionSpace, class Scalar>
void write_results(Reconstruction<ExecutionSpace, Scalar>& parts,
                   const std::vector<Scalar>& image) {
  auto& run = parts.run;
  const MemoryPeaks peaks = run.peaks();
  const TrafficBytes traffic = traffic_of_all(parts.ranks, run.outcome().traffic);
  if (!parts.slabs) write_images(parts, image);
  if (!parts.ranks.is_first()) return;
  run.write_report(report_of(parts, image, traffic, peaks));
  for (const auto& file : run.output().files()) run.progress().message("wrote " + file.string());
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template void write_results(Reconstruction<SPACE, SCALAR>&, const std::vector<SCALAR>&); \
  template void write_solution(Reconstruction<SPACE, SCALAR>&, const std::string&,         \
                               const std::vector<SCALAR>&, const std::vector<std::size_t>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
