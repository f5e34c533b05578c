// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_SymmetricVectors.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

inline constexpr int square_maps = static_cast<int>(num_square_symmetries);

/// Positions of the images of a pixel in natural vectors: columns of A.
struct ImageColumns {
  Ordinal side;
  const Ordinal* columns;  // of pixels; null: equal to the pixels

  KOKKOS_FUNCTION void operator()(Ordinal pixel, Ordinal (&images)[square_maps]) const {
    for (int g = 0; g < square_maps; ++g)
      images[g] = symmetric_pixel(side, static_cast<unsigned>(g), pixel);
    if (columns != nullptr)
      for (int g = 0; g < square_maps; ++g) images[g] = columns[images[g]];
  }
};

/// Orbits of pixels. Each is represented by a pixel in the upper left quarter of the image, on or
/// above the diagonal. Cells are numbered row by row through the whole quarter; those below the
/// diagonal have no orbit.
struct PixelOrbits {
  Ordinal side;
  const Ordinal* positions;  // of pixels; `not_mapped` if masked

  KOKKOS_FUNCTION Ordinal quarter() const { return (side + 1) / 2; }
  KOKKOS_FUNCTION Offset cells() const { return Offset{quarter()} * quarter(); }
  /// Returns the pixel of a cell; -1 below the diagonal and if the orbit is masked.
  KOKKOS_FUNCTION Ordinal pixel(Offset cell) const {
    const auto row = static_cast<Ordinal>(cell / quarter());
    const auto column = static_cast<Ordinal>(cell % quarter());
    const Ordinal pixel = row * side + column;
    return row <= column && positions[pixel] != not_mapped ? pixel : -1;
  }
  KOKKOS_FUNCTION Offset position(int map, Ordinal pixel) const {
    return positions[symmetric_pixel(side, static_cast<unsigned>(map), pixel)];
  }
};

/// Returns the number of the map `T_g^-1 T_h`.
KOKKOS_INLINE_FUNCTION constexpr int relative_symmetry(int g, int h) {
  return static_cast<int>(
      composed_symmetry(inverse_symmetry(static_cast<unsigned>(g)), static_cast<unsigned>(h)));
}

/// Writes the images of one pixel for one of s vectors. With a single vector they are adjacent: 32
/// bytes (float), which are stored at once. There is a thread per pixel in the order of the
/// columns. Threads therefore write adjacent values and, because of the tiles of pixels, read from
/// few cache lines.
template <class Scalar, bool single>
struct ExpandPixel {
  ImageColumns image_columns;
  const Ordinal* pixels;  // by position
  const Scalar* X;
  Scalar* X8;
  Offset vectors;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset q = single ? index : index / vectors;
    const Offset k = single ? 0 : index - q * vectors;
    Ordinal columns[square_maps];
    image_columns(pixels[q], columns);
    alignas(16) Scalar images[square_maps];
    for (int g = 0; g < square_maps; ++g)
      images[g] = load_gathered(X + Offset{columns[g]} * vectors + k);
    Scalar* const to = X8 + q * square_maps * vectors + k;
    if constexpr (single)
      store_block(images, to);
    else
      for (int g = 0; g < square_maps; ++g) to[g * vectors] = images[g];
  }
};

/// Computes one orbit of pixels for one of s vectors. The eight values of a single pixel are at
/// eight places; those of a whole orbit are at eight places in all.
template <class Scalar, bool single>
struct FoldOrbit {
  PixelOrbits orbits;
  ImageColumns image_columns;
  const Scalar* X8;
  Scalar* Y;
  Offset vectors;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset k = single ? 0 : index % vectors;
    const Ordinal pixel = orbits.pixel(single ? index : index / vectors);
    if (pixel < 0) return;
    alignas(16) Scalar values[square_maps][square_maps];
    for (int h = 0; h < square_maps; ++h) {
      const Scalar* const from = X8 + orbits.position(h, pixel) * square_maps * vectors + k;
      if constexpr (single)
        load_gathered_block(from, values[h]);
      else
        for (int g = 0; g < square_maps; ++g) values[h][g] = load_gathered(from + g * vectors);
    }
    // Compute all sums before writing: a pixel that a map leaves in place occurs several times.
    Scalar results[square_maps];
    for (int h = 0; h < square_maps; ++h) {
      Scalar sum = 0;
      for (int g = 0; g < square_maps; ++g) sum += values[relative_symmetry(g, h)][g];
      results[h] = alpha * sum;
    }
    Ordinal columns[square_maps];
    image_columns(pixel, columns);
    if (beta != Scalar(0))
      for (int h = 0; h < square_maps; ++h)
        results[h] += beta * Y[Offset{columns[h]} * vectors + k];
    for (int h = 0; h < square_maps; ++h) Y[Offset{columns[h]} * vectors + k] = results[h];
  }
};

template <class Scalar>
struct GatherRay {
  const Ordinal* slots;  // from the first ray of the range on
  const Scalar* Y8;
  Scalar* Y;
  Offset vectors;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset ray = index / vectors;
    const Offset k = index - ray * vectors;
    const Scalar value = alpha * load_gathered(Y8 + Offset{slots[ray]} * vectors + k);
    Y[index] = beta == Scalar(0) ? value : value + beta * Y[index];
  }
};

template <class Scalar>
struct ExpandRays {
  const Ordinal* offsets;
  const Ordinal* rays;
  const Scalar* Y;
  Scalar* Y8;
  Offset vectors;
  RowRange range;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset slot = index / vectors;
    const Offset k = index - slot * vectors;
    Scalar sum = 0;
    for (Ordinal at = offsets[slot]; at < offsets[slot + 1]; ++at) {
      const Ordinal ray = rays[at];
      if (ray >= range.begin && ray < range.end)
        sum += load_gathered(Y + Offset{ray - range.begin} * vectors + k);
    }
    Y8[index] = sum;
  }
};

/// Checks the shapes and returns the number of vectors. `one` has natural rows x s, `eight` has
/// rows of E or of its transpose x 8 s.
template <class One, class Eight>
Offset require_symmetric_shapes(const char* what, const One& one, long long natural,
                                const Eight& eight, long long stored) {
  const auto check = [&](const char* of, std::size_t actual, const char* name, long long expected) {
    const auto length = static_cast<long long>(actual);
    if (length != expected) require_equal(std::string(of) + what, length, name, expected);
  };
  check("rows of ", one.extent(0), "their number in the scan", natural);
  check("rows of the images of ", eight.extent(0), "the number required", stored);
  check("columns of the images of ", eight.extent(1), "eight times the vectors",
        static_cast<long long>(one.extent(1)) * square_maps);
  return static_cast<Offset>(one.extent(1));
}

/// Launches a functor for one vector, or for several, on \p places places of each.
template <template <class, bool> class Functor, class Scalar, class ExecutionSpace,
          class... Members>
void for_vectors(const ExecutionSpace& exec, const std::string& label, Offset places,
                 Offset vectors, const Members&... members) {
  const auto range = element_range(exec, static_cast<std::size_t>(places * vectors));
  if (vectors == 1)
    Kokkos::parallel_for(label, range, Functor<Scalar, true>{members...});
  else
    Kokkos::parallel_for(label, range, Functor<Scalar, false>{members...});
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void expand_image(const ExecutionSpace& exec,
                  const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                  const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                  const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X8) {
  const Offset vectors =
      Impl::require_symmetric_shapes("pixels", X, symmetry.num_pixels(), X8, symmetry.num_pixels());
  Impl::for_vectors<Impl::ExpandPixel, Scalar>(
      exec, "Tomokkos::symmetric::expand_image", symmetry.num_pixels(), vectors,
      Impl::ImageColumns{symmetry.side, symmetry.columns.data()}, symmetry.pixels.to_natural.data(),
      X.data(), X8.data(), vectors);
}

template <class ExecutionSpace, class Scalar>
void fold_image(const ExecutionSpace& exec,
                const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry, Scalar alpha,
                const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X8,
                Scalar beta,
                const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y) {
  const Offset vectors =
      Impl::require_symmetric_shapes("pixels", Y, symmetry.num_pixels(), X8, symmetry.num_pixels());
  const Impl::PixelOrbits orbits{symmetry.side, symmetry.pixels.from_natural.data()};
  Impl::for_vectors<Impl::FoldOrbit, Scalar>(
      exec, "Tomokkos::symmetric::fold_image", orbits.cells(), vectors, orbits,
      Impl::ImageColumns{symmetry.side, symmetry.columns.data()}, X8.data(), Y.data(), vectors,
      alpha, beta);
}

template <class ExecutionSpace, class Scalar>
void gather_rays(const ExecutionSpace& exec,
                 const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry, Scalar alpha,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& Y8,
                 Scalar beta,
                 const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y,
                 RowRange rows) {
  rows = Impl::checked_range(rows, symmetry.num_rays(), "rays");
  const Offset vectors =
      Impl::require_symmetric_shapes("rays", Y, rows.end - rows.begin, Y8, symmetry.num_stored);
  Kokkos::parallel_for("Tomokkos::symmetric::gather_rays", Impl::element_range(exec, Y.size()),
                       Impl::GatherRay<Scalar>{symmetry.slots.data() + rows.begin, Y8.data(),
                                               Y.data(), vectors, alpha, beta});
}

template <class ExecutionSpace, class Scalar>
void expand_rays(const ExecutionSpace& exec,
                 const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& Y,
                 const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y8,
                 RowRange rows) {
  rows = Impl::checked_range(rows, symmetry.num_rays(), "rays");
  const Offset vectors =
      Impl::require_symmetric_shapes("rays", Y, rows.end - rows.begin, Y8, symmetry.num_stored);
  Kokkos::parallel_for(
      "Tomokkos::symmetric::expand_rays", Impl::element_range(exec, Y8.size()),
      Impl::ExpandRays<Scalar>{symmetry.slot_offsets.data(), symmetry.slot_rays.data(), Y.data(),
                               Y8.data(), vectors, rows});
}

}  // namespace Tomokkos
