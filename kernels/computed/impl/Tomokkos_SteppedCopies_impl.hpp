// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of an image and of rays with margins of zeros, which stepped products read.
#pragma once

#include <impl/Tomokkos_ComputedRays_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_ViewSteps_impl.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

/// Lines of copies begin at, and are as long as, a multiple of so many positions. Windows do, too:
/// a GPU reads 32 bytes at a time.
constexpr Ordinal line_unit = 8;

KOKKOS_INLINE_FUNCTION constexpr Ordinal whole_units(Ordinal length) {
  return (length + line_unit - 1) / line_unit * line_unit;
}

/// Zeros on each side of a line of the image. A ray may be outside by less than one pixel, and its
/// second pixel follows. With host lanes other rays of its block, and their window, may be outside.
#ifdef TOMOKKOS_HAVE_HOST_LANES
constexpr Ordinal image_margin = whole_units(host_window + 4);
#else
constexpr Ordinal image_margin = 8;
#endif
static_assert(image_margin % line_unit == 0);

/// Positions of a group of `count` vectors in the copies: planes of so many vectors, which lie side
/// by side. A GPU loads 16 bytes at a time. The kernels with host lanes have a plane for each
/// vector.
template <class ExecutionSpace, class Scalar, int count>
constexpr int plane_vectors =
    is_host_space<ExecutionSpace> || !std::is_same_v<Scalar, float> || count < 4 ? count : 4;

/// Adds a weight times the values of the vectors at \p p.
template <int plane, int count, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void add_weighted(Scalar weight, const Scalar* p, Offset plane_size,
                                              Scalar (&sums)[count]) {
  if constexpr (count == 1) {
    sums[0] = multiply_add(weight, p[0], sums[0]);
  } else if constexpr (plane == count) {
    TOMOKKOS_SIMD
    for (int v = 0; v < count; ++v) sums[v] = multiply_add(weight, p[v], sums[v]);
  } else {
    for (int v = 0; v < count; ++v)
      sums[v] = multiply_add(weight, p[v / plane * plane_size + v % plane], sums[v]);
  }
}

/// Copy of an image: its rows, then its columns, each with margins.
struct ImageCopy {
  Ordinal rows, columns;

  KOKKOS_FUNCTION Ordinal pitch(bool by_rows) const {
    return whole_units((by_rows ? columns : rows) + 2 * image_margin);
  }
  KOKKOS_FUNCTION Offset row(Ordinal r) const {
    return static_cast<Offset>(r) * pitch(true) + image_margin;
  }
  KOKKOS_FUNCTION Offset column(Ordinal c) const {
    return static_cast<Offset>(rows) * pitch(true) + static_cast<Offset>(c) * pitch(false) +
           image_margin;
  }
  /// Position of the first line.
  KOKKOS_FUNCTION Offset lines(bool by_rows) const { return by_rows ? row(0) : column(0); }
  Offset size() const { return column(columns) - image_margin; }
};

/// Calls `copy.position(copy.line(line), i)` for all positions of the lines of a copy.
template <class ExecutionSpace, class Copy>
struct CopyLines {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int threads = is_host_space<ExecutionSpace> ? 1 : 256;

  Copy copy;
  Ordinal pitch;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal line = team.league_rank();
    const auto of_line = copy.line(line);
    for (Ordinal i = team.team_rank(); i < pitch; i += threads) copy.position(of_line, i);
  }
};

template <class ExecutionSpace, class Copy>
void copy_lines(const ExecutionSpace& exec, const char* label, Ordinal lines, Ordinal pitch,
                const Copy& copy) {
  using Lines = CopyLines<ExecutionSpace, Copy>;
  Kokkos::parallel_for(label, typename Lines::Policy(exec, lines, Lines::threads),
                       Lines{copy, pitch});
}

/// Copies the rows of an image, or its columns, with their margins.
template <class Scalar, int count, int plane>
struct CopyImage {
  ImageCopy to;
  bool by_rows;
  Ordinal vectors;
  const Ordinal* columns;  // of pixels; null: natural order
  const Scalar* x;         // from the first vector
  Scalar* copy;            // of the group
  Offset plane_size;

  struct Line {
    Scalar* to;
    Ordinal first_pixel, step, length;
  };
  KOKKOS_FUNCTION Line line(Ordinal line) const {
    Scalar* const begin =
        copy +
        (to.lines(by_rows) - image_margin + static_cast<Offset>(line) * to.pitch(by_rows)) * plane;
    if (by_rows) return {begin, line * to.columns, 1, to.columns};
    return {begin, line, to.columns, to.rows};
  }
  KOKKOS_FUNCTION void position(const Line& line, Ordinal i) const {
    const Ordinal at = i - image_margin;
    Ordinal from = -1;
    if (at >= 0 && at < line.length) {
      from = line.first_pixel + at * line.step;
      if (columns != nullptr) from = columns[from];
    }
    Scalar* const values = line.to + static_cast<Offset>(i) * plane;
    for (int v = 0; v < count; ++v)
      values[v / plane * plane_size + v % plane] =
          from < 0 ? Scalar(0) : x[static_cast<Offset>(from) * vectors + v];
  }
};

/// Copies an image, tile by tile, on a GPU: the rows and the columns of a tile at the same time.
/// Further teams set the result of the product to zero, where several teams add to it.
template <class ExecutionSpace, int count, int plane>
struct CopyImageTiles {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int side = 32, threads = 256, lines_at_once = threads / side;
  static constexpr int zeros_of_team = 4096;
  /// A tile, with a position between its lines so that columns lie in different banks.
  static constexpr int tile_pitch = side + 1;
  static constexpr std::size_t bytes = sizeof(float) * plane * side * tile_pitch + 32;

  ImageCopy to;
  Ordinal vectors;
  const Ordinal* columns;  // of pixels; null: natural order
  const float* x;          // from the first vector
  float* copy;             // of the group
  Offset plane_size;
  float* y;         // from the first vector
  Ordinal zeros;    // rows of y
  bool is_aligned;  // x, for loads of `plane` values

  /// Values that are loaded and stored together.
  struct alignas(plane * sizeof(float)) Values {
    float v[plane];
  };

  Ordinal tiles_across() const { return (to.pitch(true) - 1) / side + 1; }
  Ordinal tiles() const { return tiles_across() * ((to.pitch(false) - 1) / side + 1); }
  Ordinal teams() const { return tiles() + (zeros + zeros_of_team - 1) / zeros_of_team; }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Ordinal across = (to.pitch(true) - 1) / side + 1;
    const Ordinal num_tiles = across * ((to.pitch(false) - 1) / side + 1);
    const int rank = team.team_rank();
    if (team.league_rank() >= num_tiles) {
      const Ordinal begin = (team.league_rank() - num_tiles) * zeros_of_team;
      const Ordinal end = begin + zeros_of_team < zeros ? begin + zeros_of_team : zeros;
      for (int i = rank; i < (end - begin) * count; i += threads)
        y[static_cast<Offset>(begin + i / count) * vectors + i % count] = 0;
      return;
    }
    auto* const tile = static_cast<Values*>(
        team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes) - 32, 16));
    const Ordinal row = team.league_rank() / across * side - image_margin;
    const Ordinal column = team.league_rank() % across * side - image_margin;
    const int first = rank / side, lane = rank % side;
    for (int p = 0; p < count / plane; ++p) {
      auto* const of_plane = reinterpret_cast<Values*>(copy + p * plane_size);
      TOMOKKOS_UNROLL
      for (int line = first; line < side; line += lines_at_once) {
        const Ordinal r = row + line, c = column + lane;
        Values values = {};
        if (r >= 0 && r < to.rows && c >= 0 && c < to.columns) {
          const Ordinal pixel = r * to.columns + c;
          const Ordinal at = columns == nullptr ? pixel : columns[pixel];
          const float* const from = x + static_cast<Offset>(at) * vectors + p * plane;
          if (at >= 0 && is_aligned)
            values = *reinterpret_cast<const Values*>(from);
          else if (at >= 0)
            for (int v = 0; v < plane; ++v) values.v[v] = from[v];
        }
        tile[line * tile_pitch + lane] = values;
        if (r >= 0 && r < to.rows && c + image_margin < to.pitch(true))
          of_plane[to.row(r) + c] = values;
      }
      team.team_barrier();
      TOMOKKOS_UNROLL
      for (int line = first; line < side; line += lines_at_once) {
        const Ordinal r = row + lane, c = column + line;
        if (c >= 0 && c < to.columns && r + image_margin < to.pitch(false))
          of_plane[to.column(c) + r] = tile[lane * tile_pitch + line];
      }
      team.team_barrier();
    }
  }
};

/// Copies the rays of the runs of a range, times their largest weights.
template <Beam beam, class Scalar, int count, int plane>
struct CopyRays {
  SteppedScan scan;
  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* rows;  // of natural rays; null: natural order
  Ordinal margin, pitch;
  RowRange range;
  RunRange of_range;
  Ordinal vectors;
  const Scalar* x;  // from the first vector
  Scalar* copy;     // of the group
  Offset plane_size;

  struct Line {
    Scalar* to;
    ViewRows run;
  };
  KOKKOS_FUNCTION Line line(Ordinal line) const {
    return {copy + static_cast<Offset>(line) * pitch * plane, runs[of_range.begin + line]};
  }
  KOKKOS_FUNCTION void position(const Line& line, Ordinal i) const {
    const ViewRows& run = line.run;
    const Ordinal detector = i - margin;
    const ViewSteps& view = steps[run.view];
    Ordinal row = -1;
    if (detector >= 0 && detector < scan.detectors && !view.is_exact) {
      const Ordinal ray = run.view * scan.detectors + detector;
      row = rows == nullptr ? ray : rows[ray];
      if (row < run.begin || row >= run.end || row < range.begin || row >= range.end) row = -1;
    }
    double largest = view.scale;
    if (beam == Beam::fan && row >= 0) {
      const RaySteps ray = fan_steps(scan, view.cosine, view.sine, detector);
      largest = ray.is_exact ? 1 : ray.scale;
    }
    const auto scale = static_cast<Scalar>(largest);
    Scalar* const values = line.to + static_cast<Offset>(i) * plane;
    for (int v = 0; v < count; ++v)
      values[v / plane * plane_size + v % plane] =
          row < 0 ? Scalar(0) : scale * x[static_cast<Offset>(row - range.begin) * vectors + v];
  }
};

}  // namespace Tomokkos::Impl
