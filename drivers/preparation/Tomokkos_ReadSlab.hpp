// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Slabs.hpp>
#include <vector>

namespace Tomokkos {

/// \brief A slab that has been read, with what a pass over its data finds.
template <class Scalar>
struct ReadSlab {
  RunInput input;
  double smallest = 0, largest = 0;  ///< of the data
  double clamped_negative = 0;       ///< number of values
  std::vector<double> fingerprints;  ///< of the data of each slice, as they were read
  std::vector<double> counted_rays;  ///< of each slice that is solved
  std::vector<Scalar> columns;       ///< the data, side by side
};

/// \brief Reads a slab of \p slices, checks it, fills it up to the number of slices that are solved
/// with copies of its last one, and puts them side by side. Runs beside the kernels of another
/// slab.
template <class Scalar>
ReadSlab<Scalar> read_slab(const ProblemSection& problem, const RunSection& run,
                           const InputUse& use, const SlabPlan& slabs, const Slab& slices);

/// \brief Fingerprints of the data of each slice. They do not depend on the size of a slab.
std::vector<double> fingerprints_of_slices(const RunInput& input);

}  // namespace Tomokkos
