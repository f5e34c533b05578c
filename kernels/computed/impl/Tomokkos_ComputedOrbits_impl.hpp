// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of pixels and rays under maps of the square, for `ComputedOrbits`. Column `m s + k` of an
// array of images holds map m of slice k, out of s.
#pragma once

#include <Tomokkos_ComputedOrbits.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {

/// The maps, as arguments of a kernel.
struct OrbitMaps {
  int count;
  unsigned char maps[num_square_symmetries];

  explicit OrbitMaps(const std::vector<unsigned>& of) : count(static_cast<int>(of.size())), maps{} {
    for (std::size_t m = 0; m < of.size(); ++m) maps[m] = static_cast<unsigned char>(of[m]);
  }
};

/// Slices of multivectors in natural or in another order.
struct OrbitSlices {
  const Ordinal* positions;  // of natural indices; null: natural order
  Ordinal vectors;           // columns of the multivector
  Ordinal first;             // first of the slices
  Ordinal count;             // number of slices

  KOKKOS_FUNCTION Ordinal position(Ordinal natural) const {
    return positions == nullptr ? natural : positions[natural];
  }
  KOKKOS_FUNCTION Offset at(Ordinal position, Ordinal slice) const {
    return Offset{position} * vectors + first + slice;
  }
};

/// Pixels in square tiles, so that neighbours under all maps are in few cache lines. Their number
/// counts those of the tiles at the edges, outside the image.
struct PixelTiles {
  static constexpr Ordinal width = 8;
  Ordinal rows, columns;

  KOKKOS_FUNCTION Ordinal tiles_across() const { return (columns - 1) / width + 1; }
  Offset count() const { return Offset{(rows - 1) / width + 1} * tiles_across() * (width * width); }
  /// Returns the pixel, or -1 outside the image.
  KOKKOS_FUNCTION Ordinal pixel(Offset index) const {
    const auto tile = static_cast<Ordinal>(index / (width * width));
    const auto within = static_cast<Ordinal>(index % (width * width));
    const Ordinal row = tile / tiles_across() * width + within / width;
    const Ordinal column = tile % tiles_across() * width + within % width;
    return row < rows && column < columns ? row * columns + column : -1;
  }
};

/// Pixel `T_g pixel`. Only images with maps besides the identity need to be square.
KOKKOS_INLINE_FUNCTION Ordinal mapped_pixel(const PixelTiles& image, unsigned g, Ordinal pixel) {
  return g == 0 ? pixel : symmetric_pixel(image.columns, g, pixel);
}

/// `XM(p, m s + k) = X(T_m p, k)`: a pixel of XM. Zero for masked pixels. `num_maps` maps.
template <class Scalar, int num_maps>
struct ExpandOrbitPixels {
  PixelTiles image;
  OrbitMaps maps;
  OrbitSlices slices;
  const Scalar* X;
  Scalar* images;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Ordinal pixel = image.pixel(index);
    if (pixel < 0) return;
    Ordinal from[num_maps];
    TOMOKKOS_UNROLL
    for (int m = 0; m < num_maps; ++m)
      from[m] = slices.position(mapped_pixel(image, maps.maps[m], pixel));
    Scalar* const to = images + Offset{pixel} * num_maps * slices.count;
    for (Ordinal k = 0; k < slices.count; ++k) {
      alignas(16) Scalar values[num_maps];
      TOMOKKOS_UNROLL
      for (int m = 0; m < num_maps; ++m)
        values[m] = from[m] < 0 ? Scalar(0) : load_gathered(X + slices.at(from[m], k));
      if (slices.count == 1) {
        store_block(values, to);
      } else {
        for (int m = 0; m < num_maps; ++m) to[m * slices.count + k] = values[m];
      }
    }
  }
};

/// `Y(p, k) = alpha sum over m of XM(T_m^-1 p, m s + k) + beta Y(p, k)`: a pixel of Y.
template <class Scalar, int num_maps>
struct FoldOrbitPixels {
  PixelTiles image;
  OrbitMaps maps;
  OrbitSlices slices;
  const Scalar* images;
  Scalar* Y;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Ordinal pixel = image.pixel(index);
    if (pixel < 0) return;
    const Ordinal position = slices.position(pixel);
    if (position < 0) return;
    const Scalar* from[num_maps];
    TOMOKKOS_UNROLL
    for (int m = 0; m < num_maps; ++m)
      from[m] =
          images +
          (Offset{mapped_pixel(image, inverse_symmetry(maps.maps[m]), pixel)} * num_maps + m) *
              slices.count;
    for (Ordinal k = 0; k < slices.count; ++k) {
      Scalar sum = 0;
      TOMOKKOS_UNROLL
      for (int m = 0; m < num_maps; ++m) sum += load_gathered(from[m] + k);
      Scalar& y = Y[slices.at(position, k)];
      y = beta == Scalar(0) ? alpha * sum : alpha * sum + beta * y;
    }
  }
};

/// `Y(r, k) = alpha YM(stored ray of r, map of r) + beta Y(r, k)`: a row of Y.
template <class Scalar>
struct GatherOrbitRays {
  const ViewOrbits::Image* views;
  const Ordinal* rays;  // of rows; null: natural order
  Ordinal detectors;
  int num_maps;
  OrbitSlices slices;
  const Scalar* images;
  Scalar* Y;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto row = static_cast<Ordinal>(index);
    const Ordinal ray = rays == nullptr ? row : rays[row];
    const Ordinal view = ray / detectors, detector = ray - view * detectors;
    const ViewOrbits::Image of = views[view];
    const Offset stored =
        Offset{of.group} * detectors + (of.reversed ? detectors - 1 - detector : detector);
    const Scalar* const from = images + (stored * num_maps + of.map) * slices.count;
    for (Ordinal k = 0; k < slices.count; ++k) {
      const Scalar value = alpha * load_gathered(from + k);
      Scalar& y = Y[slices.at(row, k)];
      y = beta == Scalar(0) ? value : value + beta * y;
    }
  }
};

/// `YM(r, m s + k) = sum of X(., k) over the rays that are images of r under m`: the values of map
/// m and ray r, index `r maps + m`.
template <class Scalar>
struct ExpandOrbitRays {
  const Ordinal* offsets;
  const Ordinal* members;
  Ordinal detectors;
  int num_maps;
  OrbitSlices slices;
  const Scalar* X;
  Scalar* images;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto ray = static_cast<Ordinal>(index / num_maps);
    const auto m = static_cast<Ordinal>(index - Offset{ray} * num_maps);
    const Ordinal group = ray / detectors, detector = ray - group * detectors;
    const Ordinal list = group * num_maps + m;
    const Ordinal begin = offsets[list], end = offsets[list + 1];
    Scalar* const to = images + index * slices.count;
    for (Ordinal k = 0; k < slices.count; ++k) {
      Scalar sum = 0;
      for (Ordinal at = begin; at < end; ++at) {
        const Ordinal view = members[at] / 2;
        const bool reversed = members[at] % 2 != 0;
        const Ordinal row =
            slices.position(view * detectors + (reversed ? detectors - 1 - detector : detector));
        if (row >= 0) sum += load_gathered(X + slices.at(row, k));
      }
      to[k] = sum;
    }
  }
};

/// Groups the views of \p A. Null if that does not make products of one vector clearly faster.
template <class ExecutionSpace>
std::shared_ptr<const ComputedOrbits<typename ExecutionSpace::memory_space>> make_computed_orbits(
    const ExecutionSpace& exec,
    const ComputedProjection<typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  std::vector<Ordinal> views;
  for (const ViewRows& run : A.runs_on_host) views.push_back(run.view);
  ComputedOrbits<MemorySpace> orbits;
  orbits.views = find_view_orbits(A.volume, A.scan, views);
  constexpr double clearly_faster = 0.9;
  if (orbits.views.cost(1) > clearly_faster * orbits.views.cost_of_all(1)) return nullptr;
  const std::size_t maps = orbits.views.maps.size();
  std::vector<Ordinal> offsets(orbits.views.stored.size() * maps + 1, 0), members;
  const auto list_of = [&](const ViewOrbits::Image& image) {
    return static_cast<std::size_t>(image.group) * maps + static_cast<std::size_t>(image.map);
  };
  for (const ViewOrbits::Image& image : orbits.views.images)
    if (image.group != ViewOrbits::none) ++offsets[list_of(image) + 1];
  for (std::size_t k = 1; k < offsets.size(); ++k) offsets[k] += offsets[k - 1];
  members.resize(static_cast<std::size_t>(offsets.back()));
  std::vector<Ordinal> next(offsets.begin(), offsets.end() - 1);
  for (std::size_t view = 0; view < orbits.views.images.size(); ++view) {
    const ViewOrbits::Image& image = orbits.views.images[view];
    if (image.group != ViewOrbits::none)
      members[static_cast<std::size_t>(next[list_of(image)]++)] =
          static_cast<Ordinal>(2 * view + (image.reversed ? 1 : 0));
  }
  orbits.images = copy_of(exec, "Tomokkos::ComputedOrbits::images", orbits.views.images);
  orbits.offsets = copy_of(exec, "Tomokkos::ComputedOrbits::offsets", offsets);
  orbits.members = copy_of(exec, "Tomokkos::ComputedOrbits::members", members);
  ScanGeometry stored = A.scan;
  stored.views = A.scan.views.chosen(orbits.views.stored);
  orbits.stored = make_computed_projection(exec, A.volume, stored, A.projector, {}, {}, false);
  return std::make_shared<const ComputedOrbits<MemorySpace>>(std::move(orbits));
}

}  // namespace Tomokkos::Impl
