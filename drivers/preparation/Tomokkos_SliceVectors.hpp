// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that slices take, and their distance to a phantom.
#pragma once

#include <Tomokkos_Reduce.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_Slices.hpp>
#include <cstdint>
#include <string>

namespace Tomokkos {

// Host memory for an entry of a slice. The data are held in double, and as what is written; they
// are converted once on their way to the device. A start image is read in double and converted; the
// image comes back as columns and is turned into slices.
constexpr std::uint64_t host_bytes_per_ray(std::uint64_t scalar_bytes) {
  return sizeof(double) + 2 * scalar_bytes;
}
constexpr std::uint64_t host_bytes_per_pixel(std::uint64_t scalar_bytes) {
  return sizeof(double) + 2 * scalar_bytes;
}

/// \brief Throws `MemoryError` naming `problem.slices` when \p slices slices of \p slice_bytes
/// bytes are more than \p available, saying how many fit.
///
/// \param memory which memory it is
void require_room_for_slices(std::uint64_t slice_bytes, std::uint64_t slices,
                             std::uint64_t available, const std::string& memory);

/// \brief Entries of a slice's data and image.
struct SliceShape {
  Ordinal rays, pixels;
};

/// \brief Throws `MemoryError` for a stack that cannot fit beside what is there already, in memory
/// of \p exec or of the host, saying how many slices can. An estimate, by the vectors of the
/// solver, its records and what is mapped between orders; measured data are there already.
///
/// \param kept of a slice in memory of \p exec, what masks and other ranks leave
/// \param natural of a whole slice
template <class ExecutionSpace, class Scalar>
void require_room_for_stack(const ExecutionSpace& exec, const RunConfig& config,
                            const SliceShape& kept, const SliceShape& natural, Ordinal slices);

/// \brief Sum, for `reduce_columns_to_device`: squared distance of a slice to its image, or to one
/// that all of them share. With weights, one for \p blocks entries each, these count so much of
/// their number.
template <class Scalar, class MemorySpace>
struct DistanceToImages {
  VectorView<const Scalar, MemorySpace> x, images;
  VectorView<const Scalar, MemorySpace> weights = {};
  Ordinal blocks = 0;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const auto place = images.extent(0) == x.extent(0) ? e.at : e.row;
    const double difference = static_cast<double>(x(e.at)) - static_cast<double>(images(place));
    const double weight =
        weights.extent(0) == 0 ? 1.0 : static_cast<double>(weights(e.row / blocks));
    sums.value[0] = multiply_add(weight * difference, difference, sums.value[0]);
  }
};

}  // namespace Tomokkos
