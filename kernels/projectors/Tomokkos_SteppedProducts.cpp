// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums, for the exact weights and so that a vector has
// the same bits alone and among others.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <algorithm>
#include <impl/Tomokkos_ComputedRanges_impl.hpp>
#include <impl/Tomokkos_ComputedSums_impl.hpp>
#include <impl/Tomokkos_ViewSteps_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Zeros on each side of a line of the image. A ray may be outside by less than one pixel, and its
/// second pixel follows.
constexpr Ordinal image_margin = 3;
/// Lines of the image, and views, whose sum is formed in the precision of the vectors.
constexpr int lines_of_chunk = 16, views_of_chunk = 16;

/// Copy of an image: its rows, then its columns, each with margins.
struct ImageCopy {
  Ordinal rows, columns;

  KOKKOS_FUNCTION Offset row(Ordinal r) const {
    return static_cast<Offset>(r) * (columns + 2 * image_margin) + image_margin;
  }
  KOKKOS_FUNCTION Offset column(Ordinal c) const {
    return static_cast<Offset>(rows) * (columns + 2 * image_margin) +
           static_cast<Offset>(c) * (rows + 2 * image_margin) + image_margin;
  }
  Offset size() const { return column(columns) - image_margin; }
};

template <class MemorySpace>
SteppedScan stepped_scan(const ComputedProjection<MemorySpace>& A) {
  return {A.volume, A.scan, A.projector};
}

/// Calls action(integral constant of the beam).
template <class Action>
void with_beam(Beam beam, const Action& action) {
  if (beam == Beam::fan)
    action(std::integral_constant<Beam, Beam::fan>());
  else
    action(std::integral_constant<Beam, Beam::parallel>());
}

template <class MemorySpace>
ImageCopy image_copy(const ComputedProjection<MemorySpace>& A) {
  return {A.volume.rows, A.volume.columns};
}

/// Pixels of a strip below each other that a thread sums, fewer with more vectors.
constexpr int strip_of(int count) { return count >= 4 ? 1 : 4 / count; }
constexpr int longest_strip = 4;

template <class MemorySpace>
int most_taps(const ComputedProjection<MemorySpace>& A) {
  int taps = 1;
  for (const ViewSteps& view : A.steps_on_host) taps = std::max(taps, view.taps);
  return taps;
}

/// Zeros on each side of the rays of a view: as many as the pixels of a strip can read outside.
template <class MemorySpace>
Ordinal ray_margin(const ComputedProjection<MemorySpace>& A) {
  double span = 0;
  if (A.scan.beam == Beam::parallel)
    for (const ViewSteps& view : A.steps_on_host)
      span = std::max(span, longest_strip * std::fabs(view.per_row));
  return static_cast<Ordinal>(span) + 2 * most_taps(A) + 5;
}

/// Copies one line of an image, or its margins.
template <class Scalar>
struct CopyImage {
  ImageCopy to;
  Ordinal vectors;
  const Ordinal* columns;  // of pixels; null: natural order
  const Scalar* x;
  Scalar* copy;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal wide = to.columns + 2 * image_margin, high = to.rows + 2 * image_margin;
    const Offset by_rows = static_cast<Offset>(to.rows) * wide;
    const bool first = i < by_rows;
    const auto line = static_cast<Ordinal>(first ? i / wide : (i - by_rows) / high);
    const auto at = static_cast<Ordinal>(first ? i % wide : (i - by_rows) % high) - image_margin;
    const Ordinal row = first ? line : at, column = first ? at : line;
    const bool inside = row >= 0 && row < to.rows && column >= 0 && column < to.columns;
    Ordinal from = inside ? row * to.columns + column : -1;
    if (inside && columns != nullptr) from = columns[from];
    for (Ordinal v = 0; v < vectors; ++v)
      copy[i * vectors + v] = from < 0 ? Scalar(0) : x[static_cast<Offset>(from) * vectors + v];
  }
};

/// Copies the rays of the runs of a range, times their largest weights.
template <Beam beam, class Scalar>
struct CopyRays {
  SteppedScan scan;
  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* rows;  // of natural rays; null: natural order
  Ordinal margin;
  RowRange range;
  Ordinal first_run;
  Ordinal vectors;
  const Scalar* x;
  Scalar* copy;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal pitch = scan.detectors + 2 * margin;
    const ViewRows run = runs[first_run + i / pitch];
    const auto detector = static_cast<Ordinal>(i % pitch) - margin;
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
    for (Ordinal v = 0; v < vectors; ++v)
      copy[i * vectors + v] =
          row < 0 ? Scalar(0) : scale * x[static_cast<Offset>(row - range.begin) * vectors + v];
  }
};

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

/// Sums the rays of some pixels below each other.
template <class Scalar, int count, bool single_taps>
struct SteppedPixels {
  static constexpr int strip = strip_of(count);

  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* columns;  // of pixels; null: natural order
  Ordinal first_run, last_run;
  Ordinal rows, width;  // of the image
  Ordinal detectors, margin;
  int most_taps;
  Ordinal vectors;
  Scalar alpha, beta;
  const Scalar* copy;  // from the first vector
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal column = i % width, first = i / width * strip;
    const Ordinal pitch = detectors + 2 * margin;
    double sums[strip][count] = {};
    const Scalar* of_view = copy + static_cast<Offset>(margin) * vectors;
    for (Ordinal chunk = first_run; chunk < last_run; chunk += views_of_chunk) {
      const Ordinal end = chunk + views_of_chunk < last_run ? chunk + views_of_chunk : last_run;
      Scalar part[strip][count] = {};
      for (Ordinal run = chunk; run < end; ++run) {
        add_view(steps[runs[run].view], column, first, of_view, part);
        of_view += static_cast<Offset>(pitch) * vectors;
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

  KOKKOS_FORCEINLINE_FUNCTION void add_view(const ViewSteps& view, Ordinal column, Ordinal first,
                                            const Scalar* of_view,
                                            Scalar (&part)[strip][count]) const {
    // Whatever the number of vectors, the same steps lead to a pixel.
    const Ordinal before = first % longest_strip;
    const double at = view.origin + column * view.per_column + (first - before) * view.per_row;
    const double span = (longest_strip - 1) * view.per_row;
    const double lowest = Impl::floor(span < 0 ? at + span : at) - 1;
    // Positions far outside are moved to the margins, which are zero.
    double base = lowest;
    if (base < most_taps - margin) base = most_taps - margin;
    if (base > detectors + most_taps) base = detectors + most_taps;
    const Scalar* const from = of_view + static_cast<Offset>(base) * vectors;
    Track<Scalar> track(at - lowest, view.per_row);
    for (Ordinal j = 0; j < before; ++j) track.advance();
    const auto fall = static_cast<Scalar>(view.fall_elements);
    const auto left = static_cast<Scalar>(1 + view.half),
               right = static_cast<Scalar>(2 - view.half);
    for (int j = 0; j < strip; ++j) {
      const Scalar* const p = from + static_cast<Offset>(track.index()) * vectors;
      const Scalar f = track.fraction();
      add(clamped(multiply_add(-fall, f - left, Scalar(0.5))), p, part[j]);
      add(clamped(multiply_add(fall, f - right, Scalar(0.5))), p + vectors, part[j]);
      if constexpr (!single_taps) {
        for (int tap = 1; tap < view.taps; ++tap) {
          const auto further = static_cast<Scalar>(tap);
          const Offset shift = static_cast<Offset>(tap) * vectors;
          add(clamped(multiply_add(-fall, f - left + further, Scalar(0.5))), p - shift, part[j]);
          add(clamped(multiply_add(fall, f - right - further, Scalar(0.5))), p + vectors + shift,
              part[j]);
        }
      }
      track.advance();
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add(Scalar weight, const Scalar* p,
                                              Scalar (&sums)[count]) {
    for (int v = 0; v < count; ++v) sums[v] = multiply_add(weight, p[v], sums[v]);
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

/// Computes the table of `SteppedWorkspace::slopes`. Rays with exact weights get the slope 0.
template <class Scalar>
struct FanSlopes {
  SteppedScan scan;
  const ViewSteps* steps;
  Offset rays;
  Scalar* slopes;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const auto detector = static_cast<Ordinal>(i % scan.detectors);
    if (i >= rays) {
      slopes[2 * rays + detector] = static_cast<Scalar>(scan.width / scan.length(detector));
      return;
    }
    const ViewSteps& view = steps[i / scan.detectors];
    const FramePoint normal = fan_normal(scan, view.cosine, view.sine, detector);
    const double x = Impl::fabs(normal.x), y = Impl::fabs(normal.y);
    const double larger = x > y ? x : y, smaller = x > y ? y : x;
    const bool is_exact = fan_steps(scan, view.cosine, view.sine, detector).is_exact;
    slopes[2 * i] = static_cast<Scalar>(0.5 * larger);
    slopes[2 * i + 1] =
        is_exact ? Scalar(0) : static_cast<Scalar>(1 / (scan.is_line ? smaller : larger));
  }
};

/// Sums the rays of a fan beam for some pixels below each other.
template <class Scalar, int count>
struct SteppedFanPixels {
  static constexpr int strip = strip_of(count);

  ComputedRays exact;
  SteppedScan scan;
  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* columns;  // of pixels; null: natural order
  Ordinal first_run, last_run;
  Ordinal margin;
  int taps;
  Scalar reach;
  Ordinal vectors;
  Scalar alpha, beta;
  const Scalar* slopes;
  const Scalar* inverse_lengths;
  const Scalar* copy;  // from the first vector
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal column = i % scan.columns, first = i / scan.columns * strip;
    const Offset pitch = static_cast<Offset>(scan.detectors + 2 * margin) * vectors;
    double sums[strip][count] = {};
    const Scalar* of_view = copy + static_cast<Offset>(margin) * vectors;
    for (Ordinal chunk = first_run; chunk < last_run; chunk += views_of_chunk) {
      const Ordinal end = chunk + views_of_chunk < last_run ? chunk + views_of_chunk : last_run;
      Scalar part[strip][count] = {};
      for (Ordinal run = chunk; run < end; ++run) {
        add_view(runs[run].view, column, first, of_view, part);
        of_view += pitch;
      }
      for (int j = 0; j < strip; ++j)
        for (int v = 0; v < count; ++v) sums[j][v] += static_cast<double>(part[j][v]);
    }
    for (int j = 0; j < strip && first + j < scan.rows; ++j) {
      const Ordinal pixel = (first + j) * scan.columns + column;
      const Ordinal to = columns == nullptr ? pixel : columns[pixel];
      if (to >= 0) write_sums<count>(alpha, sums[j], beta, y + static_cast<Offset>(to) * vectors);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_view(Ordinal view, Ordinal column, Ordinal first,
                                            const Scalar* of_view,
                                            Scalar (&part)[strip][count]) const {
    const double cosine = steps[view].cosine, sine = steps[view].sine;
    const double x = column - scan.middle_x;
    const Scalar* const of_rays = slopes + 2 * static_cast<Offset>(view) * scan.detectors;
    for (int j = 0; j < strip; ++j) {
      const double up = scan.middle_y - (first + j);
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
        if (!add_ray(view, left + tap, away * apart, x, up, of_rays, of_view, part[j])) break;
      }
      for (int tap = 1; tap <= taps; ++tap) {
        const Scalar away = static_cast<Scalar>(tap) - f;
        if (!add_ray(view, left + tap, away * apart, x, up, of_rays, of_view, part[j])) break;
      }
    }
  }

  /// Adds a ray whose distance from the pixel, in elements, times that of the pixel from the source
  /// is \p away. Returns false if it has no weight.
  KOKKOS_FORCEINLINE_FUNCTION bool add_ray(Ordinal view, Ordinal detector, Scalar away, double x,
                                           double up, const Scalar* of_rays, const Scalar* of_view,
                                           Scalar (&sums)[count]) const {
    const Ordinal known =
        detector < 0 ? 0 : (detector < scan.detectors ? detector : scan.detectors - 1);
    const Scalar distance = away * inverse_lengths[known];
    if (distance > reach) return false;
    const Scalar slope = of_rays[2 * known + 1];
    Scalar weight = clamped(multiply_add(-slope, distance - of_rays[2 * known], Scalar(0.5)));
    if (slope == 0) weight = exact_weight(view, detector, x, up);
    const Scalar* const p = of_view + static_cast<Offset>(detector) * vectors;
    for (int v = 0; v < count; ++v) sums[v] = multiply_add(weight, p[v], sums[v]);
    return true;
  }

  KOKKOS_FUNCTION Scalar exact_weight(Ordinal view, Ordinal detector, double x, double up) const {
    if (detector < 0 || detector >= scan.detectors) return 0;
    const Ordinal ray = view * scan.detectors + detector;
    const Ordinal row = exact.rows == nullptr ? ray : exact.rows[ray];
    if (row < 0) return 0;
    const double weight = exact.projector_of<LineProjector<Beam::fan>>(row).weight(2 * x, 2 * up);
    return is_stored(weight) ? static_cast<Scalar>(weight) : Scalar(0);
  }
};

/// Calls action(range of rows) for the runs of a range whose views are left to exact weights.
template <class MemorySpace, class Action>
void for_exact_runs(const ComputedProjection<MemorySpace>& A, RowRange rows, const Action& action) {
  const auto [first, last] = runs_of(A, rows);
  for (Ordinal i = first; i < last; ++i) {
    const ViewRows& run = A.runs_on_host[static_cast<std::size_t>(i)];
    if (A.steps_on_host[static_cast<std::size_t>(run.view)].is_exact)
      action(RowRange{std::max(run.begin, rows.begin), std::min(run.end, rows.end)});
  }
}

/// Values of the copy of rays for the runs of a range.
template <class MemorySpace>
Offset size_of_rays(const ComputedProjection<MemorySpace>& A, Ordinal runs) {
  return static_cast<Offset>(A.scan.detectors + 2 * ray_margin(A)) * runs;
}

}  // namespace Impl

template <class MemorySpace>
std::size_t stepped_workspace_values(const ComputedProjection<MemorySpace>& A, int vectors) {
  if (!A.is_stepped()) return 0;
  const Offset of_vector = Impl::image_copy(A).size() +
                           Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size()));
  const Offset slopes = A.scan.beam == Beam::fan ? 2 * A.scan.num_rays() + A.scan.detectors : 0;
  return static_cast<std::size_t>(of_vector * vectors + slopes);
}

template <class ExecutionSpace, class Scalar>
void reserve_stepped_workspace(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    int vectors, SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work) {
  const auto grow = [&](auto& values, const char* label, Offset size) {
    const auto needed = static_cast<std::size_t>(size) * static_cast<std::size_t>(vectors);
    if (values.extent(0) >= needed) return;
    values = {};
    values = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(exec, label, needed);
  };
  grow(work.image, "Tomokkos::SteppedWorkspace::image", Impl::image_copy(A).size());
  grow(work.rays, "Tomokkos::SteppedWorkspace::rays",
       Impl::size_of_rays(A, static_cast<Ordinal>(A.runs_on_host.size())));
  if (A.scan.beam == Beam::parallel || work.slopes.extent(0) > 0) return;
  const Offset rays = A.scan.num_rays();
  const auto slopes = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::SteppedWorkspace::slopes",
      static_cast<std::size_t>(2 * rays + A.scan.detectors));
  Kokkos::parallel_for(
      "Tomokkos::stepped::slopes",
      Impl::element_range(exec, static_cast<std::size_t>(rays + A.scan.detectors)),
      Impl::FanSlopes<Scalar>{Impl::stepped_scan(A), A.steps.data(), rays, slopes.data()});
  Impl::fence(exec, "reserve_stepped_workspace: the slopes are complete");
  work.slopes = slopes;
}

template <class ExecutionSpace, class Scalar>
void stepped_product(const ExecutionSpace& exec,
                     const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                     const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                     Scalar alpha, const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
                     const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows) {
  rows = Impl::checked_product(A, X, Y, rows);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  const Impl::ImageCopy image = Impl::image_copy(A);
  Kokkos::parallel_for("Tomokkos::stepped::copy_image",
                       Impl::element_range(exec, static_cast<std::size_t>(image.size())),
                       Impl::CopyImage<Scalar>{image, vectors, A.pixels.from_natural.data(),
                                               X.data(), work.image.data()});
  Impl::with_beam(A.scan.beam, [&](auto beam) {
    Impl::for_groups_of_vectors(vectors, [&](auto count, Ordinal first) {
      Kokkos::parallel_for(
          "Tomokkos::stepped::product", Impl::ordinals(exec, rows.end - rows.begin),
          Impl::SteppedRay<beam(), Scalar, count()>{
              Impl::stepped_scan(A), A.steps.data(), A.rays.to_natural.data(), rows.begin, vectors,
              image, alpha, beta, work.image.data() + first, Y.data() + first});
      if (beam() == Beam::parallel || A.projector != Projector::line) return;
      Kokkos::parallel_for(
          "Tomokkos::stepped::exact_rays", Impl::ordinals(exec, rows.end - rows.begin),
          Impl::ExactFanRay<Scalar, count()>{Impl::stepped_scan(A),
                                             A.steps.data(),
                                             {Impl::ComputedRays(A), rows.begin, vectors, alpha,
                                              beta, X.data() + first, Y.data() + first}});
    });
  });
  Impl::for_exact_runs(A, rows, [&](RowRange run) {
    computed_product<ExecutionSpace, Scalar>(
        exec, A, alpha, X, beta,
        MultiVectorView<Scalar, typename ExecutionSpace::memory_space>(
            Y.data() + static_cast<Offset>(run.begin - rows.begin) * vectors,
            static_cast<std::size_t>(run.end - run.begin), X.extent(1)),
        run);
  });
}

template <class ExecutionSpace, class Scalar>
void stepped_transposed_product(
    const ExecutionSpace& exec, const ComputedProjection<typename ExecutionSpace::memory_space>& A,
    const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work, Scalar alpha,
    const InputMultiVector<ExecutionSpace, Scalar>& X, Scalar beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y, RowRange rows) {
  rows = Impl::checked_transposed_product(A, X, Y, rows);
  const auto vectors = static_cast<Ordinal>(X.extent(1));
  const auto [first_run, last_run] = Impl::runs_of(A, rows);
  const Ordinal margin = Impl::ray_margin(A);
  const Impl::SteppedScan scan = Impl::stepped_scan(A);
  Impl::with_beam(A.scan.beam, [&, first_run = first_run, last_run = last_run](auto beam) {
    const auto size = static_cast<std::size_t>(Impl::size_of_rays(A, last_run - first_run));
    Kokkos::parallel_for("Tomokkos::stepped::copy_rays", Impl::element_range(exec, size),
                         Impl::CopyRays<beam(), Scalar>{
                             scan, A.steps.data(), A.runs.data(), A.rays.from_natural.data(),
                             margin, rows, first_run, vectors, X.data(), work.rays.data()});
  });
  const int taps = Impl::most_taps(A);
  Impl::for_groups_of_vectors(vectors, [&, first_run = first_run, last_run = last_run](
                                           auto count, Ordinal first) {
    const Ordinal strips = (A.volume.rows - 1) / Impl::strip_of(count()) + 1;
    const auto launch = [&](const auto& kernel) {
      Kokkos::parallel_for("Tomokkos::stepped::transposed_product",
                           Impl::ordinals(exec, strips * A.volume.columns), kernel);
    };
    if (A.scan.beam == Beam::fan) {
      launch(Impl::SteppedFanPixels<Scalar, count()>{
          Impl::ComputedRays(A), scan, A.steps.data(), A.runs.data(), A.pixels.from_natural.data(),
          first_run, last_run, margin, taps, static_cast<Scalar>(scan.reach() * (1 + 0x1p-20)),
          vectors, alpha, beta, work.slopes.data(), work.slopes.data() + 2 * A.scan.num_rays(),
          work.rays.data() + first, Y.data() + first});
      return;
    }
    const auto launch_parallel = [&](auto is_single) {
      launch(Impl::SteppedPixels<Scalar, count(), is_single()>{
          A.steps.data(), A.runs.data(), A.pixels.from_natural.data(), first_run, last_run,
          A.volume.rows, A.volume.columns, A.scan.detectors, margin, taps, vectors, alpha, beta,
          work.rays.data() + first, Y.data() + first});
    };
    if (taps == 1)
      launch_parallel(std::true_type());
    else
      launch_parallel(std::false_type());
  });
  Impl::for_exact_runs(A, rows, [&](RowRange run) {
    computed_transposed_product<ExecutionSpace, Scalar>(
        exec, A, alpha,
        MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>(
            X.data() + static_cast<Offset>(run.begin - rows.begin) * vectors,
            static_cast<std::size_t>(run.end - run.begin), X.extent(1)),
        Scalar(1), Y, run);
  });
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                             \
  template std::size_t stepped_workspace_values(const ComputedProjection<SPACE::memory_space>&, \
                                                int);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template void reserve_stepped_workspace<SPACE, SCALAR>(                                      \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&, int,                       \
      SteppedWorkspace<SCALAR, SPACE::memory_space>&);                                         \
  template void stepped_product<SPACE, SCALAR>(                                                \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);                                                                               \
  template void stepped_transposed_product<SPACE, SCALAR>(                                     \
      const SPACE&, const ComputedProjection<SPACE::memory_space>&,                            \
      const SteppedWorkspace<SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const InputMultiVector<SPACE, SCALAR>&, SCALAR, const OutputMultiVector<SPACE, SCALAR>&, \
      RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
