// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_WhiteNoiseProbe.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Parameters of `Art`.
struct ArtParams {
  /// Maximum number of sweeps; a sweep visits every row of the order once.
  int sweeps = 10;
  /// Number of sweeps between checks by the host (rules, monitor).
  int check_every = 1;
  /// Rules that stop earlier; none by default.
  StopRules stop{};
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// Decay of the relaxation: sweep k = 0, 1, ... uses `lambda / (1 + relaxation_decay k)`; 0:
  /// constant. Not negative. A solve that starts from a saved x begins with lambda again.
  double relaxation_decay = 0;
  /// x is clamped to `[minimum, maximum]` on the pixels of a row after its visit.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// Rows whose norm `|a_i|` is at most this times the largest norm are left out. A step of such a
  /// row divides the noise of its value by a tiny norm, for example where a ray grazes a corner of
  /// the image. 0: only rows without nonzeros. Applies to operators that provide the norms of their
  /// rows.
  double smallest_norm = 1e-3;
  /// Measures the residual of every sweep (one product each). If false, it is measured only at
  /// checks and at the end.
  bool record_residual = false;
};

/// \brief Describes the parameter that leaves out rows with a tiny norm.
template <class Visitor, class Params>
void describe_smallest_norm(Visitor&& key, Params& params) {
  key.number("smallest_norm", params.smallest_norm,
             KeyRange{.minimum = 0,
                      .maximum = 1,
                      .includes_maximum = false,
                      .because = "it is a fraction of the largest norm of a row"},
             "Rows whose norm is at most this times the largest norm are left out.");
}

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
ArtParams validated(const ArtParams& params);

/// \brief Throws `Error` unless \p share is at least 0 and less than 1.
void require_smallest_norm(double share);

template <class Visitor>
void describe(Visitor&& key, ArtParams& params) {
  key.integer("sweeps", params.sweeps, 0, max_count,
              "Maximum number of sweeps; a sweep visits every row once.");
  describe_steps(key, params);
  key.number("relaxation_decay", params.relaxation_decay, KeyRange::not_negative(),
             "Sweep k = 0, 1, ... uses the relaxation divided by 1 + k times this.");
  describe_smallest_norm(key, params);
  describe_check_interval(key, params);
}

/// \brief Levels of dependency used by the sweeps of `Art`. Zero for an operator without levels.
struct ArtFigures {
  /// Number of visits to rows that are skipped: they miss the image, or their norm is too small.
  Ordinal excluded_rows = 0;
  Ordinal levels = 0;
  /// Mean number of rows per level, and number of rows of the widest level.
  double mean_width = 0;
  Offset largest_width = 0;
};

/// \brief Describes \p figures for a report.
Description description_of(const ArtFigures& figures, const SolveResult& result);

/// \brief Algebraic reconstruction technique (ART, Kaczmarz): row after row,
/// `x <- clamp(x + lambda (b_i - a_i x) / |a_i|^2 a_i)`. Rows without nonzeros, or with a tiny norm
/// (`ArtParams::smallest_norm`), are skipped.
///
/// The result is exactly that of the plain loop. If the operator provides levels of dependency
/// (`RowAccess::schedule`), computed once per solve, rows that share no pixel are visited
/// concurrently, with the same bits for any number of threads; otherwise rows are visited one by
/// one. Only x (and the number of the sweep, if the relaxation decays) carries over from one sweep
/// to the next.
template <class ExecutionSpace, class Scalar>
class Art final : public Solver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = ArtParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `num_rows + num_cols` values.
  Art(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, const ArtParams& params = {});

  /// \brief Sets the order in which the next solves visit the rows in a sweep; empty: 0, 1, ...,
  /// `num_rows - 1`. See `row_visits` for useful orders. The View is not copied. Throws `Error`
  /// that names an entry that is not a row.
  void set_order(const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order);

  /// \brief Sweeps from the start in \p X and overwrites it with the images, one slice after the
  /// other.
  ///
  /// \throws Error when an entry of B is not finite (naming it), and when A provides no access to
  /// its rows
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

  /// \brief Makes the next solve, of one slice, continue from \p progress and the x that belongs to
  /// it. The result has the same bits as without the interruption, and the whole history.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  const ArtParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds, without the levels that a
  /// solve computes: 4 bytes per visit, 8 per level, 8 per row. If rows are left out, the order of
  /// the others is held, too: 4 bytes per visit.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that a sweep must move: every stored row once (as in a forward
  /// product of \p A), x and b, `4 num_cols` values for the change, and another product if the
  /// residual is measured.
  std::size_t iteration_bytes(const OperatorType& A) const override {
    const std::size_t product = A.apply_bytes();
    const std::size_t residual =
        params_.record_residual ? product + 2 * projection_.extent(0) * sizeof(Scalar) : 0;
    return product + residual + 5 * previous_.extent(0) * sizeof(Scalar);
  }

 private:
  SolveResult solve_column(const ExecutionSpace& exec, const OperatorType& A,
                           const ConstVectorType& b, const VectorType& x,
                           const Monitor<ExecutionSpace, Scalar>& monitor);
  std::optional<std::vector<Ordinal>> visits(const ExecutionSpace& exec,
                                             const RowAccess<ExecutionSpace, Scalar>& rows) const;
  ArtParams params_;
  std::optional<SolveProgress> resumed_;
  VectorView<const Ordinal, memory_space> order_;
  Vector<Scalar, memory_space> projection_;
  Vector<Scalar, memory_space> previous_;
  Vector<double, memory_space> sums_;
  Vector<int, memory_space> active_;
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
  Impl::WhiteNoiseProbe<ExecutionSpace, Scalar> white_noise_;
};

template <>
struct SolverOf<ArtParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Art<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = false;
  static constexpr bool measures_whiteness = true;
};

TOMOKKOS_EXTERN_CLASS(Art)

}  // namespace Tomokkos
