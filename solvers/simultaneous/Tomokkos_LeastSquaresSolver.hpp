// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_HeldArrays.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_WhiteNoiseProbe.hpp>
#include <limits>

namespace Tomokkos {

/// \brief Parameters of solvers of least-squares problems.
struct LeastSquaresParams {
  /// Maximum number of iterations.
  int iterations = 20;
  /// Number of iterations between checks by the host (rules, monitor).
  int check_every = 10;
  /// Rules that stop earlier; none by default. Rules on the residual are confirmed with the true
  /// residual. If it does not confirm the rule, the iteration restarts from x.
  StopRules stop{};
  /// Tikhonov damping: minimises `|b - A x|^2 + damping^2 |x|^2`.
  double damping = 0;
  /// Number of iterations between restarts from x with its true residual; 0: no restarts. Restarts
  /// keep the recursion accurate in single precision, but discard the search directions.
  int restart_every = 0;
  /// Treatment of a NaN in b: an error, or a ray that was not measured.
  NanData nan_data = NanData::refused;
  /// For systems: after a failure or the last iteration (`returns_best_iterate`) x is the iterate
  /// with the smallest true residual among the last, the best checked one and the start, and
  /// `StopRules::divergence` is active. Takes two more vectors of columns, and a product and a
  /// pass over x at every check. False, for images, or with damping: x is the last iterate.
  bool keep_best = false;
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
LeastSquaresParams validated(const LeastSquaresParams& params);

template <class Visitor>
void describe(Visitor&& key, LeastSquaresParams& params) {
  key.integer("iterations", params.iterations, 0, max_count, "Maximum number of iterations.");
  key.number("damping", params.damping, KeyRange::not_negative(),
             "Tikhonov damping: minimises |b - A x|^2 + damping^2 |x|^2.");
  key.integer("restart_every", params.restart_every, 0, max_count,
              "Iterations between restarts from x; 0: no restarts.");
  describe_check_interval(key, params);
}

/// \brief Base class of the solvers that minimise `|b - A x|^2 + damping^2 |x|^2`.
///
/// It contains what they have in common: scaled units, start, restarts, the confirmation of stops
/// by the true residual, missing data, and ranks. A derived solver adds the recursion.
///
/// The scalars of the recursion stay on the device, in double. Vectors have the precision of the
/// solver. `history` holds the residuals of the recursion. `SolveResult::residual` is the true one
/// of the returned x, which costs one more product. If b = 0 and x = 0, nothing is done and the
/// reason is `zero_rhs`.
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

  /// \brief Iterates from the start in \p X and overwrites it with the solutions. Each slice has
  /// its own recursion and restarts. If several slices stop or restart, one product serves all of
  /// them.
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error when an entry of B is not finite (naming it), or when X cannot hold the solution
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;

  /// \brief See `Solver::resume`. Distributed systems are resumed rank by rank. A system with very
  /// large or small numbers, which is solved in scaled units, is refused.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  Ordinal num_slices() const { return num_slices_; }
  const LeastSquaresParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

 protected:
  using Sum = VectorView<double, memory_space>;
  using HeldArray = Impl::HeldArray<Scalar, memory_space>;
  using Held = std::vector<HeldArray>;

  /// Sums of squares measured by a check, one per slice.
  enum class Measured { true_residual, true_gradient, other, count };

  LeastSquaresSolver(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                     const LeastSquaresParams& params, Ordinal num_slices);

  /// \brief Forgets the size of the matrix that the recursion has seen, at the start of a solve.
  virtual void forget_scale(const ExecutionSpace& exec) = 0;

  /// \brief Starts the recursion in the slices that `chosen_` marks. `residual_` and `gradient_`
  /// hold the residual and the gradient of \p x there, and `measured` the squares of their norms.
  virtual void begin(const ExecutionSpace& exec, const ConstVectorType& x) = 0;

  /// \brief Returns the arrays besides x and `residual_` that the recursion keeps from one iterate
  /// to the next.
  virtual Held held() const = 0;

  /// \brief Sets the last change of x in each slice, for a resumed solve whose record of that
  /// iterate an uninterrupted solve would still have. Empty: there is no such record.
  virtual void set_last_changes(const ExecutionSpace& exec, const std::vector<double>& changes) {
    (void)exec, (void)changes;
  }

  /// \brief Advances from iterate k - 1 to iterate k and writes its record. If rows are
  /// distributed, the squared residual is the local one, which is summed over the ranks later; the
  /// squared gradient already includes all ranks.
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
  /// \brief Computes `image_ = A v`, with 0 in rows that were not measured.
  void multiply(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                const VectorType& v);
  /// \brief Computes sums of squares over the columns of all ranks.
  void square_columns(const ExecutionSpace& exec, const ConstVectorType& v, const Sum& squared);
  double damping() const { return damping_; }
  /// \brief Returns the part of the matrix that counts as 0. Solves of images, which end long
  /// before, take every step.
  double negligible_part() const;

  Ordinal num_rows_, num_cols_, num_slices_;
  Vector<Scalar, memory_space> residual_;   // r = b - A x, or the vector that the recursion keeps
                                            // instead
  Vector<Scalar, memory_space> image_;      // A p, or the true residual during a check
  Vector<Scalar, memory_space> gradient_;   // A^T r - damping^2 x
  Vector<int, memory_space> active_;        // 1 for the slices that continue
  Vector<int, memory_space> chosen_;        // 1 for the slices that restart
  Vector<double, memory_space> rank_sums_;  // one sum per slice, during communication between ranks
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
  Impl::VectorRanks<ExecutionSpace> ranks_;  // ranks of the current solve

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
  void restart(const ExecutionSpace& exec, const ConstVectorType& x,
               const std::vector<int>& chosen);
  void measure(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
               const MultiVectorType& X, const std::vector<std::size_t>& slices, Loop& loop);
  bool keeps_best() const { return best_.extent(0) > 0; }
  void keep_best(const ExecutionSpace& exec, const MultiVectorType& X, Loop& loop);
  void take_best(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
                 const MultiVectorType& X, const std::vector<std::size_t>& slices, Loop& loop);
  void copy_chosen(const ExecutionSpace& exec, const std::vector<int>& chosen,
                   const MultiVectorType& from, const MultiVectorType& to);
  void save(const ExecutionSpace& exec, SolveProgress& progress) const;
  void restore_progress(const ExecutionSpace& exec, const OperatorType& A,
                        const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop);

  LeastSquaresParams params_;
  StopRules stop_;      // rules of the current solve, in its units
  double damping_ = 0;  // damping of the current solve, in its units
  Vector<double, memory_space> measured_;
  Impl::WhiteNoiseProbe<ExecutionSpace, Scalar> white_noise_;
  // True residuals at the last restart that a rule has caused. The residuals at the next restart
  // must be smaller.
  std::vector<double> restart_residuals_;
  // With `keep_best`: the best checked iterate and the start.
  Vector<Scalar, memory_space> best_, start_;
  struct BestIterate {
    double residual = std::numeric_limits<double>::infinity();
    int iteration = 0;
  };
  std::vector<BestIterate> best_iterates_;  // residuals and numbers of the iterates in `best_`
  std::optional<SolveProgress> resumed_;
  bool in_units_ = false;  // the current solve uses scaled units
};

TOMOKKOS_EXTERN_CLASS(LeastSquaresSolver)

}  // namespace Tomokkos
