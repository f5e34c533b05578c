// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Back kernels of stepped products with a parallel beam on a GPU. A team sums the pixels of a tile
// and keeps the rays that cross it in scratch memory, some views at a time.
#pragma once

#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_SteppedWindows_impl.hpp>
#include <impl/Tomokkos_StripWeights_impl.hpp>

namespace Tomokkos::Impl {

/// Weights of a view and its positions in a tile, for the threads of a team. The weights of the ray
/// to the left of a pixel and of the one to the right are `left - fall f` and `right + fall f`,
/// clamped to [0, 1], where f is 1 more than the distance from the former.
struct alignas(16) TileView {
  double origin, per_column, per_row;  ///< in units of a `WindowPosition`
  float fall, left, right;
  /// For squares of pixels: 1 less than the distances of their pixels from the one that is first on
  /// the detector, and a parameter; see `WindowSquares::add_rays`.
  float across, down, flip;
  Ordinal first;  ///< ray of the window

  static constexpr double edge = 0;  ///< positions are those of rays

  KOKKOS_FORCEINLINE_FUNCTION void set_weights(const ViewSteps& view, bool is_near) {
    fall = is_near ? static_cast<float>(view.fall_elements) : 0.0F;
    left = is_near ? static_cast<float>(0.5 + view.fall_elements * (1 + view.half)) : 0.0F;
    right = is_near ? static_cast<float>(0.5 - view.fall_elements * (2 - view.half)) : 0.0F;
    across = static_cast<float>(Impl::fabs(view.per_column) - 1);
    down = static_cast<float>(Impl::fabs(view.per_row) - 1);
  }
};

/// The same for `strip`: positions are those behind the edge of an element, and the weights of the
/// elements to the left of that edge and to the right of the next are tails of a trapezoid.
struct alignas(16) StripTileView {
  double origin, per_column, per_row;
  float steep, left_steep;
  float right_steep, flat, left_flat, right_flat;
  float bend;
  Ordinal first;
  float flip;

  /// Position of the edge of an element in the element.
  static constexpr double edge = 0.5;

  KOKKOS_FORCEINLINE_FUNCTION void set_weights(const ViewSteps& view, bool is_near) {
    // Far from all rays the tails are those of no pixel, and the windows zeros.
    const auto pixel = pixel_on_detector<double>(StripSides(view));
    steep = is_near ? static_cast<float>(pixel.steep) : 0.0F;
    left_steep = static_cast<float>(pixel.steep_at + pixel.steep);
    right_steep = static_cast<float>(pixel.steep_at - 2 * pixel.steep);
    flat = static_cast<float>(pixel.flat);
    left_flat = static_cast<float>(pixel.flat_at + pixel.flat);
    right_flat = static_cast<float>(pixel.flat_at - 2 * pixel.flat);
    bend = static_cast<float>(pixel.bend);
  }
};

/// Tiles, views and windows of the kernels for `count` vectors at a time.
template <int count, int tile_height, class ViewOfTile = TileView>
struct WindowTile {
  using TileView = ViewOfTile;
  static constexpr int plane = count < 4 ? count : 4;
  static constexpr int planes = count / plane;
  static constexpr int width = 32, height = tile_height;
  static constexpr int views = count == 8 ? 8 : 16;                                 ///< of a step
  static constexpr int rays = height > 32 ? 88 : (ViewOfTile::edge > 0 ? 64 : 56);  ///< of a window
  /// Views after which a sum is added in double.
  static constexpr int views_of_sum = 32;
  static constexpr unsigned ray_bytes = plane * sizeof(float);
  static constexpr unsigned view_bytes = rays * ray_bytes;
  static constexpr unsigned plane_bytes = views * view_bytes;
  static constexpr unsigned stage_bytes = planes * plane_bytes;
  static constexpr int rays_of_copy = 4 / plane;
  static constexpr int copies_of_view = rays / rays_of_copy;
  /// True if the steps of views are copied ahead. Measured on an H200: for eight vectors that takes
  /// 3 % off, for one it costs 5 %, because threads with strips have no registers to spare.
  static constexpr bool copies_steps = count == 8;
  /// Windows, parameters of the views of three steps, and steps of the views of one.
  static constexpr std::size_t bytes = 2 * stage_bytes + 3 * views * sizeof(TileView) +
                                       (copies_steps ? views * sizeof(ViewSteps) : 0);

  /// Rays that a window needs for a view.
  static double span(const ViewSteps& view) {
    return (width - 1) * std::fabs(view.per_column) + (height - 1) * std::fabs(view.per_row) +
           (ViewOfTile::edge > 0 ? 5 : 4) + line_unit;
  }
};

/// Windows of one tile. `threads` is the size of the team.
template <class Tile, int threads>
struct WindowViews : Tile {
  static constexpr int views_at_once =
      Tile::copies_of_view > threads ? 1 : threads / Tile::copies_of_view;

  const ViewSteps* steps;
  const ViewRows* runs;
  RunRange of_range;
  Ordinal detectors, margin, pitch;
  const float* copy;  // of the group
  Offset plane_size;

  /// Returns the run of thread \p rank in a step, or -1.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal run_of(int rank, int step) const {
    const Ordinal run = of_range.begin + step * Tile::views + rank;
    return rank < Tile::views && run < of_range.end ? run : -1;
  }

  /// Computes the parameters of view \p rank of a step in a tile.
  KOKKOS_FORCEINLINE_FUNCTION void set_view(int rank, Ordinal column, Ordinal row, int step,
                                            const ViewSteps& view,
                                            typename Tile::TileView* of_steps) const {
    using TileView = typename Tile::TileView;
    const double at = view.origin + column * view.per_column + row * view.per_row;
    const double across = (Tile::width - 1) * view.per_column;
    const double down = (Tile::height - 1) * view.per_row;
    const double low = at + (across < 0 ? across : 0) + (down < 0 ? down : 0);
    // Tiles that no ray of a view comes near have their windows in the margins.
    const double least = -margin, most = detectors + margin - Tile::rays;
    const double begin = Impl::floor(low) - 1;
    TileView& to = of_steps[step % 3 * Tile::views + rank];
    to.first = whole_units_below(
        static_cast<Ordinal>(begin < least ? least : (begin > most ? most : begin)), line_unit);
    const bool is_near = begin >= to.first && begin < to.first + line_unit;
    // Squares begin at the pixel that is first on the detector.
    const bool squares = Tile::planes * Tile::plane >= 4 && TileView::edge == 0,
               right_first = squares && view.per_column < 0,
               lower_first = squares && view.per_row < 0;
    const double corner = at + (right_first ? view.per_column : 0) +
                          (lower_first ? view.per_row : 0) - (to.first + TileView::edge);
    to.origin = is_near ? corner * window_steps : 0;
    to.per_column = is_near ? view.per_column * window_steps : 0;
    to.per_row = is_near ? view.per_row * window_steps : 0;
    to.set_weights(view, is_near);
    to.flip = (right_first ? 1.0F : 0.0F) + (lower_first ? 2.0F : 0.0F);
  }

  /// Starts the copies of the windows of a step.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void copy_windows(const Member& team, int step,
                                                const typename Tile::TileView* of_steps,
                                                ScratchPlace windows) const {
    const int first_view = team.team_rank() / Tile::copies_of_view;
    const int i = team.team_rank() % Tile::copies_of_view;
    if (first_view < views_at_once) {
      const ScratchPlace stage = windows + static_cast<unsigned>(step & 1) * Tile::stage_bytes +
                                 static_cast<unsigned>(i) * 16U;
      for (int view = first_view; view < Tile::views; view += views_at_once) {
        const Ordinal run = of_range.begin + step * Tile::views + view;
        if (run >= of_range.end) break;
        const Ordinal ray = of_steps[step % 3 * Tile::views + view].first + i * Tile::rays_of_copy;
        const float* const from =
            copy + (static_cast<Offset>(run - of_range.begin) * pitch + margin + ray) * Tile::plane;
        TOMOKKOS_UNROLL
        for (int p = 0; p < Tile::planes; ++p)
          (stage + static_cast<unsigned>(p) * Tile::plane_bytes +
           static_cast<unsigned>(view) * Tile::view_bytes)
              .copy16(from + p * plane_size, true);
      }
    }
    end_copies();
  }

  /// Calls visit(place of the window, parameters) for all views, and finish() after every
  /// `views_of_sum` of them and after the last.
  template <class Member, class Visit, class Finish>
  KOKKOS_FORCEINLINE_FUNCTION void visit_views(const Member& team, Ordinal column, Ordinal row,
                                               const Visit& visit, const Finish& finish) const {
    char* const scratch = static_cast<char*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(Tile::bytes), 16));
    using TileView = typename Tile::TileView;
    auto* const of_steps = reinterpret_cast<TileView*>(scratch + 2 * Tile::stage_bytes);
    auto* const ahead = reinterpret_cast<ViewSteps*>(of_steps + 3 * Tile::views);
    const ScratchPlace windows(scratch), parameters(of_steps);
    const Ordinal num_views = of_range.end - of_range.begin;
    const int num_steps = (num_views + Tile::views - 1) / Tile::views;
    const int rank = team.team_rank();
    for (int step = 0; step < 2; ++step)
      if (const Ordinal run = run_of(rank, step); run >= 0)
        set_view(rank, column, row, step, steps[runs[run].view], of_steps);
    // A thread copies the steps of its view three steps ahead to its place in scratch memory; the
    // index of the view is loaded another step ahead. So it never waits for memory.
    const auto index_of = [&](int step) {
      const Ordinal run = Tile::copies_steps ? run_of(rank, step) : -1;
      return run < 0 ? -1 : runs[run].view;
    };
    const auto start_copy = [&](Ordinal index) {
      static_assert(sizeof(ViewSteps) % 16 == 0);
      const ScratchPlace own(ahead + rank);
      const auto* const from = reinterpret_cast<const float*>(steps + index);
      for (unsigned unit = 0; unit < sizeof(ViewSteps) / 16; ++unit)
        (own + unit * 16U).copy16(from + unit * 4, true);
    };
    if (const Ordinal index = index_of(2); index >= 0) start_copy(index);
    Ordinal next = index_of(3);
    team.team_barrier();
    copy_windows(team, 0, of_steps, windows);
    for (int step = 0; step < num_steps; ++step) {
      wait_for_copies<0>();
      team.team_barrier();
      if (step + 1 < num_steps) copy_windows(team, step + 1, of_steps, windows);
      if (const Ordinal run = run_of(rank, step + 2); run >= 0)
        set_view(rank, column, row, step + 2,
                 Tile::copies_steps ? ahead[rank] : steps[runs[run].view], of_steps);
      if (next >= 0) start_copy(next);
      end_copies();
      next = index_of(step + 4);
      const Ordinal left = num_views - step * Tile::views;
      const int here = left < Tile::views ? left : Tile::views;
      ScratchPlace window = windows + static_cast<unsigned>(step & 1) * Tile::stage_bytes;
      ScratchPlace of_view = parameters + static_cast<unsigned>(step % 3 * Tile::views) *
                                              static_cast<unsigned>(sizeof(TileView));
      for (int view = 0; view < here; ++view) {
        visit(window, of_view);
        window = window + Tile::view_bytes;
        of_view = of_view + static_cast<unsigned>(sizeof(TileView));
      }
      if ((step + 1) * Tile::views % Tile::views_of_sum == 0) finish();
    }
    finish();
  }
};

/// Parameters of a view in registers.
struct LoadedView {
  using Place = TileView;

  double origin, per_column, per_row;
  float fall, left, right;

  KOKKOS_FORCEINLINE_FUNCTION explicit LoadedView(ScratchPlace place) {
    place.load<0>(origin, per_column);
    place.load<16>(per_row);
    float weights[2], rest[1];
    place.load<24>(weights);
    place.load<32>(rest);
    fall = weights[0];
    left = weights[1];
    right = rest[0];
  }

  /// Weights of the rays near a pixel whose position is \p f - 1 behind the first of them.
  KOKKOS_FORCEINLINE_FUNCTION void weights_at(float f, float (&weights)[2]) const {
    weights[0] = clamped(multiply_add(-fall, f, left));
    weights[1] = clamped(multiply_add(fall, f, right));
  }
};

/// Parameters of a view for squares of pixels.
struct LoadedSquareView {
  double origin, per_column, per_row;
  float fall, left, right, across, down, flip;

  KOKKOS_FORCEINLINE_FUNCTION explicit LoadedSquareView(ScratchPlace place) {
    place.load<0>(origin, per_column);
    place.load<16>(per_row);
    float weights[2], rest[4];
    place.load<24>(weights);
    place.load<32>(rest);
    fall = weights[0];
    left = weights[1];
    right = rest[0];
    across = rest[1];
    down = rest[2];
    flip = rest[3];
  }
};

/// Parameters of a view for `strip`.
struct LoadedStripView {
  using Place = StripTileView;

  double origin, per_column, per_row;
  float steep[2], rest[4], bend;

  KOKKOS_FORCEINLINE_FUNCTION explicit LoadedStripView(ScratchPlace place) {
    place.load<0>(origin, per_column);
    place.load<16>(per_row);
    place.load<24>(steep);
    place.load<32>(rest);
    float last[1];
    place.load<48>(last);
    bend = last[0];
  }

  /// Weights as `strips_of_pixel` computes them.
  KOKKOS_FORCEINLINE_FUNCTION void weights_at(float f, float (&weights)[3]) const {
    using Tail = TrapezoidTail<float>;
    weights[0] =
        Tail::tail(multiply_add(-steep[0], f, steep[1]), multiply_add(-rest[1], f, rest[2]), bend);
    weights[2] =
        Tail::tail(multiply_add(steep[0], f, rest[0]), multiply_add(rest[1], f, rest[3]), bend);
    weights[1] = clamped(1 - weights[0] - weights[2]);
  }
};

/// Where the pixels of a tile are summed.
struct WindowSums {
  const Ordinal* columns;  // of pixels; null: natural order
  Ordinal rows, width;     // of the image
  Ordinal vectors;
  float alpha, beta;
  float* y;

  template <int count>
  KOKKOS_FORCEINLINE_FUNCTION void write(Ordinal row, Ordinal column,
                                         const double (&sums)[count]) const {
    if (row >= rows || column >= width) return;
    const Ordinal pixel = row * width + column;
    const Ordinal to = columns == nullptr ? pixel : columns[pixel];
    if (to >= 0) write_sums<count>(alpha, sums, beta, y + static_cast<Offset>(to) * vectors);
  }
};

/// Sums pixels of which each thread has a strip, below each other: for one or two vectors, where a
/// weight costs as much as what it multiplies, and for the projector `strip`.
template <class ExecutionSpace, int count, int strip, class View = LoadedView>
struct WindowStrips {
  static constexpr int threads = 128;
  static constexpr bool is_strip = !std::is_same_v<View, LoadedView>;
  using Tile = WindowTile<count, threads / 32 * strip, typename View::Place>;
  static_assert(Tile::width == 32);
  static constexpr int teams = count > 2 || strip == 16 ? (count > 2 ? 3 : 5) : (is_strip ? 6 : 8);
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, teams>>;
  using Member = typename Policy::member_type;

  WindowViews<Tile, threads> views;
  WindowSums to;

  /// Adds the rays \p i and further ones of a pixel.
  template <int i, int rays>
  KOKKOS_FORCEINLINE_FUNCTION static void add_rays(ScratchPlace first, const float (&weights)[rays],
                                                   float (&sums)[count]) {
    add_scratch<count, Tile::plane, Tile::plane_bytes, i * Tile::ray_bytes>(first, weights[i],
                                                                            sums);
    if constexpr (i + 1 < rays) add_rays<i + 1>(first, weights, sums);
  }

  template <int j = 0>
  KOKKOS_FORCEINLINE_FUNCTION static void add_strip(const FractionMasks& masks, ScratchPlace window,
                                                    WindowPosition at, WindowPosition by,
                                                    const View& view, float (&sums)[strip][count]) {
    float weights[is_strip ? 3 : 2];
    view.weights_at(masks.fraction(at), weights);
    add_rays<0>(window + window_index(at) * Tile::ray_bytes, weights, sums[j]);
    if constexpr (j + 1 < strip) add_strip<j + 1>(masks, window, at + by, by, view, sums);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal tiles = (to.width - 1) / Tile::width + 1;
    const Ordinal first_column = team.league_rank() % tiles * Tile::width;
    const Ordinal first_row = team.league_rank() / tiles * Tile::height;
    const int column = team.team_rank() % Tile::width;
    const int row = team.team_rank() / Tile::width * strip;
    const FractionMasks masks;
    float sums[strip][count] = {};
    WindowTotal<count> totals[strip][count] = {};
    views.visit_views(
        team, first_column, first_row,
        [&](ScratchPlace window, ScratchPlace of_view) {
          const View view(of_view);
          // The middle of the strip is computed, the ends are reached by steps.
          const double middle =
              multiply_add(static_cast<double>(row + strip / 2), view.per_row,
                           multiply_add(static_cast<double>(column), view.per_column, view.origin));
          const WindowPosition by = window_position(view.per_row);
          add_strip(masks, window, window_position(middle) - (strip / 2) * by, by, view, sums);
        },
        [&]() { add_to_totals(sums, totals); });
    TOMOKKOS_UNROLL
    for (int j = 0; j < strip; ++j)
      to.write<count>(first_row + row + j, first_column + column, ScaledTotals(totals[j]).of);
  }
};

/// Sums pixels of which each thread has squares of two by two, whose rays are four neighbours: for
/// elements that are at least as wide as a pixel. `distant_corners`: the first ray is too far from
/// the last pixel to have a weight.
template <class ExecutionSpace, int count, bool distant_corners>
struct WindowSquares {
  using Tile = WindowTile<count, 32>;
  static constexpr int squares = count == 8 ? 1 : 2;
  static constexpr int threads = Tile::width * Tile::height / 4 / squares;
  static constexpr int teams = count == 8 ? 3 : 4;  // of a multiprocessor
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, teams>>;
  using Member = typename Policy::member_type;

  WindowViews<Tile, threads> views;
  WindowSums to;

  /// Weights of the rays near the four pixels, the nearest to the beginning of the detector first.
  struct Weights {
    float first[2], second[3], third[3], last[4];
  };

  /// Returns the weights of the rays near the pixels of a square, the first of which is f - 1
  /// behind the first ray. The sign of a distance is known, except for the rays in the middle.
  KOKKOS_FORCEINLINE_FUNCTION static Weights weights_at(float f, const LoadedSquareView& view) {
    const float fall = view.fall, across = view.across, down = view.down;
    // Weights are largest - fall |distance|: left = largest + fall, right = largest - 2 fall.
    const float largest = view.left - fall, third_ray = view.right, fourth_ray = view.right - fall;
    const float second = f + across, third = f + down, last = second + (down + 1);
    Weights of;
    of.first[0] = clamped(multiply_add(-fall, f, view.left));
    of.first[1] = clamped(multiply_add(fall, f, view.right));
    of.second[0] = clamped(multiply_add(-fall, second, largest));
    of.second[1] = clamped(multiply_add(-fall, Impl::fabs(second - 1), largest));
    of.second[2] = clamped(multiply_add(fall, second, third_ray));
    of.third[0] = clamped(multiply_add(-fall, third, largest));
    of.third[1] = clamped(multiply_add(-fall, Impl::fabs(third - 1), largest));
    of.third[2] = clamped(multiply_add(fall, third, third_ray));
    if constexpr (!distant_corners) of.last[0] = clamped(multiply_add(-fall, last, largest));
    of.last[1] = clamped(multiply_add(-fall, Impl::fabs(last - 1), largest));
    of.last[2] = clamped(multiply_add(-fall, Impl::fabs(last - 2), largest));
    of.last[3] = clamped(multiply_add(fall, last, fourth_ray));
    return of;
  }

  /// Adds four rays to the pixels; `flip` has bit 0 if the right pixels come first on the detector,
  /// bit 1 if the lower ones do.
  template <int flip, int p = 0>
  KOKKOS_FORCEINLINE_FUNCTION static void add_rays(ScratchPlace place, const Weights& of,
                                                   int square, float (&sums)[4 * squares][count]) {
    constexpr int plane = Tile::plane;
    float rays[4][plane];
    place.load<p * Tile::plane_bytes>(rays[0]);
    place.load<p * Tile::plane_bytes + Tile::ray_bytes>(rays[1]);
    place.load<p * Tile::plane_bytes + 2 * Tile::ray_bytes>(rays[2]);
    place.load<p * Tile::plane_bytes + 3 * Tile::ray_bytes>(rays[3]);
    TOMOKKOS_UNROLL
    for (int v = 0; v < plane; ++v) {
      float& first = sums[4 * square + flip][p * plane + v];
      float& second = sums[4 * square + (flip ^ 1)][p * plane + v];
      float& third = sums[4 * square + (flip ^ 2)][p * plane + v];
      float& last = sums[4 * square + (flip ^ 3)][p * plane + v];
      first = multiply_add(of.first[0], rays[0][v], first);
      first = multiply_add(of.first[1], rays[1][v], first);
      second = multiply_add(of.second[0], rays[0][v], second);
      second = multiply_add(of.second[1], rays[1][v], second);
      second = multiply_add(of.second[2], rays[2][v], second);
      third = multiply_add(of.third[0], rays[0][v], third);
      third = multiply_add(of.third[1], rays[1][v], third);
      third = multiply_add(of.third[2], rays[2][v], third);
      if constexpr (!distant_corners) last = multiply_add(of.last[0], rays[0][v], last);
      last = multiply_add(of.last[1], rays[1][v], last);
      last = multiply_add(of.last[2], rays[2][v], last);
      last = multiply_add(of.last[3], rays[3][v], last);
    }
    if constexpr ((p + 1) * plane < count) add_rays<flip, p + 1>(place, of, square, sums);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal tiles = (to.width - 1) / Tile::width + 1;
    const Ordinal first_column = team.league_rank() % tiles * Tile::width;
    const Ordinal first_row = team.league_rank() / tiles * Tile::height;
    // Lanes lie in blocks of four by two squares, so that eight of them see less than eight rays
    // apart and meet no bank twice.
    const int lane = team.team_rank() % warp_lanes, warp = team.team_rank() / warp_lanes;
    const int column = (warp % 2 * 8 + lane % 4 + lane / 8 % 2 * 4) * 2;
    const int row = (warp / 2 * 4 * squares + lane / 4 % 2 + lane / 16 * 2) * 2;
    const FractionMasks masks;
    float sums[4 * squares][count] = {};
    WindowTotal<count> totals[4 * squares][count] = {};
    views.visit_views(
        team, first_column, first_row,
        [&](ScratchPlace window, ScratchPlace of_view) {
          const LoadedSquareView view(of_view);
          TOMOKKOS_UNROLL
          for (int s = 0; s < squares; ++s) {
            const WindowPosition at = window_position(multiply_add(
                static_cast<double>(row + 8 * s), view.per_row,
                multiply_add(static_cast<double>(column), view.per_column, view.origin)));
            const ScratchPlace place = window + window_index(at) * Tile::ray_bytes;
            const Weights of = weights_at(masks.fraction(at), view);
            if (view.flip == 0)
              add_rays<0>(place, of, s, sums);
            else if (view.flip == 1)
              add_rays<1>(place, of, s, sums);
            else if (view.flip == 2)
              add_rays<2>(place, of, s, sums);
            else
              add_rays<3>(place, of, s, sums);
          }
        },
        [&]() { add_to_totals(sums, totals); });
    TOMOKKOS_UNROLL
    for (int i = 0; i < 4 * squares; ++i)
      to.write<count>(first_row + row + i / 4 * 8 + i / 2 % 2, first_column + column + i % 2,
                      ScaledTotals(totals[i]).of);
  }
};

}  // namespace Tomokkos::Impl
