// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Smoothing.hpp>
#include <Tomokkos_SolveEquations.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <cmath>
#include <string>

namespace Tomokkos {
namespace Impl {

/// \brief Copies \p source to the memory of \p exec; complete after a fence.
template <class ExecutionSpace, class T>
Kokkos::View<T*, typename ExecutionSpace::memory_space> mesh_array(const ExecutionSpace& exec,
                                                                   const char* label,
                                                                   std::span<const T> source) {
  const auto target =
      allocate<Kokkos::View<T*, typename ExecutionSpace::memory_space>>(exec, label, source.size());
  Kokkos::deep_copy(
      exec, target,
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          source.data(), source.size()));
  return target;
}

inline Point3 middle_of(const TriangleMesh& mesh) {
  const BoundingBox box = bounding_box(mesh);
  Point3 middle;
  for (std::size_t d = 0; d < 3; ++d) middle[d] = 0.5 * box.low[d] + 0.5 * box.high[d];
  return middle;
}

inline void check_weights(std::span<const double> weights, std::size_t num_vertices) {
  if (weights.empty()) return;
  require_equal("number of weights", static_cast<long long>(weights.size()), "vertices",
                static_cast<long long>(num_vertices));
  for (std::size_t v = 0; v < weights.size(); ++v)
    if (!(weights[v] > 0) || !std::isfinite(weights[v]))
      throw Refused(
          Impl::text("the weight of vertex {} (counted from 1) is not a positive number", v + 1));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
MeshSmoothing<ExecutionSpace, Scalar>::MeshSmoothing(const ExecutionSpace& exec,
                                                     const TriangleMesh& mesh,
                                                     const VertexRings& rings,
                                                     std::span<const char> locked,
                                                     std::span<const double> weights)
    : origin_(Impl::middle_of(mesh)), locked_(locked.begin(), locked.end()) {
  const std::size_t n = mesh.vertices.size();
  require_equal("vertices of the mesh", static_cast<long long>(n), "rings", rings.num_vertices());
  check_locks(rings, locked, "smoothing");
  Impl::check_weights(weights, n);
  std::vector<Scalar> values(3 * n);
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t d = 0; d < 3; ++d)
      values[3 * v + d] = static_cast<Scalar>(mesh.vertices[v][d] - origin_[d]);
  const SmoothingEquations<Scalar, memory_space> rows{
      Impl::mesh_array<ExecutionSpace, Offset>(exec, "Tomokkos::MeshSmoothing::offsets",
                                               rings.offsets),
      Impl::mesh_array<ExecutionSpace, Ordinal>(exec, "Tomokkos::MeshSmoothing::neighbours",
                                                rings.neighbours),
      Impl::mesh_array<ExecutionSpace, double>(exec, "Tomokkos::MeshSmoothing::weights", weights)};
  const auto marks =
      Impl::mesh_array<ExecutionSpace, char>(exec, "Tomokkos::MeshSmoothing::locked", locked);
  const auto places =
      Impl::mesh_array<ExecutionSpace, Scalar>(exec, "Tomokkos::MeshSmoothing::values", values);
  const EquationVariables<Scalar, memory_space> variables{
      rings.num_vertices(), 3, marks,
      MultiVectorView<const Scalar, memory_space>(places.data(), n, 3)};
  equations_.emplace(exec, rings.num_vertices(), variables, rows);
}

template <class ExecutionSpace, class Scalar>
void MeshSmoothing<ExecutionSpace, Scalar>::move_vertices(
    const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& X,
    TriangleMesh& mesh) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "vertices of the mesh",
                static_cast<long long>(mesh.vertices.size()));
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "variables",
                static_cast<long long>(locked_.size()));
  require_equal("columns of X", static_cast<long long>(X.extent(1)), "coordinates", 3);
  std::vector<Scalar> values(3 * mesh.vertices.size());
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Scalar*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          values.data(), values.size()),
      as_vector(X));
  Impl::fence(exec, "MeshSmoothing: the positions must have arrived");
  for (std::size_t v = 0; v < locked_.size(); ++v) {
    if (locked_[v] != 0) continue;
    for (std::size_t d = 0; d < 3; ++d)
      mesh.vertices[v][d] = origin_[d] + static_cast<double>(values[3 * v + d]);
  }
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> smooth(const ExecutionSpace& exec, TriangleMesh& mesh,
                                std::span<const char> locked, const PcgParams& params) {
  const MeshSmoothing<ExecutionSpace, Scalar> smoothing(exec, mesh, vertex_rings(mesh), locked);
  const MultiVector<Scalar, typename ExecutionSpace::memory_space> X =
      allocate<MultiVector<Scalar, typename ExecutionSpace::memory_space>>(
          exec, "Tomokkos::smooth::X", mesh.vertices.size(), std::size_t{3});
  auto results = solve_equations<ExecutionSpace, Scalar>(exec, smoothing.equations(), X, params);
  smoothing.move_vertices(exec, X, mesh);
  return results;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                \
  template class MeshSmoothing<ExecutionSpace, Scalar>;             \
  template std::vector<SolveResult> smooth<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, TriangleMesh&, std::span<const char>, const PcgParams&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
