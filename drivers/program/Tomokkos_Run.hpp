// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Commands.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SolveSlices.hpp>
#include <Tomokkos_SolveSystem.hpp>
#include <Tomokkos_SolverNeeds.hpp>
#include <Tomokkos_StepTimes.hpp>
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Natural indices of the rows and the unknowns of a linear system, and its longest row, for
/// a recorder.
struct SystemNumbering {
  Numbering rows = {}, unknowns = {};  ///< size 0: in the order of the solver
  Offset longest_row = 32;             ///< nonzeros of the longest row, for rounding bounds
};

/// \brief Actions of a run at the iterates of a solve, and the numbering of their entries.
template <class ExecutionSpace, class Scalar>
struct SolveWatch {
  using State = MonitorState<ExecutionSpace, Scalar>;

  /// Text of an iterate for the progress display.
  std::function<std::string(const State& state)> describe;
  /// Finished steps of a longer progress display after an iteration, which the caller begins and
  /// ends. Empty: a display of the iterations.
  std::function<int(int iteration)> position = {};
  /// Writes a checkpoint. \p last: this is the last iterate.
  std::function<void(const ExecutionSpace& exec, const State& state, bool last)> save = {};
  SystemNumbering numbering = {};
};

/// \brief Common parts of all runs: execution space, phases and their times, progress, interrupts,
/// memory, the solve, files, and their part of the report.
template <class ExecutionSpace, class Scalar>
class Run : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using State = MonitorState<ExecutionSpace, Scalar>;
  using Watch = SolveWatch<ExecutionSpace, Scalar>;
  using typename Base::ConstColumns;

  /// \param configuration the whole configuration, for the report and for checkpoints
  ///
  /// The sections must outlive the run.
  Run(const RunSection& settings, const SolverSection& solver, const OutputSection& output,
      ConfigNode configuration, const RunOptions& options);

  const ExecutionSpace& exec() const { return exec_; }
  Progress& progress() { return progress_; }
  RunOutput& output() { return output_; }
  PhaseClock& clock() { return clock_; }
  RunCheckpoints<ExecutionSpace, Scalar>& checkpoints() { return checkpoints_; }
  /// \brief Outcome of the last solve, or the sum of several.
  const SolveOutcome& outcome() const { return outcome_; }
  SolveOutcome& outcome() { return outcome_; }
  std::string solver_name() const { return std::string(to_string(solver_.kind())); }

  /// \brief Checks that the output can be written and reads the checkpoint to resume from.
  void open() {
    output_.check();
    checkpoints_.open();
  }
  /// \brief Begins a phase. Ends the run if it has been interrupted.
  void begin(const char* phase);
  /// \brief Begins the last phase. An interrupt does not prevent it from writing the results.
  void begin_write() { clock_.begin("write"); }
  /// \brief Samples the used memory of the device for the report.
  void sample_memory() { device_peak_ = std::max(device_peak_, used_device_memory(exec_)); }

  /// \brief Watches the following solves with \p A, which must outlive them: progress, interrupts,
  /// times of steps, memory, records, and what \p watch adds.
  void watch(const OperatorType& A, Watch watch) {
    A_ = &A;
    watch_ = std::move(watch);
  }
  void begins(SolverParams& params, ConstColumns& B) override;
  void ready(int first) override;
  MonitorAction sees(const ExecutionSpace& exec, const State& state, bool is_ended) override;
  void ended(const SolveOutcome& outcome, const ConstColumns& X) override;

  /// \brief Performs \p work, whose solves this run watches. Ends the progress display after
  /// errors.
  template <class Work>
  auto watched(const Work& work) {
    try {
      return work();
    } catch (const Error&) {
      measures_.reset();
      progress_.end();
      throw;
    }
  }

  /// \brief Performs \p solves, which this run watches.
  ///
  /// \throws InputError if the solver refuses its input before the first iteration
  template <class Solves>
  void guard(const Solves& solves) {
    watched([&] {
      try {
        solves();
      } catch (const Refused& error) {
        // A refusal before the first iteration concerns the input: negative data, a start of zeros,
        // or only empty rows.
        if (outcome_.has_started) throw;
        throw InputError(solver_name() + ": " + error.what());
      }
    });
  }

  /// \brief Observer of a linear system, a chart or a smoothing, through which this run watches it:
  /// phases, the solve and its checkpoints. A resumed run starts from the x of its checkpoint.
  SystemObserver<ExecutionSpace, Scalar> system_observer();

  /// \brief Describes versions and machine, the first part of a report.
  Description report_head() const;
  /// \brief Writes the report: the configuration followed by \p report.
  void write_report(const Description& report);
  /// \brief Peak memory over all ranks. Collective: all ranks must call it.
  MemoryPeaks peaks() const;
  /// \brief Adds the iteration and the version of the checkpoint that the run has resumed from.
  void report_resumed(Description& result) const {
    if (Description resumed = checkpoints_.report(); !resumed.is_empty())
      result.set("resumed", std::move(resumed));
  }
  /// \brief Adds `resumed`, `scaled`, `seconds`, `result`, `traffic` and `peak_memory` to \p
  /// result. Collective: all ranks must call it.
  void report_solve(Description& result, bool is_scaled) const;
  /// \brief Adds `steps`, the times of the steps of all solves, if they were measured.
  void report_steps(Description& result) const {
    if (settings_.measure_steps) result.set("steps", steps_.description(measured_iterations_));
  }
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
  void take_up(PlacedSystem<ExecutionSpace, Scalar>& system);
  void watch_system(PlacedSystem<ExecutionSpace, Scalar>& system);
  void write_checkpoint(const ExecutionSpace& exec, const State& state,
                        const MultiVectorView<const Scalar, memory_space>& X);
  void begin_record(SolverParams& params, ConstColumns& B);
  bool is_first() const { return ranks_ == nullptr || ranks_->is_first(); }

  const RunSection& settings_;
  const SolverSection& solver_;
  const SolverNeeds needs_ = needs_of(solver_.kind());
  ConfigNode configuration_;
  const RunRanks* ranks_;
  RunRecorder* recorder_;
  ExecutionSpace exec_;
  Progress progress_;
  RunOutput output_;
  RunCheckpoints<ExecutionSpace, Scalar> checkpoints_;
  PhaseClock clock_;
  SolveOutcome outcome_;
  const OperatorType* A_ = nullptr;  // of the solves that are watched
  Watch watch_;
  std::optional<RunObservation<ExecutionSpace, Scalar>> observation_;  // of the current solve
  Vector<Scalar, memory_space> rounded_;                               // its data, for a recorder
  std::optional<StepTimes::Scope> measures_;                           // while it runs
  StepTimes steps_;                                                    // of all solves
  int measured_iterations_ = 0;    // iterations whose steps were measured
  std::uint64_t device_peak_ = 0;  // peak of this rank in bytes
};

}  // namespace Tomokkos
