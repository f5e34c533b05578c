// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Solver.hpp>
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
  /// Number of iterations.
  int iterations = 100;
  /// The host looks (rules, monitor) every so many iterations.
  int check_every = 10;
  /// Reasons to stop earlier; none by default.
  StopRules stop;
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// x is clamped to `[minimum, maximum]` after every iteration.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// A row or column whose sum is at most this in magnitude has weight 0. An absolute figure: where
  /// the unit of length makes all sums so small, `solve` throws.
  double smallest_sum = 1e-6;
  /// The rule of SART instead (`Sart`): by the row sums r and the column sums c of a subset, row i
  /// has weight 0 where `|r_i| max |c|` is at most this, column j where `|c_j| max |r|` is.
  std::optional<double> smallest_product;
  /// Ordered subsets of an iteration, ranges of rows as `RowSubsets` cuts them.
  int subsets = 1;
  /// Rows that stay together in a subset, those of a view.
  Ordinal subset_unit = 1;
  /// Where the subsets begin, one row for each; empty: they are cut evenly. One without rows is
  /// passed over.
  std::vector<Ordinal> subset_begins = {};
  /// Whether a NaN in b is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
SirtParams validated(const SirtParams& params);

template <class Visitor>
void describe(Visitor&& key, SirtParams& params) {
  key.integer("iterations", params.iterations, 0, most_count, "Most iterations.");
  describe_steps(key, params);
  key.number("smallest_sum", params.smallest_sum, KeyRange::not_negative(),
             "Rows and columns whose sum is at most this take no part.");
  key.integer("subsets", params.subsets, 1, most_count,
              "Ordered subsets of the views; an iteration is an update by each.");
  describe_looks(key, params);
}

/// \brief Simultaneous iterative reconstruction: `x <- clamp(x + lambda C A^T R (b - A x))`, R and
/// C the inverse row and column sums of A.
///
/// Nothing but x carries over from one iteration to the next: 10 iterations and 10 more from the
/// saved x give the bits of 20.
///
/// With ordered subsets an iteration is an update by each subset in turn, from the first rows to
/// the last: the formula with the rows of the subset alone, C their inverse column sums, x clamped
/// after each. With a subset for every view this is SART (`Sart`). On data that no image explains
/// the iterates end in a circle, the smaller the relaxation the narrower.
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
  /// k subsets `(s + k - 1) num_cols` more.
  Sirt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const SirtParams& params = {}, Ordinal num_slices = 1);

  /// \brief The subsets in the order of their visits, for the solves to come; empty: from the first
  /// to the last. Throws `Error` unless each stands there once.
  void set_order(std::vector<Ordinal> order);

  /// \brief Lets the next solve go on from \p progress and the x that belongs to it, as if it had
  /// not been interrupted: the same bits, and the whole history in the result.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  /// \brief Iterates from the start in \p X and leaves the images there. The slices share the
  /// weights.
  ///
  /// Before the iterations: one product and one transposed product (the weights).
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error for a non-finite entry of B (naming it), where all sums are too small, and for
  /// subsets of an operator that cannot be restricted to them
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return num_slices_; }
  const SirtParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Bytes that an iteration must move: the two products of \p A; `3 s + 1` values a row in
  /// the weighting and a column in the update, for s slices. With subsets an update comes once a
  /// subset, and every `check_every` iterations a product, a weighting and 4 values a column to
  /// measure.
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  void compute_weights(const ExecutionSpace& exec, const OperatorType& A);
  double largest(const ExecutionSpace& exec, const VectorType& sums,
                 const Communicator<ExecutionSpace>* ranks) const;
  /// Of what is smaller the reciprocal is infinite.
  static constexpr double smallest_inverted = std::numeric_limits<Scalar>::min();
  void require_finite_sum(const char* what, double most) const;
  void check_sums(const ExecutionSpace& exec, const char* what, const VectorType& sums,
                  const Communicator<ExecutionSpace>* ranks) const;
  void invert(const ExecutionSpace& exec, const VectorType& sums, double smallest) const;
  void invert_by_products(const ExecutionSpace& exec, double smallest) const;
  template <class Sum>
  void compute_residual(const ExecutionSpace& exec, const ConstVectorType& b, RowRange rows,
                        const Sum& squared, Offset stride);
  VectorType subset_weight(int subset) const;
  Impl::SirtUpdate<Scalar, memory_space> update(int subset, const VectorType& x) const;
  void add_up_step_sums(std::vector<double>& sums) const;
  void measure_monotone_error(const ExecutionSpace& exec, const OperatorType& A,
                              const ConstMultiVectorType& B, std::vector<SolveResult>& results,
                              const std::vector<char>& going);
  void visit(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
             const MultiVectorType& X, int subset);

  SirtParams params_;
  Ordinal num_slices_;
  RowSubsets subsets_;
  std::vector<char> visited_;                // 1 for the subsets with rows, on whatever rank
  Impl::VectorRanks<ExecutionSpace> ranks_;  // of the solve that runs
  std::vector<Ordinal> order_;               // of the visits; empty: natural
  std::optional<SolveProgress> resumed_;
  Vector<Scalar, memory_space> projection_;  // A x, then R (b - A x)
  Vector<Scalar, memory_space> row_weight_;  // R
  Vector<Scalar, memory_space> back_;        // A^T R (b - A x)
  Vector<Scalar, memory_space> col_weight_;  // C, of each subset
  Vector<Scalar, memory_space> before_;      // with subsets: the iterate before
  Vector<double, memory_space> sums_;
  Vector<int, memory_space> active_;  // 1 for the slices that go on
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
  Impl::WhiteNoiseProbe<ExecutionSpace, Scalar> white_noise_;
  Vector<double, memory_space> step_sums_;  // of the monotone error rule
};

template <>
struct SolverOf<SirtParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Sirt<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = true;
};

}  // namespace Tomokkos
