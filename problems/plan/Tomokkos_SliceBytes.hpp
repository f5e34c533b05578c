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

}  // namespace Tomokkos
