// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief The checkpoints of a run: whether and when one is written, and the one that the run goes
/// on from, which is compared with the run as soon as there is something to compare.
template <class ExecutionSpace, class Scalar>
class RunCheckpoints {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param resume go on from the checkpoint in the output directory
  /// \param num_ranks processes that share the run
  RunCheckpoints(const RunConfig& config, bool resume, int num_ranks);

  /// \brief Reads the checkpoint to go on from, if that is asked for, and compares configurations.
  ///
  /// \throw InputError, ConfigError for several ranks whose solver shares vectors out.
  void open();

  /// \brief Names the key or option that asked for checkpoints, for messages.
  std::string asked_by() const { return every_ > 0 ? "output.checkpoint" : "--resume"; }

  /// \brief Looks at the matrix of the run, in the order in which it is solved.
  void set_matrix(const ExecutionSpace& exec, const CsrMatrix<Scalar, memory_space>& A);
  /// \brief The same of a matrix that is not in CSR, but has the `csr_fingerprint`
  /// \p fingerprint, which need not be known unless checkpoints are used.
  void set_matrix(Ordinal rows, Ordinal columns, Offset nonzeros, std::uint64_t fingerprint);

  /// \brief Sets the matrix from an operator whose entries are not at hand, by the bits of a
  /// product.
  void set_operator(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A);

  /// \brief Looks at the shares of several ranks, and how the image is spread over them.
  void set_ranks(const std::vector<double>& weights, ImageDistribution image);

  /// \brief True when the run writes checkpoints, or goes on from one.
  bool is_used() const { return every_ > 0 || resume_; }
  /// \brief True for a run that goes on where a checkpoint ended.
  bool is_resumed() const { return resume_; }

  /// \brief Looks at the data, and at the terms of the model (empty: there is none).
  void set_data(std::span<const Scalar> data, std::span<const double> multiplicative,
                std::span<const double> background);

  /// \brief What the run goes on from; nothing in a run that begins anew.
  std::optional<Checkpoint<Scalar>>& resumed() { return resumed_; }
  /// \brief 0 in a run that begins anew.
  int first_iteration() const { return first_iteration_; }
  /// \brief `{iteration, version}` for the report; null in a run that begins anew.
  Description report() const;

  /// \brief True when a checkpoint is to be written after this iteration.
  bool due(int iteration, bool last) const;

  /// \brief Writes one; \p shape is that of its image.
  void write(SolveProgress progress, const std::vector<std::map<int, double>>& rmse,
             std::vector<Scalar> image, const std::vector<std::size_t>& shape) const;

  const std::filesystem::path& file() const { return file_; }

 private:
  const RunConfig& config_;
  bool resume_;
  int every_;
  int num_ranks_;
  std::filesystem::path file_;
  CheckpointIdentity identity_;
  std::optional<Checkpoint<Scalar>> resumed_;
  int first_iteration_ = 0;
  std::string version_;
};

}  // namespace Tomokkos
