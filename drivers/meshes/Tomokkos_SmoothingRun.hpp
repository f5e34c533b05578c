// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_Smoothing.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief One run of `problem.type: smoothing` on one backend in one precision: makes the mesh and
/// its system, solves for the three coordinates in one sweep, writes the smoothed mesh, pictures
/// and report. Nothing is written before the solver has accepted its input.
template <class ExecutionSpace, class Scalar>
class SmoothingRun {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  SmoothingRun(const RunConfig& config, bool quiet, bool resume);

  /// \brief Does all of it and returns the exit status: 1 where a coordinate did not converge.
  int run();

 private:
  using Coordinates = MultiVector<Scalar, memory_space>;
  using ConstCoordinates = MultiVectorView<const Scalar, memory_space>;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using Prepared = PreparedOperator<ExecutionSpace, Scalar>;
  using System = PreconditionedSystem<ExecutionSpace, Scalar>;

  void make_mesh();
  void choose_locks();
  void assemble();
  Matrix ordered_matrix();
  Prepared prepare();
  Coordinates in_order(const char* label, const ConstCoordinates& natural) const;
  void solve(const Prepared& prepared);
  void move_vertices();
  void write_results(const Prepared& prepared);
  Description report(const Prepared& prepared) const;
  Description locks_description() const;

  Run<ExecutionSpace, Scalar> run_;
  RunConfig config_;
  ExecutionSpace exec_;
  LoadedMesh mesh_;  // smoothed by and by
  TriangleMesh before_;
  MeshTopology topology_;
  VertexRings rings_;
  std::vector<char> locked_;
  std::optional<MeshSmoothing<ExecutionSpace, Scalar>> smoothing_;
  MatrixOrder<memory_space> order_;
  Coordinates x_;  // of the free vertices, in the order of the solver
  std::optional<System> system_;
};

}  // namespace Tomokkos
