// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Lscm.hpp>
#include <algorithm>
#include <cmath>
#include <string>

namespace Tomokkos {
namespace {

Point3 minus(const Point3& p, const Point3& q) { return {p[0] - q[0], p[1] - q[1], p[2] - q[2]}; }
Point3 scaled(const Point3& p, double factor) {
  return {factor * p[0], factor * p[1], factor * p[2]};
}

const Point3& vertex(const TriangleMesh& mesh, Ordinal i) {
  return mesh.vertices[static_cast<std::size_t>(i)];
}

void require_pins(const TriangleMesh& mesh, const std::array<Ordinal, 2>& pins) {
  for (const Ordinal pin : pins)
    require(pin >= 0 && pin < num_vertices(mesh),
            Impl::text("pinned vertex {} is not one of the {} vertices of the mesh", pin,
                       num_vertices(mesh)));
}

/// Contribution of a triangle to the entry of an edge, seen from one of its ends.
struct EdgeTerm {
  Ordinal neighbour;
  /// 1 if the edge leaves this end in the orientation of the triangle, -1 if it returns.
  int sense;
  double cotangent;
};

/// Terms of all vertices: for each vertex in the order of its triangles, then by neighbours.
struct EdgeTerms {
  std::vector<Offset> offsets;
  std::vector<EdgeTerm> terms;
};

EdgeTerms edge_terms(const TriangleMesh& mesh) {
  EdgeTerms edges;
  edges.offsets.assign(mesh.vertices.size() + 1, 0);
  for (const Triangle& corners : mesh.triangles)
    for (const Ordinal corner : corners) edges.offsets[static_cast<std::size_t>(corner) + 1] += 2;
  for (std::size_t i = 1; i < edges.offsets.size(); ++i) edges.offsets[i] += edges.offsets[i - 1];
  edges.terms.resize(6 * mesh.triangles.size());
  std::vector<Offset> next(edges.offsets.begin(), edges.offsets.end() - 1);
  for (Ordinal t = 0; t < num_triangles(mesh); ++t) {
    const Triangle& corners = mesh.triangles[static_cast<std::size_t>(t)];
    const double double_area = 2 * area(mesh, t);
    for (std::size_t k = 0; k < 3; ++k) {
      // The edge from p to q, and the opposite corner.
      const Ordinal p = corners[k], q = corners[(k + 1) % 3], apex = corners[(k + 2) % 3];
      const double cotangent = dot(minus(vertex(mesh, p), vertex(mesh, apex)),
                                   minus(vertex(mesh, q), vertex(mesh, apex))) /
                               double_area;
      edges.terms[static_cast<std::size_t>(next[static_cast<std::size_t>(p)]++)] = {q, 1,
                                                                                    cotangent};
      edges.terms[static_cast<std::size_t>(next[static_cast<std::size_t>(q)]++)] = {p, -1,
                                                                                    cotangent};
    }
  }
  for (std::size_t i = 0; i + 1 < edges.offsets.size(); ++i)
    std::stable_sort(
        edges.terms.begin() + edges.offsets[i], edges.terms.begin() + edges.offsets[i + 1],
        [](const EdgeTerm& s, const EdgeTerm& t) { return s.neighbour < t.neighbour; });
  return edges;
}

/// Index of the unknown of every vertex; -1 and -2 for the pins.
std::vector<Ordinal> number_vertices(const TriangleMesh& mesh, const ChartPins& pins,
                                     std::span<const Ordinal> order,
                                     std::vector<Ordinal>& vertices) {
  const Ordinal n = num_vertices(mesh);
  require_pins(mesh, pins.vertices);
  require(pins.vertices[0] != pins.vertices[1], "the two pins must be different vertices");
  std::vector<Ordinal> unknown(static_cast<std::size_t>(n), n);
  unknown[static_cast<std::size_t>(pins.vertices[0])] = -1;
  unknown[static_cast<std::size_t>(pins.vertices[1])] = -2;
  const auto take = [&](Ordinal v) {
    require(v >= 0 && v < n && unknown[static_cast<std::size_t>(v)] == n,
            "the order of the vertices must contain each free vertex once");
    unknown[static_cast<std::size_t>(v)] = static_cast<Ordinal>(vertices.size());
    vertices.push_back(v);
  };
  vertices.reserve(static_cast<std::size_t>(n));
  if (order.empty()) {
    for (Ordinal v = 0; v < n; ++v)
      if (unknown[static_cast<std::size_t>(v)] == n) take(v);
  } else {
    for (const Ordinal v : order) take(v);
    require_equal("vertices of the order", static_cast<long long>(vertices.size()),
                  "free vertices of the mesh", static_cast<long long>(n) - 2);
  }
  return unknown;
}

struct Entry {
  Ordinal column;
  double value;
  double coupling;
};

/// Rows of the free vertices, one after the other.
class RowsOfSystem {
 public:
  explicit RowsOfSystem(std::size_t rows) : coupled_((rows + 31) / 32, 0) {}

  void add(Ordinal row, std::vector<Entry>& entries) {
    std::sort(entries.begin(), entries.end(),
              [](const Entry& s, const Entry& t) { return s.column < t.column; });
    for (const Entry& entry : entries) {
      columns_.push_back(entry.column);
      values_.push_back(entry.value);
      if (entry.coupling == 0) continue;
      coupling_columns_.push_back(entry.column);
      couplings_.push_back(entry.coupling);
    }
    offsets_.push_back(static_cast<Offset>(columns_.size()));
    if (coupling_offsets_.back() == static_cast<Offset>(coupling_columns_.size())) return;
    coupled_[static_cast<std::size_t>(row) / 32] |= 1U << (row % 32);
    coupled_rows_.push_back(row);
    coupling_offsets_.push_back(static_cast<Offset>(coupling_columns_.size()));
  }

  SharedCsrMatrix<double, Kokkos::HostSpace> matrix(Ordinal rows) const {
    return {{rows, rows, Impl::view_of(offsets_, "Tomokkos::ConformalSystem::row_offsets"),
             Impl::view_of(columns_, "Tomokkos::ConformalSystem::columns"),
             Impl::view_of(values_, "Tomokkos::ConformalSystem::values")},
            Impl::view_of(coupled_, "Tomokkos::ConformalSystem::coupled"),
            Impl::view_of(coupled_rows_, "Tomokkos::ConformalSystem::coupled_rows"),
            Impl::view_of(coupling_offsets_, "Tomokkos::ConformalSystem::coupling_offsets"),
            Impl::view_of(coupling_columns_, "Tomokkos::ConformalSystem::coupling_columns"),
            Impl::view_of(couplings_, "Tomokkos::ConformalSystem::couplings")};
  }

 private:
  std::vector<Offset> offsets_{0}, coupling_offsets_{0};
  std::vector<Ordinal> columns_, coupling_columns_, coupled_rows_;
  std::vector<double> values_, couplings_;
  std::vector<std::uint32_t> coupled_;
};

}  // namespace

ChartPins place_pins(const TriangleMesh& mesh, const std::array<Ordinal, 2>& vertices) {
  require_pins(mesh, vertices);
  return {vertices,
          {{{0, 0}, {distance(vertex(mesh, vertices[0]), vertex(mesh, vertices[1])), 0}}}};
}

std::vector<Point2> projected_chart(const TriangleMesh& mesh, const ChartPins& pins) {
  require_pins(mesh, pins.vertices);
  Point3 normal{0, 0, 0};
  for (Ordinal t = 0; t < num_triangles(mesh); ++t) {
    const Point3 n = area_vector(mesh, t);
    for (std::size_t d = 0; d < 3; ++d) normal[d] += n[d];
  }
  const Point3& origin = vertex(mesh, pins.vertices[0]);
  const Point3 along = minus(vertex(mesh, pins.vertices[1]), origin);
  const double length = std::sqrt(dot(along, along));
  const Point2 chart_along{pins.positions[1][0] - pins.positions[0][0],
                           pins.positions[1][1] - pins.positions[0][1]};
  require(length > 0, "the pins must lie at different points");
  // The pins keep their distance for any normal: only the component across is projected.
  const Point3 first = scaled(along, 1 / length);
  Point3 second = cross(normal, first);
  const double across = std::sqrt(dot(second, second));
  if (across > 0) second = scaled(second, 1 / across);
  std::vector<Point2> uv(mesh.vertices.size());
  for (std::size_t i = 0; i < uv.size(); ++i) {
    const Point3 from = minus(mesh.vertices[i], origin);
    const double s = dot(from, first) / length, t = dot(from, second) / length;
    uv[i] = {pins.positions[0][0] + s * chart_along[0] - t * chart_along[1],
             pins.positions[0][1] + s * chart_along[1] + t * chart_along[0]};
  }
  for (std::size_t pin = 0; pin < 2; ++pin)
    uv[static_cast<std::size_t>(pins.vertices[pin])] = pins.positions[pin];
  return uv;
}

ConformalSystem conformal_system(const TriangleMesh& mesh, const ChartPins& pins,
                                 std::span<const Ordinal> order) {
  ConformalSystem system;
  const std::vector<Ordinal> unknown = number_vertices(mesh, pins, order, system.vertices);
  const EdgeTerms edges = edge_terms(mesh);
  RowsOfSystem rows(system.vertices.size());
  system.right_hand_side.assign(2 * system.vertices.size(), 0);
  std::vector<Entry> entries;
  for (std::size_t row = 0; row < system.vertices.size(); ++row) {
    const auto v = static_cast<std::size_t>(system.vertices[row]);
    entries.clear();
    double diagonal = 0;
    for (Offset k = edges.offsets[v]; k < edges.offsets[v + 1];) {
      const Ordinal neighbour = edges.terms[static_cast<std::size_t>(k)].neighbour;
      double cotangents = 0;
      int sense = 0;
      for (; k < edges.offsets[v + 1] &&
             edges.terms[static_cast<std::size_t>(k)].neighbour == neighbour;
           ++k) {
        cotangents += edges.terms[static_cast<std::size_t>(k)].cotangent;
        sense += edges.terms[static_cast<std::size_t>(k)].sense;
      }
      diagonal += cotangents;
      const Ordinal column = unknown[static_cast<std::size_t>(neighbour)];
      if (column >= 0) {
        entries.push_back({column, -cotangents, static_cast<double>(sense)});
        continue;
      }
      const Point2& z = pins.positions[static_cast<std::size_t>(-1 - column)];
      system.right_hand_side[2 * row] += cotangents * z[0] + sense * z[1];
      system.right_hand_side[2 * row + 1] += cotangents * z[1] - sense * z[0];
    }
    entries.push_back({static_cast<Ordinal>(row), diagonal, 0});
    rows.add(static_cast<Ordinal>(row), entries);
  }
  system.matrix = rows.matrix(static_cast<Ordinal>(system.vertices.size()));
  return system;
}

std::vector<Point2> chart_of(const TriangleMesh& mesh, const ChartPins& pins,
                             const ConformalSystem& system, std::span<const double> x) {
  require_equal("length of x", static_cast<long long>(x.size()), "unknowns of the chart",
                2 * static_cast<long long>(system.vertices.size()));
  std::vector<Point2> uv(mesh.vertices.size());
  for (std::size_t i = 0; i < system.vertices.size(); ++i)
    uv[static_cast<std::size_t>(system.vertices[i])] = {x[2 * i], x[2 * i + 1]};
  for (std::size_t pin = 0; pin < 2; ++pin)
    uv[static_cast<std::size_t>(pins.vertices[pin])] = pins.positions[pin];
  return uv;
}

std::vector<double> unknowns_of(const ConformalSystem& system, std::span<const Point2> uv) {
  std::vector<double> x;
  x.reserve(2 * system.vertices.size());
  for (const Ordinal v : system.vertices)
    x.insert(x.end(), uv[static_cast<std::size_t>(v)].begin(),
             uv[static_cast<std::size_t>(v)].end());
  return x;
}

}  // namespace Tomokkos
