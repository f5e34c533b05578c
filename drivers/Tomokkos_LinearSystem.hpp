// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <Tomokkos_RunReport.hpp>
#include <vector>

namespace Tomokkos {

/// \brief One run of `problem.type: linear_system` on one backend in one precision: reads matrix
/// and right-hand side, solves, writes solution and report. Nothing is written before the solver
/// has accepted its input.
///
/// The solver works in the order of the configuration; what is read and written is in natural
/// order.
template <class ExecutionSpace, class Scalar>
class LinearSystem {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  LinearSystem(const RunConfig& config, bool quiet);

  /// \brief Does all of it and returns the exit status: 1 where the solver did not converge.
  int run();

 private:
  using VectorType = Vector<Scalar, memory_space>;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using System = PreconditionedSystem<ExecutionSpace, Scalar>;

  Matrix natural_matrix();
  Matrix make_matrix();
  void check_symmetry(const Matrix& A);
  void read_vectors(Ordinal n);
  VectorType to_solver(const char* label, const std::vector<double>& values);
  PcgParams params() const;
  System prepare_system(const AnyOperator<ExecutionSpace, Scalar>& A);
  SolveResult solve(const System& system);
  MonitorAction watch(const MonitorState<ExecutionSpace, Scalar>& state);
  void write_results(const PreparedOperator<ExecutionSpace, Scalar>& prepared, const System& system,
                     const SolveResult& result);
  ConfigNode report(const PreparedOperator<ExecutionSpace, Scalar>& prepared, const System& system,
                    const SolveResult& result);
  int exit_status(const SolveResult& result) const;
  void begin(const char* phase);

  RunConfig config_;
  ExecutionSpace exec_;
  Progress progress_;
  RunOutput output_;
  PhaseClock clock_;
  MatrixOrder<memory_space> order_;
  VectorType b_, x_;
  std::size_t solver_bytes_ = 0;
  std::size_t iteration_bytes_ = 0;
  std::uint64_t peak_device_memory_ = 0;
};

}  // namespace Tomokkos
