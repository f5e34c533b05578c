// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ReadSlab.hpp>
#include <Tomokkos_Slices.hpp>
#include <limits>

namespace Tomokkos {

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
  const bool clamps = problem.sinogram->negative == NegativeData::clamp;
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
