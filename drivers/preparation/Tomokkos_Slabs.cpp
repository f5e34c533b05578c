// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Slabs.hpp>
#include <string>

namespace Tomokkos {

namespace {

/// Refuses settings that need all slices at once, or another number of slices.
void check_slabs(const RunConfig& config, std::uint64_t count) {
  const std::string slabs =
      "; this run solves its slices slab by slab (problem.slab), and a stack that fits in memory "
      "is solved at once with problem.slices: [first, count]";
  if (config.output.every > 0)
    throw ConfigError("output.every: images of all slices do not exist during the iterations" +
                      slabs);
  for (const ImageFormat& format : image_formats()) {
    if (!config.output.writes(format)) continue;
    const ImageWriter& writer = format.writer;
    if (!writer.not_by_slices.empty())
      throw ConfigError("output.image: " + std::string(writer.not_by_slices) + slabs);
    if (writer.slices != nullptr && count > writer.slices->most_slices)
      throw ConfigError("output.image: a " + std::string(format.name) + " file holds at most " +
                        std::to_string(writer.slices->most_slices) + " images, but the data have " +
                        std::to_string(count) + " slices; use " +
                        list_formats(" or ",
                                     [](const ImageFormat& other) {
                                       return other.writer.slices != nullptr &&
                                                      other.content == ImageContent::array
                                                  ? other.name
                                                  : "";
                                     }) +
                        ", or select slices by problem.slices: [first, count]");
  }
  StopRules::for_active(config.solver.stop, [&](const auto& rule) { rule.require_slices(count); });
}

/// True if the slices may not fit in memory as one stack.
bool may_be_too_large(const RunConfig& config, const StackShape& shape) {
  const auto& size = *config.problem.volume.size;
  return may_need_slabs(shape.slices, shape.rays,
                        static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]),
                        config.run.scalar == "double" ? sizeof(double) : sizeof(float),
                        available_host_memory());
}

}  // namespace

std::optional<SlabPlan> plan_slabs(const RunConfig& config, int num_ranks, bool is_recorded) {
  const ProblemSection& problem = config.problem;
  if (!problem.sinogram || !problem.slices || problem.as<ScanConfig>() == nullptr) return {};
  if (problem.slab == 0 && (!problem.slices->all || num_ranks > 1 || is_recorded)) return {};
  if (num_ranks > 1)
    throw ConfigError("problem.slab: slabs are solved by a single process, but " +
                      std::to_string(num_ranks) +
                      " were started; leave out the key to solve all slices as one stack");
  if (is_recorded)
    throw ConfigError(
        "problem.slab: a comparison records one stack; leave out the key and select a few slices "
        "by problem.slices: [first, count]");
  const StackShape shape = read_stack_shape(*problem.sinogram, *problem.slices);
  const auto count = static_cast<Ordinal>(shape.slices);
  if (problem.slab > 0 ? count <= problem.slab
                       : count <= SlabPlan::most && !may_be_too_large(config, shape))
    return {};
  check_slabs(config, shape.slices);
  return SlabPlan{static_cast<Ordinal>(shape.first), count, problem.slab};
}

RunConfig config_of_slab(const RunConfig& config, const SlabPlan& plan, Ordinal begin,
                         Ordinal count, std::optional<double> center) {
  RunConfig result = config;
  SlicesConfig& slices = *result.problem.slices;
  slices.all = false;
  slices.first = plan.first + begin;
  slices.count = count;
  slices.all_slices = plan.count;
  slices.slab_begin = begin;
  if (center) {
    auto& scan = std::get<ScanConfig>(result.problem.geometry);
    scan.find_rotation_center = false;
    scan.rotation_center = center;
  }
  return result;
}

RunInput read_input_of_matrix(const RunConfig& config, const std::optional<SlabPlan>& slabs) {
  return read_input(slabs ? config_of_slab(config, *slabs, slabs->count / 2, 1) : config);
}

}  // namespace Tomokkos
