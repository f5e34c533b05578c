// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Which image of which stored ray each ray of a scan is, where kernels find it: the
/// `RayOrbits` of a scan of `side x side` pixels, and the order of the pixels that the columns of
/// the stored rays are in. Masks leave rays and pixels out.
///
/// With the stored rays as the matrix E, `num_stored x side^2`, and the image once for each map of
/// the square, `X8(q, g) = x(T_g pixel(q))`,
///
/// ```
///   y = A x:    Y8 = E X8,      y(r) = Y8(slots(r))                        slot 8 i + g is (i, g)
///   x = A^T y:  Y8(slot) = sum of y over the rays of the slot,
///               X8 = E^T Y8,    x(p) = sum over g of X8(position(T_g^-1 p), g)
/// ```
///
/// With masks, A has the rays and the pixels that are kept, numbered in their natural order, and no
/// others. Pixels are kept with all of their images, so that the images of a kept pixel are columns
/// of A; rays in any way, and E has the orbits of which any ray is kept.
///
/// Contract, checked by `validate`:
///  - `pixels` has the pixels that are kept, of `side^2`, in any order; with a pixel its images;
///  - `columns` is empty where all are kept; else `columns(p)` is how many kept pixels come before
///    pixel p, the column of A that it is, and `not_mapped` where p is left out;
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
  /// \brief Pixels that are kept: columns of A, and of E.
  Ordinal num_pixels() const { return pixels.size(); }
  /// \brief The column of A that a kept pixel is.
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

/// \brief The same in memory of \p exec.
///
/// \param orbits of the rays that are kept
/// \param pixel_order entry q is the pixel at position q, each at most once; those that are left
/// out are masked
///
/// \throw Error for a pixel that stands twice or lies outside, for one that is left out without its
/// images (`require_symmetric_pixels`); MemoryError.
/// \note Complete on return. Host work: two passes over the rays.
template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> make_ray_symmetry(
    const ExecutionSpace& exec, Ordinal side, const RayOrbits& orbits,
    const std::vector<Ordinal>& pixel_order);

/// \brief The same with the rays in another order: ray k is ray `order[k]` of \p symmetry. The
/// pixels are shared.
///
/// \throw Error for what is no permutation of the rays; MemoryError.
/// \note Complete on return. Host work: two passes over the rays, which come from the device.
template <class ExecutionSpace>
RaySymmetry<typename ExecutionSpace::memory_space> rays_in_order(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const std::vector<Ordinal>& order);

/// \brief Throws `Error` naming the first pixel, slot or ray that breaks the contract of
/// `RaySymmetry`. Cost: a pass over each array, fences.
template <class ExecutionSpace>
void validate(const ExecutionSpace& exec,
              const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry);

}  // namespace Tomokkos

#include <impl/Tomokkos_RaySymmetry_impl.hpp>
