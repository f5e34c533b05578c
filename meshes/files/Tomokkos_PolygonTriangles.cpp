// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_PolygonTriangles.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace Tomokkos {
namespace {

// Error of a coordinate, for polygons whose largest coordinate is 1: some units in the last place,
// so that corners on a straight side stay on it after a rotation.
constexpr double coordinate_error = 16 * std::numeric_limits<double>::epsilon();

Point2 minus(const Point2& p, const Point2& q) { return {p[0] - q[0], p[1] - q[1]}; }
double cross(const Point2& p, const Point2& q) { return p[0] * q[1] - p[1] * q[0]; }
double dot(const Point2& p, const Point2& q) { return p[0] * q[0] + p[1] * q[1]; }
double length(const Point2& p) { return std::hypot(p[0], p[1]); }

/// Side of the line from \p a to \p b on which \p c lies: 1 left, -1 right, 0 on it up to the error
/// of the coordinates.
int side(const Point2& a, const Point2& b, const Point2& c) {
  const Point2 ab = minus(b, a), ac = minus(c, a);
  const double value = cross(ab, ac);
  const double error = coordinate_error * (length(ab) + length(ac));
  return value > error ? 1 : value < -error ? -1 : 0;
}

/// Projects the corners onto their plane of best fit, in which they run counter-clockwise. Empty if
/// they have no area.
std::vector<Point2> project(std::span<const Point3> corners) {
  double largest = 0;
  for (const Point3& p : corners)
    for (const double x : p) largest = std::max(largest, std::abs(x));
  if (largest == 0) return {};
  std::vector<Point3> scaled(corners.begin(), corners.end());
  for (Point3& p : scaled)
    for (double& x : p) x /= largest;
  const Point3 first = scaled.front();
  double perimeter = 0;
  Point3 normal{};
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    const Point3& p = scaled[i];
    const Point3& q = scaled[(i + 1) % scaled.size()];
    perimeter += distance(p, q);
    const Point3 area = Tomokkos::cross({p[0] - first[0], p[1] - first[1], p[2] - first[2]},
                                        {q[0] - first[0], q[1] - first[1], q[2] - first[2]});
    for (std::size_t k = 0; k < 3; ++k) normal[k] += area[k];
  }
  const double size = std::hypot(normal[0], normal[1], normal[2]);
  if (!(size > 4 * coordinate_error * perimeter)) return {};
  for (double& x : normal) x /= size;
  // An axis of the plane that is far from parallel to the normal.
  const std::size_t small = static_cast<std::size_t>(
      std::min_element(normal.begin(), normal.end(),
                       [](double x, double y) { return std::abs(x) < std::abs(y); }) -
      normal.begin());
  Point3 axis{};
  axis[small] = 1;
  Point3 u = Tomokkos::cross(axis, normal);
  const double u_size = std::hypot(u[0], u[1], u[2]);
  for (double& x : u) x /= u_size;
  const Point3 v = Tomokkos::cross(normal, u);
  std::vector<Point2> plane;
  plane.reserve(scaled.size());
  for (const Point3& p : scaled) {
    const Point3 from_first{p[0] - first[0], p[1] - first[1], p[2] - first[2]};
    plane.push_back({Tomokkos::dot(from_first, u), Tomokkos::dot(from_first, v)});
  }
  return plane;
}

/// True if the sectors of the fan about the first corner are disjoint and not empty.
bool is_fan(const std::vector<Point2>& corners) {
  double angle = 0;
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
    if (side(corners[0], corners[k], corners[k + 1]) <= 0) return false;
    const Point2 p = minus(corners[k], corners[0]), q = minus(corners[k + 1], corners[0]);
    angle += std::atan2(cross(p, q), dot(p, q));
  }
  return angle < 2 * std::numbers::pi;
}

/// True if the closed segments a b and c d have a point in common.
bool meet(const Point2& a, const Point2& b, const Point2& c, const Point2& d) {
  const int c_side = side(a, b, c), d_side = side(a, b, d);
  if (c_side * d_side > 0) return false;
  const int a_side = side(c, d, a), b_side = side(c, d, b);
  if (a_side * b_side > 0) return false;
  if (c_side != 0 || d_side != 0 || a_side != 0 || b_side != 0) return true;
  for (std::size_t k = 0; k < 2; ++k)
    if (std::max(a[k], b[k]) < std::min(c[k], d[k]) || std::max(c[k], d[k]) < std::min(a[k], b[k]))
      return false;
  return true;
}

/// True if two sides cross or touch other than at their common corner. Corners differ from their
/// successors.
bool crosses_itself(const std::vector<Point2>& corners) {
  const std::size_t n = corners.size();
  const auto end = [&](std::size_t i) -> const Point2& { return corners[(i + 1) % n]; };
  const auto low = [&](std::size_t i) { return std::min(corners[i][0], end(i)[0]); };
  const auto high = [&](std::size_t i) { return std::max(corners[i][0], end(i)[0]); };
  for (std::size_t i = 0; i < n; ++i) {
    const Point2& next = corners[(i + 2) % n];
    const bool is_back = dot(minus(end(i), corners[i]), minus(next, end(i))) < 0;
    if (is_back && side(corners[i], end(i), next) == 0) return true;
  }
  std::vector<std::size_t> sides(n);
  std::iota(sides.begin(), sides.end(), std::size_t{0});
  std::sort(sides.begin(), sides.end(), [&](std::size_t i, std::size_t j) {
    return low(i) < low(j) || (low(i) == low(j) && i < j);
  });
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = k + 1; l < n; ++l) {
      const std::size_t i = sides[k], j = sides[l];
      if (low(j) > high(i) + coordinate_error) break;
      if ((i + 1) % n == j || (j + 1) % n == i) continue;
      if (meet(corners[i], end(i), corners[j], end(j))) return true;
    }
  return false;
}

/// Cuts ears off a simple polygon that runs counter-clockwise.
class EarClipping {
 public:
  /// \param names positions that the triangles name
  EarClipping(const std::vector<Point2>& corners, const std::vector<Ordinal>& names)
      : corners_(corners), names_(names), left_(corners.size()), next_(left_), previous_(left_) {
    for (std::size_t i = 0; i < left_; ++i) {
      next_[i] = (i + 1) % left_;
      previous_[i] = (i + left_ - 1) % left_;
    }
    turn_.resize(left_);
    ear_.resize(left_);
    for (std::size_t i = 0; i < left_; ++i) turn_[i] = turn(i);
    for (std::size_t i = 0; i < left_; ++i)
      if (turn_[i] <= 0) not_convex_.push_back(i);
    for (std::size_t i = 0; i < left_; ++i) ear_[i] = is_ear(i);
  }

  /// Fails, with false, only where rounding errors leave no ear.
  bool run(std::vector<Triangle>& triangles) {
    // The corner after the first is cut off first, so that a convex polygon gives a fan.
    std::size_t at = next_[0], tried = 0;
    bool is_first_left = true;
    while (left_ > 3) {
      if (ear_[at] == 0) {
        if (++tried > left_) return false;
        at = next_[at];
        continue;
      }
      add(at, triangles);
      const std::size_t before = previous_[at], after = next_[at];
      next_[before] = after;
      previous_[after] = before;
      --left_;
      is_first_left = is_first_left && at != 0;
      turn_[at] = 1;
      for (const std::size_t i : {before, after}) turn_[i] = turn(i);
      if (++cut_ % 64 == 0) std::erase_if(not_convex_, [&](std::size_t i) { return turn_[i] > 0; });
      for (const std::size_t i : {before, after}) ear_[i] = is_ear(i);
      at = before == 0 ? after : before;
      tried = 0;
    }
    add(is_first_left ? next_[0] : at, triangles);
    return true;
  }

 private:
  int turn(std::size_t i) const {
    return side(corners_[previous_[i]], corners_[i], corners_[next_[i]]);
  }

  char is_ear(std::size_t i) const {
    if (turn_[i] <= 0) return 0;
    const std::size_t a = previous_[i], c = next_[i];
    const auto [x_low, x_high] = std::minmax({corners_[a][0], corners_[i][0], corners_[c][0]});
    const auto [y_low, y_high] = std::minmax({corners_[a][1], corners_[i][1], corners_[c][1]});
    for (const std::size_t j : not_convex_) {
      const Point2& p = corners_[j];
      if (p[0] < x_low - margin || p[0] > x_high + margin || p[1] < y_low - margin ||
          p[1] > y_high + margin)
        continue;
      if (turn_[j] > 0 || j == a || j == i || j == c) continue;
      if (side(corners_[a], corners_[i], p) >= 0 && side(corners_[i], corners_[c], p) >= 0 &&
          side(corners_[c], corners_[a], p) >= 0)
        return 0;
    }
    return 1;
  }

  void add(std::size_t i, std::vector<Triangle>& triangles) const {
    triangles.push_back({names_[previous_[i]], names_[i], names_[next_[i]]});
  }

  static constexpr double margin = 4 * coordinate_error;

  const std::vector<Point2>& corners_;
  const std::vector<Ordinal>& names_;
  std::size_t left_, cut_ = 0;
  std::vector<std::size_t> next_, previous_;
  std::vector<int> turn_;
  std::vector<char> ear_;
  std::vector<std::size_t> not_convex_;  ///< corners that may lie in an ear, and some convex ones
};

/// True for a quadrilateral whose diagonals pass each other at a clear distance. Its sides may
/// cross in the projection, but not in space, and its two triangles do not overlap there.
bool is_skew(std::span<const Point3> corners) {
  constexpr double least_distance = 0.1;  // of the longer diagonal
  if (corners.size() != 4) return false;
  const auto from_to = [&](std::size_t i, std::size_t j) {
    const Point3 &p = corners[i], &q = corners[j];
    return Point3{q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  };
  const Point3 first = from_to(0, 2), second = from_to(1, 3), side = from_to(0, 1);
  const Point3 normal = Tomokkos::cross(first, second);
  const auto size = [](const Point3& v) { return std::hypot(v[0], v[1], v[2]); };
  const double apart = std::abs(side[0] * normal[0] + side[1] * normal[1] + side[2] * normal[2]);
  return apart > least_distance * std::max(size(first), size(second)) * size(normal);
}

}  // namespace

PolygonFault divide_polygon(std::span<const Point3> corners, std::vector<Triangle>& triangles) {
  const std::vector<Point2> plane = project(corners);
  if (plane.empty()) return PolygonFault::no_area;
  const auto n = static_cast<Ordinal>(corners.size());
  if (is_fan(plane)) {
    for (Ordinal k = 1; k + 1 < n; ++k) triangles.push_back({0, k, k + 1});
    return PolygonFault::none;
  }
  // A corner that coincides with its successor is cut off first.
  std::vector<Triangle> result;
  std::vector<Point2> distinct;
  std::vector<Ordinal> names;
  for (Ordinal i = 0; i < n; ++i) {
    const auto next = static_cast<std::size_t>(i + 1 < n ? i + 1 : names.empty() ? 0 : names[0]);
    if (plane[static_cast<std::size_t>(i)] == plane[next] &&
        corners[static_cast<std::size_t>(i)] == corners[next]) {
      const Ordinal before = names.empty() ? n - 1 : names.back();
      result.push_back({before, i, static_cast<Ordinal>(next)});
      continue;
    }
    distinct.push_back(plane[static_cast<std::size_t>(i)]);
    names.push_back(i);
  }
  if (distinct.size() < 3) return PolygonFault::no_area;
  if (distinct.size() > most_concave_corners) return PolygonFault::too_large;
  if (crosses_itself(distinct)) {
    if (!is_skew(corners)) return PolygonFault::crossing;
    triangles.insert(triangles.end(), {{0, 1, 2}, {0, 2, 3}});
    return PolygonFault::none;
  }
  if (!EarClipping(distinct, names).run(result)) return PolygonFault::crossing;
  triangles.insert(triangles.end(), result.begin(), result.end());
  return PolygonFault::none;
}

}  // namespace Tomokkos
