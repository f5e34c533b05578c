// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SolverFactory.hpp>
#include <map>
#include <vector>

namespace Tomokkos {

/// \brief One run of the program on one backend in one precision: input, matrix, data, solver,
/// output. Nothing is written before the solver has accepted its input.
template <class ExecutionSpace, class Scalar>
class Reconstruction {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  Reconstruction(const RunConfig& config, bool quiet);

  /// \brief Does all of it and returns the exit status.
  int run();

 private:
  using VectorType = Vector<Scalar, memory_space>;
  using State = MonitorState<ExecutionSpace, Scalar>;

  PreparedOperator<ExecutionSpace, Scalar> prepare_matrix();
  void prepare_data(const AnyOperator<ExecutionSpace, Scalar>& A);
  void prepare_start(const AnyOperator<ExecutionSpace, Scalar>& A);
  SolveResult solve(const AnyOperator<ExecutionSpace, Scalar>& A);
  MonitorAction watch(const ExecutionSpace& exec, const State& state);
  double distance_to_phantom(const ExecutionSpace& exec, const State& state);
  void write_results(const PreparedOperator<ExecutionSpace, Scalar>& prepared,
                     const SolveResult& result);
  ConfigNode report(const PreparedOperator<ExecutionSpace, Scalar>& prepared,
                    const SolveResult& result);

  VectorType to_device(const char* label, const std::vector<double>& values) const;
  std::vector<std::size_t> image_shape() const;
  std::vector<std::size_t> sinogram_shape() const;
  void begin(const char* phase);
  void sample_memory();

  RunConfig config_;
  ExecutionSpace exec_;
  Progress progress_;
  RunOutput output_;
  PhaseClock clock_;
  RunInput input_;
  std::vector<Scalar> sinogram_;  // the data in the run's precision
  std::optional<double> noise_level_;
  VectorType b_, x_, phantom_;
  SolverTerms<Scalar, memory_space> terms_;
  std::size_t solver_bytes_ = 0;
  ReductionWorkspace<memory_space> reduction_;
  Vector<double, memory_space> sum_;
  std::size_t iteration_bytes_ = 0;
  std::size_t forward_bytes_ = 0;
  std::size_t transpose_bytes_ = 0;
  // What the monitor sees: errors against the phantom, and the time between its calls.
  std::map<int, double> rmse_;
  bool started_ = false;
  int iterations_done_ = 0;
  double iteration_seconds_ = 0;
  std::chrono::steady_clock::time_point left_monitor_;
  std::uint64_t peak_device_memory_ = 0;
};

}  // namespace Tomokkos
