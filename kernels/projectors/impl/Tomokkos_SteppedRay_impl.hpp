// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward kernels of stepped products: a thread sums the pixels of a ray.
#pragma once

#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_SteppedCopies_impl.hpp>

namespace Tomokkos::Impl {

/// Lines of the image whose sum is formed in the precision of the vectors.
constexpr int lines_of_chunk = 16;

/// Sums the pixels of a ray.
template <Beam beam, class Scalar, int count>
struct SteppedRay {
  SteppedScan scan;
  const ViewSteps* steps;
  const Ordinal* rays;  // of rows; null: natural order
  Ordinal first_row;
  Ordinal vectors;
  ImageCopy image;
  Scalar alpha, beta;
  const Scalar* copy;  // from the first vector
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal row = first_row + i;
    const Ordinal natural = rays == nullptr ? row : rays[row];
    const ViewSteps& view = steps[natural / scan.detectors];
    const Ordinal detector = natural % scan.detectors;
    RaySteps ray{view.is_exact, view.by_rows, view.start + detector * view.per_element,
                 view.step,     view.scale,   view.fall};
    if constexpr (beam == Beam::fan) ray = fan_steps(scan, view.cosine, view.sine, detector);
    if (ray.is_exact) return;
    const Ordinal lines = ray.by_rows ? image.rows : image.columns;
    const Ordinal across = ray.by_rows ? image.columns : image.rows;
    const Offset pitch = static_cast<Offset>(across + 2 * image_margin) * vectors;
    const Scalar* const origin = copy + (ray.by_rows ? image.row(0) : image.column(0)) * vectors;
    Ordinal begin = 0, end = lines;
    clip(ray.start, ray.step, across, begin, end);
    const auto fall = static_cast<Scalar>(ray.fall);
    double sums[count] = {};
    for (Ordinal line = begin; line < end; line += lines_of_chunk) {
      const double at = ray.start + line * ray.step;
      // The track moves by at most 16 to either side.
      const double first = Impl::floor(at) - 32;
      Track<Scalar> track(at - first, ray.step);
      const Scalar* from =
          origin + static_cast<Offset>(first) * vectors + static_cast<Offset>(line) * pitch;
      const int n = end - line < lines_of_chunk ? end - line : lines_of_chunk;
      Scalar chunk[count] = {};
      for (int j = 0; j < n; ++j) {
        const Scalar* const p = from + static_cast<Offset>(track.index()) * vectors;
        const Scalar weight =
            clamped(multiply_add(-fall, track.fraction() - Scalar(1.5), Scalar(0.5)));
        for (int v = 0; v < count; ++v)
          chunk[v] = multiply_add(weight, p[v], multiply_add(1 - weight, p[vectors + v], chunk[v]));
        track.advance();
        from += pitch;
      }
      for (int v = 0; v < count; ++v) sums[v] += static_cast<double>(chunk[v]);
    }
    for (int v = 0; v < count; ++v) sums[v] *= ray.scale;
    write_sums<count>(alpha, sums, beta, y + static_cast<Offset>(i) * vectors);
  }

  /// Keeps the lines in which the ray is between -1 and \p across.
  KOKKOS_FUNCTION static void clip(double start, double step, Ordinal across, Ordinal& begin,
                                   Ordinal& end) {
    if (step == 0) {
      if (!(start > -1 && start < across)) end = begin;
      return;
    }
    const double enters = (-1 - start) / step, leaves = (across - start) / step;
    const double low = enters < leaves ? enters : leaves, high = enters < leaves ? leaves : enters;
    // The margins hold one line more on each side.
    if (!(low < end) || !(high > begin - 1)) {
      end = begin;
      return;
    }
    if (low > begin) begin = static_cast<Ordinal>(low);
    if (high < end - 1) end = static_cast<Ordinal>(high) + 1;
  }
};

/// Sums the pixels of the rays of a fan beam that `SteppedRay` leaves out.
template <class Scalar, int count>
struct ExactFanRay {
  SteppedScan scan;
  const ViewSteps* steps;
  ComputedRowProduct<LineProjector<Beam::fan>, Scalar, count> product;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal ray = product.rays.ray_of(product.first_row + i);
    const ViewSteps& view = steps[ray / scan.detectors];
    if (fan_steps(scan, view.cosine, view.sine, ray % scan.detectors).is_exact) product(i);
  }
};

}  // namespace Tomokkos::Impl
