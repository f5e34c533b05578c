// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_HeldArrays.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_WhiteNoiseProbe.hpp>

namespace Tomokkos {

/// \brief Parameters of solvers of least squares.
struct LeastSquaresParams {
  /// Number of iterations.
  int iterations = 20;
  /// The host looks (rules, monitor) every so many iterations.
  int check_every = 10;
  /// Reasons to stop earlier; none by default. Rules on the residual are decided on the true one:
  /// where the recursion claims what the true residual denies, the iteration starts again from x.
  StopRules stop;
  /// Tikhonov damping: minimises `|b - A x|^2 + damping^2 |x|^2`.
  double damping = 0;
  /// Starts again from x, with its true residual, every so many iterations; 0: never. Keeps the
  /// recursion honest in single precision, at the price of the directions gathered so far.
  int restart_every = 0;
  /// Whether a NaN in b is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
LeastSquaresParams validated(const LeastSquaresParams& params);

template <class Visitor>
void describe(Visitor&& key, LeastSquaresParams& params) {
  key.integer("iterations", params.iterations, 0, most_count, "Most iterations.");
  key.number("damping", params.damping, KeyRange::not_negative(),
             "Tikhonov damping: |b - A x|^2 + damping^2 |x|^2 is minimised.");
  key.integer("restart_every", params.restart_every, 0, most_count,
              "Starts again from x every so many iterations; 0: never.");
  describe_looks(key, params);
}

/// \brief What solvers of `min |b - A x|^2 + damping^2 |x|^2` have in common: the units in which a
/// system is solved, the start, restarts, the true residual behind every claim, missing data, and
/// ranks. A solver adds the recursion.
///
/// The scalars of the recursion stay on the device, in double; vectors are in the precision of the
/// solver. `history` holds the residuals of the recursion, `SolveResult::residual` the true one of
/// the returned x, by one more product. Where b = 0 and x = 0 nothing is done and the reason is
/// `zero_rhs`.
template <class ExecutionSpace, class Scalar>
class LeastSquaresSolver : public Solver<ExecutionSpace, Scalar> {
 public:
  using Base = Solver<ExecutionSpace, Scalar>;
  using Base::solve;
  using typename Base::ConstMultiVectorType;
  using typename Base::ConstVectorType;
  using typename Base::memory_space;
  using typename Base::MultiVectorType;
  using typename Base::OperatorType;
  using typename Base::VectorType;

  /// \brief Iterates from the start in \p X and leaves the solutions there. Each slice has a
  /// recursion of its own, and starts again by itself; where some stop or start again, one product
  /// serves all of these.
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error for a non-finite entry of B (naming it), and for a solution that X cannot hold
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;

  /// \brief See `Solver::resume`. What is on ranks is taken up rank by rank. A system whose numbers
  /// are so large or so small that it is solved in other units is refused.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  Ordinal num_slices() const { return num_slices_; }
  const LeastSquaresParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

 protected:
  using Sum = VectorView<double, memory_space>;
  using HeldArray = Impl::HeldArray<Scalar, memory_space>;
  using Held = std::vector<HeldArray>;

  /// Sums of squares of what a check measures, one a slice.
  enum class Measured { true_residual, true_gradient, other, count };

  LeastSquaresSolver(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                     const LeastSquaresParams& params, Ordinal num_slices);

  /// \brief Begins the recursion anew in the slices that `chosen_` marks. `residual_` and
  /// `gradient_` hold those of \p x there, and `measured` the squares of their norms.
  virtual void begin(const ExecutionSpace& exec, const ConstVectorType& x) = 0;

  /// \brief What the recursion holds beside x from one iterate to the next, but for `residual_`.
  virtual Held held() const = 0;

  /// \brief Tells how much x has changed last, of each slice, where a solve goes on from an iterate
  /// whose record a solve that was not interrupted would still have; empty: it has no such record.
  virtual void set_last_changes(const ExecutionSpace& exec, const std::vector<double>& changes) {
    (void)exec, (void)changes;
  }

  /// \brief From iterate k - 1 to iterate k, with its record. The squared residuals of the ranks
  /// are added up where rows are spread over them; the squared gradient is that of all.
  virtual void iterate(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                       const VectorType& x, int k) = 0;

  Sum measured(Measured which) const {
    return Sum(measured_.data() + static_cast<Offset>(which) * num_slices_, num_slices_);
  }
  MultiVectorType rows_array(const VectorType& values) const {
    return {values.data(), static_cast<std::size_t>(num_rows_),
            static_cast<std::size_t>(num_slices_)};
  }
  MultiVectorType columns_array(const VectorType& values) const {
    return {values.data(), static_cast<std::size_t>(num_cols_),
            static_cast<std::size_t>(num_slices_)};
  }
  /// \brief `image_ = A v`, 0 in rows that were not measured.
  void multiply(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                const VectorType& v);
  /// \brief Sums of squares over the columns of all ranks.
  void square_columns(const ExecutionSpace& exec, const ConstVectorType& v, const Sum& squared);
  double damping() const { return damping_; }

  Ordinal num_rows_, num_cols_, num_slices_;
  Vector<Scalar, memory_space> residual_;   // r = b - A x, or what the recursion keeps in its place
  Vector<Scalar, memory_space> image_;      // A p, or the true residual of a check
  Vector<Scalar, memory_space> gradient_;   // A^T r - damping^2 x
  Vector<int, memory_space> active_;        // 1 for the slices that go on
  Vector<int, memory_space> chosen_;        // 1 for those that start again
  Vector<double, memory_space> rank_sums_;  // a sum for each slice, on its way between ranks
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
  Impl::VectorRanks<ExecutionSpace> ranks_;  // of the solve that runs

 private:
  using Loop = Impl::SolveLoop<ExecutionSpace, Scalar>;

  std::vector<double> row_norms(const ExecutionSpace& exec, const Sum& squared) const;
  std::vector<double> column_norms(const ExecutionSpace& exec, const Sum& squared) const;
  void compute_residual(const ExecutionSpace& exec, const OperatorType& A,
                        const ConstMultiVectorType& B, const ConstMultiVectorType& X,
                        const VectorType& residual);
  void compute_gradient(const ExecutionSpace& exec, const OperatorType& A,
                        const VectorType& residual, const ConstVectorType& x);
  void compute_start(const ExecutionSpace& exec, const OperatorType& A,
                     const ConstMultiVectorType& B, const ConstMultiVectorType& X);
  bool is_safe(const ExecutionSpace& exec, const std::vector<double>& rhs_norms) const;
  std::vector<SolveResult> iterate_from(const ExecutionSpace& exec, const OperatorType& A,
                                        const ConstMultiVectorType& B, const MultiVectorType& X,
                                        const std::vector<double>& rhs_norms,
                                        const Monitor<ExecutionSpace, Scalar>& monitor);
  void log_start(const ExecutionSpace& exec, Measured from, Impl::RecordField to);
  bool is_solved_at_start(const ExecutionSpace& exec, const MultiVectorType& X, Loop& loop);
  void set_ranks(Loop& loop) const;
  void begin_all(const ExecutionSpace& exec, const ConstVectorType& x);
  void confirm(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
               const MultiVectorType& X, int k, Loop& loop, typename Loop::Reasons& reasons);
  void start_again(const ExecutionSpace& exec, const ConstVectorType& x,
                   const std::vector<int>& chosen);
  void measure(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
               const MultiVectorType& X, const std::vector<std::size_t>& slices, Loop& loop);
  void save(const ExecutionSpace& exec, SolveProgress& progress) const;
  void take_up(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
               const MultiVectorType& X, Loop& loop);

  LeastSquaresParams params_;
  StopRules stop_;      // of the solve that runs, in its units
  double damping_ = 0;  // likewise
  Vector<double, memory_space> measured_;
  Impl::WhiteNoiseProbe<ExecutionSpace, Scalar> white_noise_;
  // True residuals at the last restart that a rule caused; later ones must be smaller.
  std::vector<double> restart_residuals_;
  std::optional<SolveProgress> resumed_;
  bool in_units_ = false;  // the solve that runs
};

}  // namespace Tomokkos
