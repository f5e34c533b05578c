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
  static constexpr int width = 32, height = 32;
  static constexpr int strip = count == 8 ? 4 : 8;
  static constexpr int threads = width * height / strip;
  static constexpr int views = count == 1 ? 16 : (count < 4 ? 8 : 4), rays = 96;
  static constexpr int views_of_sum = 32;
  /// Most rays on each side of a pixel.
  static constexpr int most_taps = 2;
  /// Pixels of which a mask has a bit for each ray.
  static constexpr int pixels_of_mask = 32 / (2 * most_taps);
  static constexpr unsigned ray_bytes = plane * sizeof(float);
  static constexpr unsigned view_bytes = rays * ray_bytes;
  static constexpr unsigned plane_bytes = views * view_bytes;
  /// Two values of the table for each ray follow.
  static constexpr unsigned table_ray_bytes = 2 * sizeof(float);
  static constexpr unsigned table_bytes = rays * table_ray_bytes;
  static constexpr unsigned stage_bytes = planes * plane_bytes + views * table_bytes;
  static constexpr std::size_t bytes = 2 * stage_bytes + 3 * views * sizeof(FanTileView);
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
  double per_tangent;  ///< distance of the detector from the source, in elements
  /// Distance of pixels from the source from which on one ray on each side may have a weight.
  double single_tap_distance;

  WindowFan(const FanViews<float>& views_of_fan, const ViewRows* rows_of_views, RunRange runs_here,
            Ordinal pitch_of_rays, const float* copy_of_rays, Offset size_of_plane,
            const WindowSums& sums)
      : fan(views_of_fan),
        runs(rows_of_views),
        of_range(runs_here),
        pitch(pitch_of_rays),
        copy(copy_of_rays),
        plane_size(size_of_plane),
        to(sums),
        per_tangent(fan.scan.distance / fan.scan.width),
        single_tap_distance(static_cast<double>(fan.reach) * longest_ray(fan.scan) /
                            fan.scan.width) {}

  /// Largest distance of an element from the source.
  static double longest_ray(const SteppedScan& scan) {
    return std::fmax(scan.length(0), scan.length(scan.detectors - 1));
  }

  /// Rays that a window needs, with \p nearest as the least distance of a pixel from the source.
  static double span(const SteppedScan& scan, double nearest) {
    return std::hypot(width - 1, height - 1) * longest_ray(scan) / (scan.width * nearest) +
           2 * most_taps + 1 + line_unit;
  }
  /// Least distance for which the powers of the change of the distance along half of a strip are
  /// summed.
  static constexpr double least_distance = strip / 2 * 64.0;

  KOKKOS_FORCEINLINE_FUNCTION void set_views(const Member& team, Ordinal column, Ordinal row,
                                             int step, FanTileView* of_steps) const {
    // Four threads look at the corners of the tile; the first of them writes.
    constexpr int whole_warps = (4 * views + warp_lanes - 1) / warp_lanes * warp_lanes;
    if (team.team_rank() >= whole_warps) return;
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
    double low = scan.center + per_tangent * ((along + right * view.cosine - down * view.sine) *
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
        static_cast<Ordinal>(begin < least ? least : (begin > most ? most : begin)), line_unit);
    of.center = scan.center - of.first;
    const bool is_near = begin >= of.first && begin < of.first + line_unit;
    of.taps = !is_near ? 0 : (single_tap_distance <= least_depth ? 1 : most_taps);
    of.has_exact = 0;
    for (const int axis : {0, 1})
      if (is_near && view.exact_end[axis] >= of.first && view.exact_begin[axis] <= of.first + rays)
        of.has_exact = 1;
  }

  /// Calls action(view, unit) for the units of 16 bytes of the views of a step, `units` a view.
  template <int units, class Action>
  KOKKOS_FORCEINLINE_FUNCTION static void share_units(int rank, int views_here,
                                                      const Action& action) {
    constexpr int views_at_once = units > threads ? 1 : threads / units;
    const int first_view = units > threads ? 0 : rank / units;
    if (first_view >= views_at_once) return;
    for (int view = first_view; view < views_here; view += views_at_once)
      for (int unit = rank - first_view * units; unit < units; unit += threads) action(view, unit);
  }

  /// Starts the copies of the windows of a step, and of the rays of their tables.
  KOKKOS_FORCEINLINE_FUNCTION void copy_windows(const Member& team, int step,
                                                const FanTileView* of_steps,
                                                ScratchPlace windows) const {
    constexpr int units_of_values = rays * static_cast<int>(ray_bytes) / 16;
    constexpr int units_of_table = rays * static_cast<int>(table_ray_bytes) / 16;
    const ScratchPlace stage = windows + static_cast<unsigned>(step & 1) * stage_bytes;
    const FanTileView* const of_views = of_steps + step % 3 * views;
    const Ordinal left = of_range.end - of_range.begin - step * views;
    const int here = left < views ? left : views;
    const float* const of_step =
        copy + (static_cast<Offset>(step) * views * pitch + fan.margin) * plane;
    share_units<units_of_values>(team.team_rank(), here, [&](int view, int unit) {
      const float* const from =
          of_step + (static_cast<Offset>(view) * pitch + of_views[view].first) * plane + unit * 4;
      const ScratchPlace place =
          stage + static_cast<unsigned>(view) * view_bytes + static_cast<unsigned>(unit) * 16U;
      TOMOKKOS_UNROLL
      for (int p = 0; p < planes; ++p)
        (place + static_cast<unsigned>(p) * plane_bytes).copy16(from + p * plane_size, true);
    });
    share_units<units_of_table>(team.team_rank(), here, [&](int view, int unit) {
      const Ordinal ray = of_views[view].first + unit * 2;
      const bool exists = ray >= 0 && ray < fan.table.pitch();
      const float* const from = fan.slopes + fan.table.of_view(of_views[view].view) +
                                2 * static_cast<Offset>(exists ? ray : 0);
      (stage + static_cast<unsigned>(planes) * plane_bytes +
       static_cast<unsigned>(view) * table_bytes + static_cast<unsigned>(unit) * 16U)
          .copy16(from, exists);
    });
    end_copies();
  }

  /// Positions of the strip of a thread in a view.
  struct Strip {
    WindowPosition at, by;        ///< of the middle pixel, and without the change of the distance
    float second, third, fourth;  ///< coefficients of the change of the distance, in steps
    float depth, depth_by_row;    ///< from the source
  };

  KOKKOS_FORCEINLINE_FUNCTION Strip strip_of_thread(const FanTileView& of, int column,
                                                    int row) const {
    const double right = column, down = row;
    const double along = multiply_add(right, of.cosine, multiply_add(-down, of.sine, of.along));
    const double depth = multiply_add(-right, of.sine, multiply_add(-down, of.cosine, of.depth));
    const double inverse = quick_inverse(depth), tangent = along * inverse;
    const double by =
        per_tangent * window_steps * (multiply_add(of.cosine, tangent, -of.sine) * inverse);
    // j by / (1 - j change) = by (j + change j^2 + change^2 j^3 + ...)
    const auto change = static_cast<float>(of.cosine * inverse);
    const float second = static_cast<float>(by) * change, third = second * change;
    return {window_position(multiply_add(per_tangent, tangent, of.center) * window_steps),
            window_position(by),
            second,
            third,
            third * change,
            static_cast<float>(depth),
            static_cast<float>(of.cosine)};
  }

  /// Position of the pixel \p j below the middle one.
  KOKKOS_FORCEINLINE_FUNCTION static WindowPosition position(const Strip& strip, int j) {
    return moved_position(strip.at + static_cast<WindowPosition>(j) * strip.by, j, strip.second,
                          strip.third, strip.fourth);
  }

  /// Adds the ray \p tap of a pixel, whose distance is \p away. Bit \p bit of \p zeros is set if
  /// the table has zeros.
  template <int tap, bool finds_zeros, int bit>
  KOKKOS_FORCEINLINE_FUNCTION static void add_ray(ScratchPlace place, ScratchPlace in_table,
                                                  float away, float (&sums)[count],
                                                  unsigned& zeros) {
    float line[2];
    in_table.load<tap * table_ray_bytes>(line);
    add_scratch<count, plane, plane_bytes, tap * ray_bytes>(
        place, clamped(multiply_add(-line[0], away, line[1])), sums);
    if constexpr (finds_zeros) zeros |= line[1] == 0 ? 1U << bit : 0U;
  }

  /// Adds the rays of pixels \p j to \p end of a strip.
  template <int taps, bool finds_zeros, int j, int end>
  KOKKOS_FORCEINLINE_FUNCTION static void add_strip(const FractionMasks& masks, ScratchPlace window,
                                                    ScratchPlace table, const Strip& of,
                                                    float (&sums)[strip][count], unsigned& zeros) {
    constexpr int from_middle = j - strip / 2, bit = 2 * taps * (j % pixels_of_mask);
    const WindowPosition at = position(of, from_middle);
    const float depth = multiply_add(-static_cast<float>(from_middle), of.depth_by_row, of.depth);
    const float left = multiply_add(masks.fraction(at), depth, -depth), right = depth - left;
    // Places of the first ray.
    const unsigned first = window_index(at) - (taps - 1);
    const ScratchPlace place = window + first * ray_bytes;
    const ScratchPlace in_table = table + first * table_ray_bytes;
    if constexpr (taps == 1) {
      add_ray<0, finds_zeros, bit>(place, in_table, left, sums[j], zeros);
      add_ray<1, finds_zeros, bit + 1>(place, in_table, right, sums[j], zeros);
    } else {
      add_ray<0, finds_zeros, bit>(place, in_table, left + depth, sums[j], zeros);
      add_ray<1, finds_zeros, bit + 1>(place, in_table, left, sums[j], zeros);
      add_ray<2, finds_zeros, bit + 2>(place, in_table, right, sums[j], zeros);
      add_ray<3, finds_zeros, bit + 3>(place, in_table, right + depth, sums[j], zeros);
    }
    if constexpr (j + 1 < end)
      add_strip<taps, finds_zeros, j + 1, end>(masks, window, table, of, sums, zeros);
  }

  /// Adds the rays of a strip in a view some of whose rays have exact weights, and zeros in the
  /// table.
  template <int taps, int begin = 0>
  KOKKOS_FORCEINLINE_FUNCTION void add_exact(const FractionMasks& masks, ScratchPlace window,
                                             ScratchPlace table, const Strip& of,
                                             const FanTileView& view, Ordinal column, Ordinal row,
                                             float (&sums)[strip][count]) const {
    constexpr int end = begin + pixels_of_mask < strip ? begin + pixels_of_mask : strip;
    unsigned zeros = 0;
    add_strip<taps, true, begin, end>(masks, window, table, of, sums, zeros);
    for (; zeros != 0; zeros &= zeros - 1) {
      const int bit = lowest_lane(zeros), j = begin + bit / (2 * taps);
      const unsigned ray = window_index(position(of, j - strip / 2)) - (taps - 1) +
                           static_cast<unsigned>(bit % (2 * taps));
      const float weight =
          fan.exact_weight(view.view, view.first + static_cast<Ordinal>(ray), column, row + j);
      const ScratchPlace place = window + ray * ray_bytes;
      TOMOKKOS_UNROLL
      for (int i = begin; i < end; ++i)
        if (i == j) add_scratch<count, plane, plane_bytes>(place, weight, sums[i]);
    }
    if constexpr (end < strip)
      add_exact<taps, end>(masks, window, table, of, view, column, row, sums);
  }

  /// Adds the rays of a strip in a view.
  template <int taps>
  KOKKOS_FORCEINLINE_FUNCTION void add_view(const FractionMasks& masks, ScratchPlace window,
                                            ScratchPlace table, const Strip& of,
                                            const FanTileView& view, Ordinal column, Ordinal row,
                                            float (&sums)[strip][count]) const {
    unsigned zeros = 0;
    if (view.has_exact == 0)
      add_strip<taps, false, 0, strip>(masks, window, table, of, sums, zeros);
    else
      add_exact<taps>(masks, window, table, of, view, column, row, sums);
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
    WindowTotal<count> totals[strip][count] = {};
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
            add_view<1>(masks, window, table, own, of, first_column + column, first_row + row,
                        sums);
          else
            add_view<2>(masks, window, table, own, of, first_column + column, first_row + row,
                        sums);
        }
        window = window + view_bytes;
        table = table + table_bytes;
      }
      if ((step + 1) * views % views_of_sum == 0) add_to_totals(sums, totals);
    }
    add_to_totals(sums, totals);
    TOMOKKOS_UNROLL
    for (int j = 0; j < strip; ++j)
      to.write<count>(first_row + row + j, first_column + column, ScaledTotals(totals[j]).of);
  }
};

}  // namespace Tomokkos::Impl
