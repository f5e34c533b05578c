// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of stepped products with a parallel beam on a host, in float. The lanes of a register are
// neighbouring rays of a view, or pixels below each other. What they read lies in a window of two
// registers, from which a permutation takes the value of each lane. All vectors share the weights.
#pragma once

#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_HostLanes_impl.hpp>
#include <impl/Tomokkos_SteppedPixels_impl.hpp>
#include <impl/Tomokkos_SteppedRay_impl.hpp>

#ifdef TOMOKKOS_HAVE_HOST_LANES

namespace Tomokkos::Impl {

/// Largest distance of neighbouring lanes whose windows hold the values of \p lanes lanes, each of
/// which reads \p values neighbours.
constexpr double widest_lane(int lanes, int values) {
  return lanes == 1 ? 8 : (host_window - 1.0 - values) / (lanes - 1);
}

/// Weights of `line` and `linear` for the rays of a view in registers.
struct HostRayWeights {
  static constexpr int pixels = 2, before = 0;
  static constexpr double reach = 1;

  HostFloats fall;

  explicit HostRayWeights(const ViewSteps& view)
      : fall(all_lanes<HostFloats>(static_cast<float>(view.fall))) {}

  void at(HostFloats f, HostFloats (&weights)[pixels]) const {
    weights[0] = clamped(multiply_add(-fall, f - 1.5F, all_lanes<HostFloats>(0.5F)));
    weights[1] = 1.0F - weights[0];
  }
};

/// Weights of `strip` likewise.
struct HostStripWeights {
  static constexpr int pixels = 4, before = 1;
  static constexpr double reach = 2;

  TrapezoidTail<float> part;
  float area;

  explicit HostStripWeights(const ViewSteps& view) {
    const StripSides sides(view);
    part = strip_in_line<float>(sides);
    area = static_cast<float>(sides.area_in_line());
  }

  void at(HostFloats f, HostFloats (&weights)[pixels]) const {
    pixels_of_strip(part, area, f, weights);
  }
};

/// Sums a block of neighbouring rays of a view.
template <class Weights, int count>
struct HostRays {
  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* rows;  // of natural rays; null: natural order
  RunRange of_range;
  Ordinal detectors, blocks;
  int rays;  // of a block: as many as a window serves
  ImageCopy image;
  const float* copy;  // of the group, a plane for each vector
  Offset plane_size;
  RaySums<float, count> to;

  /// Rays of a block whose elements have the largest distance \p apart; 0: none.
  static int rays_of_block(double apart) {
    for (int rays = host_lanes; rays >= 2; rays /= 2)
      if (apart <= widest_lane(rays, Weights::pixels)) return rays;
    return 0;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const ViewRows run = runs[of_range.begin + i / blocks];
    const ViewSteps& view = steps[run.view];
    if (view.is_exact) return;
    const Ordinal first_ray = i % blocks * rays;
    const Ordinal lines = view.by_rows ? image.rows : image.columns;
    const Ordinal across = view.by_rows ? image.columns : image.rows;
    Ordinal row_of[host_lanes];
    Ordinal begin = lines, end = 0;
    double starts[host_lanes];
    for (int lane = 0; lane < host_lanes; ++lane) {
      // Further lanes follow the last ray of the block.
      const Ordinal detector = first_ray + (lane < rays ? lane : rays - 1);
      starts[lane] = view.start + detector * view.per_element;
      row_of[lane] = -1;
      if (lane >= rays || detector >= detectors) continue;
      const Ordinal ray = run.view * detectors + detector;
      const Ordinal row = rows == nullptr ? ray : rows[ray];
      if (row < run.begin || row >= run.end || row < to.range.begin || row >= to.range.end)
        continue;
      row_of[lane] = row;
      Ordinal enters = 0, leaves = lines;
      clip_ray<Weights>(starts[lane], view.step, across, enters, leaves);
      if (enters >= leaves) continue;
      begin = enters < begin ? enters : begin;
      end = leaves > end ? leaves : end;
    }
    double totals[count][host_lanes] = {};
    const Offset pitch = image.pitch(view.by_rows);
    const Weights of_view(view);
    const int lowest = view.per_element < 0 ? rays - 1 : 0;
    for (Ordinal line = begin; line < end; line += lines_of_chunk) {
      // The lowest ray moves by at most 16 to either side.
      const double first = Impl::floor(starts[lowest] + line * view.step) - 32;
      HostIndices at;
      for (int lane = 0; lane < host_lanes; ++lane)
        at[lane] = Track<float>::bits_of(starts[lane] + line * view.step - first);
      const std::uint32_t by = Track<float>::bits_of(view.step);
      std::uint32_t lowest_at = Track<float>::bits_of(starts[lowest] + line * view.step - first);
      const float* from = copy + image.lines(view.by_rows) + static_cast<Offset>(line) * pitch +
                          static_cast<Offset>(first) - Weights::before;
      const Ordinal n = end - line < lines_of_chunk ? end - line : lines_of_chunk;
      HostFloats sums[count] = {};
      for (Ordinal j = 0; j < n; ++j) {
        const std::uint32_t base = lowest_at >> 25;
        const HostIndices index = (at >> 25) - base;
        HostFloats weights[Weights::pixels];
        of_view.at(host_fraction(at), weights);
        for (int v = 0; v < count; ++v) {
          const float* const window = from + v * plane_size + base;
          const HostFloats low = host_load(window), high = host_load(window + host_lanes);
          for (int pixel = 0; pixel < Weights::pixels; ++pixel)
            sums[v] =
                multiply_add(weights[pixel],
                             picked(low, high, index + static_cast<std::uint32_t>(pixel)), sums[v]);
        }
        at += by;
        lowest_at += by;
        from += pitch;
      }
      for (int v = 0; v < count; ++v)
        for (int lane = 0; lane < host_lanes; ++lane)
          totals[v][lane] += static_cast<double>(sums[v][lane]);
    }
    for (int lane = 0; lane < rays; ++lane) {
      if (row_of[lane] < 0) continue;
      double of_ray[count];
      for (int v = 0; v < count; ++v) of_ray[v] = view.scale * totals[v][lane];
      write_sums<count>(to.alpha, of_ray, to.beta, to.of_row(row_of[lane]));
    }
  }
};

/// Weights of the rays near a pixel.
struct HostPixelWeights {
  static constexpr int rays = 2;
  static double origin(const ViewSteps& view) { return view.origin; }

  HostFloats fall, left, right;

  explicit HostPixelWeights(const ViewSteps& view)
      : fall(all_lanes<HostFloats>(static_cast<float>(view.fall_elements))),
        left(all_lanes<HostFloats>(static_cast<float>(1 + view.half))),
        right(all_lanes<HostFloats>(static_cast<float>(2 - view.half))) {}

  void at(HostFloats f, HostFloats (&weights)[rays]) const {
    weights[0] = clamped(multiply_add(-fall, f - left, all_lanes<HostFloats>(0.5F)));
    weights[1] = clamped(multiply_add(fall, f - right, all_lanes<HostFloats>(0.5F)));
  }
};

/// Weights of `strip` likewise. Positions are behind the edge of the first element.
struct HostPixelStripWeights {
  static constexpr int rays = 3;
  static double origin(const ViewSteps& view) { return view.origin - 0.5; }

  TrapezoidTail<float> pixel;

  explicit HostPixelStripWeights(const ViewSteps& view)
      : pixel(pixel_on_detector<float>(StripSides(view))) {}

  void at(HostFloats f, HostFloats (&weights)[rays]) const { strips_of_pixel(pixel, f, weights); }
};

/// Sums the rays of strips of pixels below each other, some of them side by side.
template <class Weights, int count>
struct HostPixels {
  static constexpr int height = host_lanes, width = 8;

  /// True for pixels whose positions are at most \p apart, in elements.
  static bool serves(double apart) {
    // Positions begin between one and two elements behind the window.
    return apart <= widest_lane(host_lanes, Weights::rays + 1);
  }
  static Ordinal tiles(const VolumeGeometry& volume) {
    return ((volume.rows - 1) / height + 1) * ((volume.columns - 1) / width + 1);
  }

  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* columns;  // of pixels; null: natural order
  RunRange of_range;
  Ordinal image_rows, image_columns;
  Ordinal detectors, margin, pitch;  // of the rays of a view
  Ordinal vectors;
  float alpha, beta;
  const float* copy;  // of the group, a plane for each vector
  Offset plane_size;
  float* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal tiles_across = (image_columns - 1) / width + 1;
    const Ordinal first_column = i % tiles_across * width, first_row = i / tiles_across * height;
    double totals[width][count][host_lanes] = {};
    const float* of_view = copy + margin;
    for (Ordinal chunk = of_range.begin; chunk < of_range.end; chunk += views_of_chunk) {
      const Ordinal end =
          chunk + views_of_chunk < of_range.end ? chunk + views_of_chunk : of_range.end;
      HostFloats sums[width][count] = {};
      for (Ordinal run = chunk; run < end; ++run) {
        add_view(steps[runs[run].view], first_column, first_row, of_view, sums);
        of_view += pitch;
      }
      for (int c = 0; c < width; ++c)
        for (int v = 0; v < count; ++v)
          for (int lane = 0; lane < host_lanes; ++lane)
            totals[c][v][lane] += static_cast<double>(sums[c][v][lane]);
    }
    for (int lane = 0; lane < height && first_row + lane < image_rows; ++lane)
      for (int c = 0; c < width && first_column + c < image_columns; ++c) {
        const Ordinal pixel = (first_row + lane) * image_columns + first_column + c;
        const Ordinal to = columns == nullptr ? pixel : columns[pixel];
        if (to < 0) continue;
        double of_pixel[count];
        for (int v = 0; v < count; ++v) of_pixel[v] = totals[c][v][lane];
        write_sums<count>(alpha, of_pixel, beta, y + static_cast<Offset>(to) * vectors);
      }
  }

  /// Adds the rays of a view, whose element 0 lies at \p of_view.
  void add_view(const ViewSteps& view, Ordinal first_column, Ordinal first_row,
                const float* of_view, HostFloats (&sums)[width][count]) const {
    // Positions of the topmost pixels in fixed point, with 40 bits behind the point.
    constexpr int bits = 40, bits_of_track = 25;
    constexpr double unit = 0x1p40;
    const double corner =
        Weights::origin(view) + first_column * view.per_column + first_row * view.per_row;
    const auto at_corner = static_cast<std::int64_t>(corner * unit);
    const auto by_column = static_cast<std::int64_t>(view.per_column * unit);
    const auto to_last = static_cast<std::int64_t>((height - 1) * view.per_row * unit);
    const std::int64_t to_lowest = to_last < 0 ? to_last : 0;
    const HostIndices down = host_counting() * Track<float>::bits_of(view.per_row);
    const Weights of_view_weights(view);
    for (int c = 0; c < width; ++c) {
      const std::int64_t top = at_corner + c * by_column;
      const std::int64_t lowest = ((top + to_lowest) >> bits) - 1;
      const HostIndices at = down + static_cast<std::uint32_t>((top >> (bits - bits_of_track)) -
                                                               (lowest << bits_of_track));
      // Positions far outside are moved to the margins, which are zero.
      const std::int64_t least = 1 - margin, most = detectors + 1;
      const float* const from = of_view + (lowest < least ? least : lowest > most ? most : lowest);
      const HostIndices index = at >> bits_of_track;
      HostFloats weights[Weights::rays];
      of_view_weights.at(host_fraction(at), weights);
      for (int v = 0; v < count; ++v) {
        const float* const window = from + v * plane_size;
        const HostFloats low = host_load(window), high = host_load(window + host_lanes);
        for (int ray = 0; ray < Weights::rays; ++ray)
          sums[c][v] = multiply_add(
              weights[ray], picked(low, high, index + static_cast<std::uint32_t>(ray)), sums[c][v]);
      }
    }
  }
};

}  // namespace Tomokkos::Impl

#endif
