// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back kernel of stepped products with a fan beam on a GPU, like those with a parallel beam in
// Tomokkos_WindowPixels_impl.hpp.
#pragma once

#include <impl/Tomokkos_SteppedPixels_impl.hpp>
#include <impl/Tomokkos_WindowPixels_impl.hpp>

namespace Tomokkos::Impl {

/// A view as seen from the first pixel of a tile.
struct alignas(16) FanTileView {
  double along, depth;  ///< of the pixel: along the detector, and from the source
  double cosine, sine;
  double center;  ///< of the detector, from the first ray of the window, in elements
  Ordinal first;  ///< ray of the window
  int taps;       ///< rays on each side of a pixel that may have a weight; 0: no ray is near
  Ordinal view;
  int has_exact;  ///< some rays of the window may have exact weights
};

/// Sums pixels of which each thread has a strip, below each other.
template <class ExecutionSpace, int count>
struct WindowFan {
  static constexpr int plane = count < 4 ? count : 4;
  static constexpr int planes = count / plane;
  static constexpr int width = 32, height = 32, strip = count == 8 ? 4 : 8;
  static constexpr int threads = width * height / strip;
  static constexpr int views = count < 4 ? 8 : 4, rays = 96;
  static constexpr int views_of_sum = 32;
  /// Most rays on each side of a pixel.
  static constexpr int most_taps = 2;
  static constexpr unsigned ray_bytes = plane * sizeof(float);
  static constexpr unsigned view_bytes = rays * ray_bytes;
  static constexpr unsigned plane_bytes = views * view_bytes;
  /// Two values of the table for each ray follow.
  static constexpr unsigned table_ray_bytes = 2 * sizeof(float);
  static constexpr unsigned table_bytes = rays * table_ray_bytes;
  static constexpr unsigned stage_bytes = planes * plane_bytes + views * table_bytes;
  static constexpr std::size_t bytes = 2 * stage_bytes + 3 * views * sizeof(FanTileView);
  /// Windows begin at a multiple of this.
  static constexpr int rays_of_copy = plane == 1 ? 4 : 2;

  static constexpr int teams = count == 1 ? 5 : (count == 8 ? 2 : 4);  // of a multiprocessor
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, teams>>;
  using Member = typename Policy::member_type;

  FanViews<float> fan;
  const ViewRows* runs;
  RunRange of_range;
  Ordinal pitch;
  const float* copy;  // of the group
  Offset plane_size;
  WindowSums to;

  /// Rays that a window needs, with \p nearest as the least distance of a pixel from the source.
  static double span(const SteppedScan& scan, double nearest) {
    const double longest = std::fmax(scan.length(0), scan.length(scan.detectors - 1));
    return std::hypot(width - 1, height - 1) * longest / (scan.width * nearest) + 2 * most_taps +
           1 + rays_of_copy;
  }
  /// Least distance for which the powers of the change of the distance along half of a strip are
  /// summed.
  static constexpr double least_distance = strip / 2 * 64.0;

  /// True if rays with exact weights may be less than \p ahead of the ray \p first or beside it.
  KOKKOS_FUNCTION bool has_exact_rays(const ViewSteps& view, Ordinal first) const {
    const SteppedScan& scan = fan.scan;
    if (!scan.is_line) return false;
    bool result = false;
    for (const bool vertical : {true, false}) {
      // Position of the ray along an axis, and how fast the slope changes there.
      const double across = vertical ? view.cosine : view.sine;
      const double along = vertical ? -view.sine : view.cosine;
      if (Impl::fabs(along) < Impl::fabs(across) * 1e-3) continue;
      const double s = scan.distance * across / along;
      const double reach = 2 * least_stepped_slope * (scan.distance + s * s / scan.distance);
      const double low = (s - reach) / scan.width + scan.center - 2;
      const double high = (s + reach) / scan.width + scan.center + 2;
      result = result || (high >= first && low <= first + rays);
    }
    return result;
  }

  KOKKOS_FORCEINLINE_FUNCTION void set_views(const Member& team, Ordinal column, Ordinal row,
                                             int step, FanTileView* of_steps) const {
    // Four threads look at the corners of the tile; the first of them writes.
    if (team.team_rank() >= warp_lanes) return;
    const int view_of_step = team.team_rank() / 4 % views, corner = team.team_rank() % 4;
    const Ordinal run = of_range.begin + step * views + view_of_step;
    const Ordinal last = of_range.end - 1;
    const SteppedScan& scan = fan.scan;
    const Ordinal index = runs[run < last ? run : last].view;
    const ViewSteps& view = fan.steps[index];
    const double x = column - scan.middle_x, up = scan.middle_y - row;
    const double along = x * view.cosine + up * view.sine;
    const double depth = scan.source - x * view.sine + up * view.cosine;
    const double right = corner % 2 * (width - 1), down = corner / 2 * (height - 1);
    double least_depth = depth - right * view.sine - down * view.cosine;
    double low = scan.center + scan.distance / scan.width *
                                   ((along + right * view.cosine - down * view.sine) *
                                    quick_inverse(least_depth));
    for (const int distance : {1, 2}) {
      const int other = team.team_rank() ^ distance;
      const double other_low = value_of_lane(low, other, warp_lanes);
      const double other_depth = value_of_lane(least_depth, other, warp_lanes);
      low = other_low < low ? other_low : low;
      least_depth = other_depth < least_depth ? other_depth : least_depth;
    }
    if (corner != 0 || run > last || team.team_rank() >= 4 * views) return;
    FanTileView& of = of_steps[step % 3 * views + view_of_step];
    of.view = index;
    of.cosine = view.cosine;
    of.sine = view.sine;
    of.along = along;
    of.depth = depth;
    const double least = -fan.margin, most = scan.detectors + fan.margin - rays;
    const double begin = Impl::floor(low) - most_taps;
    of.first = whole_units_below(
        static_cast<Ordinal>(begin < least ? least : (begin > most ? most : begin)), rays_of_copy);
    of.center = scan.center - of.first;
    const bool is_near = begin >= of.first && begin < of.first + rays_of_copy;
    const double first_length = scan.length(0), last_length = scan.length(scan.detectors - 1);
    const double longest = first_length > last_length ? first_length : last_length;
    of.taps = !is_near                                                               ? 0
              : static_cast<double>(fan.reach) * longest <= least_depth * scan.width ? 1
                                                                                     : most_taps;
    of.has_exact = is_near && has_exact_rays(view, of.first) ? 1 : 0;
  }

  /// Starts the copies of the windows of a step, and of the rays of their tables.
  KOKKOS_FORCEINLINE_FUNCTION void copy_windows(const Member& team, int step,
                                                const FanTileView* of_steps,
                                                ScratchPlace windows) const {
    constexpr int of_values = rays * static_cast<int>(ray_bytes) / 16;
    constexpr int of_table = rays * static_cast<int>(table_ray_bytes) / 16;
    constexpr int of_view = planes * of_values + of_table;
    const ScratchPlace stage = windows + static_cast<unsigned>(step & 1) * stage_bytes;
    for (int i = team.team_rank(); i < views * of_view; i += threads) {
      const int view = i / of_view, part = i % of_view;
      const Ordinal run = of_range.begin + step * views + view;
      if (run >= of_range.end) break;
      const FanTileView& of = of_steps[step % 3 * views + view];
      if (part < planes * of_values) {
        const int p = part / of_values, unit = part % of_values;
        const float* const from =
            copy + p * plane_size +
            (static_cast<Offset>(run - of_range.begin) * pitch + fan.margin + of.first) * plane +
            unit * 4;
        (stage + static_cast<unsigned>(p) * plane_bytes + static_cast<unsigned>(view) * view_bytes +
         static_cast<unsigned>(unit) * 16U)
            .copy16(from, true);
      } else {
        const int unit = part - planes * of_values;
        const Ordinal ray = of.first + unit * 2;
        const bool exists = ray >= 0 && ray < fan.table.pitch();
        const float* const from =
            fan.slopes + fan.table.of_view(of.view) + 2 * static_cast<Offset>(exists ? ray : 0);
        (stage + static_cast<unsigned>(planes) * plane_bytes +
         static_cast<unsigned>(view) * table_bytes + static_cast<unsigned>(unit) * 16U)
            .copy16(from, exists);
      }
    }
    end_copies();
  }

  /// Positions of the strip of a thread in a view.
  struct Strip {
    WindowPosition at, by;      ///< of the middle pixel, and without the change of the distance
    float by_steps, change;     ///< the same in steps, and the relative change of the distance
    float depth, depth_by_row;  ///< from the source
  };

  KOKKOS_FORCEINLINE_FUNCTION Strip strip_of_thread(const FanTileView& of, int column,
                                                    int row) const {
    const double right = column, down = row;
    const double along = multiply_add(right, of.cosine, multiply_add(-down, of.sine, of.along));
    const double depth = multiply_add(-right, of.sine, multiply_add(-down, of.cosine, of.depth));
    const double inverse = quick_inverse(depth), tangent = along * inverse;
    const double per_tangent = fan.scan.distance / fan.scan.width;
    const double by =
        per_tangent * window_steps * (multiply_add(of.cosine, tangent, -of.sine) * inverse);
    return {window_position(multiply_add(per_tangent, tangent, of.center) * window_steps),
            window_position(by),
            static_cast<float>(by),
            static_cast<float>(of.cosine * inverse),
            static_cast<float>(depth),
            static_cast<float>(of.cosine)};
  }

  /// Position of the pixel \p j below the middle one.
  KOKKOS_FORCEINLINE_FUNCTION static WindowPosition position(const Strip& strip, int j) {
    // j by / (1 - j change)
    const float steps = static_cast<float>(j);
    const float u = steps * strip.change;
    const float series = multiply_add(multiply_add(u, u, u), u, u);
    return moved_position(strip.at + static_cast<WindowPosition>(j) * strip.by, series,
                          steps * strip.by_steps);
  }

  /// Adds the ray \p tap of a pixel, whose distance is \p away.
  template <int tap>
  KOKKOS_FORCEINLINE_FUNCTION static void add_ray(ScratchPlace place, ScratchPlace in_table,
                                                  float away, float (&sums)[count]) {
    float line[2];
    in_table.load<tap * table_ray_bytes>(line);
    add_scratch<count, plane, plane_bytes, tap * ray_bytes>(
        place, clamped(multiply_add(-line[0], away, line[1])), sums);
  }

  template <int taps, int j = 0>
  KOKKOS_FORCEINLINE_FUNCTION static void add_strip(const FractionMasks& masks, ScratchPlace window,
                                                    ScratchPlace table, const Strip& of,
                                                    float (&sums)[strip][count]) {
    constexpr int from_middle = j - strip / 2;
    const WindowPosition at = position(of, from_middle);
    const float depth = multiply_add(-static_cast<float>(from_middle), of.depth_by_row, of.depth);
    const float left = (masks.fraction(at) - 1) * depth, right = depth - left;
    // Places of the first ray.
    const unsigned first = window_index(at) - (taps - 1);
    const ScratchPlace place = window + first * ray_bytes;
    const ScratchPlace in_table = table + first * table_ray_bytes;
    if constexpr (taps == 1) {
      add_ray<0>(place, in_table, left, sums[j]);
      add_ray<1>(place, in_table, right, sums[j]);
    } else {
      add_ray<0>(place, in_table, left + depth, sums[j]);
      add_ray<1>(place, in_table, left, sums[j]);
      add_ray<2>(place, in_table, right, sums[j]);
      add_ray<3>(place, in_table, right + depth, sums[j]);
    }
    if constexpr (j + 1 < strip) add_strip<taps, j + 1>(masks, window, table, of, sums);
  }

  /// Adds the rays with exact weights, which have zeros in the table.
  KOKKOS_FUNCTION void add_exact(ScratchPlace window, ScratchPlace table, const Strip& of,
                                 const FanTileView& view, Ordinal column, Ordinal row,
                                 float (&sums)[strip][count]) const {
    const double x = column - fan.scan.middle_x;
    for (int j = 0; j < strip; ++j) {
      const auto first =
          static_cast<Ordinal>(window_index(position(of, j - strip / 2))) - (most_taps - 1);
      for (int tap = 0; tap < 2 * most_taps; ++tap) {
        const Ordinal ray = first + tap;
        if (ray < 0 || ray >= rays) continue;
        float line[2];
        (table + static_cast<unsigned>(ray) * table_ray_bytes).template load<0>(line);
        if (line[1] != 0) continue;
        const float weight =
            fan.exact_weight(view.view, view.first + ray, x, fan.scan.middle_y - (row + j));
        const ScratchPlace place = window + static_cast<unsigned>(ray) * ray_bytes;
        TOMOKKOS_UNROLL
        for (int i = 0; i < strip; ++i)
          if (i == j) add_scratch<count, plane, plane_bytes>(place, weight, sums[i]);
      }
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal tiles = (to.width - 1) / width + 1;
    const Ordinal first_column = team.league_rank() % tiles * width;
    const Ordinal first_row = team.league_rank() / tiles * height;
    const int column = team.team_rank() % width;
    const int row = team.team_rank() / width * strip;
    char* const scratch = static_cast<char*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes), 16));
    auto* const of_steps = reinterpret_cast<FanTileView*>(scratch + 2 * stage_bytes);
    const ScratchPlace windows(scratch);
    const Ordinal num_views = of_range.end - of_range.begin;
    const int num_steps = (num_views + views - 1) / views;
    const FractionMasks masks;
    float sums[strip][count] = {};
    double totals[strip][count] = {};
    set_views(team, first_column, first_row, 0, of_steps);
    set_views(team, first_column, first_row, 1, of_steps);
    team.team_barrier();
    copy_windows(team, 0, of_steps, windows);
    for (int step = 0; step < num_steps; ++step) {
      wait_for_copies<0>();
      team.team_barrier();
      if (step + 1 < num_steps) copy_windows(team, step + 1, of_steps, windows);
      set_views(team, first_column, first_row, step + 2, of_steps);
      const Ordinal left = num_views - step * views;
      const int here = left < views ? left : views;
      ScratchPlace window = windows + static_cast<unsigned>(step & 1) * stage_bytes;
      ScratchPlace table = window + static_cast<unsigned>(planes) * plane_bytes;
      for (int view = 0; view < here; ++view) {
        const FanTileView& of = of_steps[step % 3 * views + view];
        if (of.taps > 0) {
          const Strip own = strip_of_thread(of, column, row + strip / 2);
          if (of.taps == 1)
            add_strip<1>(masks, window, table, own, sums);
          else
            add_strip<2>(masks, window, table, own, sums);
          if (of.has_exact != 0)
            add_exact(window, table, own, of, first_column + column, first_row + row, sums);
        }
        window = window + view_bytes;
        table = table + table_bytes;
      }
      if ((step + 1) * views % views_of_sum == 0) add_to_totals(sums, totals);
    }
    add_to_totals(sums, totals);
    TOMOKKOS_UNROLL
    for (int j = 0; j < strip; ++j)
      to.write<count>(first_row + row + j, first_column + column, totals[j]);
  }
};

}  // namespace Tomokkos::Impl
