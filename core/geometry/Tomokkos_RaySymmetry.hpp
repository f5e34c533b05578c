// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Symmetry of a scan in the form that kernels use: for each ray, which image of which
/// stored ray it is.
///
/// Holds the `RayOrbits` of a scan of an image of `side x side` pixels, and the pixel order of the
/// columns of the stored rays. Masks may leave out rays and pixels.
///
/// Let E be the matrix of the stored rays, `num_stored x side^2`, and let X8 hold the image once
/// for each map of the square, `X8(q, g) = x(T_g pixel(q))`. Then
///
/// ```
///   y = A x:    Y8 = E X8,      y(r) = Y8(slots(r))                        slot 8 i + g is (i, g)
///   x = A^T y:  Y8(slot) = sum of y over the rays of the slot,
///               X8 = E^T Y8,    x(p) = sum over g of X8(position(T_g^-1 p), g)
/// ```
///
/// With masks, A contains only the kept rays and pixels, numbered in their natural order. A pixel
/// is kept together with all of its images, so the images of a kept pixel are columns of A. Any
/// rays may be kept; E contains the orbits with at least one kept ray.
///
/// Contract, checked by `validate`:
/// - `pixels` contains the kept pixels out of `side^2`, in any order, each with all of its
///   images;
/// - `columns` is empty if all pixels are kept; otherwise `columns(p)` is the number of kept
///   pixels before pixel p, which is its column of A, or `not_mapped` if p is left out;
///  - `slots(r)` is below `8 num_stored`;
///  - the rays of slot s are `slot_rays(slot_offsets(s))` to `slot_rays(slot_offsets(s + 1) - 1)`,
///    ascending; a slot has none, one, or several rays, which measure the same line.
///
/// Memory: `4 (side^2 + num_pixels + 2 num_rays) + 32 num_stored` bytes, with a mask of pixels
/// `4 side^2` more. Copies share the arrays.
template <class MemorySpace>
struct RaySymmetry {
  using memory_space = MemorySpace;

  Ordinal side = 0;
  Ordinal num_stored = 0;
  IndexMap<MemorySpace> pixels;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Ordinal*, MemorySpace> slots;
  Kokkos::View<const Ordinal*, MemorySpace> slot_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> slot_rays;

  KOKKOS_FUNCTION Ordinal num_rays() const { return static_cast<Ordinal>(slots.extent(0)); }
  /// \brief Number of kept pixels: columns of A and of E.
  Ordinal num_pixels() const { return pixels.size(); }
  /// \brief Column of A of a kept pixel.
  KOKKOS_FUNCTION Ordinal column_of(Ordinal pixel) const {
    return columns.extent(0) == 0 ? pixel : columns(pixel);
  }
  KOKKOS_FUNCTION Ordinal num_slots() const {
    return num_stored * static_cast<Ordinal>(num_square_symmetries);
  }

  std::size_t memory_bytes() const {
    return (pixels.to_natural.extent(0) + pixels.from_natural.extent(0) + columns.extent(0) +
            slots.extent(0) + slot_offsets.extent(0) + slot_rays.extent(0)) *
           sizeof(Ordinal);
  }
};

/// \brief Creates the `RaySymmetry` of a scan in the memory of \p exec.
///
/// \param orbits orbits of the kept rays
/// \param pixel_order entry q is the pixel at position q, each pixel at most once; missing pixels
/// are masked
///
/// \throws Error for a pixel that occurs twice or is out of range, or for a pixel that is left out
/// without its images (`require_symmetric_pixels`)
/// \throws MemoryError when the arrays cannot be allocated
/// \note Complete on return. Host work: two passes over the rays.
template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> make_ray_symmetry(
    const ExecutionSpace& exec, Ordinal side, const RayOrbits& orbits,
    const std::vector<Ordinal>& pixel_order);

/// \brief Reorders the rays of \p symmetry: ray k of the result is ray `order[k]`. The pixels are
/// shared.
///
/// \throws Error unless \p order is a permutation of the rays
/// \throws MemoryError when the arrays cannot be allocated
/// \note Complete on return. Host work: two passes over the rays, which are copied from the device.
template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> rays_in_order(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const std::vector<Ordinal>& order);

/// \brief Checks the contract of `RaySymmetry`. Cost: a pass over each array, fences.
///
/// \throws Error naming the first pixel, slot or ray that violates the contract
template <class ExecutionSpace>
void validate(const ExecutionSpace& exec,
              const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry);

}  // namespace Tomokkos

#include <impl/Tomokkos_RaySymmetry_impl.hpp>
