// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunBytes.hpp>
#include <algorithm>

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

/// \brief True if a stack of \p slices slices may take more than half of \p available bytes.
bool may_need_slabs(std::uint64_t slices, std::uint64_t rays, std::uint64_t pixels,
                    std::size_t scalar_bytes, std::uint64_t available);

/// \brief Bytes of each slice of a slab: the slab itself, the next one on its way from the file,
/// and the images of the previous one.
///
/// \param has_gaps slices lack rays; each of them may need weights of its own
PlaceBytes bytes_of_slice_in_slab(const SystemTask& task, const MachineFacts& machine,
                                  const SliceShape& kept, const SliceShape& natural, bool has_gaps);

/// \brief The part of these bytes that a slice of the next slab takes.
PlaceBytes bytes_of_slice_being_read(const MachineFacts& machine, const SliceShape& natural);

/// \brief Number of slices of a slab that fit in the free memory of \p machine. A multiple of 8
/// from 8 on.
///
/// \throws MemoryError if the size that \p plan gives, or a single slice, does not fit
///
/// \param slice bytes from `bytes_of_slice_in_slab`
/// \param iterations whose records the report has for every slice
Ordinal slab_size(const SlabPlan& plan, const MachineFacts& machine, const PlaceBytes& slice,
                  int iterations);

}  // namespace Tomokkos
