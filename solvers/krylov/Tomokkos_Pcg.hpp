// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KrylovSolver.hpp>
#include <Tomokkos_PcgOptions.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <Tomokkos_ResidentTeams.hpp>
#include <algorithm>
#include <impl/Tomokkos_HeldArrays.hpp>
#include <impl/Tomokkos_PcgSingleKernels.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <limits>

namespace Tomokkos {

/// \brief Parameters of `Pcg`.
struct PcgParams {
  /// Maximum number of iterations.
  int iterations = 10000;
  /// Number of iterations between checks by the host (rules, monitor). Nothing waits for the host
  /// in between.
  int check_every = 25;
  /// Rules that stop earlier. Rules on the residual are evaluated with the residual of the
  /// recursion and confirmed with the true one. If the true residual does not confirm the rule, the
  /// iteration restarts from x. If a restart has not halved the true residual, the solve ends as
  /// `stagnated`.
  StopRules stop = relative(1e-6);
  /// Preconditioner for solves that receive a matrix instead of a `PreconditionedSystem`.
  PreconditionerOptions preconditioner{};
  PcgScheme scheme = PcgScheme::automatic;
  /// Launch mode. On a GPU the launches of a small system take longer than its kernels. Launches
  /// can be recorded if the operator allows it (`OperatorCapabilities::only_launches`), the
  /// preconditioner is not a user's, and a rule or a monitor requires checks. `Pcg::variant`
  /// returns the chosen mode.
  PcgLaunches launches = PcgLaunches::automatic;
  /// False for a monitor that reads only records: `x` is then empty, and the device continues while
  /// the monitor runs, as it does while rules are evaluated (one right-hand side, not `direct`). A
  /// requested stop takes effect at the next check.
  bool monitor_sees_x = true;

  static StopRules relative(double tolerance) {
    StopRules rules;
    rules.relative_residual = tolerance;
    return rules;
  }
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
PcgParams validated(const PcgParams& params);

template <class Visitor>
void describe(Visitor&& key, PcgParams& params) {
  key.integer("iterations", params.iterations, 0, max_count, "Maximum number of iterations.");
  key.name("scheme", params.scheme,
           "Form of the recursion, with one or two reductions per iteration.");
  key.name("launches", params.launches, "Launch mode of the kernels of an iteration on a GPU.");
  describe(key, params.preconditioner);
  describe_check_interval(key, params);
}

/// \brief Preconditioned conjugate gradients (Hestenes and Stiefel 1952) for a symmetric positive
/// definite A, from the start in x.
///
/// An iteration consists of the product and two passes over vectors. Each pass has one reduction;
/// with `single_reduction` the iteration has one in total. The scalars stay on the device, in
/// double, and are computed by the reductions. Vectors have the precision of the solver. If the
/// system is scaled by `D^-1/2`, the recursion works on the scaled unknowns; residuals are those of
/// the given system.
///
/// `converged` means that the residual `b - A x`, recomputed, satisfies the rule. The recursion
/// ends where the matrix or the preconditioner turns out not to be positive definite, or where an
/// infinity or a NaN arises. After such an end, and after all other reasons of
/// `returns_best_iterate`, x is the iterate with the smallest true residual among the last, the
/// best checked one and the start; it is always finite.
///
/// A singular matrix ends the recursion by `p . A p <= 0`, or carries x along its null space, once
/// the residual is down to the part of b outside the range. If that happens between two checks and
/// the recursion has passed a rule by then, the iteration begins again from the start, once, and
/// stops at the first iterate that reaches the rule. This costs one more sum an iteration, and one
/// more value a row for a scaled system.
///
/// For b = 0 the result is x =
/// 0 with `zero_rhs`, for any start; a system with a `fault()` leaves x unchanged.
/// `SolveResult::iterations` counts the steps.
///
/// `history` holds `preconditioned_residual` for every iterate, and the residual of the recursion
/// for the checked ones.
///
/// If the rows of the system are distributed over ranks (`OperatorCapabilities::row_ranks`), every
/// rank holds its entries of vectors. All ranks must call `solve` together. Either all of them pass
/// a monitor or none does, and the monitors must give the same replies. Sums are formed over the
/// entries of a rank, then over ranks. All ranks get the same bits and take the same decisions. The
/// results do not depend on the number of ranks, except for the order in which their sums are
/// added. Unless `standard` is requested (or needed by a rule), the scheme is `single_reduction`,
/// with one sum over ranks and one exchange per iteration, and kernels are launched one by one. An
/// error on one rank is thrown on all. A single rank behaves like a system without ranks.
///
/// The saved progress holds r, p, the best iterate, the start and the scalars. For a scaled system
/// it also holds the scaled unknowns; with `single_reduction` it also holds s, `M^-1 r` (unless
/// that equals r), and the last product.
template <class ExecutionSpace, class Scalar>
class Pcg final : public KrylovSolver<ExecutionSpace, Scalar> {
 public:
  using Base = KrylovSolver<ExecutionSpace, Scalar>;
  using params_type = PcgParams;
  using typename Base::ConstMultiVectorType;
  using typename Base::ConstVectorType;
  using memory_space = typename ExecutionSpace::memory_space;
  using typename Base::MultiVectorType;
  using typename Base::SystemType;
  using typename Base::VectorType;

  /// \brief Checks \p params and allocates `5 n s` values for s = \p num_columns right-hand sides.
  /// The first solve of a scaled system allocates `n s` more, as does one with blocks or a user's
  /// preconditioner; `single_reduction` allocates `n s` more, and as many again for Jacobi without
  /// scaling. For a distributed system n counts the local rows.
  Pcg(const ExecutionSpace& exec, Ordinal n, const PcgParams& params = {}, Ordinal num_columns = 1);

  /// \brief Iterates from the start in \p X and overwrites it with the solutions. Each right-hand
  /// side has its own recursion, stop and restarts; one product serves all of them.
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const SystemType& system,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Base::iteration_bytes;
  using Base::solve;

  Ordinal num_columns() const { return num_columns_; }
  const PcgParams& params() const { return params_; }

  /// \brief Returns how a solve of \p system on \p exec iterates, assuming checks every
  /// `check_every` iterations.
  PcgVariant variant(const ExecutionSpace& exec, const SystemType& system) const;

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move, for the variant used on the instance of
  /// the constructor.
  ///
  /// They are the product, and 8 vectors per column (12 with an applied preconditioner, plus its
  /// own bytes); two passes over a diagonal that is not removed by scaling; two more vectors
  /// without a product that computes `p . A p` (`FusedDot`).
  std::size_t iteration_bytes(const SystemType& system) const override;

 private:
  using Sum = VectorView<double, memory_space>;
  using Loop = Impl::SolveLoop<ExecutionSpace, Scalar>;
  using RankCommunicator = Communicator<ExecutionSpace>;
  using Slices = std::vector<std::size_t>;
  using HeldArray = Impl::HeldArray<Scalar, memory_space>;
  using Held = std::vector<HeldArray>;

  std::vector<SolveResult> iterate(const ExecutionSpace& exec, const SystemType& system,
                                   const ConstMultiVectorType& B, const MultiVectorType& X,
                                   const std::vector<double>& rhs_norms,
                                   const Monitor<ExecutionSpace, Scalar>& monitor);
  bool start(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
             const MultiVectorType& X, Loop& loop);
  Held held(const SystemType& system) const;
  void save(const ExecutionSpace& exec, const SystemType& system, SolveProgress& progress) const;
  void restore_progress(const ExecutionSpace& exec, const SystemType& system,
                        const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop);
  Sum scalar(Impl::PcgScalar which) const;
  Impl::PcgScalars<memory_space> scalars() const { return {scalars_, num_columns_}; }
  MultiVectorType array(const VectorType& values) const;
  void reserve(const ExecutionSpace& exec, const SystemType& system);
  Impl::GivenResidual<Scalar, memory_space> given(const SystemType& system) const;
  template <class Action>
  void with_inverse(const SystemType& system, const Action& action) const;
  void apply_inverse(const ExecutionSpace& exec, const SystemType& system) const;
  void compute_residual(const ExecutionSpace& exec, const SystemType& system,
                        const ConstMultiVectorType& B, const ConstMultiVectorType& X,
                        const VectorType& residual, bool scaled, const Sum& squared, Offset stride);
  PcgVariant variant(const ExecutionSpace& exec, const SystemType& system, bool is_watched) const;
  bool is_single() const { return variant_.scheme == PcgScheme::single_reduction; }
  void begin(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k);
  void keep_best(const ExecutionSpace& exec, const ConstVectorType& x) const;
  void multiply(const ExecutionSpace& exec, const SystemType& system, int k);
  bool has_identity(const SystemType& system) const;
  VectorType preconditioned(const SystemType& system) const;
  void begin_single(const ExecutionSpace& exec, const SystemType& system, int k);
  Impl::PcgAdvanceAll<Scalar, memory_space> advance_all(const SystemType& system,
                                                        const VectorType& x) const;
  Impl::PcgUpdateAll<memory_space> update_all(int k, Impl::PcgLook look, bool begins) const;
  void step_single(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k,
                   Impl::PcgLook look);
  void run_resident(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
                    int k, int steps, Impl::PcgLook look);
  void measure_single(const ExecutionSpace& exec, const SystemType& system, int k,
                      Impl::PcgLook look, bool begins);
  void step(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k,
            Impl::PcgLook look);
  void continue_from(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
                     const Loop& loop, Impl::RecordedLaunches<ExecutionSpace>& launches);
  void set_limits(const ExecutionSpace& exec);
  bool runs_ahead(Loop& loop, int k) const;
  bool waits_at(const IterationRecord& record, std::size_t column) const;
  bool is_careful() const;
  Impl::PcgLook look_at(const Loop& loop, int k) const;
  Monitor<ExecutionSpace, Scalar> delayed_monitor(const Monitor<ExecutionSpace, Scalar>& monitor);
  void publish(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
               int k) const;
  void update(const ExecutionSpace& exec, const SystemType& system, int k, Impl::PcgLook look);
  void confirm(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
               const MultiVectorType& X, Loop& loop, typename Loop::Reasons& reasons, int k);
  void report_faults(const ExecutionSpace& exec, const SystemType& system, Loop& loop,
                     typename Loop::Reasons& reasons);
  void restart(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
               const std::vector<int>& chosen, const std::vector<double>& best, int k);
  void set_chosen(const ExecutionSpace& exec, const std::vector<int>& chosen) const;
  void exchange(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
                const std::vector<int>& chosen, int k);
  void take_best(const ExecutionSpace& exec, const SystemType& system,
                 const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop,
                 const Slices& slices, int k, std::vector<double>& residuals);
  void take_start(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
                  Loop& loop, const Slices& slices, std::vector<double>& residuals);
  void go_back(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
               const MultiVectorType& X, Loop& loop, const Slices& slices, int k,
               std::vector<double>& residuals);
  bool has_overshot(Loop& loop, std::size_t column, const std::optional<StopReason>& claimed,
                    double residual) const;
  bool is_lost(Loop& loop, std::size_t column, int k) const;
  bool is_attainable(Loop& loop, std::size_t column) const;
  std::vector<double> true_residuals(const ExecutionSpace& exec, const SystemType& system,
                                     const ConstMultiVectorType& B, const MultiVectorType& X);
  /// Iterated vector: the scaled unknowns of a scaled system, otherwise x.
  VectorType own_iterate(const SystemType& system, const MultiVectorType& X) const {
    return system.is_scaled() ? VectorType(iterate_) : as_vector(X);
  }
  void measure_stopped(const ExecutionSpace& exec, const SystemType& system,
                       const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop,
                       const Slices& slices, int k);
  std::vector<double> host_norms(const ExecutionSpace& exec, const Sum& squared) const;

  PcgParams params_;
  StopRules stop_;                           // rules of the current solve, in its units
  PcgVariant variant_;                       // variant of the current solve
  const RankCommunicator* ranks_ = nullptr;  // ranks of the current solve; null: one rank
  Ordinal n_, num_columns_;
  Vector<Scalar, memory_space> residual_;   // r, scaled if the system is scaled
  Vector<Scalar, memory_space> image_;      // q = A p, or the true residual during a check
  Vector<Scalar, memory_space> direction_;  // p
  Vector<Scalar, memory_space> inverse_;    // z, if the preconditioner is applied
  Vector<Scalar, memory_space> iterate_;    // x of a scaled system
  Vector<Scalar, memory_space> shadow_;     // s = A p of `single_reduction`
  Vector<Scalar, memory_space> best_;       // best iterate measured so far
  Vector<Scalar, memory_space> start_;      // start, in the units of x
  Vector<double, memory_space> dot_sums_;   // partial sums of products that compute p . q
  Vector<double, memory_space> scalars_;
  Vector<double, memory_space> rank_sums_;  // sums of a reduction, during communication between
                                            // ranks
  Vector<int, memory_space> active_;        // 1 for the columns that continue
  Vector<int, memory_space> chosen_;        // 1 for the columns that restart
  ReductionWorkspace<memory_space> reduction_;
  Impl::ResidentTeams<ExecutionSpace> resident_;
  Impl::IterationLog<ExecutionSpace> log_;
  // True residuals at the last restart. The residuals at the next restart must be at most half as
  // large.
  std::vector<double> restart_residuals_;
  struct BestIterate {
    double residual = std::numeric_limits<double>::infinity();
    int iteration = 0;
  };
  std::vector<BestIterate> best_iterates_;  // residual and number of the iterate in `best_`
  // 1: the column has gone back to the start, because the recursion had passed the solution between
  // two checks. It then stops at the first iterate that reaches a rule.
  std::vector<char> careful_;
  std::vector<int> restarted_at_;  // iterate of the first restart from x; 0: none
  /// Smallest residual of the recursion up to an iterate. Where a record holds no residual, the
  /// preconditioned one stands for it, in proportion to the last record that holds both.
  struct SmallestResidual {
    double residual = std::numeric_limits<double>::infinity();
    double ratio = 0;
    int iteration = -1;

    void add(const IterationRecord& record, bool has_residual) {
      const double own = record.preconditioned_residual.value_or(0);
      if (own > 0 && record.residual && has_residual) ratio = *record.residual / own;
      if (own > 0 && ratio > 0) residual = std::min(residual, ratio * own);
      iteration = record.iteration;
    }
  };
  // `resumable_smallest_`: as a longer solve has them.
  std::vector<SmallestResidual> smallest_, resumable_smallest_;
  // Last iterate that has been launched, iterate from which its kernels count, and last iterate
  // that the host has checked.
  int launched_ = 0, counted_from_ = 0, checked_ = 0;
  // Residuals at which x and r stop changing after the minimum number of iterations, and the values
  // that the device was last given: for a single column whose device may be ahead of the host, and
  // for careful columns; -1 for others.
  std::vector<double> limits_, device_limits_;
  // Action that the monitor requested while the device was ahead.
  MonitorAction requested_action_ = MonitorAction::proceed;
  // True while `image_` is the product of the recursion, not the residual of a check.
  bool image_is_product_ = false;
  // True until resident teams have formed `image_` again, after a resume between two checks.
  bool renews_image_ = false;
  bool in_units_ = false;  // the current solve uses scaled units
};

template <>
struct SolverOf<PcgParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Pcg<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::square_systems;
  static constexpr bool supports_ranks = true;
};

TOMOKKOS_EXTERN_CLASS(Pcg)

}  // namespace Tomokkos
