// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SolverParams.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief How a solve has ended, and what it took.
struct RunSolution {
  std::vector<SolveResult> results;  ///< one for each right-hand side
  std::size_t solver_bytes = 0;
  std::size_t iteration_bytes = 0;  ///< of all columns that are solved together
  double moved_bytes = 0;           ///< of all iterations
  std::optional<PcgWay> way;        ///< of pcg
};

/// \brief What all runs have in common that solve one linear system: phases, the solve with its
/// progress, and what the report says of them.
template <class ExecutionSpace, class Scalar>
class Run {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using SystemType = PreconditionedSystem<ExecutionSpace, Scalar>;

  /// \param ranks that share the system, which must outlive it; null: there is one process
  Run(const RunConfig& config, bool quiet, const RunRanks* ranks = nullptr);

  const RunConfig& config() const { return config_; }
  const ExecutionSpace& exec() const { return exec_; }
  Progress& progress() { return progress_; }
  RunOutput& output() { return output_; }
  PhaseClock& clock() { return clock_; }
  const RunSolution& solution() const { return solution_; }
  std::string solver_name() const { return std::string(to_string(config_.solver.kind())); }

  /// \brief Begins a phase; an interrupt that has come ends the run here.
  void begin(const char* phase);
  /// \brief Begins the last phase, which an interrupt does not keep from writing what there is.
  void begin_write() { clock_.begin("write"); }

  /// \brief \p A as the solver of the configuration needs it; nothing for cgls. What is wrong with
  /// its diagonal is told by `fault()`.
  std::optional<SystemType> prepare(const OperatorType& A);

  /// \brief Solves `A X = B` from the start in X. Throws `InputError` for what the solver refuses.
  ///
  /// \param system A, prepared; all but solvers by least squares need it
  void solve(const OperatorType& A, const std::optional<SystemType>& system,
             const MultiVectorView<const Scalar, memory_space>& B,
             const MultiVectorView<Scalar, memory_space>& X);

  /// \brief For a system without unknowns: \p columns results without an iteration.
  void skip(Ordinal columns);

  /// \brief `configuration`, versions, machine.
  ConfigNode report_head() const;
  /// \brief `scaled`, `seconds`, `result`, `traffic` and `peak_memory` behind what \p node has. All
  /// ranks form it together.
  void report_solve(ConfigNode& node, const std::optional<SystemType>& system) const;
  /// \brief `files` and `history`, or of several right-hand sides `results`.
  void report_tail(ConfigNode& node) const;
  void report_files(ConfigNode& node) const;

  /// \brief The last word of a run, and its exit status: 1 where it is not solved.
  ///
  /// \param names of the right-hand sides, for the message; none: how many they are
  int finish(const std::vector<const char*>& names = {});

 private:
  MonitorAction watch(const MonitorState<ExecutionSpace, Scalar>& state);
  bool is_first() const { return ranks_ == nullptr || ranks_->is_first(); }

  RunConfig config_;
  const RunRanks* ranks_;
  ExecutionSpace exec_;
  Progress progress_;
  RunOutput output_;
  PhaseClock clock_;
  RunSolution solution_;
  MemoryPeaks peaks_;  // of this rank
};

}  // namespace Tomokkos
