// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Checkpoints of a run: decides when one is written, and checks the checkpoint that the run
/// resumes from as soon as the values to compare are known.
template <class ExecutionSpace, class Scalar>
class RunCheckpoints {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param resume continue from the checkpoint in the output directory
  /// \param num_ranks number of processes that share the run
  ///
  /// The sections must outlive the object.
  RunCheckpoints(const RunSection& settings, const SolverSection& solver,
                 const OutputSection& output, const ConfigNode& configuration, bool resume,
                 int num_ranks);

  /// \brief Reads the checkpoint to resume from, if any, and compares configurations.
  ///
  /// \throws InputError; ConfigError for several ranks whose solver has distributed vectors
  void open();

  /// \brief Prepares for checkpoints after each slab of a volume. Call before `open`.
  void use_slabs() { has_slabs_ = true; }

  /// \brief Key or option that requested checkpoints, for messages.
  std::string asked_by() const { return every_ > 0 ? "output.checkpoint" : "--resume"; }

  /// \brief Sets the matrix of the run, in the order of the solver, and compares it with the
  /// checkpoint.
  void set_matrix(const ExecutionSpace& exec, const CsrMatrix<Scalar, memory_space>& A) {
    if (is_used())
      set_matrix(A.num_rows, A.num_cols, A.num_nonzeros(),
                 csr_fingerprint<ExecutionSpace, Scalar>(exec, A));
  }
  /// \brief Sets a matrix that is not in CSR by its `csr_fingerprint`. \p fingerprint is used only
  /// if `is_used`.
  void set_matrix(Ordinal rows, Ordinal columns, Offset nonzeros, std::uint64_t fingerprint);

  /// \brief Sets the matrix from an operator without accessible entries, by the bits of a product.
  void set_operator(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A);

  /// \brief Sets the shares of several ranks and the distribution of the image, and compares them
  /// with the checkpoint.
  void set_ranks(const std::vector<double>& weights, ImageDistribution image);

  /// \brief True if the run writes checkpoints or resumes from one.
  bool is_used() const { return every_ > 0 || resume_ || has_slabs_; }
  /// \brief True if the run resumes from a checkpoint.
  bool is_resumed() const { return resume_; }

  /// \brief Sets the data and the terms of the model (empty: none) and compares them with the
  /// checkpoint.
  void set_data(std::span<const Scalar> data, std::span<const double> multiplicative,
                std::span<const double> background);

  /// \brief Checkpoint that the run resumes from; empty for a new run.
  std::optional<Checkpoint<Scalar>>& resumed() { return resumed_; }
  /// \brief Entry `{iteration, version}` for the report; null for a new run.
  Description report() const;

  /// \brief True if a checkpoint is to be written after this iteration.
  bool is_due(int iteration, bool last) const {
    // The start is not written: a run without a checkpoint begins with it.
    return every_ > 0 && iteration > 0 && (last || iteration % every_ == 0);
  }

  /// \brief Writes a checkpoint. \p shape is the shape of its image.
  void write(SolveProgress progress, const std::vector<std::map<int, double>>& rmse,
             std::vector<Scalar> image, const std::vector<std::size_t>& shape) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  /// Keeps \p texts (empty: there is no such text), and compares them with those of the checkpoint.
  void set(const CheckpointTexts& texts);

  const RunSection& settings_;
  const SolverSection& solver_;
  bool resume_;
  int every_;
  bool has_slabs_ = false;
  int num_ranks_;
  std::filesystem::path file_;
  CheckpointTexts texts_;
  std::optional<Checkpoint<Scalar>> resumed_;
  int first_iteration_ = 0;  // that the run resumes from; 0 for a new run
  std::string version_;
};

/// \brief Configuration in the \p texts of the checkpoint \p file.
///
/// \throws InputError
ConfigNode configuration_of(const std::filesystem::path& file, const CheckpointTexts& texts);

/// \brief The text \p name; empty if it is absent.
std::string text_of(const CheckpointTexts& texts, const std::string& name);

}  // namespace Tomokkos
