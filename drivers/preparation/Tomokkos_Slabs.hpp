// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of measured slices into slabs that are read, solved and written one after the other.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Plans the slabs of a run, from the header of its data. Empty: all slices are solved as
/// one stack.
///
/// Slabs are used for `problem.slab`, and for `slices: all` if there are many slices or they may
/// not fit in memory. Several processes and a recorder solve one stack.
///
/// \throws ConfigError if several processes or a recorder would have to divide them
std::optional<SlabPlan> plan_slabs(const ProblemSection& problem, std::size_t scalar_bytes,
                                   int num_ranks = 1, bool is_recorded = false);

/// \brief Refuses settings that need all slices at once, or another number of slices.
///
/// \throws ConfigError
void check_slabs(const SlabPlan& plan, const OutputSection& output, const StopRules& stop);

/// \brief Slab of \p count slices of a volume, from \p begin on.
inline Slab slab_of(const SlabPlan& plan, Ordinal begin, Ordinal count,
                    std::optional<double> center = {}) {
  return {plan.first + begin, count, plan.count, begin, center};
}

/// \brief Reads what the matrix needs: the middle slice of a volume that is divided into \p slabs,
/// which determines what the geometry leaves open, otherwise all input.
RunInput read_input_of_matrix(const ProblemSection& problem, const RunSection& run,
                              const InputUse& use, const std::optional<SlabPlan>& slabs);

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
