// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <string>

namespace Tomokkos {
namespace {

constexpr double radians(double degrees) { return degrees * (std::numbers::pi / 180.0); }

/// Shepp-Logan in three dimensions; in two, z and c do not count.
struct SheppLoganRow {
  double x, y, z, a, b, c, degrees, original, modified;
};
constexpr std::array<SheppLoganRow, 10> shepp_logan{{
    {0.00, 0.0000, 0.00, 0.6900, 0.920, 0.810, 0, 2.00, 1.0},
    {0.00, -0.0184, 0.00, 0.6624, 0.874, 0.780, 0, -0.98, -0.8},
    {0.22, 0.0000, 0.00, 0.1100, 0.310, 0.220, -18, -0.02, -0.2},
    {-0.22, 0.0000, 0.00, 0.1600, 0.410, 0.280, 18, -0.02, -0.2},
    {0.00, 0.3500, -0.15, 0.2100, 0.250, 0.410, 0, 0.01, 0.1},
    {0.00, 0.1000, 0.25, 0.0460, 0.046, 0.050, 0, 0.01, 0.1},
    {0.00, -0.1000, 0.25, 0.0460, 0.046, 0.050, 0, 0.01, 0.1},
    {-0.08, -0.6050, 0.00, 0.0460, 0.023, 0.050, 0, 0.01, 0.1},
    {0.00, -0.6050, 0.00, 0.0230, 0.023, 0.020, 0, 0.01, 0.1},
    {0.06, -0.6050, 0.00, 0.0230, 0.046, 0.020, 0, 0.01, 0.1},
}};

EllipsePhantom make_shepp_logan(bool modified) {
  EllipsePhantom phantom{.shapes = {}, .scaling = PhantomScaling::per_axis, .clamp_at_zero = true};
  for (const SheppLoganRow& row : shepp_logan)
    phantom.shapes.push_back(
        {modified ? row.modified : row.original, row.x, row.y, row.a, row.b, radians(row.degrees)});
  return phantom;
}

/// Lengths are in centimetres and angles in degrees until the end.
EllipsePhantom make_forbild_head() {
  // Occipital protuberance: below the line y = -10.71177 the ellipse of the brain, above it a
  // narrow one.
  constexpr double protuberance = -14.294530834372887, above = protuberance + 10.71177;
  const std::initializer_list<Ellipse> head{
      {0.010, -4.7, 4.3, 1.79989, 1.79989},            // left eye
      {0.010, 4.7, 4.3, 1.79989, 1.79989},             // right eye
      {0.0025, -1.08, -9.0, 0.4, 0.4},                 // denser disc
      {-0.0025, 1.08, -9.0, 0.4, 0.4},                 // lighter disc
      {1.800, 0.0, 0.0, 9.6, 12.0},                    // skull
      {-1.050, 0.0, 8.4, 1.8, 3.0},                    // frontal sinus
      {0.750, 1.9, 5.4, 0.41633, 1.17425, -31.07698},  // bones of the face
      {0.750, -1.9, 5.4, 0.41633, 1.17425, 31.07698},  //
      {0.750, -4.3, 6.8, 1.8, 0.24, -30.0},            //
      {0.750, 4.3, 6.8, 1.8, 0.24, 30.0},              //
      {-0.005, 0.0, -3.6, 1.8, 3.6},                   // ventricle
      {0.005, 6.39395, -6.39395, 1.2, 0.42, 58.1},     // haematoma
      {0.750, 0.0, 3.6, 2.0, 2.0, 0.0, {{0, 1.2}, {180, 1.2}, {90, 0.27884}, {270, 0.27884}}},
      {1.800, 0.0, 9.6, 1.8, 3.0, 0.0, {{90, 0.60687}, {270, 0.60687}, {0, 0.2}, {180, 0.2}}},
      {0.750, 0.0, 0.0, 9.0, 11.4, 0.0, {{15, -2.605}, {165, -2.605}, {90, -10.71177}}},
      {0.750, 0.0, protuberance, 0.443194085308632, 3.892760834372886, 0.0, {{270, above}}},
      {-0.750, 0.0, 0.0, 9.0, 11.4, 0.0, {{0, 8.88740}}},  // brain
  };
  std::vector<Ellipse> shapes;
  // Left ear, a resolution pattern: four blocks one above the other, each with four columns of five
  // discs. The distance between the discs of a column is twice their diameter.
  constexpr std::array<double, 4> diameters{0.0357, 0.0312, 0.0278, 0.0250};
  for (int block = 0; block < 4; ++block)
    for (int column = 0; column < 4; ++column)
      for (int disc = 0; disc < 5; ++disc)
        shapes.push_back({0.750, -7.0 + 0.08 * column,
                          -1.0 + 0.48 * block + 2.0 * disc * diameters[column],
                          0.5 * diameters[column], 0.5 * diameters[column]});
  shapes.insert(shapes.end(), head);
  // Right ear: bone that replaces the cut side of the brain, with air holes on a triangular lattice
  // of spacing 0.4 cm.
  shapes.push_back({0.750, 9.1, 0.0, 4.2, 1.8, 0.0, {{0, -0.21260}}});
  const double row_distance = 0.2 * std::sqrt(3.0);
  struct Row {
    int index, holes;
    double shift;
  };
  for (const Row& row : {Row{0, 9, 0.0}, Row{1, 8, 0.2}, Row{-1, 8, 0.2}, Row{2, 8, 0.0},
                         Row{-2, 8, 0.0}, Row{3, 6, 0.2}, Row{-3, 6, 0.2}})
    for (int hole = 0; hole < row.holes; ++hole)
      shapes.push_back(
          {-1.800, 8.8 - 0.4 * hole - row.shift, row.index * row_distance, 0.15, 0.15});
  constexpr double unit = 12.8;  // cm
  for (Ellipse& shape : shapes) {
    for (double* length : {&shape.x, &shape.y, &shape.a, &shape.b}) *length /= unit;
    shape.rotation = radians(shape.rotation);
    for (HalfPlane& cut : shape.cuts) cut = {radians(cut.normal_angle), cut.distance / unit};
  }
  return {std::move(shapes), PhantomScaling::uniform, true};
}

EllipsePhantom make_derenzo() {
  constexpr std::array<double, 6> diameters{4.8, 6.4, 7.9, 9.5, 11.1, 12.7};
  constexpr double full_radius = 108.0, unit = full_radius / 0.95;
  EllipsePhantom phantom;
  for (int sector = 0; sector < 6; ++sector) {
    const double diameter = diameters[sector], spacing = 2.0 * diameter;
    const double axis = radians(30.0 + 60.0 * sector);
    // Row i is perpendicular to the axis of its sector and holds i + 1 discs: a triangle with its
    // tip towards the centre. The tip is one spacing away from the centre, so that discs of
    // neighbouring sectors are at least the sum of their radii apart.
    for (int row = 0;; ++row) {
      const double along = spacing * (1.0 + row * std::sqrt(3.0) / 2.0);
      if (along + 0.5 * diameter > full_radius) break;
      for (int disc = 0; disc <= row; ++disc) {
        const double across = spacing * (disc - 0.5 * row);
        if (std::hypot(along, across) + 0.5 * diameter > full_radius) continue;
        const double x = along * std::cos(axis) - across * std::sin(axis);
        const double y = along * std::sin(axis) + across * std::cos(axis);
        phantom.shapes.push_back(
            {1.0, x / unit, y / unit, 0.5 * diameter / unit, 0.5 * diameter / unit});
      }
    }
  }
  return phantom;
}

std::vector<double> checkerboard(long long rows, long long columns, long long tile) {
  if (tile < 0)
    throw Error("the width of the squares of a checkerboard must not be negative; it is " +
                std::to_string(tile) + " pixels");
  if (tile == 0) tile = std::max(1LL, std::min(rows, columns) / 8);
  std::vector<double> image(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (long long row = 0; row < rows; ++row)
    for (long long column = 0; column < columns; ++column)
      image[static_cast<std::size_t>(row * columns + column)] =
          (row / tile + column / tile) % 2 == 0 ? 1.0 : 0.0;
  return image;
}

}  // namespace

bool is_made_of_ellipses(PhantomKind kind) {
  return kind != PhantomKind::checkerboard && kind != PhantomKind::single_pixel;
}

EllipsePhantom make_phantom(PhantomKind kind) {
  switch (kind) {
    case PhantomKind::shepp_logan:
      return make_shepp_logan(true);
    case PhantomKind::shepp_logan_original:
      return make_shepp_logan(false);
    case PhantomKind::forbild_head:
      return make_forbild_head();
    case PhantomKind::derenzo:
      return make_derenzo();
    case PhantomKind::disc:
      return {{{1.0, 0.0, 0.0, 0.8, 0.8}}};
    case PhantomKind::off_center_disc:
      return {{{1.0, 0.35, -0.25, 0.3, 0.3}}};
    case PhantomKind::checkerboard:
    case PhantomKind::single_pixel:
      break;
  }
  throw Error("the phantom " + std::string(to_string(kind)) +
              " is not made of ellipses and has no analytic sinogram");
}

EllipsoidPhantom make_solid_phantom(SolidPhantomKind kind) {
  if (kind == SolidPhantomKind::ball) return {{{1.0, 0, 0, 0, 0.5, 0.5, 0.5}}};
  EllipsoidPhantom phantom{.shapes = {}, .clamp_at_zero = true};
  for (const SheppLoganRow& row : shepp_logan)
    phantom.shapes.push_back({kind == SolidPhantomKind::shepp_logan ? row.modified : row.original,
                              row.x, row.y, row.z, row.a, row.b, row.c, radians(row.degrees)});
  return phantom;
}

std::vector<double> sample_phantom(PhantomKind kind, long long rows, long long columns,
                                   const PhantomSampling& sampling) {
  if (is_made_of_ellipses(kind))
    return sample_phantom(make_phantom(kind), rows, columns, sampling.supersampling,
                          sampling.aspect);
  half_extent(rows, columns, 1.0);  // rejects invalid sizes
  if (kind == PhantomKind::checkerboard)
    return checkerboard(rows, columns, sampling.checkerboard_tile);
  std::vector<double> image(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  image[static_cast<std::size_t>((rows / 2) * columns + columns / 2)] = 1.0;
  return image;
}

}  // namespace Tomokkos
