// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Slabs.hpp>
#include <algorithm>
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

/// True if a stack may take more than half of the memory of the host.
bool may_be_too_large(const RunConfig& config, const StackShape& shape) {
  const std::uint64_t scalar_bytes = config.run.scalar == "double" ? sizeof(double) : sizeof(float);
  const auto& size = *config.problem.volume.size;
  Impl::MemoryNeed slice;
  slice.add(shape.rays, host_bytes_per_ray(scalar_bytes))
      .add(static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]),
           host_bytes_per_pixel(scalar_bytes));
  Impl::MemoryNeed stack;
  stack.add(shape.slices, slice.bytes());
  return stack.bytes() > available_host_memory() / 2;
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

template <class ExecutionSpace, class Scalar>
Ordinal slab_size(const ExecutionSpace& exec, const RunConfig& config, const SlabPlan& plan,
                  const SliceShape& kept, const SliceShape& natural, bool has_gaps) {
  StackBytes slice = bytes_of_slice<ExecutionSpace, Scalar>(config, kept, natural);
  if (has_gaps) slice.device += bytes_of_weights(config.solver, kept, sizeof(Scalar));
  const auto rays = static_cast<std::uint64_t>(natural.rays);
  const auto pixels = static_cast<std::uint64_t>(natural.pixels);
  // The data of this slab and of the next one, which is copied once while it is read, and the
  // images of the previous one, which a GPU keeps as well until they are written. Products may copy
  // image and data.
  constexpr bool is_host = Impl::is_host_space<ExecutionSpace>;
  slice.host += 3 * rays * sizeof(double) + pixels * sizeof(Scalar);
  // Masked pixels of the previous slab take the values of its start.
  if (!config.problem.mask.empty()) slice.host += pixels * sizeof(Scalar);
  slice.device += ((is_host ? 2 : 3) * pixels + rays) * sizeof(Scalar);
  const std::uint64_t host_bytes = slice.host + (is_host ? slice.device : 0);
  const std::uint64_t on_host = available_host_memory(), on_device = available_memory(exec);
  const auto least = static_cast<std::uint64_t>(plan.solved(plan.size));
  require_room_for_slices(host_bytes, least, on_host, is_host ? "memory" : "host memory");
  if constexpr (!is_host) require_room_for_slices(slice.device, least, on_device, "device memory");
  if (plan.size > 0) return plan.size;
  // The records of all slices are kept, copied for the checkpoint and put into the report: 0.94 kB
  // for each record and slice. Stop rules shorten them, so they reserve half of the memory at most.
  Impl::MemoryNeed records;
  records.add(
      static_cast<std::uint64_t>(plan.count) *
          static_cast<std::uint64_t>(std::min(config.solver.iterations() + 1, KeptRecords::most)),
      940);
  const std::uint64_t room = on_host - std::min(records.bytes(), on_host / 2);
  // An eighth is left to what is not counted: buffers of files and fragments of the heap.
  std::uint64_t size =
      std::min<std::uint64_t>(SlabPlan::most, std::max((room - room / 8) / host_bytes, least));
  if constexpr (!is_host) size = std::min(size, on_device / slice.device);
  size = std::min(size, static_cast<std::uint64_t>(plan.count));
  return static_cast<Ordinal>(size >= 8 ? size / 8 * 8 : size);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template Ordinal slab_size<SPACE, SCALAR>(const SPACE&, const RunConfig&, const SlabPlan&, \
                                            const SliceShape&, const SliceShape&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
