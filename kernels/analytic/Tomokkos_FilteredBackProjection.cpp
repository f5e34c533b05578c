// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_BandEdge_impl.hpp>
#include <impl/Tomokkos_DataTails_impl.hpp>
#include <impl/Tomokkos_SteppedWindows_impl.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <limits>
#include <numbers>

namespace Tomokkos {
namespace Impl {

constexpr double half_circle = std::numbers::pi, whole_circle = 2 * std::numbers::pi;

/// Weight of the ramp filter at any distance from the middle.
inline double ramp_at(double distance) {
  const double t = half_circle * distance;
  if (std::fabs(t) < 1e-9) return 0.25;
  const double half = std::sin(0.5 * t) / (0.5 * t);
  return 0.5 * (std::sin(t) / t - 0.5 * half * half);
}

/// Values of `group` views at one element, which are loaded together.
template <class Scalar, int group>
struct alignas(group * sizeof(Scalar) < 16 ? group * sizeof(Scalar) : 16) ValuesOfViews {
  Scalar of[group];
};

/// Weighs the rays of one slice before they are filtered, and puts those of `group` views side by
/// side. Elements that the scan does not have are 0.
template <Beam beam, class Scalar, int group>
struct WeighRays {
  Ordinal detectors, before;  // of the scan; elements that are added before them
  Ordinal pitch, views;
  double center, width;   // of the detector
  double distance;        // of the source from the detector
  double start, arc;      // of the views
  const double* radians;  // of the views
  const double* weights;  // of the elements (`opposite_weights`)
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
    const Ordinal first = i / pitch * group, detector = i % pitch - before;
    const bool is_measured = detector >= 0 && detector < detectors;
    ValuesOfViews<Scalar, group> values;
    for (int g = 0; g < group; ++g)
      values.of[g] =
          first + g < views && is_measured ? weighted_ray(first + g, detector) : Scalar(0);
    weighted[i] = values;
  }

  KOKKOS_FUNCTION Scalar weighted_ray(Ordinal view, Ordinal detector) const {
    const Offset ray = static_cast<Offset>(view) * detectors + detector;
    double value = static_cast<double>(data[ray * stride]) * weights[detector];
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

/// Returns the scan with elements added on the shorter side of a displaced detector, up to where
/// it is as long as the other side or the image ends: filtered views are not 0 there.
inline ScanGeometry widened(const VolumeGeometry& volume, const ScanGeometry& scan,
                            Ordinal& before) {
  const ScanCoverage coverage = scan_coverage(volume, scan);
  before = 0;
  if (!coverage.lines.is_whole_turn || coverage.lines.short_side == DetectorSide::none) return scan;
  const bool is_low = coverage.lines.short_side == DetectorSide::low;
  const double center = scan.center_index();
  const double difference = std::fabs(scan.detectors - 1 - 2 * center);
  const double unseen = is_low ? coverage.largest.below : coverage.largest.beyond;
  const double added = std::ceil(std::min(difference, unseen));
  // Within the bounds of the added lengths, only memory limits the number of elements.
  if (!(added * scan.views.count() <= std::numeric_limits<Ordinal>::max() - scan.num_rays()))
    throw Refused("filtered back projection adds " + describe_number(added) +
                  " elements on the shorter side of the detector, which are too many; make the "
                  "image smaller");
  ScanGeometry result = scan;
  result.detectors += static_cast<Ordinal>(added);
  if (is_low) before = static_cast<Ordinal>(added);
  result.detector_offset.reset();
  result.rotation_center = center + before;
  return result;
}

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

template <class ExecutionSpace, class Scalar>
FilteredBackProjection<ExecutionSpace, Scalar>::FilteredBackProjection(const ExecutionSpace& exec,
                                                                       const VolumeGeometry& volume,
                                                                       const ScanGeometry& scan,
                                                                       RampWindow window)
    : volume_(volume), scan_(scan) {
  check(volume, scan);
  const ViewShares shares = view_shares(scan);
  start_ = shares.start;
  arc_ = shares.arc;
  wide_ = Impl::widened(volume, scan, before_);
  const bool is_fan = scan.beam == Beam::fan;
  // Fan beams are filtered on the detector moved to the origin.
  const double reduced =
      is_fan ? scan.source_to_origin / (scan.source_to_origin + scan.origin_to_detector) : 1.0;
  const std::vector<Ordinal> blocks = Impl::tail_blocks(scan.detectors);
  std::vector<double> ramp = ramp_filter(window, wide_.detectors + blocks.back());
  for (double& weight : ramp) weight /= scan.detector_width * reduced;
  using Shape = Impl::FilterShape<ExecutionSpace>;
  const auto width = static_cast<std::size_t>(wide_.detectors);
  std::vector<Scalar> filter(Shape::before + 2 * width - 1 + Shape::beyond);
  const std::size_t middle = Shape::before + width - 1;
  for (std::size_t k = 0; k < width; ++k)
    filter[middle - k] = filter[middle + k] = static_cast<Scalar>(ramp[k]);
  filter_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::filter", filter);
  std::vector<double> sums(1, 0.0);
  for (const double weight : ramp) sums.push_back(sums.back() + weight);
  tail_sums_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::tail_sums", sums);
  tail_blocks_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::tail_blocks", blocks);
  std::vector<double> weights = opposite_weights(scan);
  // The opposite views measure the lines beyond the shorter side.
  const DetectorSide covered =
      weights.empty() ? DetectorSide::none : measured_lines(scan).short_side;
  continues_low_ = covered != DetectorSide::low;
  continues_high_ = covered != DetectorSide::high;
  if (weights.empty()) weights.assign(static_cast<std::size_t>(scan.detectors), 1.0);
  weights_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::weights", weights);
  std::vector<View> views;
  for (Ordinal v = 0; v < scan.views.count(); ++v) {
    const ViewDirection direction = scan.views.direction(v);
    views.push_back(
        {direction.cosine(), direction.sine(), shares.radians[static_cast<std::size_t>(v)]});
  }
  views_ = Impl::copy_of(exec, "Tomokkos::FilteredBackProjection::views", views);
  const auto count = static_cast<std::size_t>(scan.views.count());
  const Offset padded =
      static_cast<Offset>((scan.views.count() - 1) / Shape::views + 1) * Shape::views;
  weighted_ = allocate<Vector<Scalar, memory_space>>(
      exec, "Tomokkos::FilteredBackProjection::weighted",
      static_cast<std::size_t>(padded * Shape::pitch(wide_.detectors)));
  filtered_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::FilteredBackProjection::filtered",
                                             static_cast<std::size_t>(wide_.num_rays()));
  peaks_ = allocate<Vector<double, memory_space>>(
      exec, "Tomokkos::FilteredBackProjection::peaks",
      count * static_cast<std::size_t>(Impl::tail_chunks(scan.detectors)));
  ends_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::FilteredBackProjection::ends",
                                                 count * sizeof(Impl::ViewEnds) / sizeof(double));
  tails_ =
      allocate<Vector<double, memory_space>>(exec, "Tomokkos::FilteredBackProjection::tails",
                                             2 * count * sizeof(Impl::DataTail) / sizeof(double));
  if (!is_fan && has_stepped_products(volume, wide_, Projector::linear)) {
    interpolation_ = make_view_interpolation(exec, volume, wide_, shares.radians);
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
  const Ordinal width = wide_.detectors, parts = (width - 1) / Shape::outputs + 1;
  const Ordinal pitch = Shape::pitch(width);
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>;
  using LongPolicy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>;
  const auto blocks = static_cast<Ordinal>(tail_blocks_.extent(0)) - 1;
  const Impl::WeightedViews<Values> rays{scan_.detectors, before_, pitch, views, weighted};
  auto* const ends = reinterpret_cast<Impl::ViewEnds*>(ends_.data());
  auto* const tails = reinterpret_cast<Impl::DataTail*>(tails_.data());
  const double center = scan_.center_index();
  const double slope = scan_.beam == Beam::fan ? scan_.detector_width / distance : 0;
  const auto launch = [&]<Beam beam>(std::integral_constant<Beam, beam>, Ordinal slice) {
    Kokkos::parallel_for(
        "Tomokkos::fbp::weigh", Policy(exec, 0, groups * pitch),
        Impl::WeighRays<beam, Scalar, Shape::views>{
            scan_.detectors, before_, pitch, views, center, scan_.detector_width, distance, start_,
            arc_, radians_.data(), weights_.data(), slices, data.data() + slice, weighted});
    Kokkos::parallel_for("Tomokkos::fbp::filter", Policy(exec, 0, groups * parts),
                         Impl::FilterViews<Shape, Scalar>{width, pitch, views, filter_.data(),
                                                          weighted, filtered_.data()});
    Kokkos::parallel_for("Tomokkos::fbp::find_peaks",
                         Policy(exec, 0, static_cast<Ordinal>(peaks_.extent(0))),
                         Impl::FindPeaks<Values>{rays, peaks_.data()});
    Kokkos::parallel_for(
        "Tomokkos::fbp::fit_ends", Policy(exec, 0, views),
        Impl::FitEnds<Values>{
            rays, {center, scan_.detectors - 1 - center}, slope * slope, peaks_.data(), ends});
    Kokkos::parallel_for("Tomokkos::fbp::choose_tails", Policy(exec, 0, views),
                         Impl::ChooseTails{views, {continues_low_, continues_high_}, ends, tails});
    Kokkos::parallel_for(
        "Tomokkos::fbp::add_tails", LongPolicy(exec, 0, wide_.num_rays()),
        Impl::AddTails<Scalar>{width, scan_.detectors, before_, blocks, tail_blocks_.data(),
                               tail_sums_.data(), tails, filtered_.data()});
    if (interpolation_.is_stepped()) {
      interpolate_views<ExecutionSpace, Scalar>(exec, interpolation_, workspace_, filtered_, images,
                                                slice);
      return;
    }
    Kokkos::parallel_for(
        "Tomokkos::fbp::back_project", Policy(exec, 0, pixels),
        Impl::BackProjectFiltered<beam, View, Scalar>{
            volume_.rows, volume_.columns, scan_.views.count(), width,
            0.5 * (volume_.columns - 1.0), 0.5 * (volume_.rows - 1.0), volume_.pixel,
            volume_.pixel_height(), volume_.center_x, volume_.center_y, wide_.center_index(),
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
         views_.extent(0) * sizeof(View) +
         (radians_.extent(0) + weights_.extent(0) + tail_sums_.extent(0) + peaks_.extent(0) +
          ends_.extent(0) + tails_.extent(0)) *
             sizeof(double) +
         tail_blocks_.extent(0) * sizeof(Ordinal) + interpolation_.memory_bytes() +
         workspace_.memory_bytes();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class FilteredBackProjection<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
