// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_AnalyticSinogram.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_Philox.hpp>

#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_PlacedEllipse.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace Tomokkos;
constexpr double pi = std::numbers::pi;

// One random ellipse near the unit circle, with the given number of cuts.
EllipsePhantom random_ellipse(std::uint64_t index, int cuts) {
  CounterRandom random(17, index);
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  Ellipse ellipse{between(0.5, 2.0), between(-0.5, 0.5), between(-0.5, 0.5),
                  between(0.1, 0.7), between(0.1, 0.7),  between(-4.0, 4.0)};
  for (int i = 0; i < cuts; ++i)
    ellipse.cuts.push_back({between(-4.0, 4.0), between(-0.3, 0.5) * ellipse.a});
  EllipsePhantom phantom;
  phantom.shapes.push_back(ellipse);
  phantom.scaling = index % 2 == 0 ? PhantomScaling::per_axis : PhantomScaling::uniform;
  return phantom;
}

/// Integral along the line x nx + y ny = s.
double line_integral(const EllipsePhantom& phantom, const HalfExtent& extent, double nx, double ny,
                     double s) {
  double sum = 0.0;
  for (const Impl::PlacedEllipse& shape : Impl::place(phantom, extent)) {
    const Impl::Shadow shadow = Impl::cast_shadow(shape, nx, ny);
    sum += shape.value * Impl::chord(shape, shadow, nx, ny, s - shadow.center);
  }
  return sum;
}

// Length of a convex shape along a line, found by searching for its ends instead of by a formula.
double searched_chord(const Impl::PlacedEllipse& shape, double nx, double ny, double s) {
  const auto inside = [&](double tau) {
    return shape.contains(s * nx - tau * ny, s * ny + tau * nx);
  };
  const double reach = 8.0;
  const int steps = 20000;
  const auto at = [&](int i) { return -reach + 2.0 * reach * i / steps; };
  int first = 0;
  while (first <= steps && !inside(at(first))) ++first;
  if (first > steps) return 0.0;  // no intersection, or one shorter than a step
  int last = first;
  while (inside(at(last + 1))) ++last;
  const auto edge = [&](double out, double in) {
    for (int i = 0; i < 60; ++i) (inside(0.5 * (out + in)) ? in : out) = 0.5 * (out + in);
    return in;
  };
  return edge(at(last + 1), at(last)) - edge(at(first - 1), at(first));
}

std::vector<double> bins(int number, double width, double center = 0.0) {
  std::vector<double> positions(number);
  for (int i = 0; i < number; ++i) positions[i] = center + (i - 0.5 * (number - 1)) * width;
  return positions;
}

std::vector<double> turns(int number, double range, double start = 0.0) {
  std::vector<double> angles(number);
  for (int i = 0; i < number; ++i) angles[i] = start + range * i / number;
  return angles;
}

TEST(AnalyticSinogram, line_matches_searched_chord) {
  const HalfExtent extent{1.5, 1.0};
  int hits = 0;
  for (std::uint64_t index = 0; index < 60; ++index) {
    const EllipsePhantom phantom = random_ellipse(index, static_cast<int>(index % 4));
    const Impl::PlacedEllipse shape = Impl::place(phantom, extent)[0];
    CounterRandom random(3, index);
    for (int ray = 0; ray < 12; ++ray) {
      const double t = 2.0 * pi * random.uniform(), s = 2.0 * (random.uniform() - 0.5);
      const double expected = searched_chord(shape, std::cos(t), std::sin(t), s);
      const double value = line_integral(phantom, extent, std::cos(t), std::sin(t), s);
      if (expected == 0.0) {
        EXPECT_LE(value, 2.0 * 16.0 / 20000);  // at most two steps of the search
      } else {
        ++hits;
        EXPECT_NEAR(value, shape.value * expected, 1e-12) << index;
      }
    }
  }
  EXPECT_GT(hits, 100);
}

// Known integrals of a circle of radius R: the chord 2 sqrt(R^2 - s^2), half of it in a half disc,
// and the area of a circular segment.
TEST(AnalyticSinogram, a_cut_disc_has_its_known_integrals) {
  EllipsePhantom phantom;
  phantom.shapes.push_back({3.0, 0.0, 0.0, 0.5, 0.5, 0.7, {{0.0, 0.0}}});  // keeps x < 0
  const HalfExtent extent{2.0, 2.0};                                       // radius 1
  EXPECT_NEAR(line_integral(phantom, extent, 0.0, 1.0, 0.6), 3.0 * 0.8, 1e-14);
  EXPECT_NEAR(line_integral(phantom, extent, 1.0, 0.0, -0.6), 3.0 * 1.6, 1e-14);
  EXPECT_EQ(line_integral(phantom, extent, 1.0, 0.0, 0.6), 0.0);
  const std::vector<double> mass = analytic_sinogram(
      phantom, extent, {}, std::vector{0.0, 0.3, pi / 2, 2.0}, std::vector{0.0}, 2.5);
  for (const double value : mass) EXPECT_NEAR(value * 2.5, 3.0 * pi / 2.0, 1e-13);

  phantom.shapes[0].cuts = {{pi / 2, -0.3}};  // keeps y < -0.6: a circular segment
  const double segment = std::acos(0.6) - 0.6 * 0.8;
  for (const double value : analytic_sinogram(
           phantom, extent, {}, std::vector{0.0, 0.3, pi / 2, 2.0}, std::vector{0.0}, 2.5))
    EXPECT_NEAR(value * 2.5, 3.0 * segment, 1e-13);
}

// Compares the mean over a bin with the mean of many lines. The midpoint rule has an error of h^1.5
// near an edge.
TEST(AnalyticSinogram, strip_is_the_mean_of_lines) {
  const HalfExtent extent{1.5, 1.0};
  for (std::uint64_t index = 0; index < 24; ++index) {
    const EllipsePhantom phantom = random_ellipse(index, static_cast<int>(index % 4));
    const std::vector<double> angles{0.0, 0.4 + index, pi / 2, 2.5};
    const double width = 0.3;
    const std::vector<double> centers = bins(12, width);
    const std::vector<double> strip =
        analytic_sinogram(phantom, extent, {}, angles, centers, width);
    for (std::size_t bin = 0; bin < centers.size(); ++bin) {
      const int number = 4000;
      const std::vector<double> lines = analytic_sinogram(
          phantom, extent, {}, angles, bins(number, width / number, centers[bin]));
      for (std::size_t view = 0; view < angles.size(); ++view) {
        double mean = 0.0;
        for (int i = 0; i < number; ++i) mean += lines[view * number + i] / number;
        EXPECT_NEAR(strip[view * centers.size() + bin], mean, 2e-5) << index << ' ' << view;
      }
    }
  }
}

// A wide bin equals the mean of the narrow bins within it up to rounding. An error in any
// antiderivative would show.
TEST(AnalyticSinogram, strips_add_up) {
  const HalfExtent extent{1.5, 1.0};
  for (std::uint64_t index = 0; index < 40; ++index) {
    const EllipsePhantom phantom = random_ellipse(index, static_cast<int>(index % 4));
    const std::vector<double> angles{0.0, pi / 2, 0.1 + index, 1.0 + 2 * index};
    const std::vector<double> wide =
        analytic_sinogram(phantom, extent, {}, angles, bins(8, 0.4), 0.4);
    const std::vector<double> narrow =
        analytic_sinogram(phantom, extent, {}, angles, bins(56, 0.4 / 7), 0.4 / 7);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      double mean = 0.0;
      for (int k = 0; k < 7; ++k) mean += narrow[7 * i + k] / 7;
      EXPECT_NEAR(wide[i], mean, 1e-13);
    }
  }
}

// An image off the axis whose pixels are not squares, in every geometry. The mean over an element
// is that of rays within it.
TEST(AnalyticSinogram, any_scan_has_line_integrals_and_their_means) {
  const EllipsePhantom phantom = make_phantom(PhantomKind::shepp_logan);
  const VolumeGeometry volume{40, 30, 0.2, 0.3, 2.5, -1.5};
  const HalfExtent extent = half_extent(40, 30, 0.2, 1.5);
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(3, Angle::radians(0.3), ViewAngles::full_turn());
  scan.detectors = 9;
  scan.detector_width = 1.4;
  scan.detector_offset = 0.2;
  scan.source_to_origin = 30;
  scan.origin_to_detector = 10;
  constexpr int parts = 4001;
  for (const int kind : {0, 1, 2}) {
    scan.beam = kind == 0 ? Beam::parallel : Beam::fan;
    scan.detector_shape = kind == 2 ? DetectorShape::curved : DetectorShape::flat;
    const auto rays = analytic_sinogram(phantom, volume, scan, false);
    const auto means = analytic_sinogram(phantom, volume, scan, true);
    double sum = 0;
    for (Ordinal view = 0; view < 3; ++view)
      for (Ordinal i = 0; i < scan.detectors; ++i) {
        const double t = scan.views.radians(view);
        const auto integral = [&](double index) {
          const double s = (index - scan.center_index()) * scan.detector_width;
          double nx = std::cos(t), ny = std::sin(t), distance = s;
          if (scan.beam == Beam::fan) {
            const double turn = kind == 2 ? s / 40 : std::atan2(s, 40);
            distance = 30 * std::sin(turn);
            nx = std::cos(t - turn);
            ny = std::sin(t - turn);
          }
          return line_integral(phantom, extent, nx, ny, distance - (nx * 2.5 - ny * 1.5));
        };
        const auto k = static_cast<std::size_t>(view * scan.detectors + i);
        EXPECT_NEAR(rays[k], integral(i), 1e-12) << kind;
        double mean = 0;
        for (int j = 0; j < parts; ++j) mean += integral(i - 0.5 + (j + 0.5) / parts) / parts;
        EXPECT_NEAR(means[k], mean, 2e-4) << kind;
        sum += mean;
      }
    EXPECT_GT(sum, 5);
  }
}

// Every view has the mass of the phantom, and its first moment lies at the projection of the
// centroid. The moment places the mass of a bin at its centre, so the bins must be narrow.
TEST(AnalyticSinogram, every_view_has_the_mass_and_centroid_of_the_phantom) {
  const HalfExtent extent = half_extent(64, 64, 0.5);
  for (const auto& [kind, name] : EnumNames<PhantomKind>::names) {
    if (!is_made_of_ellipses(kind)) continue;
    const EllipsePhantom phantom = make_phantom(kind);
    // Shapes without cuts have formulas for area and centroid. Phantoms with cuts are sampled
    // finely.
    const bool cut = std::any_of(phantom.shapes.begin(), phantom.shapes.end(),
                                 [](const Ellipse& shape) { return !shape.cuts.empty(); });
    double mass = 0.0, mx = 0.0, my = 0.0;
    if (cut) {
      const int n = 64;
      const std::vector<double> image = sample_phantom(phantom, n, n, 32);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double value = 0.25 * image[i * n + j];
          mass += value;
          mx += value * (0.5 * (j + 0.5) - 16.0);
          my += value * (16.0 - 0.5 * (i + 0.5));
        }
    } else {
      for (const Impl::PlacedEllipse& shape : Impl::place(phantom, extent)) {
        const double value = shape.value * pi * shape.a * shape.b;
        mass += value;
        mx += value * shape.x;
        my += value * shape.y;
      }
    }
    const double tolerance = cut ? 1e-4 : 1e-12;
    const std::vector<double> angles = turns(12, pi, 0.05);
    const double width = 0.05;
    const std::vector<double> positions = bins(1000, width);
    const std::vector<double> sinogram =
        analytic_sinogram(phantom, extent, {}, angles, positions, width);
    for (std::size_t view = 0; view < angles.size(); ++view) {
      double zeroth = 0.0, first = 0.0;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        zeroth += sinogram[view * positions.size() + i] * width;
        first += sinogram[view * positions.size() + i] * width * positions[i];
      }
      EXPECT_NEAR(zeroth, mass, tolerance * mass) << name;
      EXPECT_NEAR(first / zeroth,
                  (mx * std::cos(angles[view]) + my * std::sin(angles[view])) / mass, 1e-3)
          << name;
    }
  }
}

// A view after half a turn contains the same lines from behind. A turned phantom shifts the
// sinogram, and a mirrored phantom mirrors it.
TEST(AnalyticSinogram, symmetries_of_the_phantom_appear_in_the_sinogram) {
  const HalfExtent extent{1.0, 1.0};
  const std::vector<double> angles = turns(7, pi, 0.2), positions = bins(41, 0.07);
  for (const double width : {0.0, 0.07}) {
    for (std::uint64_t index = 0; index < 20; ++index) {
      const EllipsePhantom phantom = random_ellipse(index, static_cast<int>(index % 4));
      const Ellipse& shape = phantom.shapes[0];
      EllipsePhantom turned = phantom, mirrored = phantom;
      const double turn = 0.9;
      turned.shapes[0].x = shape.x * std::cos(turn) - shape.y * std::sin(turn);
      turned.shapes[0].y = shape.x * std::sin(turn) + shape.y * std::cos(turn);
      turned.shapes[0].rotation += turn;
      mirrored.shapes[0].x *= -1.0;
      mirrored.shapes[0].rotation *= -1.0;
      for (HalfPlane& cut : turned.shapes[0].cuts) cut.normal_angle += turn;
      for (HalfPlane& cut : mirrored.shapes[0].cuts) cut.normal_angle = pi - cut.normal_angle;

      std::vector<double> behind = angles, shifted = angles, reflected = angles;
      for (double& angle : behind) angle += pi;
      for (double& angle : shifted) angle += turn;
      for (double& angle : reflected) angle = pi - angle;
      const auto sinogram = [&](const EllipsePhantom& p, const std::vector<double>& views) {
        return analytic_sinogram(p, extent, {}, views, positions, width);
      };
      const std::vector<double> value = sinogram(phantom, angles), back = sinogram(phantom, behind),
                                rotated = sinogram(turned, shifted),
                                mirror = sinogram(mirrored, reflected);
      for (std::size_t view = 0; view < angles.size(); ++view)
        for (std::size_t i = 0; i < positions.size(); ++i) {
          const std::size_t here = view * positions.size() + i;
          const std::size_t opposite = view * positions.size() + positions.size() - 1 - i;
          EXPECT_NEAR(value[here], back[opposite], 1e-12);
          EXPECT_NEAR(value[here], rotated[here], 1e-12);
          EXPECT_NEAR(value[here], mirror[here], 1e-12);
        }
    }
  }
}

// At 0 and 90 degrees, the bins are the columns and rows of the image. This checks axes and signs,
// also for images that are not square. The error of supersampling is about perimeter / (samples per
// unit).
TEST(AnalyticSinogram, bins_match_columns_and_rows_of_the_image) {
  const int rows = 24, columns = 40, s = 64;
  const double pixel = 0.5;
  for (const PhantomKind kind : {PhantomKind::shepp_logan, PhantomKind::forbild_head,
                                 PhantomKind::off_center_disc, PhantomKind::derenzo}) {
    const EllipsePhantom phantom = make_phantom(kind);
    const HalfExtent extent = half_extent(rows, columns, pixel);
    const std::vector<double> image = sample_phantom(phantom, rows, columns, s);
    const std::vector<double> across =
        analytic_sinogram(phantom, extent, {}, std::vector{0.0}, bins(columns, pixel), pixel);
    const std::vector<double> along =
        analytic_sinogram(phantom, extent, {}, std::vector{pi / 2}, bins(rows, pixel), pixel);
    for (int j = 0; j < columns; ++j) {
      double sum = 0.0;
      for (int i = 0; i < rows; ++i) sum += image[i * columns + j] * pixel;
      EXPECT_NEAR(across[j], sum, 0.02) << to_string(kind) << " column " << j;
    }
    for (int i = 0; i < rows; ++i) {
      double sum = 0.0;
      for (int j = 0; j < columns; ++j) sum += image[i * columns + j] * pixel;
      EXPECT_NEAR(along[rows - 1 - i], sum, 0.02) << to_string(kind) << " row " << i;
    }
  }
}

TEST(AnalyticSinogram, fan_rays_are_lines_through_source_and_detector) {
  const HalfExtent extent{1.0, 1.0};
  const FanDistances distances{4.0, 2.5};
  const EllipsePhantom phantom = make_phantom(PhantomKind::forbild_head);
  const std::vector<double> angles{0.0, 0.7, pi / 2, 4.0}, positions = bins(31, 0.1);
  const std::vector<double> sinogram =
      analytic_sinogram(phantom, extent, distances, angles, positions);
  double largest = 0.0;
  for (std::size_t view = 0; view < angles.size(); ++view)
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const double c = std::cos(angles[view]), s = std::sin(angles[view]);
      const double sx = s * 4.0, sy = -c * 4.0;
      const double px = -s * 2.5 + c * positions[i], py = c * 2.5 + s * positions[i];
      const double length = std::hypot(px - sx, py - sy);
      const double nx = (py - sy) / length, ny = -(px - sx) / length;
      const double value = sinogram[view * positions.size() + i];
      EXPECT_NEAR(value, line_integral(phantom, extent, nx, ny, nx * sx + ny * sy), 1e-12);
      largest = std::max(largest, value);
    }
  EXPECT_GT(largest, 1.0);
}

// Compares the quadrature over whole bins with bins cut into many pieces and with the mean of
// lines. With a distant source, also compares it with a parallel beam.
TEST(AnalyticSinogram, fan_strips_match_narrow_bins_lines_and_parallel_beams) {
  const HalfExtent extent{1.5, 1.0};
  const FanDistances distances{3.0, 1.0};
  for (std::uint64_t index = 0; index < 40; ++index) {
    const EllipsePhantom phantom = random_ellipse(index, static_cast<int>(index % 4));
    const std::vector<double> angles{0.0, 0.5 + index, 3.0};
    const std::vector<double> wide =
        analytic_sinogram(phantom, extent, distances, angles, bins(9, 0.5), 0.5);
    const std::vector<double> narrow =
        analytic_sinogram(phantom, extent, distances, angles, bins(9 * 40, 0.0125), 0.0125);
    const std::vector<double> lines =
        analytic_sinogram(phantom, extent, distances, angles, bins(9 * 2000, 0.00025));
    for (std::size_t i = 0; i < wide.size(); ++i) {
      double sum = 0.0, mean = 0.0;
      for (int k = 0; k < 40; ++k) sum += narrow[40 * i + k] / 40;
      for (int k = 0; k < 2000; ++k) mean += lines[2000 * i + k] / 2000;
      EXPECT_NEAR(wide[i], sum, 1e-12) << index;
      EXPECT_NEAR(wide[i], mean, 5e-5) << index;
    }
    const std::vector<double> far =
        analytic_sinogram(phantom, extent, FanDistances{1e7, 0.0}, angles, bins(9, 0.5), 0.5);
    const std::vector<double> parallel =
        analytic_sinogram(phantom, extent, {}, angles, bins(9, 0.5), 0.5);
    for (std::size_t i = 0; i < far.size(); ++i) EXPECT_NEAR(far[i], parallel[i], 1e-5) << index;
  }
}

TEST(AnalyticSinogram, refuses_invalid_geometry) {
  const EllipsePhantom disc = make_phantom(PhantomKind::disc);
  const HalfExtent extent{1.0, 1.0};
  const std::vector<double> zero{0.0}, bad{0.0, NAN};
  EXPECT_THROW(analytic_sinogram(disc, {0.0, 1.0}, {}, zero, zero), Error);
  EXPECT_THROW(analytic_sinogram(disc, extent, {}, bad, zero), Error);
  EXPECT_THROW(analytic_sinogram(disc, extent, {}, zero, bad), Error);
  EXPECT_THROW(analytic_sinogram(disc, extent, {}, zero, zero, -1.0), Error);
  // This source lies within the disc.
  EXPECT_THROW(analytic_sinogram(disc, extent, FanDistances{0.5, 1.0}, zero, zero), Error);
  EXPECT_THROW(analytic_sinogram(disc, extent, FanDistances{0.0, 1.0}, zero, zero), Error);
  EXPECT_THROW(analytic_sinogram(disc, extent, FanDistances{2.0, -1.0}, zero, zero), Error);
  const EllipsePhantom aside = make_phantom(PhantomKind::off_center_disc);
  // Part of this phantom lies behind the source.
  EXPECT_THROW(analytic_sinogram(aside, extent, FanDistances{0.3, 1.0}, zero, zero), Error);
  EXPECT_TRUE(analytic_sinogram(disc, extent, {}, {}, zero).empty());
}

}  // namespace
