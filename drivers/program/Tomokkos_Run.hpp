// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunObservation.hpp>
#include <Tomokkos_RunOptions.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SolverParams.hpp>
#include <Tomokkos_StepTimes.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Outcome and cost of a solve.
struct RunSolution {
  std::vector<SolveResult> results;  ///< one result for each right-hand side
  std::size_t solver_bytes = 0;
  /// Bytes of the products and of an iteration, for all columns solved together.
  TrafficBytes traffic;
  double moved_bytes = 0;  ///< bytes moved in all iterations
  int iterations = 0;      ///< iterations of this run
  /// Seconds of these iterations, without progress and output between them.
  double iteration_seconds = 0;
  std::optional<PcgVariant> pcg_variant;  ///< variant of pcg; empty: another solver
};

/// \brief Arguments of a solve other than the operator and the vectors.
template <class ExecutionSpace, class Scalar>
struct SolveRequest {
  using memory_space = typename ExecutionSpace::memory_space;
  using State = MonitorState<ExecutionSpace, Scalar>;

  SolverParams params;
  SolverInput<Scalar, memory_space> input = {};
  /// Preconditioned operator, needed by solvers of square systems. Null: not needed.
  const PreconditionedSystem<ExecutionSpace, Scalar>* system = nullptr;
  std::optional<SolveProgress> resumed = {};
  /// Called for each iterate; returns its text for the progress display.
  std::function<std::string(const ExecutionSpace& exec, const State& state)> observe;
  /// Finished steps of a longer progress display after an iteration, which the caller begins and
  /// ends. Empty: a display of the iterations.
  std::function<int(int iteration)> position = {};
  /// Called after `observe` to write a checkpoint. \p last: this is the last iterate.
  std::function<void(const ExecutionSpace& exec, const State& state, bool last)> save = {};
  /// Natural indices of rows and unknowns, for a recorder. Size 0: in the order of the solver.
  Numbering rows = {}, columns = {};
  Offset longest_row = 32;  ///< nonzeros of the longest row, for rounding bounds
};

/// \brief Natural indices of the rows and the unknowns of a linear system, and its longest row, for
/// a recorder.
struct SystemNumbering {
  Numbering rows = {}, unknowns = {};
  Offset longest_row = 32;
};

/// \brief Common parts of all runs: execution space, phases and their times, progress, interrupts,
/// memory, the solve, files, and their part of the report.
template <class ExecutionSpace, class Scalar>
class Run {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using SystemType = PreconditionedSystem<ExecutionSpace, Scalar>;
  using Request = SolveRequest<ExecutionSpace, Scalar>;

  explicit Run(const RunConfig& config, const RunOptions& options = {});

  const RunConfig& config() const { return config_; }
  /// \brief Configuration, writable for values that follow from the data.
  RunConfig& config() { return config_; }
  const ExecutionSpace& exec() const { return exec_; }
  Progress& progress() { return progress_; }
  RunOutput& output() { return output_; }
  PhaseClock& clock() { return clock_; }
  RunCheckpoints<ExecutionSpace, Scalar>& checkpoints() { return checkpoints_; }
  const RunSolution& solution() const { return solution_; }
  std::string solver_name() const { return std::string(to_string(config_.solver.kind())); }
  /// \brief True once the solver has accepted its input. A later failure is a failure of the run.
  bool has_started() const { return has_started_; }

  /// \brief False if the solver solves one right-hand side after the other.
  bool solves_columns_together() const;

  /// \brief Checks that the output can be written and reads the checkpoint to resume from.
  void open();
  /// \brief Begins a phase. Ends the run if it has been interrupted.
  void begin(const char* phase);
  /// \brief Begins the last phase. An interrupt does not prevent it from writing the results.
  void begin_write() { clock_.begin("write"); }
  /// \brief Samples the used memory of the device for the report.
  void sample_memory();

  /// \brief Prepares \p A with the preconditioner of the configuration. Empty for cgls. `fault()`
  /// of the result reports an unusable diagonal.
  std::optional<SystemType> prepare(const OperatorType& A);

  /// \brief Solves `A X = B` from the start in X, with progress display. An interrupt ends the
  /// solve.
  ///
  /// \throws InputError if the solver refuses its input before the first iteration
  void solve(const OperatorType& A, const MultiVectorView<const Scalar, memory_space>& B,
             const MultiVectorView<Scalar, memory_space>& X, Request request);

  /// \brief Solves a prepared linear system and writes checkpoints of X. A resumed run starts from
  /// the X of its checkpoint. The matrix of the checkpoints must be set before.
  void solve_system(const OperatorType& A, const std::optional<SystemType>& system,
                    const MultiVectorView<const Scalar, memory_space>& B,
                    const MultiVectorView<Scalar, memory_space>& X,
                    const SystemNumbering& numbering = {});

  /// \brief Replaces the solution by the sum of several solves, for the report.
  void set_solution(RunSolution solution) { solution_ = std::move(solution); }

  /// \brief Stores \p columns results without an iteration, for a system without unknowns.
  void skip(Ordinal columns);

  /// \brief Describes versions and machine, the first part of a report.
  Description report_head() const;
  /// \brief Writes the report: the configuration followed by \p report.
  void write_report(const Description& report);
  /// \brief Peak memory over all ranks. Collective: all ranks must call it.
  MemoryPeaks peaks() const;
  /// \brief Adds `resumed`, `scaled`, `seconds`, `result`, `traffic` and `peak_memory` to \p
  /// result. Collective: all ranks must call it.
  void report_solve(Description& result, const std::optional<SystemType>& system) const;
  /// \brief Adds `steps`, the times of the steps of all solves, if they were measured.
  void report_steps(Description& result) const;
  /// \brief Adds `files`, and `history` or, for several right-hand sides, `results`.
  void report_tail(Description& result) const;
  void report_files(Description& result) const;

  /// \brief Prints how the solver ended and its time. Warns if the recursive residual has drifted
  /// from the true one.
  void print_end(const std::string& how);

  /// \brief Prints the outcome of a run of linear systems and returns its exit status: 1 if one is
  /// not solved.
  ///
  /// \param names names of the right-hand sides for the message; empty: their number is printed
  int finish(const std::vector<const char*>& names = {});

 private:
  using State = typename Request::State;

  std::optional<SolveProgress> take_up(const MultiVectorView<const Scalar, memory_space>& B,
                                       const MultiVectorView<Scalar, memory_space>& X);
  void write_checkpoint(const ExecutionSpace& exec, const State& state,
                        const MultiVectorView<const Scalar, memory_space>& X);
  std::optional<RunObservation<ExecutionSpace, Scalar>> observe(const OperatorType& A,
                                                                const Request& request) const;
  MonitorAction watch(const ExecutionSpace& exec, const State& state, const Request& request);
  bool is_first() const { return ranks_ == nullptr || ranks_->is_first(); }

  RunConfig config_;
  const RunRanks* ranks_;
  RunRecorder* recorder_;
  ExecutionSpace exec_;
  Progress progress_;
  RunOutput output_;
  RunCheckpoints<ExecutionSpace, Scalar> checkpoints_;
  PhaseClock clock_;
  RunSolution solution_;
  StepTimes steps_;                // of all solves
  int measured_iterations_ = 0;    // iterations whose steps were measured
  std::uint64_t device_peak_ = 0;  // peak of this rank in bytes
  // State for measuring the time between calls of the monitor.
  bool has_started_ = false;
  int first_seen_ = 0;
  std::chrono::steady_clock::time_point left_monitor_;
};

}  // namespace Tomokkos
