// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_MeshSystem.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_SharedSystem.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Runs `problem.type: smoothing` on one backend in one precision: makes the mesh and its
/// system, solves for the three coordinates together, and writes the smoothed mesh, pictures and
/// report. Writes nothing before the solver has accepted its input.
///
/// Each rank makes the whole system on its device and keeps contiguous rows of it.
template <class ExecutionSpace, class Scalar>
class SmoothingRun {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  SmoothingRun(const RunConfig& config, const RunOptions& options);

  /// \brief Performs the run and returns the exit status: 1 if a coordinate did not converge.
  int run();

 private:
  using Coordinates = MultiVector<Scalar, memory_space>;
  using ConstCoordinates = MultiVectorView<const Scalar, memory_space>;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using Prepared = BuiltSystem<ExecutionSpace, Scalar>;
  using System = PreconditionedSystem<ExecutionSpace, Scalar>;

  void make_mesh();
  void choose_locks();
  void assemble();
  Prepared prepare();
  Coordinates in_order(const char* label, const ConstCoordinates& natural) const;
  void solve(const Prepared& prepared);
  void move_vertices();
  void write_results(const Prepared& prepared);
  Description report(const Prepared& prepared) const;
  Description locks_description() const;

  const ProblemSection& problem_;
  const OutputSection& output_;
  const OrderingOptions& ordering_;
  std::uint64_t seed_;
  Run<ExecutionSpace, Scalar> run_;
  ExecutionSpace exec_;
  SharedSystem<ExecutionSpace, Scalar> shared_;
  LoadedMesh mesh_;  // replaced by the smoothed mesh at the end
  TriangleMesh before_;
  MeshTopology topology_;
  VertexRings rings_;
  std::vector<char> locked_;
  std::optional<MeshSmoothing<ExecutionSpace, Scalar>> smoothing_;
  std::optional<IndexMap<memory_space>> own_;  // unknowns of this rank; empty: in natural order
  Coordinates x_;  // coordinates of the free vertices of this rank, in the order of the solver
  std::optional<System> system_;
};

}  // namespace Tomokkos
