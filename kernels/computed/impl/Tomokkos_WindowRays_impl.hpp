// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward kernel of stepped products on a GPU. A team sums neighbouring rays of neighbouring views.
// It walks through the image, some lines at a time, and keeps the part of them that its rays cross
// in scratch memory.
#pragma once

#include <climits>
#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_SteppedRay_impl.hpp>
#include <impl/Tomokkos_SteppedWindows_impl.hpp>
#include <impl/Tomokkos_StripWeights_impl.hpp>

namespace Tomokkos::Impl {

/// Shape of the teams for `count` vectors at a time. For any shape a ray has the same positions and
/// sums. Measured on an H200 with 1024 x 1024 pixels and 720 x 1024 rays: three stages for one
/// vector took 4 % longer, two lines and three stages for eight 12 % longer; one team more for four
/// and eight vectors leaves too few registers (7 and 3 %).
template <int count>
struct WindowRaysShape;
template <>
struct WindowRaysShape<1> {
  static constexpr int views_of_thread = 4, lines = 16, stages = 2, width = 208, teams = 5;
};
template <>
struct WindowRaysShape<2> {
  static constexpr int views_of_thread = 2, lines = 8, stages = 3, width = 192, teams = 4;
};
template <>
struct WindowRaysShape<4> {
  static constexpr int views_of_thread = 2, lines = 8, stages = 2, width = 176, teams = 3;
};
template <>
struct WindowRaysShape<8> {
  static constexpr int views_of_thread = 2, lines = 4, stages = 2, width = 176, teams = 2;
};

/// Groups of views, at most `most` intervals of them: first those with rays that step from row to
/// row, then those with rays that step from column to column.
struct GroupsOfSides {
  static constexpr int most = 5;

  Ordinal first[most], size[most];  // of intervals
  Ordinal of_rows = 0, groups = 0;  ///< groups of the first kind, and of both

  /// Returns a group. The first `of_rows` indices are of the first kind.
  KOKKOS_FUNCTION Ordinal group(Ordinal index) const {
    int i = 0;
    for (; i + 1 < most && index >= size[i]; ++i) index -= size[i];
    return first[i] + index;
  }

  /// Groups of \p views runs each, from \p begin to \p end excluded.
  /// \param has_rays has_rays(run, by rows): whether the view has rays that step so
  template <class HasRays>
  GroupsOfSides(Ordinal begin, Ordinal end, int views, const HasRays& has_rays) {
    const Ordinal all = (end - begin - 1) / views + 1;
    int used = 0;
    for (const bool by_rows : {true, false}) {
      bool is_open = false;
      for (Ordinal group = 0; group < all && used <= most; ++group) {
        bool has = false;
        for (Ordinal run = begin + group * views; run < end && run < begin + (group + 1) * views;
             ++run)
          has = has || has_rays(run, by_rows);
        if (has && !is_open && ++used <= most) {
          first[used - 1] = group;
          size[used - 1] = 0;
        }
        if (has && used <= most) {
          ++size[used - 1];
          ++groups;
          if (by_rows) ++of_rows;
        }
        is_open = has;
      }
    }
    if (used > most) {
      // Views in another order: all groups, for both kinds.
      first[0] = first[1] = 0;
      size[0] = size[1] = of_rows = all;
      groups = 2 * all;
      used = 2;
    }
    for (int i = used; i < most; ++i) first[i] = size[i] = 0;
  }
};

/// Weights of the two pixels of a line near a ray of `line` or `linear`, on a GPU.
struct WindowRayWeights {
  /// Pixels of a line, and how many of them lie before the position of the ray.
  static constexpr int pixels = 2, before = 0;

  /// Weights that the rays of a view share: none.
  struct OfView {
    OfView() = default;
    KOKKOS_FUNCTION explicit OfView(const ViewSteps&) {}
  };

  float fall, offset;

  KOKKOS_FORCEINLINE_FUNCTION WindowRayWeights(ScratchPlace, float fall_of_ray)
      : fall(fall_of_ray), offset(0.5F + 1.5F * fall_of_ray) {}

  KOKKOS_FORCEINLINE_FUNCTION void at(float f, float (&weights)[pixels]) const {
    weights[0] = clamped(multiply_add(-fall, f, offset));
    weights[1] = 1 - weights[0];
  }
};

/// Weights of the four pixels of a line near a ray of `strip`, as `pixels_of_strip` computes them.
struct WindowStripWeights {
  static constexpr int pixels = 4, before = 1;

  /// A thread loads them again for some lines: its registers hold the sums of several views.
  struct alignas(16) OfView {
    float steep, flat, bend, area;
    float left_steep, left_flat, right_steep, right_flat;  ///< of the outer pixels
    float steep_at, flat_at;

    OfView() = default;
    KOKKOS_FUNCTION explicit OfView(const ViewSteps& view) {
      const StripSides sides(view);
      const auto part = strip_in_line<double>(sides);
      steep = static_cast<float>(part.steep);
      flat = static_cast<float>(part.flat);
      bend = static_cast<float>(part.bend);
      area = static_cast<float>(sides.area_in_line());
      left_steep = static_cast<float>(part.steep_at + 0.5 * part.steep);
      left_flat = static_cast<float>(part.flat_at + 0.5 * part.flat);
      right_steep = static_cast<float>(part.steep_at - 2.5 * part.steep);
      right_flat = static_cast<float>(part.flat_at - 2.5 * part.flat);
      steep_at = static_cast<float>(part.steep_at);
      flat_at = static_cast<float>(part.flat_at);
    }
  };

  float slopes[4], outer[4], middle[2];

  KOKKOS_FORCEINLINE_FUNCTION WindowStripWeights(ScratchPlace of_view, float) {
    of_view.load<0>(slopes);
    of_view.load<16>(outer);
    of_view.load<32>(middle);
  }

  KOKKOS_FORCEINLINE_FUNCTION void at(float f, float (&weights)[pixels]) const {
    const float steep = slopes[0], flat = slopes[1], bend = slopes[2], area = slopes[3];
    const float edge = 1.5F - f, half = 0.5F * area;
    const float away = Impl::fabs(edge);
    const float more = half - tail(multiply_add(-steep, away, middle[0]),
                                   multiply_add(-flat, away, middle[1]), bend);
    const float before_edge = half + with_sign(more, edge);
    weights[0] = tail(multiply_add(-steep, f, outer[0]), multiply_add(-flat, f, outer[1]), bend);
    weights[3] = tail(multiply_add(steep, f, outer[2]), multiply_add(flat, f, outer[3]), bend);
    weights[1] = clamped(before_edge - weights[0]);
    weights[2] = clamped((area - before_edge) - weights[3]);
  }

  KOKKOS_FORCEINLINE_FUNCTION static float tail(float t, float m, float bend) {
    return TrapezoidTail<float>::tail(t, m, bend);
  }
};

/// `Exact` sums the rays with exact weights, in the first teams: they take long and little of a
/// multiprocessor.
template <class ExecutionSpace, Beam beam, class Weights, int count, class Exact>
struct WindowRays : WindowRaysShape<count> {
  using Shape = WindowRaysShape<count>;
  using Shape::lines;
  using Shape::stages;
  using Shape::views_of_thread;
  using Shape::width;

  static constexpr int rays = 64, views = 8;
  static constexpr int threads = rays * views / views_of_thread;
  static constexpr int plane = count < 4 ? count : 4;
  static constexpr int planes = count / plane;
  /// Lines after which positions are computed again, and after which a sum is added in double.
  static constexpr int lines_of_track = 8, lines_of_sum = 64;
  static_assert(lines_of_track % lines == 0 || lines % lines_of_track == 0);
  static_assert(lines_of_sum % lines == 0);
  static_assert(width % line_unit == 0);
  /// Parts of an image; see `parts`. Measured on an H100: with eight vectors two of them cost more
  /// than they gain in smaller images.
  static int parts_of(const ImageCopy& image) {
    return count < 8 || (image.rows > image.columns ? image.rows : image.columns) >= 768 ? 2 : 1;
  }

  static constexpr unsigned pixel_bytes = plane * sizeof(float);
  static constexpr unsigned line_bytes = width * pixel_bytes;
  static constexpr unsigned plane_bytes = lines * line_bytes;
  static constexpr unsigned stage_bytes = planes * plane_bytes;
  static constexpr int pixels_of_copy = 4 / plane;
  static constexpr int copies_of_line = width / pixels_of_copy;
  /// Lines that the team copies at the same time.
  static constexpr int lines_at_once = copies_of_line > threads ? 1 : threads / copies_of_line;

  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<threads, Shape::teams>>;
  using Member = typename Policy::member_type;

  SteppedScan scan;
  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* rows;  // of natural rays; null: natural order
  RunRange of_range;
  GroupsOfSides sides;
  ImageCopy image;
  const float* copy;  // of the group
  Offset plane_size;
  RaySums<float, count> to;
  /// Parts of the image that are summed by different teams: 2 if `to` holds zeros, to which both
  /// add (the order of two terms does not matter), otherwise 1.
  int parts;
  Exact exact;
  Ordinal exact_teams;

  /// First and last ray of a view: positions in line 0, and steps.
  struct Ends {
    double start[2], step[2];
    int first, last;
  };
  /// Part of the image that the team reads.
  struct Walk {
    typename Weights::OfView weights[views];
    Ends ends[views];
    int first, last;  ///< chunks of lines
  };
  /// Pixels of a chunk in each line; none if they are too many for scratch memory.
  struct Window {
    short first, length;
  };
  /// Longest line of an image with such windows.
  static constexpr Ordinal longest_line = SHRT_MAX - 2 * width;

  Ordinal blocks() const { return (scan.detectors - 1) / rays + 1; }
  Ordinal teams() const { return exact_teams + parts * sides.groups * blocks(); }

  /// Teams for the rays with exact weights: enough for all multiprocessors.
  static Ordinal teams_of(const Exact& exact, RowRange range) {
    constexpr Ordinal members = threads / Exact::lanes, enough = 512;
    const Ordinal needed = (exact.visits(range) + members - 1) / members;
    return needed < enough ? needed : enough;
  }
  /// Windows that are known at a time; that of chunk c is at `c % known_windows`. With as many,
  /// eight vectors still fit the scratch memory of a team.
  static constexpr int known_windows = 256;
  static constexpr std::size_t bytes =
      stages * stage_bytes + sizeof(Walk) + known_windows * sizeof(Window) + 64;

  /// A ray of a thread, with positions in line 0 and steps in units of a `WindowPosition`.
  struct Ray {
    double start, step;
    WindowPosition by;
    float fall;
    Ordinal row;  ///< -1: not to be summed here
  };

  KOKKOS_FUNCTION RaySteps steps_of_ray(const ViewSteps& view, Ordinal detector) const {
    if constexpr (beam == Beam::fan) return fan_steps(scan, view.cosine, view.sine, detector);
    return {view.is_exact, view.by_rows, view.start + detector * view.per_element,
            view.step,     view.scale,   view.fall};
  }

  /// Returns the row of a ray, or -1 if it is not in the range.
  KOKKOS_FUNCTION Ordinal row_of(const ViewRows& run, Ordinal detector) const {
    if (detector >= scan.detectors) return -1;
    const Ordinal ray = run.view * scan.detectors + detector;
    const Ordinal row = rows == nullptr ? ray : rows[ray];
    const bool is_here =
        row >= run.begin && row < run.end && row >= to.range.begin && row < to.range.end;
    return is_here ? row : -1;
  }

  /// Starts the copies of lines `j` and further ones, `lines_at_once` apart, of `left`.
  template <int j = 0>
  KOKKOS_FORCEINLINE_FUNCTION void copy_lines_of_window(ScratchPlace to, const float* from,
                                                        Offset pitch, bool inside,
                                                        Ordinal left) const {
    constexpr unsigned distance = j * lines_at_once * line_bytes;
    const bool exists = inside && j * lines_at_once < left;
    to.template copy16<distance>(from, exists);
    if constexpr (planes == 2)
      to.template copy16<distance + plane_bytes>(from + plane_size, exists);
    if constexpr ((j + 1) * lines_at_once < lines)
      copy_lines_of_window<j + 1>(to, from + lines_at_once * pitch, pitch, inside, left);
  }

  /// Starts the copies of the window of a chunk.
  KOKKOS_FORCEINLINE_FUNCTION void copy_window(const Member& team, bool by_rows, int chunk,
                                               Window window, ScratchPlace stage) const {
    static_assert(planes <= 2);
    const Ordinal num_lines = by_rows ? image.rows : image.columns;
    const Ordinal across = by_rows ? image.columns : image.rows;
    const Offset pitch = static_cast<Offset>(image.pitch(by_rows)) * plane;
    const int rank = team.team_rank();
    const int line_of_thread = copies_of_line > threads ? 0 : rank / copies_of_line;
    if (line_of_thread >= lines_at_once) return;
    const Ordinal line = chunk * lines + line_of_thread;
    // Lines of the window that the thread may copy.
    const Ordinal of_window = lines - line_of_thread, of_image = num_lines - line;
    const Ordinal left = of_window < of_image ? of_window : of_image;
    for (int i = rank - line_of_thread * copies_of_line; i < copies_of_line; i += threads) {
      if (i * pixels_of_copy >= window.length) break;
      const Ordinal pixel = window.first + i * pixels_of_copy;
      const bool inside = pixel >= -image_margin && pixel < across;
      const float* const from = copy + image.lines(by_rows) * plane + line * pitch +
                                static_cast<Offset>(inside ? pixel : 0) * plane;
      const ScratchPlace place = stage + static_cast<unsigned>(line_of_thread) * line_bytes +
                                 static_cast<unsigned>(i) * 16U;
      copy_lines_of_window(place, from, pitch, inside, left);
    }
  }

  /// Adds the pixels \p i and further ones of a line, `distance` bytes from a place.
  template <unsigned distance, int i = 0>
  KOKKOS_FORCEINLINE_FUNCTION static void add_pixels(ScratchPlace first,
                                                     const float (&weights)[Weights::pixels],
                                                     float (&sums)[count]) {
    add_scratch<count, plane, plane_bytes, distance + i * pixel_bytes>(first, weights[i], sums);
    if constexpr (i + 1 < Weights::pixels) add_pixels<distance, i + 1>(first, weights, sums);
  }

  /// Adds the pixels of lines `j` to `end` of a track.
  template <int end, int j = 0>
  KOKKOS_FORCEINLINE_FUNCTION static void add_lines(const FractionMasks& masks, ScratchPlace place,
                                                    WindowPosition at, WindowPosition by,
                                                    const Weights& of_ray, float (&sums)[count]) {
    float weights[Weights::pixels];
    of_ray.at(masks.fraction(at), weights);
    add_pixels<j * line_bytes>(place + (window_index(at) - Weights::before) * pixel_bytes, weights,
                               sums);
    if constexpr (j + 1 < end) add_lines<end, j + 1>(masks, place, at + by, by, of_ray, sums);
  }

  /// Adds the pixels of a chunk from the copy of the image.
  KOKKOS_FUNCTION void add_chunk(const FractionMasks& masks, bool by_rows, int chunk,
                                 const Ray& ray, const Weights& of_ray,
                                 float (&sums)[count]) const {
    const Ordinal num_lines = by_rows ? image.rows : image.columns;
    const Ordinal across = by_rows ? image.columns : image.rows;
    const Ordinal pitch = image.pitch(by_rows);
    for (int line = chunk * lines; line < (chunk + 1) * lines && line < num_lines; ++line) {
      const int middle = line / lines_of_track * lines_of_track + lines_of_track / 2;
      const double at_middle = multiply_add(static_cast<double>(middle), ray.step, ray.start);
      const auto first = static_cast<Ordinal>(Impl::floor(at_middle * (1 / window_steps))) - 32;
      const WindowPosition at = window_position(at_middle) - window_origin(first) +
                                static_cast<WindowPosition>(line - middle) * ray.by;
      const Ordinal pixel = first + static_cast<Ordinal>(window_index(at));
      if (pixel < -1 - Weights::before || pixel >= across + Weights::before) continue;
      float weights[Weights::pixels];
      of_ray.at(masks.fraction(at), weights);
      const float* const p = copy + (image.lines(by_rows) + static_cast<Offset>(line) * pitch +
                                     pixel - Weights::before) *
                                        plane;
      for (int v = 0; v < count; ++v) {
        const float* const of = p + v / plane * plane_size + v % plane;
        for (int i = 0; i < Weights::pixels; ++i)
          sums[v] = multiply_add(weights[i], of[i * plane], sums[v]);
      }
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    if (team.league_rank() >= exact_teams) {
      sum_windows(team, team.league_rank() - exact_teams);
      return;
    }
    constexpr int lanes = Exact::lanes, members = threads / lanes;
    const int rank = team.team_rank();
    const Ordinal visits = exact.visits(to.range);
    for (Ordinal index = team.league_rank() * members + rank / lanes; index < visits;
         index += exact_teams * members)
      exact.visit(to, index, rank % lanes);
  }

  KOKKOS_FUNCTION void sum_windows(const Member& team, Ordinal index) const {
    const Ordinal part = index % parts;
    const Ordinal of_sides = index / parts % sides.groups;
    const bool by_rows = of_sides < sides.of_rows;
    const Ordinal group = sides.group(of_sides);
    // Blocks of rays from the middle to the sides: long rays first.
    const Ordinal num_blocks = (scan.detectors - 1) / rays + 1;
    const Ordinal turn = index / parts / sides.groups;
    const Ordinal middle_block = (num_blocks - 1) / 2;
    const Ordinal block = turn % 2 == 1 ? middle_block + (turn + 1) / 2 : middle_block - turn / 2;
    const Ordinal num_lines = by_rows ? image.rows : image.columns;
    const Ordinal across = by_rows ? image.columns : image.rows;
    const int chunks = (num_lines - 1) / lines + 1;
    const int rank = team.team_rank();

    char* const scratch = static_cast<char*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes - 48), 16));
    Walk& walk = *reinterpret_cast<Walk*>(scratch + stages * stage_bytes);
    auto* const windows = reinterpret_cast<Window*>(scratch + stages * stage_bytes + sizeof(Walk));
    const ScratchPlace place(scratch);

    // The lanes that load at the same time are rays of two neighbouring views. Rays lie further
    // apart than pixels, so that rays of one view would meet banks twice. Two views meet the same
    // pixels instead.
    constexpr int half = 16 / plane;
    constexpr int warps_of_rays = rays / 16;
    const int warp = rank / warp_lanes, lane = rank % warp_lanes;
    const int ray_of_block = warp % warps_of_rays * 16 + lane % half + lane / (2 * half) * half;
    const int first_view = warp / warps_of_rays * 2 * views_of_thread + lane / half % 2;

    if (rank < views) {
      walk.ends[rank].first = rays;
      walk.ends[rank].last = -1;
      const Ordinal run = of_range.begin + group * views + rank;
      if (run < of_range.end) walk.weights[rank] = typename Weights::OfView(steps[runs[run].view]);
    }
    if (rank == 0) {
      walk.first = chunks;
      walk.last = -1;
    }
    team.team_barrier();
    const Ordinal detector = block * rays + ray_of_block;
    Ray own[views_of_thread];
    TOMOKKOS_UNROLL
    for (int j = 0; j < views_of_thread; ++j) {
      const int view_of_group = first_view + 2 * j;
      own[j] = {0, 0, 0, 0, -1};
      const Ordinal run = of_range.begin + group * views + view_of_group;
      if (run >= of_range.end) continue;
      const Ordinal row = row_of(runs[run], detector);
      if (row < 0) continue;
      const RaySteps ray = steps_of_ray(steps[runs[run].view], detector);
      if (ray.is_exact || ray.by_rows != by_rows) continue;
      own[j] = {ray.start * window_steps, ray.step * window_steps,
                window_position(ray.step * window_steps), static_cast<float>(ray.fall), row};
      Kokkos::atomic_fetch_min(&walk.ends[view_of_group].first, ray_of_block);
      Kokkos::atomic_fetch_max(&walk.ends[view_of_group].last, ray_of_block);
    }
    team.team_barrier();
    TOMOKKOS_UNROLL
    for (int j = 0; j < views_of_thread; ++j) {
      Ends& ends = walk.ends[first_view + 2 * j];
      for (int side = 0; side < 2; ++side)
        if (own[j].row >= 0 && ray_of_block == (side == 0 ? ends.first : ends.last)) {
          ends.start[side] = own[j].start * (1 / window_steps);
          ends.step[side] = own[j].step * (1 / window_steps);
        }
    }
    team.team_barrier();
    // Rays that are not summed here follow one that is, so that they stay in the window.
    TOMOKKOS_UNROLL
    for (int j = 0; j < views_of_thread; ++j) {
      if (own[j].row >= 0) continue;
      for (const Ends& ends : walk.ends) {
        if (ends.last < 0) continue;
        own[j].start = ends.start[0] * window_steps;
        own[j].step = ends.step[0] * window_steps;
        own[j].by = window_position(own[j].step);
        break;
      }
    }
    // Returns the window of a chunk. Sets \p is_met if rays meet it.
    const auto window_of = [&](int chunk, bool& is_met) {
      double low = 0x1p30, high = -0x1p30;
      for (const Ends& ends : walk.ends) {
        if (ends.last < 0) continue;
        for (int side = 0; side < 2; ++side) {
          const double top = ends.start[side] + chunk * lines * ends.step[side];
          const double bottom = top + (lines - 1) * ends.step[side];
          const double left = top < bottom ? top : bottom, right = top < bottom ? bottom : top;
          if (left < low) low = left < -0x1p30 ? -0x1p30 : left;
          if (right > high) high = right;
        }
      }
      Window window{0, 0};
      is_met = low < across + Weights::before && high > -1.0 - Weights::before;
      if (!is_met) return window;
      constexpr int beyond = 1 + Weights::before;
      const Ordinal first =
          whole_units_below(static_cast<Ordinal>(Impl::floor(low)) - beyond, line_unit);
      if (high - first + 2 + beyond <= width) {
        window.first = static_cast<short>(first);
        window.length =
            static_cast<short>(static_cast<Ordinal>(Impl::floor(high)) - first + 2 + beyond);
      }
      return window;
    };
    // The windows of a long image are not all known at a time.
    const bool is_long = chunks > known_windows;
    for (int chunk = rank; chunk < chunks; chunk += threads) {
      bool is_met;
      const Window window = window_of(chunk, is_met);
      if (is_met) {
        Kokkos::atomic_fetch_min(&walk.first, chunk);
        Kokkos::atomic_fetch_max(&walk.last, chunk);
      }
      if (!is_long) windows[chunk] = window;
    }
    team.team_barrier();
    int begin = walk.first, end = walk.last + 1;
    if (parts == 2) {
      // All rays are cut at the same line, where their sums are added to the totals anyway.
      const int middle = (num_lines / 2 + lines_of_sum - 1) / lines_of_sum * lines_of_sum / lines;
      if (part == 0 && end > middle) end = middle;
      if (part == 1 && begin < middle) begin = middle;
      if (begin >= end) return;
    }
    const auto find_windows = [&](int first, int last) {
      bool is_met;
      for (int chunk = first + rank; chunk < last && chunk < end; chunk += threads)
        windows[chunk % known_windows] = window_of(chunk, is_met);
    };
    if (is_long) {
      find_windows(begin, begin + known_windows);
      team.team_barrier();
    }

    const FractionMasks masks;
    const auto weights_of = [&](int j) {
      return Weights(place + static_cast<unsigned>(stages * stage_bytes +
                                                   static_cast<unsigned>(first_view + 2 * j) *
                                                       sizeof(typename Weights::OfView)),
                     own[j].fall);
    };
    float sums[views_of_thread][count] = {};
    WindowTotal<count> totals[views_of_thread][count] = {};
    const auto start_copy = [&](int chunk) {
      const Window window = windows[chunk % known_windows];
      if (chunk < end && window.length > 0)
        copy_window(team, by_rows, chunk, window,
                    place + static_cast<unsigned>(chunk % stages) * stage_bytes);
      end_copies();
    };
    for (int ahead = 0; ahead < stages - 1; ++ahead) start_copy(begin + ahead);
    for (int chunk = begin; chunk < end; ++chunk) {
      wait_for_copies<stages - 2>();
      team.team_barrier();
      // Half of the known windows lie behind. Those that replace them are read after a barrier.
      constexpr int half_of_known = known_windows / 2;
      static_assert(half_of_known > stages);
      if (is_long && chunk > begin && (chunk - begin) % half_of_known == 0)
        find_windows(chunk + half_of_known, chunk + known_windows);
      start_copy(chunk + stages - 1);
      const Window known = windows[chunk % known_windows];
      const Ordinal first = known.first;
      if (known.length == 0) {
        TOMOKKOS_UNROLL
        for (int j = 0; j < views_of_thread; ++j)
          if (own[j].row >= 0) add_chunk(masks, by_rows, chunk, own[j], weights_of(j), sums[j]);
      } else {
        const ScratchPlace window = place + static_cast<unsigned>(chunk % stages) * stage_bytes;
        constexpr int step = lines < lines_of_track ? lines : lines_of_track;
        TOMOKKOS_UNROLL
        for (int of_chunk = 0; of_chunk < lines; of_chunk += step) {
          const int line = chunk * lines + of_chunk;
          const int middle = line / lines_of_track * lines_of_track + lines_of_track / 2;
          const auto at_middle = static_cast<double>(middle);
          const auto before = static_cast<WindowPosition>(line - middle);
          const ScratchPlace of_lines = window + static_cast<unsigned>(of_chunk) * line_bytes;
          TOMOKKOS_UNROLL
          for (int j = 0; j < views_of_thread; ++j) {
            const Ray& ray = own[j];
            const WindowPosition at =
                window_position(multiply_add(at_middle, ray.step, ray.start)) -
                window_origin(first) + before * ray.by;
            add_lines<step>(masks, of_lines, at, ray.by, weights_of(j), sums[j]);
          }
        }
      }
      if ((chunk + 1) * lines % lines_of_sum == 0) add_to_totals(sums, totals);
    }
    add_to_totals(sums, totals);
    TOMOKKOS_UNROLL
    for (int j = 0; j < views_of_thread; ++j) {
      if (own[j].row < 0) continue;
      const ViewRows& run = runs[of_range.begin + group * views + first_view + 2 * j];
      const double scale = steps_of_ray(steps[run.view], detector).scale;
      float* const of_row = to.of_row(own[j].row);
      const ScaledTotals scaled(totals[j], scale);
      if (parts == 1) {
        write_sums<count>(to.alpha, scaled.of, to.beta, of_row);
        continue;
      }
      for (int v = 0; v < count; ++v)
        Kokkos::atomic_add(of_row + v,
                           static_cast<float>(static_cast<double>(to.alpha) * scaled.of[v]));
    }
  }
};

}  // namespace Tomokkos::Impl
