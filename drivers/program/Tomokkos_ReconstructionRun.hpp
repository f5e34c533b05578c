// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_PhantomErrors.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Frame, input and system of a reconstruction, which all its parts use.
template <class ExecutionSpace, class Scalar>
struct ReconstructionRun {
  const ProblemSection& problem;
  const SolverSection& solver;
  const OutputSection& output;
  const RunSection& settings;
  InputUse use;
  Run<ExecutionSpace, Scalar>& run;
  const RunRanks& ranks;
  RunRecorder* recorder;  ///< null: nothing is recorded
  RunInput input = {};    ///< of a volume in slabs: that of the current slab
  SystemTask task = {};
  std::optional<BuiltSystem<ExecutionSpace, Scalar>> system = {};
  PhantomErrors<ExecutionSpace, Scalar> errors;
  std::vector<double> noise_levels = {};  ///< of each slice; empty: not known
  UnexplainedData unexplained = {};
  std::string printed_filled = {};  ///< see `print_filled`

  ReconstructionRun(const RunConfig& config, Run<ExecutionSpace, Scalar>& of, const RunRanks& on,
                    RunRecorder* by)
      : problem(config.problem),
        solver(config.solver),
        output(config.output),
        settings(config.run),
        use(config.input_use()),
        run(of),
        ranks(on),
        recorder(by),
        errors(run.exec(), ranks, config.solver.check_every()) {}

  /// \brief Entries of a slice in the order of the solver, on this rank.
  SliceShape kept() const { return {system->A.num_rows(), system->A.num_cols()}; }
  /// \brief Entries of a whole slice, before an order and masks are applied.
  SliceShape natural() const {
    const auto& [rows, columns] = system->order;
    return {rows ? rows->natural_size() : kept().rays,
            columns ? columns->natural_size() : kept().pixels};
  }
  /// \brief Says which values were filled for a filtered back projection, unless it was said
  /// before.
  void print_filled(const FilledRays& filled) {
    if (filled.values == 0) return;
    const std::string text =
        "fbp: " + filled.describe() + " hold no measurement or are excluded, and are interpolated";
    if (text != printed_filled) run.progress().message(text);
    printed_filled = text;
  }
};

}  // namespace Tomokkos
