// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Art.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Parameters of `BlockArt`.
struct BlockArtParams {
  /// Maximum number of sweeps; a sweep visits every row once.
  int sweeps = 10;
  /// Number of sweeps between checks by the host (rules, monitor).
  int check_every = 1;
  /// Rules that stop earlier; none by default.
  StopRules stop{};
  /// Number of rows per block; the last block may have fewer.
  Ordinal block_rows = 1;
  /// First row of each block among the rows of A, for other blocks, or for the blocks of rows that
  /// are distributed over ranks: every rank has a part of each block, which may be empty. Empty: \p
  /// block_rows rows each.
  std::vector<Ordinal> block_begins{};
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// Decay of the relaxation: sweep k = 0, 1, ... uses `lambda / (1 + relaxation_decay k)`. Not
  /// negative.
  double relaxation_decay = 0;
  /// x is clamped to `[minimum, maximum]` after every block.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// Rows whose norm is at most this times the largest norm are left out
  /// (`ArtParams::smallest_norm`).
  double smallest_norm = 1e-3;
  /// Measures the residual of every sweep (one product each). If false, it is measured only at
  /// checks and at the end.
  bool record_residual = false;
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
BlockArtParams validated(const BlockArtParams& params);

template <class Visitor>
void describe(Visitor&& key, BlockArtParams& params) {
  key.integer("sweeps", params.sweeps, 0, max_count,
              "Maximum number of sweeps; a sweep visits every row once.");
  describe_steps(key, params);
  key.number("relaxation_decay", params.relaxation_decay, KeyRange::not_negative(),
             "Sweep k = 0, 1, ... uses the relaxation divided by 1 + k times this.");
  describe_smallest_norm(key, params);
  describe_check_interval(key, params);
}

/// \brief Figures of block ART.
struct BlockArtFigures {
  /// Number of rows that are skipped: they have no entries, or their norm is too small.
  Ordinal excluded_rows = 0;
  /// Number of blocks per sweep.
  Ordinal blocks = 0;
};

/// \brief Describes \p figures for a report.
Description description_of(const BlockArtFigures& figures, const SolveResult& result);

/// \brief Block-iterative ART: treats all rows of a block with the same x, block after block.
///
/// `x_j <- clamp(x_j + lambda / s_j sum_(i in block) a_ij (b_i - a_i x) / |a_i|^2)`,
///
/// where s_j is the largest number of rows of any single block that have an entry in column j: the
/// step of a pixel is an average over the rows that may change it together. This is diagonally
/// relaxed orthogonal projection (DROP: Y. Censor, T. Elfving, G. T. Herman, T. Nikazad, SIAM J.
/// Sci. Comput. 30 (2008) 473-504) with one diagonal for all blocks. It differs from `Art`: with
/// blocks of one row (s_j = 1) both agree, with larger blocks its steps are shorter.
///
/// Converges for consistent systems if 0 < lambda < 2. With D = diag(s_j), M = diag(1 / |a_i|^2)
/// and the rows A_t of a block, `(sum_i a_ij z_i / |a_i|)^2 <= s_j sum_i a_ij^2 z_i^2 / |a_i|^2`,
/// divided by s_j and summed over j, gives `|D^(-1/2) A_t^T M^(1/2)| <= 1`. So every block is a
/// relaxed step that does not increase the error in the common norm `sqrt(e^T D e)`.
///
/// Rows are visited in the order in which A numbers them. For another order of visits, renumber the
/// rows of A and b (`row_visits`, `csr_mapped`). Rows without entries, or with a tiny norm
/// (`smallest_norm`), are skipped and counted in `BlockArtFigures`. The bits are reproducible if
/// those of the transposed product of A are.
///
/// The rows may be distributed over ranks (`DistributedOperator`): with `block_begins` each rank
/// treats its rows of a block, and the ranks sum the steps of the block. Only the order of that sum
/// differs from one rank. All ranks must call `solve` together.
template <class ExecutionSpace, class Scalar>
class BlockArt final : public Solver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = BlockArtParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `2 num_rows + 3 num_cols` values.
  BlockArt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
           const BlockArtParams& params = {});

  /// \brief Sweeps from the start in \p X and overwrites it with the images, one slice after the
  /// other.
  ///
  /// Before the first sweep the weights are computed: a pass over the values, and a pass over the
  /// columns by a single host thread (`csr_largest_block_counts`).
  ///
  /// \throws Error when an entry of B is not finite (naming it), when A provides no access to its
  /// rows, and when its products cannot be restricted to the rows of a block
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    const Impl::ResetAtEnd forgotten{resumed_};
    require(!resumed_ || B.extent(1) == 1,
            "a solve of several slices cannot be resumed; resume one slice at a time");
    return Impl::solve_columns(exec, B, X, [&](const ConstVectorType& b, const VectorType& x) {
      return solve_column(exec, A, b, x, monitor);
    });
  }
  using Solver<ExecutionSpace, Scalar>::solve;
  bool solves_columns_together() const override { return false; }

  /// \brief Makes the next solve continue from \p progress and from the x of the same iterate.
  ///
  /// That solve must have one slice. Its result has the bits and the history of a solve without
  /// interruption.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  const BlockArtParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that a sweep must move: the two products of \p A, 4 values per row, 5
  /// per column for every block, `4 num_cols` values for the change, and another product if the
  /// residual is measured.
  std::size_t iteration_bytes(const OperatorType& A) const override {
    const std::size_t rows = projection_.extent(0), columns = previous_.extent(0);
    const std::size_t forward = A.apply_bytes();
    std::size_t bytes = forward + A.apply_transpose_bytes() +
                        (3 * rows + (5 * static_cast<std::size_t>(blocks_.count()) + 4) * columns) *
                            sizeof(Scalar) +
                        rows * sizeof(double);
    if (params_.record_residual) bytes += forward + 2 * rows * sizeof(Scalar);
    return bytes;
  }

 private:
  SolveResult solve_column(const ExecutionSpace& exec, const OperatorType& A,
                           const ConstVectorType& b, const VectorType& x,
                           const Monitor<ExecutionSpace, Scalar>& monitor);
  Ordinal compute_weights(const ExecutionSpace& exec, const OperatorType& A);
  void visit(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
             const VectorType& x, int block, double relaxation);

  BlockArtParams params_;
  RowSubsets blocks_;
  Impl::VectorRanks<ExecutionSpace> ranks_;  // of the current solve
  std::optional<SolveProgress> resumed_;
  Vector<Scalar, memory_space> projection_;
  Vector<double, memory_space> row_weight_;
  Vector<Scalar, memory_space> back_, col_weight_, previous_;
  Vector<double, memory_space> sums_;
  Vector<int, memory_space> active_;
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
};

template <>
struct SolverOf<BlockArtParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = BlockArt<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = true;
};

TOMOKKOS_EXTERN_CLASS(BlockArt)

}  // namespace Tomokkos
