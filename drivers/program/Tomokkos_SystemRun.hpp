// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of linear systems, and the frame that they share with those of charts and smoothings.
#pragma once

#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_SolveSystem.hpp>
#include <Tomokkos_SystemTask.hpp>

namespace Tomokkos {

/// \brief Parts of a configuration that a run of a linear system, a chart or a smoothing needs.
struct SystemSections {
  const RunSection& run;
  const ProblemSection& problem;
  const SolverSection& solver;
  const OutputSection& output;
  SystemTask task;           ///< what is asked of the operator
  ConfigNode configuration;  ///< the whole configuration, for the report and for checkpoints
};

/// \brief Run of a linear system, a chart or a smoothing, with what the function of the library
/// that solves it is given. Interrupts are taken while it lives.
template <class ExecutionSpace, class Scalar>
class SystemRun : public Run<ExecutionSpace, Scalar> {
 public:
  using Base = Run<ExecutionSpace, Scalar>;

  /// \param sections must outlive the run
  SystemRun(const SystemSections& sections, const RunOptions& options)
      : Base(sections.run, sections.solver, sections.output, sections.configuration, options),
        problem(sections.problem),
        settings{sections.solver.solver_params(), sections.task, sections.run.ranks, "",
                 sections.solver.assume_symmetric},
        ranks{options.ranks, options.ranks ? options.ranks->communicator(
                                                 Base::exec(), sections.task.needs.deterministic)
                                           : nullptr} {}

  /// \brief Opens the output and reads the input by \p read, on all ranks.
  template <class Read>
  void open_and(const Read& read) {
    const auto step = [&] {
      Base::open();
      read();
    };
    ranks.communicator ? ranks.group->together(step) : step();
  }

  const InterruptGuard guard = {};
  const ProblemSection& problem;
  SystemSettings settings;  ///< without the name of the input
  SystemRanks<ExecutionSpace> ranks;
};

/// \brief Runs `problem.type: linear_system` on one backend in one precision: reads matrix and
/// right-hand sides, solves, and writes solutions and report. Writes nothing before the solver has
/// accepted its input.
///
/// The solver uses the order of the configuration. Files are in natural order.
///
/// \return exit status: 1 if a right-hand side was not solved
template <class ExecutionSpace, class Scalar>
int run_linear_system(const SystemSections& sections, const RunOptions& options);

}  // namespace Tomokkos
