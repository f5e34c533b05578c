// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the results of a reconstruction: images, sinogram, report.
#include <Tomokkos_ConeBeamPictures.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_ReportHead.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::set_results(const Results& results,
                                                         const std::vector<Scalar>& image,
                                                         Description& result) const {
  std::vector<PhantomRegion> regions;
  if (const auto& phantom = config_.problem.phantom;
      phantom && phantom->file.empty() && !polar_volume(input_.rows))
    regions =
        through_slices(phantom_regions(phantom->kind, input_.volume.rows, input_.volume.columns,
                                       phantom->sampling_in(input_.volume)),
                       input_.depth, static_cast<Ordinal>(input_.volume.num_pixels()));
  // Evaluate only pixels that are reconstructed.
  for (PhantomRegion& region : regions)
    for (auto* pixels : {&region.hot, &region.cold})
      *pixels = kept_of(std::move(*pixels), input_.masks.columns);
  Description slices = Description::list(false);
  for (std::size_t j = 0; j < results.size(); ++j) {
    Description slice = result_description(results[j], rmse_[j]);
    const std::size_t pixels = image.size() / results.size();
    if (!regions.empty())
      slice.set("regions", regions_description<Scalar>(regions, input_.phantom,
                                                       {image.data() + j * pixels, pixels}));
    slices.add(std::move(slice));
  }
  if (!input_.stack) {
    result.set("result", slices.items().front());
    return;
  }
  result.set("result", stack_description(results));
  result.set("slices", std::move(slices));
}

template <class ExecutionSpace, class Scalar>
Description Reconstruction<ExecutionSpace, Scalar>::report(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const Results& results,
    const std::vector<Scalar>& image) {
  Description result = run_.report_head();
  result.set("matrix", matrix_description(prepared.statistics, prepared.csr_bytes));
  if (way_) {
    Description plan = Description::map(true);
    plan.set("way", name_of(*way_));
    plan.set("why", way_->because);
    result.set("plan", std::move(plan));
  }
  result.set("operator", prepared.report);
  if (config_.solver.subsets() > 1) {
    const RowSubsets cut =
        all_subsets_.value_or(RowSubsets(prepared.A.num_rows(), config_.solver.subsets(),
                                         context_.subset_unit, context_.subset_begins));
    Description subsets = subsets_description(cut, config_.matrix_operator.ordering);
    if (is_sart(config_.solver.kind())) subsets.set("visits", config_.solver.sweep.order);
    result.set("subsets", std::move(subsets));
  }
  if (has_sweeps(config_.solver.kind())) result.set("sweep", sweep_.report(config_.solver));
  result.set("data", input_.notes);
  if (Description resumed = checkpoints_.report(); !resumed.is_empty())
    result.set("resumed", std::move(resumed));
  Description seconds = clock_.description();
  seconds.set("iterations", run_.solution().iteration_seconds);
  result.set("seconds", std::move(seconds));
  run_.report_steps(result);
  set_results(results, image, result);
  Description warnings = Description::list(false);
  for (const std::string& line : unusual_) warnings.add(line);
  if (const std::string line = describe_unexplained(config_, unexplained_); !line.empty())
    warnings.add(line);
  if (!warnings.items().empty()) result.set("warnings", std::move(warnings));

  const RunSolution& solution = run_.solution();
  result.set("traffic", traffic_description(traffic_, uses_transpose(config_.solver.kind()),
                                            solution.iterations, solution.iteration_seconds));
  result.set("peak_memory", memory_description(peaks_));
  result.set("window", output_.windows());
  run_.report_files(result);
  if (input_.stack)
    result.set("history", stack_history_description(results));
  else
    set_history(result, results.front(), rmse_.front());
  return result;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_solution(const std::string& name,
                                                            const std::vector<Scalar>& solution,
                                                            const std::vector<std::size_t>& shape) {
  const PolarVolume* polar = polar_volume(input_.rows);
  if (!polar) return output_.write_image<Scalar>(name, solution, shape);
  const PolarGrid grid(*polar);
  const auto voxels = static_cast<std::size_t>(grid.num_voxels());
  std::vector<std::size_t> polar_shape{static_cast<std::size_t>(grid.block_cols()),
                                       static_cast<std::size_t>(grid.blocks())};
  // Volumes of a stack.
  if (shape.size() > 3) polar_shape.insert(polar_shape.begin(), shape.front());
  output_.write_as<Scalar>(ImageContent::array, name + "_polar", solution, polar_shape);
  std::vector<Scalar> boxes;
  for (std::size_t first = 0; first < solution.size(); first += voxels) {
    const std::span<const Scalar> volume(solution.data() + first, voxels);
    const auto box = cartesian_from_polar<Scalar>(config_.problem.scanner_volume(), grid, volume);
    boxes.insert(boxes.end(), box.begin(), box.end());
  }
  output_.write_image<Scalar>(name, boxes, shape);
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_results(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const Results& results) {
  run_.begin_write();
  const std::vector<Scalar> image = natural_solution(exec_);
  peaks_ = run_.peaks();
  traffic_ = traffic_of_all(ranks_, run_.solution().traffic);
  write_solution("reconstruction", image, image_shape());
  if (!input_.phantom.empty()) {
    const std::vector<Scalar> phantom(input_.phantom.begin(), input_.phantom.end());
    // The slices of a stack share one phantom unless each has its own.
    std::vector<std::size_t> shape = image_shape();
    if (input_.stack && input_.phantoms == 1) shape.erase(shape.begin());
    write_solution("phantom", phantom, shape);
  }
  output_.write_sinogram<Scalar>("sinogram", sinogram_, sinogram_shape());
  if (const auto* beam = std::get_if<ConeBeamRows>(&input_.rows))
    output_.write_projection<Scalar>("projection_000", view_of<Scalar>(beam->scan, sinogram_),
                                     static_cast<std::size_t>(beam->scan.detectors[1]),
                                     static_cast<std::size_t>(beam->scan.detectors[0]));
  if (!ranks_.is_first()) return;
  run_.write_report(report(prepared, results, image));
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                    \
  template void Reconstruction<ExecutionSpace, Scalar>::write_results(  \
      const PreparedOperator<ExecutionSpace, Scalar>&, const Results&); \
  template void Reconstruction<ExecutionSpace, Scalar>::write_solution( \
      const std::string&, const std::vector<Scalar>&, const std::vector<std::size_t>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
