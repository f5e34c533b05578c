// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_Slices.hpp>
#include <limits>
#include <string>

namespace Tomokkos {

namespace {

/// True if the slices may not fit in memory as one stack.
bool may_be_too_large(const StackShape& shape, const std::array<Ordinal, 2>& size,
                      std::size_t scalar_bytes) {
  return may_need_slabs(shape.slices, shape.rays,
                        static_cast<std::uint64_t>(size[0]) * static_cast<std::uint64_t>(size[1]),
                        scalar_bytes, available_host_memory());
}

}  // namespace

std::optional<SlabPlan> plan_slabs(const ProblemSection& problem, std::size_t scalar_bytes,
                                   int num_ranks, bool is_recorded) {
  if (!problem.sinogram || !problem.slices) return {};
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
  if (problem.slab > 0
          ? count <= problem.slab
          : count <= SlabPlan::most && !may_be_too_large(shape, *problem.volume.size, scalar_bytes))
    return {};
  return SlabPlan{static_cast<Ordinal>(shape.first), count, problem.slab};
}

void check_slabs(const SlabPlan& plan, const OutputSection& output, const StopRules& stop) {
  const auto count = static_cast<std::uint64_t>(plan.count);
  const std::string slabs =
      "; this run solves its slices slab by slab (problem.slab), and a stack that fits in memory "
      "is solved at once with problem.slices: [first, count]";
  if (output.every > 0)
    throw ConfigError("output.every: images of all slices do not exist during the iterations" +
                      slabs);
  for (const ImageFormat& format : image_formats()) {
    if (!output.writes(format)) continue;
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
  StopRules::for_active(stop, [&](const auto& rule) { rule.require_slices(count); });
}

RunInput read_input_of_matrix(const ProblemSection& problem, const RunSection& run,
                              const InputUse& use, const std::optional<SlabPlan>& slabs) {
  std::optional<Slab> middle;
  if (slabs) middle = slab_of(*slabs, slabs->count / 2, 1);
  return read_input(problem, run, use, middle);
}

std::vector<double> fingerprints_of_slices(const RunInput& input) {
  const std::size_t rays = input.data.size() / static_cast<std::size_t>(input.slices);
  std::vector<double> result;
  for (std::size_t at = 0; at < input.data.size(); at += rays)
    result.push_back(fingerprint_number(input.data.data() + at, rays * sizeof(double)));
  return result;
}

template <class Scalar>
ReadSlab<Scalar> read_slab(const ProblemSection& problem, const RunSection& run,
                           const InputUse& use, const SlabPlan& slabs, const Slab& slices) {
  ReadSlab<Scalar> slab;
  slab.input = read_input(problem, run, use, slices);
  slab.fingerprints = fingerprints_of_slices(slab.input);
  std::vector<double>& data = slab.input.data;
  const bool clamps = problem.negative == NegativeData::clamp;
  slab.smallest = std::numeric_limits<double>::infinity();
  slab.largest = -slab.smallest;
  for (double& value : data) {
    if (value < 0 && clamps) {
      ++slab.clamped_negative;
      value = 0;
    }
    if (value < slab.smallest) slab.smallest = value;
    if (value > slab.largest) slab.largest = value;
  }
  check_negative_data(problem, use.needs, slab.input);
  const Ordinal read = slab.input.slices, solved = slabs.solved(read);
  const std::size_t rays = data.size() / static_cast<std::size_t>(read);
  const std::vector<double> last(data.end() - static_cast<std::ptrdiff_t>(rays), data.end());
  for (Ordinal copy = read; copy < solved; ++copy)
    data.insert(data.end(), last.begin(), last.end());
  slab.counted_rays = counted_rays(data, solved, slab.input.masks.rows);
  slab.columns = side_by_side<Scalar>(data, solved);
  return slab;
}

template ReadSlab<float> read_slab(const ProblemSection&, const RunSection&, const InputUse&,
                                   const SlabPlan&, const Slab&);
template ReadSlab<double> read_slab(const ProblemSection&, const RunSection&, const InputUse&,
                                    const SlabPlan&, const Slab&);

}  // namespace Tomokkos
