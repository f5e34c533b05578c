// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward kernel of stepped products on a GPU. A team sums neighbouring rays of neighbouring views.
// It walks through the image, some lines at a time, and keeps the part of them that its rays cross
// in scratch memory.
#pragma once

#include <climits>
#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_SteppedWindows_impl.hpp>

namespace Tomokkos::Impl {

/// Shape of the teams for `count` vectors at a time. For any shape a ray has the same positions and
/// sums. Measured on an H200 with 1024 x 1024 pixels and 720 x 1024 rays: three stages for one
/// vector took 4 % longer, two lines and three stages for eight 12 % longer.
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
  static constexpr int views_of_thread = 2, lines = 8, stages = 2, width = 176, teams = 4;
};
template <>
struct WindowRaysShape<8> {
  static constexpr int views_of_thread = 2, lines = 4, stages = 2, width = 176, teams = 3;
};

template <class ExecutionSpace, Beam beam, int count>
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
  RowRange range;
  RunRange of_range;
  Ordinal vectors;
  ImageCopy image;
  float alpha, beta;
  const float* copy;  // of the group
  Offset plane_size;
  float* y;

  /// First and last ray of a view: positions in line 0, and steps.
  struct Ends {
    double start[2], step[2];
    int first, last;
  };
  /// Part of the image that the team reads.
  struct Walk {
    Ends ends[views];
    int first, last;  ///< chunks of lines
  };
  /// First pixel of the window of a chunk.
  using WindowBegin = short;
  /// Window of a chunk that is too wide for scratch memory.
  static constexpr WindowBegin no_window = SHRT_MIN;
  /// Longest line of an image whose windows have a `WindowBegin`.
  static constexpr Ordinal longest_line = SHRT_MAX - 2 * width;

  Ordinal blocks() const { return (scan.detectors - 1) / rays + 1; }
  Ordinal groups() const { return (of_range.end - of_range.begin - 1) / views + 1; }
  KOKKOS_FUNCTION static std::size_t bytes(const ImageCopy& image) {
    const Ordinal longest = image.rows > image.columns ? image.rows : image.columns;
    return stages * stage_bytes + sizeof(Walk) +
           static_cast<std::size_t>((longest - 1) / lines + 1) * sizeof(WindowBegin) + 64;
  }

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
    const bool is_here = row >= run.begin && row < run.end && row >= range.begin && row < range.end;
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
                                               Ordinal first, ScratchPlace to) const {
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
      const Ordinal pixel = first + i * pixels_of_copy;
      const bool inside = pixel >= -image_margin && pixel < across;
      const float* const from = copy + image.lines(by_rows) * plane + line * pitch +
                                static_cast<Offset>(inside ? pixel : 0) * plane;
      const ScratchPlace place =
          to + static_cast<unsigned>(line_of_thread) * line_bytes + static_cast<unsigned>(i) * 16U;
      copy_lines_of_window(place, from, pitch, inside, left);
    }
  }

  /// Adds the pixels of lines `j` to `end` of a track.
  template <int end, int j = 0>
  KOKKOS_FORCEINLINE_FUNCTION static void add_lines(const FractionMasks& masks, ScratchPlace place,
                                                    WindowPosition at, WindowPosition by,
                                                    float fall, float offset,
                                                    float (&sums)[count]) {
    const ScratchPlace pixel = place + window_index(at) * pixel_bytes;
    const float weight = clamped(multiply_add(-fall, masks.fraction(at), offset));
    add_scratch<count, plane, plane_bytes, j * line_bytes>(pixel, weight, sums);
    add_scratch<count, plane, plane_bytes, j * line_bytes + pixel_bytes>(pixel, 1 - weight, sums);
    if constexpr (j + 1 < end) add_lines<end, j + 1>(masks, place, at + by, by, fall, offset, sums);
  }

  /// Adds the pixels of a chunk from the copy of the image.
  KOKKOS_FUNCTION void add_chunk(const FractionMasks& masks, bool by_rows, int chunk,
                                 const Ray& ray, float (&sums)[count]) const {
    const Ordinal num_lines = by_rows ? image.rows : image.columns;
    const Ordinal across = by_rows ? image.columns : image.rows;
    const Ordinal pitch = image.pitch(by_rows);
    const float offset = 0.5F + 1.5F * ray.fall;
    for (int line = chunk * lines; line < (chunk + 1) * lines && line < num_lines; ++line) {
      const int middle = line / lines_of_track * lines_of_track + lines_of_track / 2;
      const double at_middle = multiply_add(static_cast<double>(middle), ray.step, ray.start);
      const auto first = static_cast<Ordinal>(Impl::floor(at_middle * (1 / window_steps))) - 32;
      const WindowPosition at = window_position(at_middle) - window_origin(first) +
                                static_cast<WindowPosition>(line - middle) * ray.by;
      const Ordinal pixel = first + static_cast<Ordinal>(window_index(at));
      if (pixel < -1 || pixel >= across) continue;
      const float weight = clamped(multiply_add(-ray.fall, masks.fraction(at), offset));
      const float* const p =
          copy + (image.lines(by_rows) + static_cast<Offset>(line) * pitch + pixel) * plane;
      for (int v = 0; v < count; ++v) {
        const float* const of = p + v / plane * plane_size + v % plane;
        sums[v] = multiply_add(1 - weight, of[plane], multiply_add(weight, of[0], sums[v]));
      }
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const bool by_rows = team.league_rank() % 2 == 0;
    const Ordinal num_blocks = (scan.detectors - 1) / rays + 1;
    const Ordinal num_groups = (of_range.end - of_range.begin - 1) / views + 1;
    // Blocks of rays from the middle to the sides: long rays first.
    const Ordinal group = team.league_rank() / 2 % num_groups;
    const Ordinal turn = team.league_rank() / 2 / num_groups;
    const Ordinal middle_block = (num_blocks - 1) / 2;
    const Ordinal block = turn % 2 == 1 ? middle_block + (turn + 1) / 2 : middle_block - turn / 2;
    const Ordinal num_lines = by_rows ? image.rows : image.columns;
    const Ordinal across = by_rows ? image.columns : image.rows;
    const int chunks = (num_lines - 1) / lines + 1;
    const int rank = team.team_rank();

    char* const scratch = static_cast<char*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes(image) - 48), 16));
    Walk& walk = *reinterpret_cast<Walk*>(scratch + stages * stage_bytes);
    auto* const windows =
        reinterpret_cast<WindowBegin*>(scratch + stages * stage_bytes + sizeof(Walk));
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
    for (int chunk = rank; chunk < chunks; chunk += threads) {
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
      Ordinal first = no_window;
      if (low < across && high > -1.0) {
        first = whole_units_below(static_cast<Ordinal>(Impl::floor(low)) - 1, pixels_of_copy);
        if (high - first + 3 > width) first = no_window;
        Kokkos::atomic_fetch_min(&walk.first, chunk);
        Kokkos::atomic_fetch_max(&walk.last, chunk);
      }
      windows[chunk] = static_cast<WindowBegin>(first);
    }
    team.team_barrier();
    const int begin = walk.first, end = walk.last + 1;

    const FractionMasks masks;
    float sums[views_of_thread][count] = {};
    double totals[views_of_thread][count] = {};
    const auto start_copy = [&](int chunk) {
      if (chunk < end && windows[chunk] != no_window)
        copy_window(team, by_rows, chunk, windows[chunk],
                    place + static_cast<unsigned>(chunk % stages) * stage_bytes);
      end_copies();
    };
    for (int ahead = 0; ahead < stages - 1; ++ahead) start_copy(begin + ahead);
    for (int chunk = begin; chunk < end; ++chunk) {
      wait_for_copies<stages - 2>();
      team.team_barrier();
      start_copy(chunk + stages - 1);
      const Ordinal first = windows[chunk];
      if (first == no_window) {
        TOMOKKOS_UNROLL
        for (int j = 0; j < views_of_thread; ++j)
          if (own[j].row >= 0) add_chunk(masks, by_rows, chunk, own[j], sums[j]);
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
            add_lines<step>(masks, of_lines, at, ray.by, ray.fall, 0.5F + 1.5F * ray.fall, sums[j]);
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
      for (int v = 0; v < count; ++v) totals[j][v] *= scale;
      write_sums<count>(alpha, totals[j], beta,
                        y + static_cast<Offset>(own[j].row - range.begin) * vectors);
    }
  }
};

}  // namespace Tomokkos::Impl
