// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_SystemRun.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief One run of `problem.type: linear_system` on one backend in one precision: reads matrix
/// and right-hand sides, solves, writes solutions and report. Nothing is written before the solver
/// has accepted its input.
///
/// The solver works in the order of the configuration; what is read and written is in natural
/// order.
template <class ExecutionSpace, class Scalar>
class LinearSystem {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  LinearSystem(const RunConfig& config, bool quiet);

  /// \brief Does all of it and returns the exit status: 1 where the solver did not converge
  /// for one of them.
  int run();

 private:
  using VectorType = Vector<Scalar, memory_space>;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using System = PreconditionedSystem<ExecutionSpace, Scalar>;

  Matrix natural_matrix();
  Matrix make_matrix();
  void check_shape(const HostCsrMatrix<Scalar>& A) const;
  void check_symmetry(const Matrix& A);
  void read_vectors(const Matrix& A);
  Ordinal vectors_of_a_product() const;
  VectorType to_solver(const char* label, const std::vector<double>& values,
                       const std::optional<IndexMap<memory_space>>& map);
  std::optional<System> prepare_system(const AnyOperator<ExecutionSpace, Scalar>& A);
  void write_results(const PreparedOperator<ExecutionSpace, Scalar>& prepared,
                     const std::optional<System>& system);
  ConfigNode report(const PreparedOperator<ExecutionSpace, Scalar>& prepared,
                    const std::optional<System>& system);

  RunConfig config_;
  SystemRun<ExecutionSpace, Scalar> run_;
  ExecutionSpace exec_;
  MatrixOrder<memory_space> order_;
  Ordinal columns_ = 1;  // right-hand sides
  VectorType b_, x_;     // row-major
};

}  // namespace Tomokkos
