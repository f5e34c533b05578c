// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_MissingPatterns.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_WhiteNoiseProbe.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

namespace Impl {
template <class Scalar, class MemorySpace>
struct SirtUpdate;
}  // namespace Impl

/// \brief Parameters of `Sirt`.
struct SirtParams {
  /// Maximum number of iterations.
  int iterations = 100;
  /// Number of iterations between checks by the host (rules, monitor).
  int check_every = 10;
  /// Rules that stop earlier; none by default.
  StopRules stop{};
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// x is clamped to `[minimum, maximum]` after every iteration.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// Rows and columns whose sum is at most this times the largest entry of A have weight 0. Sums
  /// and entries count by their magnitude, so the unit of length does not matter. The entry is the
  /// largest one in the column with the largest sum (the first within a thousandth), which a
  /// product finds for any operator.
  double smallest_sum = 1e-6;
  /// Rule of SART (`Sart`) instead of `smallest_sum`. With the row sums r and the column sums c of
  /// a subset, row i has weight 0 if `|r_i| max |c|` is at most this times the square of the
  /// largest entry, and column j if `|c_j| max |r|` is. Empty: `smallest_sum` applies.
  std::optional<double> smallest_product{};
  /// Number of ordered subsets per iteration: ranges of rows, as `RowSubsets` divides them.
  int subsets = 1;
  /// Number of rows that stay together in a subset, for example those of a view.
  Ordinal subset_unit = 1;
  /// First row of each subset; empty: they are divided evenly. A subset without rows is skipped.
  std::vector<Ordinal> subset_begins = {};
  /// Treatment of a NaN in b: an error, or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
SirtParams validated(const SirtParams& params);

template <class Visitor>
void describe(Visitor&& key, SirtParams& params) {
  key.integer("iterations", params.iterations, 0, max_count, "Maximum number of iterations.");
  describe_steps(key, params);
  key.number("smallest_sum", params.smallest_sum, KeyRange::not_negative(),
             "Rows and columns whose sum is at most this times the largest entry are left out.");
  key.integer("subsets", params.subsets, 1, max_count,
              "Number of ordered subsets of the views; an iteration has one update per subset.");
  describe_check_interval(key, params);
}

/// \brief Simultaneous iterative reconstruction technique (SIRT):
/// `x <- clamp(x + lambda C A^T R (b - A x))`, where R and C hold the inverse row and column sums
/// of A. In a slice with missing rays, C holds the sums over the rays that it has measured: the
/// slice has the image that it has alone, without the rows of these rays.
///
/// Only x carries over from one iteration to the next: 10 iterations and 10 more from the saved x
/// give the same bits as 20.
///
/// With ordered subsets, an iteration has one update per subset, from the first rows to the last:
/// the formula above, with only the rows of the subset and with their column sums in C. x is
/// clamped after each update. With one subset per view this is SART (`Sart`). For data that no
/// image explains exactly, the iterates end in a limit cycle, which is narrower for a smaller
/// relaxation.
template <class ExecutionSpace, class Scalar>
class Sirt final : public Solver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = SirtParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `(s + 1) (num_rows + num_cols)` values for s slices, for
  /// k subsets `(s + k - 1) num_cols` more. If the slices of a solve have p patterns of missing
  /// rays, it allocates `k (p - 1) num_cols` more.
  Sirt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const SirtParams& params = {}, Ordinal num_slices = 1);

  /// \brief Sets the order in which the next solves visit the subsets; empty: from the first to the
  /// last. Throws `Error` unless \p order contains each of them once.
  void set_order(std::vector<Ordinal> order);

  /// \brief Makes the next solve continue from \p progress and the x that belongs to it. The result
  /// has the same bits as without the interruption, and the whole history.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  /// \brief Iterates from the start in \p X and overwrites it with the images. The slices share the
  /// weights; those with missing rays share them with the slices that lack the same rays.
  ///
  /// Before the iterations: two products, and a transposed product for each pattern of missing rays
  /// (the weights).
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error when an entry of B is not finite (naming it), when all row sums or all column
  /// sums are too small to be inverted, and when the operator cannot be restricted to the subsets
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return num_slices_; }
  const SirtParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move.
  ///
  /// They are the two products of \p A, and for s slices `3 s + 1` values per row in the weighting
  /// and per column in the update. With subsets the update is repeated for each subset, and every
  /// `check_every` iterations a product, a weighting and 4 values per column are added for the
  /// measurement.
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  void compute_weights(const ExecutionSpace& exec, const OperatorType& A,
                       const ConstMultiVectorType& B);
  void sum_columns(const ExecutionSpace& exec, const OperatorType& A,
                   const ConstMultiVectorType& B);
  double largest(const ExecutionSpace& exec, const VectorType& sums,
                 const Communicator<ExecutionSpace>* ranks) const;
  double largest_entry(const ExecutionSpace& exec, const OperatorType& A);
  /// The reciprocal of a smaller number is infinite.
  static constexpr double smallest_inverted = std::numeric_limits<Scalar>::min();
  void require_finite_sum(const char* what, double most) const;
  void check_sums(const ExecutionSpace& exec, const char* what, const VectorType& sums,
                  double smallest, const Communicator<ExecutionSpace>* ranks) const;
  void invert(const ExecutionSpace& exec, const VectorType& sums, double smallest) const;
  void invert_by_products(const ExecutionSpace& exec, double smallest) const;
  template <class Sum>
  void compute_residual(const ExecutionSpace& exec, const ConstVectorType& b, RowRange rows,
                        const Sum& squared, Offset stride);
  std::size_t num_cols() const;
  VectorType subset_weight(int subset) const;
  Impl::RowFactor<Scalar, memory_space> subset_factor(int subset) const;
  Impl::SirtUpdate<Scalar, memory_space> update(int subset, const VectorType& x) const;
  void visit(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
             const MultiVectorType& X, int subset);

  SirtParams params_;
  Ordinal num_slices_;
  RowSubsets subsets_;
  std::vector<char> visited_;                // 1 for the subsets that have rows on some rank
  Impl::VectorRanks<ExecutionSpace> ranks_;  // ranks of the current solve
  std::vector<Ordinal> order_;               // order of the visits; empty: natural
  std::optional<SolveProgress> resumed_;
  Vector<Scalar, memory_space> projection_;  // A x, then R (b - A x)
  Vector<Scalar, memory_space> row_weight_;  // R
  Vector<Scalar, memory_space> back_;        // A^T R (b - A x)
  Vector<Scalar, memory_space> col_weight_;  // C of each subset: columns x patterns
  Vector<Scalar, memory_space> before_;      // with subsets: the previous iterate
  Vector<double, memory_space> sums_;
  Vector<int, memory_space> active_;  // 1 for the slices that continue
  ReductionWorkspace<memory_space> reduction_;
  Impl::MissingPatterns<ExecutionSpace> patterns_;  // of the current solve
  Impl::IterationLog<ExecutionSpace> log_;
  Impl::WhiteNoiseProbe<ExecutionSpace, Scalar> white_noise_;
};

template <>
struct SolverOf<SirtParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Sirt<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = true;
  static constexpr bool measures_whiteness = true;
};

TOMOKKOS_EXTERN_CLASS(Sirt)

}  // namespace Tomokkos
