// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_BandEdge_impl.hpp>
#include <impl/Tomokkos_SteppedWindows_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <numbers>

namespace Tomokkos {
namespace Impl {

constexpr double half_circle = std::numbers::pi, whole_circle = 2 * std::numbers::pi;

inline double degrees(double radians) { return radians * 180 / half_circle; }

/// Weight of the ramp filter at any distance from the middle.
inline double ramp_at(double distance) {
  const double t = half_circle * distance;
  if (std::fabs(t) < 1e-9) return 0.25;
  const double half = std::sin(0.5 * t) / (0.5 * t);
  return 0.5 * (std::sin(t) / t - 0.5 * half * half);
}

/// Largest angle between a ray of a fan beam and the central ray.
inline double half_fan(const ScanGeometry& scan) {
  const double distance = scan.source_to_origin + scan.origin_to_detector;
  const double largest =
      std::max(std::fabs(scan.position(0)), std::fabs(scan.position(scan.detectors - 1)));
  return std::atan2(largest, distance);
}

/// Angles in a period, in ascending order, and the gap after each.
struct Circle {
  std::vector<std::size_t> order;
  std::vector<double> gaps;
  std::size_t largest = 0;  ///< gap

  Circle(const std::vector<double>& angles, double period) : order(angles.size()) {
    std::vector<double> reduced(angles.size());
    for (std::size_t i = 0; i < angles.size(); ++i) {
      order[i] = i;
      reduced[i] = angles[i] - period * std::floor(angles[i] / period);
      // Angles that differ by rounding from a multiple of the period are 0.
      if (period - reduced[i] < 1e-9) reduced[i] = 0;
    }
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return reduced[i] < reduced[j] || (reduced[i] == reduced[j] && i < j);
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      const bool last = i + 1 == order.size();
      gaps.push_back(reduced[order[last ? 0 : i + 1]] - reduced[order[i]] + (last ? period : 0));
    }
    largest = static_cast<std::size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());
  }

  /// True if the largest gap is no larger than gaps between other views.
  bool is_closed() const {
    std::vector<double> sorted;
    for (const double gap : gaps)
      if (gap > 1e-9) sorted.push_back(gap);
    std::sort(sorted.begin(), sorted.end());
    return gaps[largest] <= 4 * sorted[(sorted.size() - 1) / 2];
  }
};

/// Values of `group` views at one element, which are loaded together.
template <class Scalar, int group>
struct alignas(group * sizeof(Scalar) < 16 ? group * sizeof(Scalar) : 16) ValuesOfViews {
  Scalar of[group];
};

/// Weighs the rays of one slice before they are filtered, and puts those of `group` views side by
/// side.
template <Beam beam, class Scalar, int group>
struct WeighRays {
  Ordinal detectors, pitch, views;
  double center, width;   // of the detector
  double distance;        // of the source from the detector
  double start, arc;      // of the views
  const double* radians;  // of the views
  Ordinal stride;         // of the data
  const Scalar* data;
  ValuesOfViews<Scalar, group>* weighted;

  /// Share of a ray in the sum over it and the same ray from the other side.
  KOKKOS_FUNCTION double share_of_ray(Ordinal view, double angle) const {
    constexpr double pi = half_circle;
    if (arc >= whole_circle * (1 - 1e-9)) return 0.5;
    double turn = radians[view] - start;
    turn -= whole_circle * Impl::floor(turn / whole_circle);
    const double beyond = 0.5 * (arc - pi);
    double part = 1;
    if (turn < 2 * (beyond + angle))
      part = turn / (2 * (beyond + angle));
    else if (turn > pi + 2 * angle)
      part = (arc - turn) / (2 * (beyond - angle));
    if (part >= 1) return 1;
    if (part <= 0) return 0;
    const double root = std::sin(0.5 * pi * part);
    return root * root;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal first = i / pitch * group, detector = i % pitch;
    ValuesOfViews<Scalar, group> values;
    for (int g = 0; g < group; ++g)
      values.of[g] =
          first + g < views && detector < detectors ? weighted_ray(first + g, detector) : Scalar(0);
    weighted[i] = values;
  }

  KOKKOS_FUNCTION Scalar weighted_ray(Ordinal view, Ordinal detector) const {
    const Offset ray = static_cast<Offset>(view) * detectors + detector;
    double value = static_cast<double>(data[ray * stride]);
    if constexpr (beam == Beam::fan) {
      const double s = (detector - center) * width;
      const double cosine = distance / Impl::sqrt(distance * distance + s * s);
      value *= cosine * share_of_ray(view, std::atan2(s, distance));
    }
    return static_cast<Scalar>(value);
  }
};

/// How a filter is cut: into threads that compute `outputs` neighbouring values of `views` views,
/// from `unit` values at a time. On a host registers hold the outputs, on a GPU the views and
/// outputs share the values and the weights.
template <class ExecutionSpace>
struct FilterShape {
  static constexpr bool on_host = is_host_space<ExecutionSpace>;
  static constexpr int views = on_host ? 1 : 4, outputs = on_host ? 16 : 4, unit = on_host ? 1 : 4;
  /// Further weights before and after those of the filter, which are read and not used.
  static constexpr int before = unit - 1, beyond = outputs;

  /// Elements of a view, with those that are zero.
  static constexpr Ordinal pitch(Ordinal detectors) { return (detectors + unit - 1) / unit * unit; }
};

template <class Shape, class Scalar>
struct FilterViews {
  Ordinal detectors, pitch, views;
  const Scalar* weights;  // of the filter, symmetric
  const ValuesOfViews<Scalar, Shape::views>* rays;
  Scalar* filtered;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    constexpr int group = Shape::views, outputs = Shape::outputs, unit = Shape::unit;
    const Ordinal of_views = (detectors - 1) / outputs + 1;
    const Ordinal first_view = i / of_views * group, first = i % of_views * outputs;
    const auto* const of_group = rays + static_cast<Offset>(i / of_views) * pitch;
    double totals[group][outputs] = {};
    constexpr Ordinal chunk = 64;
    for (Ordinal begin = 0; begin < pitch; begin += chunk) {
      const Ordinal end = begin + chunk < pitch ? begin + chunk : pitch;
      Scalar sums[group][outputs] = {};
      for (Ordinal k = begin; k < end; k += unit) {
        // Values beyond the view are computed and not stored.
        const Scalar* const of = weights + (detectors - 1) + first - k;
        TOMOKKOS_UNROLL
        for (int u = 0; u < unit; ++u) {
          const ValuesOfViews<Scalar, group> values = of_group[k + u];
          TOMOKKOS_UNROLL
          for (int g = 0; g < group; ++g) {
            TOMOKKOS_UNROLL
            for (int j = 0; j < outputs; ++j)
              sums[g][j] = multiply_add(values.of[g], of[Shape::before + j - u], sums[g][j]);
          }
        }
      }
      for (int g = 0; g < group; ++g)
        for (int j = 0; j < outputs; ++j) totals[g][j] += static_cast<double>(sums[g][j]);
    }
    for (int g = 0; g < group && first_view + g < views; ++g)
      for (int j = 0; j < outputs && first + j < detectors; ++j)
        filtered[static_cast<Offset>(first_view + g) * detectors + first + j] =
            static_cast<Scalar>(totals[g][j]);
  }
};

/// Sums the filtered values at a pixel, for scans without `interpolate_views`.
template <Beam beam, class View, class Scalar>
struct BackProjectFiltered {
  Ordinal rows, columns, views, detectors;
  double middle_x, middle_y;
  double pixel, pixel_height;
  double center_x, center_y;  // of the image
  double center, width;       // of the detector
  double source, distance;    // of the source from the origin and the detector
  const View* of_views;
  const Scalar* filtered;
  Ordinal stride;  // of the images
  Scalar* image;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    constexpr Ordinal chunk = 32;
    const double x = center_x + (i % columns - middle_x) * pixel;
    const double y = center_y + (middle_y - i / columns) * pixel_height;
    const double scale = (beam == Beam::fan ? distance : 1) / width;
    double total = 0;
    for (Ordinal begin = 0; begin < views; begin += chunk) {
      const Ordinal end = begin + chunk < views ? begin + chunk : views;
      Scalar sum = 0;
      for (Ordinal v = begin; v < end; ++v) {
        const View& view = of_views[v];
        double s = x * view.cosine + y * view.sine;
        auto share = static_cast<Scalar>(view.share);
        if constexpr (beam == Beam::fan) {
          const double inverse = quick_inverse(source - x * view.sine + y * view.cosine);
          s *= inverse;
          const auto nearness = static_cast<Scalar>(source * inverse);
          share *= nearness * nearness;
        }
        const double at = s * scale + center;
        const double below = Impl::floor(at);
        if (!(below >= -1 && below < detectors)) continue;
        const auto left = static_cast<Ordinal>(below);
        const auto part = static_cast<Scalar>(at - below);
        const Scalar* const of_view = filtered + static_cast<Offset>(v) * detectors;
        Scalar value = 0;
        if (left >= 0) value += (1 - part) * of_view[left];
        if (left + 1 < detectors) value += part * of_view[left + 1];
        sum = multiply_add(share, value, sum);
      }
      total += static_cast<double>(sum);
    }
    image[static_cast<Offset>(i) * stride] = static_cast<Scalar>(total);
  }
};

}  // namespace Impl

std::vector<double> ramp_filter(RampWindow window, Ordinal count) {
  std::vector<double> weights(static_cast<std::size_t>(count));
  for (Ordinal k = 0; k < count; ++k) {
    double& weight = weights[static_cast<std::size_t>(k)];
    const auto mixed = [k](double middle, double side) {
      return middle * Impl::ramp_at(k) + side * (Impl::ramp_at(k + 1.0) + Impl::ramp_at(k - 1.0));
    };
    switch (window) {
      case RampWindow::ram_lak:
        weight = Impl::ramp_at(k);
        break;
      case RampWindow::shepp_logan:
        weight = -2 / (Impl::half_circle * Impl::half_circle * (4.0 * k * k - 1));
        break;
      case RampWindow::cosine:
        weight = 0.5 * (Impl::ramp_at(k + 0.5) + Impl::ramp_at(k - 0.5));
        break;
      case RampWindow::hamming:
        weight = mixed(0.54, 0.23);
        break;
      case RampWindow::hann:
        weight = mixed(0.5, 0.25);
        break;
    }
  }
  return weights;
}

ViewShares view_shares(const ScanGeometry& scan) {
  if (scan.has_vectors() || scan.detector_shape == DetectorShape::curved)
    throw Refused(
        "filtered back projection needs views that turn around the origin, and a flat detector");
  const bool is_fan = scan.beam == Beam::fan;
  const std::vector<double> angles = scan.views.radians();
  const auto refuse = [&](double covered, double needed) {
    throw Refused(
        Impl::text("the views cover {} deg; filtered back projection of a {} needs at "
                   "least {} deg. Give more views, or use an iterative solver",
                   describe_number(Impl::degrees(covered)), to_string(scan.beam),
                   describe_number(Impl::degrees(needed))));
  };
  const double needed = Impl::half_circle + (is_fan ? 2 * Impl::half_fan(scan) : 0);
  if (scan.views.is_evenly_spaced()) {
    const double covered = std::fabs(scan.views.range().in_radians());
    if (covered < needed * (1 - 1e-9)) refuse(covered, needed);
  }
  const std::size_t count = angles.size();
  if (count < 2) refuse(0, needed);
  const Impl::Circle circle(angles, is_fan ? Impl::whole_circle : Impl::half_circle);
  const bool is_closed = circle.is_closed();
  ViewShares result;
  result.arc = is_fan ? Impl::whole_circle : Impl::half_circle;
  std::vector<double> gaps = circle.gaps;
  if (!is_closed) {
    // The views end before the largest gap: the first and the last stand for their own step.
    const double arc = result.arc - gaps[circle.largest];
    const double step = count > 1 ? arc / static_cast<double>(count - 1) : 0.0;
    if (!is_fan || (arc + step) < needed * (1 - 1e-9)) refuse(arc + step, needed);
    gaps[circle.largest] = step;
    result.arc = arc + step;
    result.start = angles[circle.order[(circle.largest + 1) % count]] - 0.5 * step;
  }
  result.radians.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    result.radians[circle.order[i]] = 0.5 * (gaps[i] + gaps[(i + count - 1) % count]);
  return result;
}

template <class ExecutionSpace, class Scalar>
FilteredBackProjection<ExecutionSpace, Scalar>::FilteredBackProjection(const ExecutionSpace& exec,
                                                                       const VolumeGeometry& volume,
                                                                       const ScanGeometry& scan,
                                                                       RampWindow window)
    : volume_(volume), scan_(scan) {
  check(volume, scan);
  shares_ = view_shares(scan);
  const bool is_fan = scan.beam == Beam::fan;
  // Fan beams are filtered on the detector moved to the origin.
  const double reduced =
      is_fan ? scan.source_to_origin / (scan.source_to_origin + scan.origin_to_detector) : 1.0;
  const std::vector<double> ramp = ramp_filter(window, scan.detectors);
  using Shape = Impl::FilterShape<ExecutionSpace>;
  std::vector<Scalar> filter(Shape::before + 2 * ramp.size() - 1 + Shape::beyond);
  const std::size_t middle = Shape::before + ramp.size() - 1;
  for (std::size_t k = 0; k < ramp.size(); ++k)
    filter[middle - k] = filter[middle + k] =
        static_cast<Scalar>(ramp[k] / (scan.detector_width * reduced));
  filter_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::filter", filter);
  std::vector<View> views;
  for (Ordinal v = 0; v < scan.views.count(); ++v) {
    const ViewDirection direction = scan.views.direction(v);
    views.push_back(
        {direction.cosine(), direction.sine(), shares_.radians[static_cast<std::size_t>(v)]});
  }
  views_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::views", views);
  const Offset padded =
      static_cast<Offset>((scan.views.count() - 1) / Shape::views + 1) * Shape::views;
  weighted_ = allocate<Vector<Scalar, memory_space>>(
      exec, "Tomokkos::FilteredBackProjection::weighted",
      static_cast<std::size_t>(padded * Shape::pitch(scan.detectors)));
  filtered_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::FilteredBackProjection::filtered",
                                             static_cast<std::size_t>(scan.num_rays()));
  if (!is_fan && has_stepped_products(volume, scan, Projector::linear)) {
    interpolation_ = make_view_interpolation(exec, volume, scan, shares_.radians);
    reserve_stepped_workspace(exec, interpolation_, 1, workspace_);
  }
  const std::vector<double> radians = scan.views.radians();
  radians_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::radians", radians);
  Impl::fence(exec, "FilteredBackProjection: the tables are complete");
}

template <class ExecutionSpace, class Scalar>
void FilteredBackProjection<ExecutionSpace, Scalar>::apply(
    const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& data,
    const MultiVectorView<Scalar, memory_space>& images) const {
  require_equal("rows of the data", static_cast<long long>(data.extent(0)), "rays of the scan",
                static_cast<long long>(scan_.num_rays()));
  require_equal("rows of the images", static_cast<long long>(images.extent(0)),
                "pixels of the volume", static_cast<long long>(volume_.num_pixels()));
  require_equal("columns of the images", static_cast<long long>(images.extent(1)),
                "columns of the data", static_cast<long long>(data.extent(1)));
  const auto slices = static_cast<Ordinal>(data.extent(1));
  const auto pixels = static_cast<Ordinal>(volume_.num_pixels());
  const double distance = scan_.source_to_origin + scan_.origin_to_detector;
  using Shape = Impl::FilterShape<ExecutionSpace>;
  using Values = Impl::ValuesOfViews<Scalar, Shape::views>;
  auto* const weighted = reinterpret_cast<Values*>(weighted_.data());
  const Ordinal views = scan_.views.count(), groups = (views - 1) / Shape::views + 1;
  const Ordinal parts = (scan_.detectors - 1) / Shape::outputs + 1;
  const Ordinal pitch = Shape::pitch(scan_.detectors);
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  const auto launch = [&]<Beam beam>(std::integral_constant<Beam, beam>, Ordinal slice) {
    Kokkos::parallel_for(
        "Tomokkos::fbp::weigh", Policy(exec, 0, groups * pitch),
        Impl::WeighRays<beam, Scalar, Shape::views>{
            scan_.detectors, pitch, views, scan_.center_index(), scan_.detector_width, distance,
            shares_.start, shares_.arc, radians_.data(), slices, data.data() + slice, weighted});
    Kokkos::parallel_for(
        "Tomokkos::fbp::filter", Policy(exec, 0, groups * parts),
        Impl::FilterViews<Shape, Scalar>{scan_.detectors, pitch, views, filter_.data(), weighted,
                                         filtered_.data()});
    if (interpolation_.is_stepped()) {
      interpolate_views<ExecutionSpace, Scalar>(exec, interpolation_, workspace_, filtered_, images,
                                                slice);
      return;
    }
    Kokkos::parallel_for(
        "Tomokkos::fbp::back_project", Policy(exec, 0, pixels),
        Impl::BackProjectFiltered<beam, View, Scalar>{
            volume_.rows, volume_.columns, scan_.views.count(), scan_.detectors,
            0.5 * (volume_.columns - 1.0), 0.5 * (volume_.rows - 1.0), volume_.pixel,
            volume_.pixel_height(), volume_.center_x, volume_.center_y, scan_.center_index(),
            scan_.detector_width, scan_.source_to_origin, distance, views_.data(), filtered_.data(),
            slices, images.data() + slice});
  };
  for (Ordinal slice = 0; slice < slices; ++slice)
    if (scan_.beam == Beam::fan)
      launch(std::integral_constant<Beam, Beam::fan>(), slice);
    else
      launch(std::integral_constant<Beam, Beam::parallel>(), slice);
}

template <class ExecutionSpace, class Scalar>
std::size_t FilteredBackProjection<ExecutionSpace, Scalar>::memory_bytes() const {
  return (filter_.extent(0) + weighted_.extent(0) + filtered_.extent(0)) * sizeof(Scalar) +
         views_.extent(0) * sizeof(View) + radians_.extent(0) * sizeof(double) +
         interpolation_.memory_bytes() + workspace_.memory_bytes();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class FilteredBackProjection<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
