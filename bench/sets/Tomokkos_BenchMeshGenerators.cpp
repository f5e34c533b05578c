// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "Tomokkos_BenchGenerators.hpp"
#include "Tomokkos_BenchRandom.hpp"

namespace Tomokkos::Bench {
namespace {

/// Arrays of a CSR matrix that are filled row by row.
template <class Scalar>
class RowWriter {
 public:
  RowWriter(Ordinal rows, std::size_t entries)
      : offsets_("Tomokkos::CsrMatrix::row_offsets", static_cast<std::size_t>(rows) + 1),
        columns_("Tomokkos::CsrMatrix::columns", entries),
        values_("Tomokkos::CsrMatrix::values", entries) {}

  void add(Ordinal column, double value) {
    columns_(next_) = column;
    values_(next_) = static_cast<Scalar>(value);
    ++next_;
  }
  void end_row() { offsets_(++row_) = static_cast<Offset>(next_); }

  HostCsrMatrix<Scalar> take(Ordinal columns) const {
    return {static_cast<Ordinal>(row_), columns, offsets_, columns_, values_};
  }

 private:
  Kokkos::View<Offset*, Kokkos::HostSpace> offsets_;
  Kokkos::View<Ordinal*, Kokkos::HostSpace> columns_;
  Kokkos::View<Scalar*, Kokkos::HostSpace> values_;
  std::size_t row_ = 0, next_ = 0;
};

struct Point {
  double x, y;
};

std::vector<Point> vertices_of(const ConformalMap& spec) {
  std::mt19937_64 random(spec.seed);
  std::vector<Point> points;
  points.reserve((static_cast<std::size_t>(spec.nx) + 1) * (static_cast<std::size_t>(spec.ny) + 1));
  for (Ordinal j = 0; j <= spec.ny; ++j)
    for (Ordinal i = 0; i <= spec.nx; ++i) {
      const bool inner = i > 0 && i < spec.nx && j > 0 && j < spec.ny;
      const double reach = inner ? 2 * spec.jitter : 0;
      const double dx = unit(random) - 0.5, dy = unit(random) - 0.5;
      points.push_back({i + reach * dx, j + reach * dy});
    }
  return points;
}

/// Writes the two rows of a triangle with its corners in counterclockwise order.
template <class Scalar>
void write_triangle(RowWriter<Scalar>& out, const std::vector<Point>& points,
                    std::array<Ordinal, 3> corners) {
  std::array<Point, 3> edge{};
  const auto at = [&](int j) { return points[static_cast<std::size_t>(corners[j % 3])]; };
  for (int j = 0; j < 3; ++j) edge[j] = {at(j + 2).x - at(j + 1).x, at(j + 2).y - at(j + 1).y};
  const double twice_area = edge[0].x * edge[1].y - edge[0].y * edge[1].x;
  const double scale = 1 / std::sqrt(twice_area);
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int a, int b) { return corners[a] < corners[b]; });
  for (const bool imaginary : {false, true}) {
    for (const int j : order) {
      const double re = scale * edge[j].x, im = scale * edge[j].y;
      out.add(2 * corners[j], imaginary ? im : re);
      out.add(2 * corners[j] + 1, imaginary ? re : -im);
    }
    out.end_row();
  }
}

}  // namespace

template <class Scalar>
HostCsrMatrix<Scalar> generate(const ConformalMap& spec) {
  require(spec.nx >= 1 && spec.ny >= 1, "a mesh must have at least one square");
  // Twice the area of a triangle is at least 1 - 4 jitter.
  require(spec.jitter >= 0 && spec.jitter < 0.25,
          "the jitter of a mesh must be at least 0 and below 0.25");
  const double vertices = (static_cast<double>(spec.nx) + 1) * (static_cast<double>(spec.ny) + 1);
  require(2 * vertices < std::numeric_limits<Ordinal>::max() &&
              4.0 * spec.nx * spec.ny < std::numeric_limits<Ordinal>::max(),
          "the mesh has more vertices than a 32-bit index can count");
  const auto points = vertices_of(spec);
  RowWriter<Scalar> out(4 * spec.nx * spec.ny, static_cast<std::size_t>(entry_count(spec)));
  const Ordinal stride = spec.nx + 1;
  for (Ordinal j = 0; j < spec.ny; ++j)
    for (Ordinal i = 0; i < spec.nx; ++i) {
      const Ordinal corner = j * stride + i;
      write_triangle(out, points, {corner, corner + 1, corner + stride + 1});
      write_triangle(out, points, {corner, corner + stride + 1, corner + stride});
    }
  return out.take(static_cast<Ordinal>(2 * points.size()));
}

template <class Scalar>
HostCsrMatrix<Scalar> generate(const DenseRow& spec) {
  require(spec.rows >= 1 && spec.bandwidth >= 1 && spec.bandwidth <= spec.rows,
          "the bandwidth must be at least 1 and at most the number of columns");
  const auto first_of = [&](Ordinal row) {
    return std::clamp(row - spec.bandwidth / 2, 0, spec.rows - spec.bandwidth);
  };
  const std::size_t entries =
      static_cast<std::size_t>(spec.rows - 1) * static_cast<std::size_t>(spec.bandwidth) +
      static_cast<std::size_t>(spec.rows);
  RowWriter<Scalar> out(spec.rows, entries);
  std::mt19937_64 random(spec.seed);
  for (Ordinal row = 0; row < spec.rows; ++row) {
    const bool dense = row == spec.rows / 2;
    const Ordinal first = dense ? 0 : first_of(row);
    const Ordinal count = dense ? spec.rows : spec.bandwidth;
    for (Ordinal c = 0; c < count; ++c) out.add(first + c, 0.5 + unit(random));
    out.end_row();
  }
  return out.take(spec.rows);
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                            \
  template HostCsrMatrix<SCALAR> generate(const ConformalMap&); \
  template HostCsrMatrix<SCALAR> generate(const DenseRow&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
