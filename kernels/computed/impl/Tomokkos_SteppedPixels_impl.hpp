// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back kernels of stepped products: a thread sums the rays of some pixels below each other.
#pragma once

#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_FanTable_impl.hpp>
#include <impl/Tomokkos_SteppedCopies_impl.hpp>
#include <impl/Tomokkos_StripWeights_impl.hpp>

namespace Tomokkos::Impl {

/// Views whose sum is formed in the precision of the vectors.
constexpr int views_of_chunk = 16;

/// Pixels of a strip below each other that a thread sums: on a host as many as its registers hold,
/// on a GPU fewer with more vectors. Positions are computed for the first pixel of the longest
/// strip, and reached by steps from there: whatever the number of vectors.
template <class ExecutionSpace>
constexpr int longest_strip = is_host_space<ExecutionSpace> ? 16 : 4;
template <class ExecutionSpace>
constexpr int strip_of(int count) {
  return is_host_space<ExecutionSpace> ? longest_strip<ExecutionSpace>
                                       : (count >= 4 ? 1 : 4 / count);
}

/// Sums the rays of some pixels below each other. `Views` adds those of one view.
template <class ExecutionSpace, class Views, class Scalar, int count, int plane>
struct SteppedPixels {
  static constexpr int strip = strip_of<ExecutionSpace>(count);

  Views views;
  const ViewRows* runs;
  const Ordinal* columns;  // of pixels; null: natural order
  RunRange of_range;
  Ordinal rows, width;    // of the image
  Ordinal margin, pitch;  // of the rays of a view
  Ordinal vectors;
  Scalar alpha, beta;
  const Scalar* copy;  // of the group
  Offset plane_size;
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal column = i % width, first = i / width * strip;
    double sums[strip][count] = {};
    const Scalar* of_view = copy + static_cast<Offset>(margin) * plane;
    for (Ordinal chunk = of_range.begin; chunk < of_range.end; chunk += views_of_chunk) {
      const Ordinal end =
          chunk + views_of_chunk < of_range.end ? chunk + views_of_chunk : of_range.end;
      Scalar part[strip][count] = {};
      for (Ordinal run = chunk; run < end; ++run) {
        views.template add<plane, ExecutionSpace>(runs[run].view, column, first, of_view,
                                                  plane_size, part);
        of_view += static_cast<Offset>(pitch) * plane;
      }
      for (int j = 0; j < strip; ++j)
        for (int v = 0; v < count; ++v) sums[j][v] += static_cast<double>(part[j][v]);
    }
    for (int j = 0; j < strip && first + j < rows; ++j) {
      const Ordinal pixel = (first + j) * width + column;
      const Ordinal to = columns == nullptr ? pixel : columns[pixel];
      if (to >= 0) write_sums<count>(alpha, sums[j], beta, y + static_cast<Offset>(to) * vectors);
    }
  }
};

/// Positions of the pixels of a strip on the detector.
template <class ExecutionSpace, class Scalar>
struct StripTrack {
  static constexpr int longest = longest_strip<ExecutionSpace>;

  double lowest;
  Track<Scalar> track;  ///< from `lowest` on
  int before;           ///< pixels of the longest strip above this one

  /// \param origin position of the first pixel of the image
  KOKKOS_FORCEINLINE_FUNCTION StripTrack(const ViewSteps& view, double origin, Ordinal column,
                                         Ordinal first)
      : lowest(0), track(0, 0), before(first % longest) {
    const double at = origin + column * view.per_column + (first - before) * view.per_row;
    const double span = (longest - 1) * view.per_row;
    lowest = Impl::floor(span < 0 ? at + span : at) - 1;
    track = Track<Scalar>(at - lowest, view.per_row);
  }

  KOKKOS_FORCEINLINE_FUNCTION Track<Scalar> pixel(int j) const { return track.moved(before + j); }

  /// Element at `lowest`. Positions far outside are moved to the margins, which are zero.
  KOKKOS_FORCEINLINE_FUNCTION double base(Ordinal margin, Ordinal detectors, int taps) const {
    if (lowest < taps - margin) return taps - margin;
    return lowest > detectors + taps ? detectors + taps : lowest;
  }
};

/// Adds `near` neighbouring rays to each pixel of a strip, the first of them at the position of the
/// pixel. On a host, the pixels of a single vector share the registers. Of several vectors only the
/// weights do, which are computed first.
///
/// \param from the ray at the position 0
/// \param weights_at sets the weights of the rays from the fraction of the position
template <int near, int plane, int strip, int count, class ExecutionSpace, class Scalar,
          class WeightsAt>
KOKKOS_FORCEINLINE_FUNCTION void add_rays_of_strip(
    const StripTrack<ExecutionSpace, Scalar>& positions, const Scalar* from, Offset plane_size,
    const WeightsAt& weights_at, Scalar (&part)[strip][count]) {
  constexpr bool on_host = is_host_space<ExecutionSpace>;
  const auto add_pixel = [&](int j) {
    const Track<Scalar> track = positions.pixel(j);
    const Scalar* const p = from + static_cast<Offset>(track.index()) * plane;
    Scalar weights[near];
    weights_at(track.fraction(), weights);
    for (int ray = 0; ray < near; ++ray)
      add_weighted<plane>(weights[ray], p + ray * plane, plane_size, part[j]);
  };
  if constexpr (on_host && count == 1) {
    TOMOKKOS_SIMD
    for (int j = 0; j < strip; ++j) add_pixel(j);
  } else if constexpr (on_host) {
    Ordinal index[strip];
    Scalar weights[near][strip];
    TOMOKKOS_SIMD
    for (int j = 0; j < strip; ++j) {
      const Track<Scalar> track = positions.pixel(j);
      index[j] = track.index();
      Scalar of_pixel[near];
      weights_at(track.fraction(), of_pixel);
      for (int ray = 0; ray < near; ++ray) weights[ray][j] = of_pixel[ray];
    }
    for (int j = 0; j < strip; ++j)
      for (int ray = 0; ray < near; ++ray)
        add_weighted<plane>(weights[ray][j], from + static_cast<Offset>(index[j] + ray) * plane,
                            plane_size, part[j]);
  } else {
    for (int j = 0; j < strip; ++j) add_pixel(j);
  }
}

/// Views of a parallel beam.
template <class Scalar, bool single_taps>
struct ParallelViews {
  const ViewSteps* steps;
  Ordinal detectors, margin;
  int most_taps;

  /// Adds the rays of a view near the pixels of a strip, whose copy begins at \p of_view.
  template <int plane, class ExecutionSpace, int strip, int count>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal index, Ordinal column, Ordinal first,
                                       const Scalar* of_view, Offset plane_size,
                                       Scalar (&part)[strip][count]) const {
    const ViewSteps& view = steps[index];
    const StripTrack<ExecutionSpace, Scalar> positions(view, view.origin, column, first);
    const Scalar* const from =
        of_view + static_cast<Offset>(positions.base(margin, detectors, most_taps)) * plane;
    const auto fall = static_cast<Scalar>(view.fall_elements);
    const auto left = static_cast<Scalar>(1 + view.half),
               right = static_cast<Scalar>(2 - view.half);
    const auto weights_at = [&](Scalar f, Scalar(&weights)[2]) {
      weights[0] = clamped(multiply_add(-fall, f - left, Scalar(0.5)));
      weights[1] = clamped(multiply_add(fall, f - right, Scalar(0.5)));
    };
    if constexpr (single_taps) {
      add_rays_of_strip<2, plane>(positions, from, plane_size, weights_at, part);
    } else {
      for (int j = 0; j < strip; ++j) {
        const Track<Scalar> track = positions.pixel(j);
        const Scalar* const p = from + static_cast<Offset>(track.index()) * plane;
        const Scalar f = track.fraction();
        for (int tap = 0; tap < view.taps; ++tap) {
          const auto further = static_cast<Scalar>(tap);
          const Offset shift = static_cast<Offset>(tap) * plane;
          add_weighted<plane>(clamped(multiply_add(-fall, f - left + further, Scalar(0.5))),
                              p - shift, plane_size, part[j]);
          add_weighted<plane>(clamped(multiply_add(fall, f - right - further, Scalar(0.5))),
                              p + plane + shift, plane_size, part[j]);
        }
      }
    }
  }
};

/// Views of a parallel beam for `strip`.
template <class Scalar>
struct StripViews {
  const ViewSteps* steps;
  Ordinal detectors, margin;

  /// Adds the elements of a view near the pixels of a strip, whose copy begins at \p of_view.
  template <int plane, class ExecutionSpace, int strip, int count>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal index, Ordinal column, Ordinal first,
                                       const Scalar* of_view, Offset plane_size,
                                       Scalar (&part)[strip][count]) const {
    const ViewSteps& view = steps[index];
    // Positions are those behind the edge of the first element.
    const StripTrack<ExecutionSpace, Scalar> positions(view, view.origin - 0.5, column, first);
    const Scalar* const from =
        of_view + static_cast<Offset>(positions.base(margin, detectors, 1)) * plane;
    const auto pixel = pixel_on_detector<Scalar>(StripSides(view));
    add_rays_of_strip<3, plane>(
        positions, from, plane_size,
        [&](Scalar f, Scalar(&weights)[3]) { strips_of_pixel(pixel, f, weights); }, part);
  }
};

/// Views of a fan beam.
template <class Scalar>
struct FanViews {
  ComputedRays exact;
  SteppedScan scan;
  const ViewSteps* steps;
  Ordinal margin;
  int taps;
  Scalar reach;
  FanTable table;
  const Scalar* slopes;

  /// Adds the rays of a view near the pixels of a strip, whose copy begins at \p of_view.
  template <int plane, class ExecutionSpace, int strip, int count>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal view, Ordinal column, Ordinal first,
                                       const Scalar* of_view, Offset plane_size,
                                       Scalar (&part)[strip][count]) const {
    const double cosine = steps[view].cosine, sine = steps[view].sine;
    const double x = column - scan.middle_x;
    const Scalar* const of_rays = slopes + table.of_view(view);
    for (int j = 0; j < strip; ++j) {
      // Pixels below the image are not stored, and may lie at the source.
      const Ordinal row = first + j < scan.rows ? first + j : scan.rows - 1;
      const double up = scan.middle_y - row;
      // Position along the detector, and the distance from the source along the central ray.
      const double along = x * cosine + up * sine;
      const double depth = scan.source - x * sine + up * cosine;
      const double at = scan.center + scan.distance / scan.width * (along / depth);
      // Positions far outside are moved to the margins, which are zero.
      double base = Impl::floor(at);
      const auto f = static_cast<Scalar>(at - base);
      if (base < taps - margin) base = taps - margin;
      if (base > scan.detectors + taps) base = scan.detectors + taps;
      const auto left = static_cast<Ordinal>(base);
      const auto apart = static_cast<Scalar>(depth);
      // Rays further away have no weight either.
      for (int tap = 0; tap > -taps; --tap) {
        const Scalar away = f - static_cast<Scalar>(tap);
        if (!add_ray<plane>(view, left + tap, away * apart, column, row, of_rays, of_view,
                            plane_size, part[j]))
          break;
      }
      for (int tap = 1; tap <= taps; ++tap) {
        const Scalar away = static_cast<Scalar>(tap) - f;
        if (!add_ray<plane>(view, left + tap, away * apart, column, row, of_rays, of_view,
                            plane_size, part[j]))
          break;
      }
    }
  }

  /// Adds a ray whose distance from the pixel, in elements, times that of the pixel from the source
  /// is \p away. Returns false if it has no weight.
  template <int plane, int count>
  KOKKOS_FORCEINLINE_FUNCTION bool add_ray(Ordinal view, Ordinal detector, Scalar away,
                                           Ordinal column, Ordinal row, const Scalar* of_rays,
                                           const Scalar* of_view, Offset plane_size,
                                           Scalar (&sums)[count]) const {
    const Ordinal known =
        detector < 0 ? 0 : (detector < scan.detectors ? detector : scan.detectors - 1);
    if (away * slopes[table.elements() + known] > reach) return false;
    const Scalar slope = of_rays[2 * known];
    Scalar weight = clamped(multiply_add(-slope, away, of_rays[2 * known + 1]));
    if (slope == 0) weight = exact_weight(view, detector, column, row);
    add_weighted<plane>(weight, of_view + static_cast<Offset>(detector) * plane, plane_size, sums);
    return true;
  }

  KOKKOS_FUNCTION Scalar exact_weight(Ordinal view, Ordinal detector, Ordinal column,
                                      Ordinal row) const {
    if (detector < 0 || detector >= scan.detectors) return 0;
    const Ordinal ray = view * scan.detectors + detector;
    const Ordinal of_ray = exact.rows == nullptr ? ray : exact.rows[ray];
    if (of_ray < 0) return 0;
    const double weight = exact.projector_of<LineProjector<Beam::fan>>(of_ray).weight(
        exact.scan.x(column), exact.scan.y(row));
    return is_stored(weight) ? static_cast<Scalar>(weight) : Scalar(0);
  }
};

}  // namespace Tomokkos::Impl
