// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_PhantomErrors.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Runs a reconstruction on one backend in one precision: input, matrix, data, solver,
/// output. Writes nothing before the solver has accepted its input. Returns the exit status.
///
/// Slices that do not fit in memory together are divided into slabs, each of them a stack.
///
/// A stack of slices is solved together, with one pass over the matrix per product. Vectors on the
/// device hold the slices as columns, row-major. On the host and in files, slices follow each
/// other. A single slice is a stack of one.
///
/// The solver and all vectors on the device use the order of the configuration. Data on the host
/// are in natural order.
///
/// Each rank holds some rows of the matrix and the corresponding entries of vectors on the device,
/// by maps that leave out the other rows. Data on the host are complete on every rank; the first
/// rank writes.
///
/// \param options with ranks
template <class ExecutionSpace, class Scalar>
int run_reconstruction(const RunConfig& config, const RunOptions& options);

/// \brief Values that the steps of a reconstruction share.
template <class ExecutionSpace, class Scalar>
struct Reconstruction {
  const ProblemSection& problem;
  const SolverSection& solver;
  const OutputSection& output;
  const RunSection& settings;
  const OperatorWish& wish;
  InputUse use;
  std::vector<std::filesystem::path> files;  ///< that the run reads, and must not replace
  const RunOptions& options;
  Run<ExecutionSpace, Scalar>& run;
  const RunRanks& ranks;
  PhantomErrors<ExecutionSpace, Scalar> errors;
  std::optional<SlabPlan> slabs = {};  ///< empty: all slices are solved as one stack
  RunInput input = {};                 ///< of a volume in slabs: that of the current slab
  SweepOrder sweep = {};               ///< only for solvers that sweep
  SystemTask task = {};
  std::optional<BuiltSystem<ExecutionSpace, Scalar>> system = {};
  std::vector<double> noise_levels = {};  ///< of each slice; empty: not known
  UnexplainedData unexplained = {};
  std::vector<std::string> unusual = {};  ///< warnings about the input
  std::string printed_filled = {};        ///< see `print_filled`

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

/// \brief Completes the data of a stack, which `RunInput` holds as far as they were measured:
/// simulates those of a phantom, reads the terms of the model, treats negative values, and checks
/// that the stack fits into memory. Prints what the data are. Collective.
///
/// \return the data, with the start of the iteration
/// \throws ConfigError, InputError, DimensionMismatch, MemoryError
template <class ExecutionSpace, class Scalar>
SliceData<Scalar> read_stack(Reconstruction<ExecutionSpace, Scalar>& parts);

/// \brief Returns the data in `parts.input` and what all slices share, with their start: from the
/// checkpoint that the run resumes from, a file, a number, the counts of the data, or their
/// filtered back projection. Collective.
template <class ExecutionSpace, class Scalar>
SliceData<Scalar> slices_of_input(Reconstruction<ExecutionSpace, Scalar>& parts);

/// \brief Reads, solves and writes a volume of many slices, slab by slab, and keeps its progress in
/// checkpoints. The next slab is read and the previous one is written meanwhile. Sets the outcome
/// of all slabs as `Run::outcome`, and completes the notes for the report. Returns the exit status.
///
/// \throws an error of a slab with a note about those that are complete; Interrupted before the
/// first one is
template <class ExecutionSpace, class Scalar>
int solve_volume(Reconstruction<ExecutionSpace, Scalar>& parts, const SlicesSettings& settings,
                 SolveWatch<ExecutionSpace, Scalar> watch);

/// \brief Shape of the solutions of all slices in natural order. \p pixels: of a slice.
std::vector<std::size_t> solution_shape(const RunInput& input, Ordinal pixels);
/// \brief Shape of the written images; for polar voxels that of a Cartesian volume.
std::vector<std::size_t> image_shape(const RunInput& input, Ordinal pixels);

/// \brief Writes an image of \p shape or a solution, which differ for polar voxels.
template <class ExecutionSpace, class Scalar>
void write_solution(Reconstruction<ExecutionSpace, Scalar>& parts, const std::string& name,
                    const std::vector<Scalar>& solution, const std::vector<std::size_t>& shape);

/// \brief Writes images, sinogram and report; of a volume in slabs the report alone. Collective.
template <class ExecutionSpace, class Scalar>
void write_results(Reconstruction<ExecutionSpace, Scalar>& parts, const std::vector<Scalar>& image);

}  // namespace Tomokkos
