// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of slices that are solved together, as a stack or as slabs of a volume, and its checks.
#pragma once

#include <Tomokkos_Device.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

namespace Tomokkos {

/// \brief Host memory of a slice. The data are held in double and in the precision of the output,
/// and are converted once for the copy to the device. A start image is read in double and
/// converted. The result is copied back as columns and rearranged to slices.
std::uint64_t host_bytes_of_slice(std::uint64_t rays, std::uint64_t pixels,
                                  std::size_t scalar_bytes);

/// \brief Number of entries of the data and the image of a slice.
struct SliceShape {
  Ordinal rays = 0, pixels = 0;
};

/// \brief Bytes in memory of the device and of the host. On a host backend, functions return the
/// bytes of both as those of the device.
struct PlaceBytes {
  double device = 0, host = 0;

  PlaceBytes operator+(const PlaceBytes& other) const {
    return {device + other.device, host + other.host};
  }
  PlaceBytes operator*(double factor) const { return {device * factor, host * factor}; }
  /// \brief Returns the bytes on \p machine: a host has one memory for both places.
  PlaceBytes on(const MachineFacts& machine) const {
    return machine.gpu ? *this : PlaceBytes{device + host, 0};
  }
};

/// \brief Returns the larger bytes of two, for each place.
PlaceBytes most(const PlaceBytes& one, const PlaceBytes& other);

/// \brief Bytes of a slice in the phases in which it needs most of them.
struct SliceBytes {
  PlaceBytes solve;  ///< with the vectors of the solver, or with a start on the host
  PlaceBytes write;  ///< with images on the host

  PlaceBytes peak() const { return most(solve, write); }
};

/// \brief Estimates the bytes of a slice: data, image, the vectors of the solver, its records, and
/// copies in natural order. Measured data are not counted.
///
/// \param kept entries of a slice in memory of the device, after masks and distribution over ranks
/// \param natural entries of a whole slice
SliceBytes bytes_of_slice(const SystemTask& task, const OperatorWish& wish,
                          const MachineFacts& machine, const SliceShape& kept,
                          const SliceShape& natural);

/// \brief Bytes of device memory for the weights of the solver in slices that lack the same rays:
/// column sums, or sensitivities. 0 for solvers without such weights.
double bytes_of_weights(const SolverNeeds& needs, std::size_t scalar_bytes, const SliceShape& kept);

/// \brief Checks that \p slices slices of \p slice_bytes bytes fit in \p available bytes.
///
/// \throws MemoryError for `problem.slices`, with the number of slices that fit
///
/// \param memory name of the memory, for the message
void require_room_for_slices(std::uint64_t slice_bytes, std::uint64_t slices,
                             std::uint64_t available, const std::string& memory);

/// \brief Checks that \p slices slices fit in the free memory of \p machine.
///
/// \throws MemoryError as the function above
void require_room_for_slices(const MachineFacts& machine, const PlaceBytes& slice,
                             std::uint64_t slices);

/// \brief Checks that the weights of a slab fit in the free memory of \p machine.
///
/// \throws MemoryError that proposes a smaller slab
///
/// \param patterns number of sets of missing rays that differ between its slices
void require_room_for_weights(const SystemTask& task, const MachineFacts& machine,
                              const SliceShape& kept, Ordinal patterns);

/// \brief Checks by an estimate that a stack of `needs.vectors` slices fits in the free memory of
/// \p machine. Measured data are already in memory.
///
/// \throws MemoryError as `require_room_for_slices`
///
/// \param patterns number of sets of missing rays that differ between the slices
void require_room_for_stack(const SystemTask& task, const MachineFacts& machine,
                            const SliceShape& kept, const SliceShape& natural, Ordinal patterns);

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
