// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SolverParams.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief How a solve has ended, and what it took.
struct RunSolution {
  std::vector<SolveResult> results;  ///< one for each right-hand side
  std::size_t solver_bytes = 0;
  /// Bytes of the products and of an iteration, for all columns that are solved together.
  TrafficBytes traffic;
  double moved_bytes = 0;  ///< of all iterations
  int iterations = 0;      ///< that this run has made
  /// Seconds that they took, without progress and output between them.
  double iteration_seconds = 0;
  std::optional<PcgVariant> way;  ///< of pcg
};

/// \brief What a solve takes beside the operator and the vectors.
template <class ExecutionSpace, class Scalar>
struct SolveRequest {
  using memory_space = typename ExecutionSpace::memory_space;
  using State = MonitorState<ExecutionSpace, Scalar>;

  SolverParams params;
  SolverInput<Scalar, memory_space> input = {};
  /// The operator, prepared, which all but solvers by least squares of systems need.
  const PreconditionedSystem<ExecutionSpace, Scalar>* system = nullptr;
  std::optional<SolveProgress> resumed = {};
  /// Looks at an iterate; returns what the progress says of it.
  std::function<std::string(const ExecutionSpace& exec, const State& state)> look;
  /// Comes after it, for a checkpoint; \p last: no iterate follows.
  std::function<void(const ExecutionSpace& exec, const State& state, bool last)> keep = {};
};

/// \brief What all runs have in common: the execution space, phases and their times, progress,
/// interrupts, memory, the solve, files, and what the report says of them.
template <class ExecutionSpace, class Scalar>
class Run {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using SystemType = PreconditionedSystem<ExecutionSpace, Scalar>;
  using Request = SolveRequest<ExecutionSpace, Scalar>;

  /// \param resume goes on from the checkpoint in the output directory
  /// \param ranks that share the run, which must outlive it; null: there is one process
  Run(const RunConfig& config, bool quiet, bool resume, const RunRanks* ranks = nullptr);

  const RunConfig& config() const { return config_; }
  /// \brief For what only the data tell.
  RunConfig& config() { return config_; }
  const ExecutionSpace& exec() const { return exec_; }
  Progress& progress() { return progress_; }
  RunOutput& output() { return output_; }
  PhaseClock& clock() { return clock_; }
  RunCheckpoints<ExecutionSpace, Scalar>& checkpoints() { return checkpoints_; }
  const RunSolution& solution() const { return solution_; }
  std::string solver_name() const { return std::string(to_string(config_.solver.kind())); }
  /// \brief True once the solver has accepted its input: a later failure is one of the run.
  bool has_started() const { return has_started_; }

  /// \brief False where the solver takes one right-hand side after the other.
  bool solves_together() const;

  /// \brief Looks whether the output can be written, and reads the checkpoint to go on from.
  void open();
  /// \brief Begins a phase; an interrupt that has come ends the run here.
  void begin(const char* phase);
  /// \brief Begins the last phase, which an interrupt does not keep from writing what there is.
  void begin_write() { clock_.begin("write"); }
  /// \brief Looks how much memory of the device is taken, for the report.
  void sample_memory();

  /// \brief \p A as the solver of the configuration needs it; nothing for cgls. What is wrong with
  /// its diagonal is told by `fault()`.
  std::optional<SystemType> prepare(const OperatorType& A);

  /// \brief Solves `A X = B` from the start in X, with progress, until an interrupt. What the
  /// solver refuses before the first iteration is an `InputError`.
  void solve(const OperatorType& A, const MultiVectorView<const Scalar, memory_space>& B,
             const MultiVectorView<Scalar, memory_space>& X, Request request);

  /// \brief Solves a prepared linear system and writes checkpoints of X. A run that is resumed
  /// starts from the X of its checkpoint. The matrix of the checkpoints must be set.
  void solve_system(const OperatorType& A, const std::optional<SystemType>& system,
                    const MultiVectorView<const Scalar, memory_space>& B,
                    const MultiVectorView<Scalar, memory_space>& X);

  /// \brief For a system without unknowns: \p columns results without an iteration.
  void skip(Ordinal columns);

  /// \brief Describes versions and machine: what a report begins with.
  Description report_head() const;
  /// \brief Writes \p report, behind the configuration.
  void write_report(const Description& report);
  /// \brief The most memory that a rank has taken. All ranks call it together.
  MemoryPeaks peaks() const;
  /// \brief `resumed`, `scaled`, `seconds`, `result`, `traffic` and `peak_memory` behind what
  /// \p result has. All ranks form it together.
  void report_solve(Description& result, const std::optional<SystemType>& system) const;
  /// \brief `files` and `history`, or of several right-hand sides `results`.
  void report_tail(Description& result) const;
  void report_files(Description& result) const;

  /// \brief What the run says last of the solver: how it ended, what it took, and where the
  /// residual of a recursion has left the true one.
  void print_end(const std::string& how);

  /// \brief The last word of a run of systems, and its exit status: 1 where one is not solved.
  ///
  /// \param names of the right-hand sides, for the message; none: how many they are
  int finish(const std::vector<const char*>& names = {});

 private:
  using State = typename Request::State;

  std::optional<SolveProgress> take_up(const MultiVectorView<const Scalar, memory_space>& B,
                                       const MultiVectorView<Scalar, memory_space>& X);
  void write_checkpoint(const ExecutionSpace& exec, const State& state,
                        const MultiVectorView<const Scalar, memory_space>& X);
  MonitorAction watch(const ExecutionSpace& exec, const State& state, const Request& request);
  bool is_first() const { return ranks_ == nullptr || ranks_->is_first(); }

  RunConfig config_;
  const RunRanks* ranks_;
  ExecutionSpace exec_;
  Progress progress_;
  RunOutput output_;
  RunCheckpoints<ExecutionSpace, Scalar> checkpoints_;
  PhaseClock clock_;
  RunSolution solution_;
  std::uint64_t device_peak_ = 0;  // of this rank
  // The time between the calls of the monitor.
  bool has_started_ = false;
  int first_seen_ = 0;
  std::chrono::steady_clock::time_point left_monitor_;
};

}  // namespace Tomokkos
