// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_LscmEquations.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MeshSystem.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_VertexLocks.hpp>

namespace Tomokkos {

namespace {

/// Copies \p count values to the device. Fences.
template <class ExecutionSpace, class T>
Vector<T, typename ExecutionSpace::memory_space> on_device(const ExecutionSpace& exec,
                                                           const std::string& label,
                                                           const T* values, std::size_t count) {
  const auto target =
      allocate<Vector<T, typename ExecutionSpace::memory_space>>(exec, label, count);
  Kokkos::deep_copy(exec, target, VectorView<const T, Kokkos::HostSpace>(values, count));
  exec.fence();
  return target;
}

/// Pins of the configuration, or the farthest pair of vertices on the longest border.
ChartPins choose_pins(const LoadedMesh& loaded, const MeshTopology& topology,
                      const std::optional<PinsConfig>& chosen) {
  const TriangleMesh& mesh = loaded.mesh;
  if (!chosen) return place_pins(mesh, pins(mesh, topology));
  const auto refuse = [&](const std::string& message) {
    throw ConfigError(prefix_of(chosen->position) + "problem.pins: " + loaded.name + message);
  };
  std::array<Ordinal, 2> vertices = chosen->vertices;
  for (Ordinal& vertex : vertices) {
    if (vertex >= loaded.num_named_vertices())
      refuse(" has the vertices 1 to " + std::to_string(loaded.num_named_vertices()) +
             ", but not " + std::to_string(vertex + 1LL));
    vertex = loaded.named_vertex(vertex);
  }
  ChartPins result = place_pins(mesh, vertices);
  if (result.positions[0] == result.positions[1]) refuse(" has both vertices at the same point");
  if (chosen->positions) result.positions = *chosen->positions;
  return result;
}

}  // namespace

ChartSurface load_chart_surface(const ProblemSection& problem, bool single_precision) {
  ChartSurface result;
  result.loaded = load_mesh(*problem.mesh);
  LoadedMesh& loaded = result.loaded;
  require_usable_size(loaded, single_precision);
  result.turned = orient(loaded.mesh, loaded.name);
  result.topology = check_parameterizable(loaded.mesh, loaded.name);
  result.pins = choose_pins(loaded, result.topology, problem.pins);
  return result;
}

std::vector<Ordinal> chart_order(const ChartSurface& surface, const OrderingOptions& ordering) {
  std::vector<Ordinal> result;
  if (ordering.rows == Ordering::natural) return result;
  const auto pattern = conformal_system(surface.loaded.mesh, surface.pins);
  const auto& L = pattern.matrix.shared;
  for (const Ordinal row : reverse_cuthill_mckee({L.row_offsets.data(), L.row_offsets.extent(0)},
                                                 {L.columns.data(), L.columns.extent(0)}))
    result.push_back(pattern.vertices[static_cast<std::size_t>(row)]);
  return result;
}

template <class ExecutionSpace, class Scalar>
AssembledEquations<ExecutionSpace, Scalar> assemble_chart(const ExecutionSpace& exec,
                                                          const ChartSurface& surface,
                                                          const ConformalSystem& conformal) {
  using memory_space = typename ExecutionSpace::memory_space;
  const TriangleMesh& mesh = surface.loaded.mesh;
  const ChartPins& pins = surface.pins;
  // The variables are the unknowns in their order, followed by the pins.
  std::vector<Ordinal> variable(mesh.vertices.size());
  const auto free = static_cast<Ordinal>(conformal.vertices.size());
  for (Ordinal i = 0; i < free; ++i)
    variable[static_cast<std::size_t>(conformal.vertices[static_cast<std::size_t>(i)])] = i;
  std::vector<char> locked(2 * mesh.vertices.size(), 0);
  std::vector<Scalar> values(2 * mesh.vertices.size(), 0);
  for (std::size_t pin = 0; pin < 2; ++pin) {
    const std::size_t at = static_cast<std::size_t>(free) + pin;
    variable[static_cast<std::size_t>(pins.vertices[pin])] = static_cast<Ordinal>(at);
    for (std::size_t d = 0; d < 2; ++d) {
      locked[2 * at + d] = 1;
      values[2 * at + d] = static_cast<Scalar>(pins.positions[pin][d]);
    }
  }
  std::vector<Point3> vertices(mesh.vertices.size());
  for (std::size_t v = 0; v < vertices.size(); ++v)
    vertices[static_cast<std::size_t>(variable[v])] = mesh.vertices[v];
  std::vector<Triangle> triangles = mesh.triangles;
  for (Triangle& corners : triangles)
    for (Ordinal& v : corners) v = variable[static_cast<std::size_t>(v)];

  const auto coordinates = on_device(exec, "Tomokkos::LscmEquations::vertices",
                                     vertices.data()->data(), 3 * vertices.size());
  const auto corners = on_device(exec, "Tomokkos::LscmEquations::triangles",
                                 triangles.data()->data(), 3 * triangles.size());
  const auto is_locked =
      on_device(exec, "Tomokkos::LscmEquations::locked", locked.data(), locked.size());
  const auto start =
      on_device(exec, "Tomokkos::LscmEquations::values", values.data(), values.size());
  EquationVariables<Scalar, memory_space> variables;
  variables.num_variables = static_cast<Ordinal>(locked.size());
  variables.locked = is_locked;
  variables.values = as_multivector(VectorView<const Scalar, memory_space>(start));
  return AssembledEquations<ExecutionSpace, Scalar>(
      exec, 2 * num_triangles(mesh), variables,
      LscmEquations<Scalar, memory_space>{coordinates, corners});
}

std::vector<char> choose_locks(const LocksConfig& locks, std::uint64_t seed,
                               const LoadedMesh& loaded, const VertexRings& rings) {
  const Ordinal n = num_vertices(loaded.mesh);
  std::vector<char> result;
  switch (locks.rule) {
    case LockRule::share:
      result = lock_share(n, locks.share, seed);
      break;
    case LockRule::border:
      result = lock_border(loaded.mesh);
      if (num_locked(result) == 0)
        throw ConfigError(prefix_of(locks.position) + "problem.locked: border: " + loaded.name +
                          " is closed and has no border");
      break;
    case LockRule::file: {
      const std::vector<char> named = read_locks(locks.file, loaded.num_named_vertices());
      result.assign(static_cast<std::size_t>(n), 0);
      for (std::size_t v = 0; v < named.size(); ++v)
        if (named[v] != 0)
          result[static_cast<std::size_t>(loaded.named_vertex(static_cast<Ordinal>(v)))] = 1;
      break;
    }
  }
  check_locks(rings, result, loaded.name, loaded.summary.coinciding_vertices);
  return result;
}

template <class ExecutionSpace, class Scalar>
MeshSmoothing<ExecutionSpace, Scalar> assemble_smoothing(const ExecutionSpace& exec,
                                                         const LoadedMesh& loaded,
                                                         const VertexRings& rings,
                                                         const std::vector<char>& locked) {
  try {
    return MeshSmoothing<ExecutionSpace, Scalar>(exec, loaded.mesh, rings, locked);
  } catch (const Refused& error) {
    throw InputError(loaded.name + ": " + error.what());
  }
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_smoothing(
    const ExecutionSpace& exec, const OrderingOptions& ordering,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  return in_order(
      [&] { return order_matrix<ExecutionSpace, Scalar>(exec, ordering, MatrixGrids{}, A); });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                           \
  template AssembledEquations<SPACE, SCALAR> assemble_chart<SPACE, SCALAR>(           \
      const SPACE&, const ChartSurface&, const ConformalSystem&);                     \
  template MeshSmoothing<SPACE, SCALAR> assemble_smoothing<SPACE, SCALAR>(            \
      const SPACE&, const LoadedMesh&, const VertexRings&, const std::vector<char>&); \
  template OrderedMatrix<SPACE, SCALAR> order_smoothing<SPACE, SCALAR>(               \
      const SPACE&, const OrderingOptions&,                                           \
      const CsrMatrix<SCALAR, typename SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
