// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

namespace Tomokkos {
namespace {

double squared(const Point3& d) { return d[0] * d[0] + d[1] * d[1] + d[2] * d[2]; }

double squared_distance(const Point3& p, const Point3& q) {
  return squared({p[0] - q[0], p[1] - q[1], p[2] - q[2]});
}

/// Finds the farthest pair of points along a curve. A binary tree divides the curve into sections
/// with bounding boxes. Pairs of boxes that cannot contain a better pair are discarded.
class FarthestPair {
 public:
  explicit FarthestPair(std::vector<Point3> points) : points_(std::move(points)) {
    nodes_.reserve(points_.size() / 4 + 4);
    build(0, points_.size());
  }

  /// Indices of the pair; the lexicographically first point comes first.
  std::pair<std::size_t, std::size_t> find() {
    // Initial good pair: from any point to the farthest one, and on to the farthest from there.
    sweep(sweep(0));
    std::vector<Task> tasks{{bound(0, 0), 0, 0}};
    while (!tasks.empty()) {
      const Task task = tasks.back();
      tasks.pop_back();
      if (task.bound < best_) continue;
      split(task, tasks);
    }
    return pair_;
  }

 private:
  static constexpr std::size_t leaf_size = 16;

  struct Node {
    Point3 low;
    Point3 high;
    std::size_t begin;
    std::size_t end;
    std::size_t left = 0;  // 0: leaf
    std::size_t right = 0;
  };

  struct Task {
    double bound;
    std::size_t a;
    std::size_t b;
  };

  std::size_t build(std::size_t begin, std::size_t end) {
    const std::size_t index = nodes_.size();
    nodes_.push_back({points_[begin], points_[begin], begin, end});
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t x = 0; x < 3; ++x) {
        nodes_[index].low[x] = std::min(nodes_[index].low[x], points_[i][x]);
        nodes_[index].high[x] = std::max(nodes_[index].high[x], points_[i][x]);
      }
    }
    if (end - begin > leaf_size) {
      const std::size_t middle = begin + (end - begin) / 2;
      const std::size_t left = build(begin, middle);
      const std::size_t right = build(middle, end);
      nodes_[index].left = left;
      nodes_[index].right = right;
    }
    return index;
  }

  /// Upper bound of the squared distance of any two points, including rounding.
  double bound(std::size_t a, std::size_t b) const {
    Point3 reach;
    for (std::size_t x = 0; x < 3; ++x)
      reach[x] =
          std::max(nodes_[a].high[x] - nodes_[b].low[x], nodes_[b].high[x] - nodes_[a].low[x]);
    return squared(reach) * (1 + 1e-15);
  }

  void split(const Task& task, std::vector<Task>& tasks) {
    const Node &a = nodes_[task.a], &b = nodes_[task.b];
    if (a.left == 0 && b.left == 0) {
      for (std::size_t i = a.begin; i < a.end; ++i) {
        for (std::size_t j = task.a == task.b ? i + 1 : b.begin; j < b.end; ++j) consider(i, j);
      }
      return;
    }
    const std::size_t first = tasks.size();
    const auto push = [&](std::size_t p, std::size_t q) {
      const double reach = bound(p, q);
      if (reach >= best_) tasks.push_back({reach, p, q});
    };
    if (task.a == task.b) {
      push(a.left, a.left);
      push(a.left, a.right);
      push(a.right, a.right);
    } else if (b.left == 0 || (a.left != 0 && a.end - a.begin >= b.end - b.begin)) {
      push(a.left, task.b);
      push(a.right, task.b);
    } else {
      push(task.a, b.left);
      push(task.a, b.right);
    }
    // The most promising task is processed first.
    std::sort(tasks.begin() + static_cast<std::ptrdiff_t>(first), tasks.end(),
              [](const Task& s, const Task& t) { return s.bound < t.bound; });
  }

  std::size_t sweep(std::size_t from) {
    std::size_t farthest = from;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (i != from) consider(from, i);
      if (squared_distance(points_[from], points_[i]) >
          squared_distance(points_[from], points_[farthest]))
        farthest = i;
    }
    return farthest;
  }

  void consider(std::size_t i, std::size_t j) {
    const double d = squared_distance(points_[i], points_[j]);
    if (d < best_) return;
    if (points_[j] < points_[i]) std::swap(i, j);
    const auto coordinates = [&](const std::pair<std::size_t, std::size_t>& pair) {
      return std::pair(points_[pair.first], points_[pair.second]);
    };
    if (d > best_ || coordinates({i, j}) < coordinates(pair_)) pair_ = {i, j};
    best_ = d;
  }

  std::vector<Point3> points_;
  std::vector<Node> nodes_;
  double best_ = -1;
  std::pair<std::size_t, std::size_t> pair_{0, 0};
};

/// Length of a loop. The edge lengths are sorted before they are added, so the sum does not depend
/// on the start or the direction of the loop.
double loop_length(const TriangleMesh& mesh, const std::vector<Ordinal>& loop) {
  std::vector<double> lengths;
  lengths.reserve(loop.size());
  for (std::size_t k = 0; k < loop.size(); ++k)
    lengths.push_back(
        distance(mesh.vertices[static_cast<std::size_t>(loop[k])],
                 mesh.vertices[static_cast<std::size_t>(loop[(k + 1) % loop.size()])]));
  std::sort(lengths.begin(), lengths.end());
  double sum = 0;
  for (const double length : lengths) sum += length;
  return sum;
}

Point3 first_point(const TriangleMesh& mesh, const std::vector<Ordinal>& loop) {
  Point3 first = mesh.vertices[static_cast<std::size_t>(loop.front())];
  for (const Ordinal v : loop) first = std::min(first, mesh.vertices[static_cast<std::size_t>(v)]);
  return first;
}

}  // namespace

const std::vector<Ordinal>& longest_border(const TriangleMesh& mesh, const MeshTopology& topology) {
  require(!topology.border_loops.empty(), "the mesh has no border");
  const std::vector<Ordinal>* longest = nullptr;
  double length = 0;
  for (const std::vector<Ordinal>& loop : topology.border_loops) {
    const double candidate = loop_length(mesh, loop);
    if (longest == nullptr || candidate > length ||
        (candidate == length && first_point(mesh, loop) < first_point(mesh, *longest))) {
      longest = &loop;
      length = candidate;
    }
  }
  return *longest;
}

std::array<Ordinal, 2> pins(const TriangleMesh& mesh, const MeshTopology& topology) {
  const std::vector<Ordinal>& loop = longest_border(mesh, topology);
  double largest = 0;
  std::vector<Point3> points;
  points.reserve(loop.size());
  for (const Ordinal v : loop) {
    points.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    for (const double x : points.back()) largest = std::max(largest, std::abs(x));
  }
  // Scales by a power of two, which is exact and prevents overflow and underflow of squared
  // distances.
  const int exponent = largest > 0 ? -std::ilogb(largest) : 0;
  for (Point3& p : points) {
    for (double& x : p) x = std::ldexp(x, exponent);
  }
  const auto [i, j] = FarthestPair(std::move(points)).find();
  return {loop[i], loop[j]};
}

}  // namespace Tomokkos
