// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of measured slices into slabs that are read, solved and written one after the other.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <algorithm>
#include <optional>

namespace Tomokkos {

/// \brief Slices of a volume, and how many of them are solved together.
struct SlabPlan {
  /// Most slices of a slab that is chosen: more hardly make a product of a slice faster.
  static constexpr Ordinal most = 32;

  /// Fewest slices solved together. Products with one or two vectors may add in another order than
  /// those with more, so a smaller slab is filled up with copies of its last slice.
  static constexpr Ordinal fewest = 3;

  Ordinal first = 0;  ///< first slice in the file
  Ordinal count = 0;  ///< number of slices
  Ordinal size = 0;   ///< slices of a slab; 0: chosen when the matrix is in memory

  /// \brief Number of slices that are solved for a slab of \p slices.
  Ordinal solved(Ordinal slices) const { return std::max(slices, std::min(fewest, count)); }
};

/// \brief Plans the slabs of a run, from the header of its data. Empty: all slices are solved as
/// one stack.
///
/// Slabs are used for `problem.slab`, and for `slices: all` if there are many slices or they may
/// not fit in memory. Several processes and a recorder solve one stack.
///
/// \throws ConfigError for settings that need all slices at once
std::optional<SlabPlan> plan_slabs(const RunConfig& config, int num_ranks = 1,
                                   bool is_recorded = false);

/// \brief Configuration of \p count slices of a volume, from \p begin on.
///
/// \param center rotation centre found before; empty: that of the configuration
RunConfig config_of_slab(const RunConfig& config, const SlabPlan& plan, Ordinal begin,
                         Ordinal count, std::optional<double> center = {});

/// \brief Reads what the matrix needs: the middle slice of a volume that is divided into \p slabs,
/// which determines what the geometry leaves open, otherwise all input.
RunInput read_input_of_matrix(const RunConfig& config, const std::optional<SlabPlan>& slabs);

/// \brief Number of slices of a slab that fit in the remaining memory: the slab itself, the next
/// one on its way from the file, and the images of the previous one. A multiple of 8 from 8 on.
///
/// \throws MemoryError if the configured slab, or a single slice, does not fit
///
/// \param has_gaps slices lack rays; each of them may need weights of its own
template <class ExecutionSpace, class Scalar>
Ordinal slab_size(const ExecutionSpace& exec, const RunConfig& config, const SlabPlan& plan,
                  const SliceShape& kept, const SliceShape& natural, bool has_gaps);

}  // namespace Tomokkos
