// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_Philox.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_GeneratedMesh.hpp>
#include <numbers>

namespace Tomokkos {
namespace {

using std::numbers::pi;

struct Grid {
  Offset rows;
  Offset columns;
};

/// Creates a grid with \p aspect times as many cells along a row as along a column.
Grid make_grid(const MeshSize& size, double aspect) {
  Impl::check_mesh_size(size);
  // Counts lines for vertices and cells for triangles.
  const Offset less = size.vertices > 0 ? 1 : 0;
  const double count = size.vertices > 0 ? static_cast<double>(size.vertices)
                                         : 0.5 * static_cast<double>(size.triangles);
  const Offset across = std::max<Offset>(1 + less, std::llround(std::sqrt(count / aspect)));
  const Offset along =
      std::max<Offset>(1 + less, std::llround(count / static_cast<double>(across)));
  return {across - less, along - less};
}

/// Maps the grid over [0, 1]^2 to space: \p place gives the position of (s, t).
template <class Place>
TriangleMesh bend(const Grid& grid, std::uint64_t seed, const Place& place) {
  TriangleMesh mesh =
      Impl::reserve_generated((grid.rows + 1) * (grid.columns + 1), 2 * grid.rows * grid.columns);
  for (Offset i = 0; i <= grid.rows; ++i) {
    for (Offset j = 0; j <= grid.columns; ++j) {
      auto row = static_cast<double>(i), column = static_cast<double>(j);
      if (i > 0 && i < grid.rows && j > 0 && j < grid.columns) {
        CounterRandom random(seed, Impl::vertex_draws + mesh.vertices.size());
        row += 0.3 * (random.uniform() - 0.5);
        column += 0.3 * (random.uniform() - 0.5);
      }
      mesh.vertices.push_back(
          place(column / static_cast<double>(grid.columns), row / static_cast<double>(grid.rows)));
    }
  }
  for (Offset i = 0; i < grid.rows; ++i) {
    for (Offset j = 0; j < grid.columns; ++j) {
      const bool at_row_end = i == 0 || i == grid.rows - 1;
      const bool at_column_end = j == 0 || j == grid.columns - 1;
      const auto cell = static_cast<std::uint64_t>(i * grid.columns + j);
      const bool rising = at_row_end && at_column_end
                              ? (i == 0) == (j == 0)
                              : CounterRandom(seed, Impl::cell_draws + cell).uniform() < 0.5;
      const auto a = static_cast<Ordinal>(i * (grid.columns + 1) + j);
      const auto d = static_cast<Ordinal>(a + grid.columns + 1);
      const Ordinal b = a + 1, c = d + 1;
      if (rising) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
      } else {
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({b, c, d});
      }
    }
  }
  return mesh;
}

/// Length of the spiral r = t from its centre.
double spiral_length(double t) { return 0.5 * (t * std::sqrt(1 + t * t) + std::asinh(t)); }

/// Parameter at which the spiral has a length. Newton's method starts from above, where the
/// function is convex.
double spiral_parameter(double length) {
  double t = std::sqrt(2 * length);
  for (int k = 0; k < 60; ++k) {
    const double step = (spiral_length(t) - length) / std::sqrt(1 + t * t);
    t -= step;
    if (std::abs(step) <= 1e-15 * t) break;
  }
  return t;
}

}  // namespace

TriangleMesh hills(const MeshSize& size, std::uint64_t seed) {
  struct Wave {
    double x, y, phase, height;
  };
  struct Bump {
    double x, y, sharpness, height;
  };
  CounterRandom random(seed, Impl::shape_draws);
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  std::array<Wave, 6> waves;
  for (Wave& wave : waves) {
    const double frequency = between(2, 12), direction = between(0, 2 * pi);
    wave = {frequency * std::cos(direction), frequency * std::sin(direction), between(0, 2 * pi),
            0.2 / frequency};
  }
  std::array<Bump, 10> bumps;
  for (Bump& bump : bumps) {
    const double width = between(0.15, 0.4);
    bump = {between(-0.9, 0.9), between(-0.9, 0.9), 0.5 / (width * width),
            between(-0.6, 0.9) * width};
  }
  return bend(make_grid(size, 1), seed, [&](double s, double t) {
    const double x = 2 * s - 1, y = 2 * t - 1;
    double z = 0;
    for (const Wave& wave : waves)
      z += wave.height * std::sin(wave.x * x + wave.y * y + wave.phase);
    for (const Bump& bump : bumps) {
      const double dx = x - bump.x, dy = y - bump.y;
      z += bump.height * std::exp(-bump.sharpness * (dx * dx + dy * dy));
    }
    return Point3{x, y, z};
  });
}

TriangleMesh swiss_roll(const MeshSize& size, std::uint64_t seed) {
  constexpr double width = 21;
  const double begin = spiral_length(1.5 * pi), end = spiral_length(4.5 * pi);
  return bend(make_grid(size, (end - begin) / width), seed, [&](double s, double t) {
    const double parameter = spiral_parameter(begin + s * (end - begin));
    return Point3{parameter * std::cos(parameter), width * t, parameter * std::sin(parameter)};
  });
}

TriangleMesh generate_mesh(MeshShape shape, const MeshSize& size, std::uint64_t seed) {
  switch (shape) {
    case MeshShape::hills:
      return hills(size, seed);
    case MeshShape::cap:
      return cap(size, seed);
    case MeshShape::disk:
      return disk(size, seed);
    case MeshShape::swiss_roll:
      return swiss_roll(size, seed);
  }
  throw Refused("unknown shape of a mesh");
}

void add_noise(TriangleMesh& mesh, double amount, std::uint64_t seed) {
  require(std::isfinite(amount) && amount >= 0,
          "the amount of noise must be finite and not negative");
  const double scale = amount * mean_edge_length(mesh);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    CounterRandom random(seed, Impl::noise_draws + v);
    for (double& x : mesh.vertices[v]) x += scale * random.normal();
  }
}

}  // namespace Tomokkos
