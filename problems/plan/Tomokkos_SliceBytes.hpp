// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of slices that are solved together, and its checks.
#pragma once

#include <Tomokkos_Device.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <cstdint>
#include <string>

namespace Tomokkos {

// Host memory per entry of a slice. The data are held in double and in the precision of the output,
// and are converted once for the copy to the device. A start image is read in double and converted.
// The result is copied back as columns and rearranged to slices.
constexpr std::uint64_t host_bytes_per_ray(std::uint64_t scalar_bytes) {
  return sizeof(double) + 2 * scalar_bytes;
}
constexpr std::uint64_t host_bytes_per_pixel(std::uint64_t scalar_bytes) {
  return sizeof(double) + 2 * scalar_bytes;
}

/// \brief Number of entries of the data and the image of a slice.
struct SliceShape {
  Ordinal rays = 0, pixels = 0;
};

/// \brief Bytes of a slice while it is solved, in memory of the device and of the host.
struct StackBytes {
  std::uint64_t device = 0, host = 0;
};

/// \brief Estimates the bytes of a slice: the vectors of the solver, its records, and vectors
/// mapped between orders. Measured data are not counted.
///
/// \param kept entries of a slice in memory of the device, after masks and distribution over ranks
/// \param natural entries of a whole slice
StackBytes bytes_of_slice(const SystemTask& task, std::size_t scalar_bytes, const SliceShape& kept,
                          const SliceShape& natural);

/// \brief Bytes of device memory for the weights of the solver in slices that lack the same rays:
/// column sums, or sensitivities. 0 for solvers without such weights.
std::uint64_t bytes_of_weights(const SolverNeeds& needs, std::size_t scalar_bytes,
                               const SliceShape& kept);

/// \brief Estimates the bytes of each slice of a stack of `needs.vectors` slices that are solved
/// together: those of `bytes_of_slice`, and its part of the weights.
///
/// \param patterns number of sets of missing rays that differ between the slices
StackBytes bytes_of_slice_in_stack(const SystemTask& task, std::size_t scalar_bytes,
                                   const SliceShape& kept, const SliceShape& natural,
                                   Ordinal patterns);

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
void require_room_for_slices(const MachineFacts& machine, const StackBytes& slice,
                             std::uint64_t slices);

/// \brief Checks that the weights of a slab fit in the free memory of \p machine.
///
/// \throws MemoryError that proposes a smaller slab
///
/// \param patterns number of sets of missing rays that differ between its slices
void require_room_for_weights(const SystemTask& task, const MachineFacts& machine,
                              const SliceShape& kept, Ordinal patterns);

}  // namespace Tomokkos
