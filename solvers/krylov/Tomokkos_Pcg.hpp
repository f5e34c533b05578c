// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KrylovSolver.hpp>
#include <Tomokkos_PcgOptions.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <Tomokkos_ResidentTeams.hpp>
#include <impl/Tomokkos_HeldArrays.hpp>
#include <impl/Tomokkos_PcgSingleKernels.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>

namespace Tomokkos {

/// \brief Parameters of `Pcg`.
struct PcgParams {
  /// Most iterations.
  int iterations = 10000;
  /// The host looks (rules, monitor) every so many iterations; in between nothing waits for it.
  int check_every = 25;
  /// When to stop earlier. Rules on the residual are looked at on that of the recursion and decided
  /// on the true one: where that denies what the recursion claims, the iteration starts again from
  /// x, and where starting again has not halved the true residual it ends as `stagnated`.
  StopRules stop = relative(1e-6);
  /// For solves that are given a matrix instead of a `PreconditionedSystem`.
  PreconditionerOptions preconditioner;
  PcgScheme scheme = PcgScheme::automatic;
  /// On a GPU the launches of a small system take longer than its kernels. Systems allow to be
  /// recorded whose operator says so (`OperatorCapabilities::only_launches`), without a user's
  /// preconditioner, and where a rule or a monitor makes the host look. `Pcg::way` tells what is
  /// done.
  PcgLaunches launches = PcgLaunches::automatic;
  /// False for a monitor that reads nothing but records: `x` is empty then, and the device goes on
  /// while it is called, as it does while rules are looked at (one right-hand side, not `direct`).
  /// What it asks for is done at the next look.
  bool monitor_sees_x = true;

  static StopRules relative(double tolerance) {
    StopRules rules;
    rules.relative_residual = tolerance;
    return rules;
  }
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
PcgParams validated(const PcgParams& params);

template <class Visitor>
void describe(Visitor&& key, PcgParams& params) {
  key.integer("iterations", params.iterations, 0, most_count, "Most iterations.");
  key.name("scheme", params.scheme, "How many reductions an iteration has.");
  key.name("launches", params.launches, "How a GPU is given the kernels of an iteration.");
  describe(key, params.preconditioner);
  describe_looks(key, params);
}

/// \brief Preconditioned conjugate gradients (Hestenes and Stiefel 1952) for a symmetric positive
/// definite A, from the start in x.
///
/// An iteration is the product, and two passes over vectors with one reduction each (one in all
/// with `single_reduction`); its scalars stay on the device, in double, and are formed by the
/// reductions. Vectors are in the precision of the solver. Of a system scaled by `D^-1/2` the
/// scaled unknowns are iterated; residuals are those of the system as it was given.
///
/// The reason to stop is never a guess: `converged` means that the residual `b - A x`, formed anew,
/// passes. A matrix or a preconditioner that is found not to be positive definite, and an infinity
/// or a NaN, end the recursion where they arise; x is the iterate before, or the best one of those
/// at which the host has looked (the start is one) where that has a smaller true residual, and is
/// always finite. For b = 0 the result is x = 0 with `zero_rhs`, whatever the start; a system with
/// a `fault()` leaves x alone. `SolveResult::iterations` counts the steps.
///
/// `history` holds `preconditioned_residual` of every iterate, and the residual of the recursion of
/// those at which the host looked.
///
/// Of a system whose rows are spread over ranks (`OperatorCapabilities::row_ranks`) every rank
/// holds its entries of vectors, and all call `solve` alike, with a monitor on all of them or on
/// none, which answers alike. Sums are formed over the entries of a rank, then over ranks; all get
/// the same bits, so that all take the same decisions, and the results are the same on all but for
/// the order in which ranks add. Unless `standard` is asked for (or needed by a rule) it is
/// `single_reduction`, with one sum over ranks and one exchange an iteration, kernel by kernel. An
/// error of one rank is thrown on all. On one rank it is as if there were none.
///
/// A progress holds r, p, the best iterate and the scalars; the scaled unknowns of a scaled system;
/// with `single_reduction` also s, `M^-1 r` unless that is r, and the last product.
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

  /// \brief Checks \p params and allocates `4 n s` values for \p num_columns right-hand sides; the
  /// first solve of a scaled system, and of one with blocks or a user's preconditioner, `n s` more
  /// each; `single_reduction` `n s` more, and as many for Jacobi without scaling. Of a spread
  /// system n counts the rows that are here.
  Pcg(const ExecutionSpace& exec, Ordinal n, const PcgParams& params = {}, Ordinal num_columns = 1);

  /// \brief Iterates from the start in \p X and leaves the solutions there. Each right-hand side
  /// has a recursion of its own, and stops and starts again by itself; one product serves all.
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const SystemType& system,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Base::iteration_bytes;
  using Base::solve;

  Ordinal num_columns() const { return num_columns_; }
  const PcgParams& params() const { return params_; }

  /// \brief How a solve of \p system on \p exec iterates, if it looks every `check_every`
  /// iterations.
  PcgVariant way(const ExecutionSpace& exec, const SystemType& system) const;

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Bytes that an iteration must move: the product, and for every column 8 vectors (12
  /// with an applied preconditioner, and what that moves), two passes over a diagonal that is not
  /// scaled away; without a product that brings `p . A p` (`FusedDot`) two vectors more.
  /// Of the way that a solve on the instance of the constructor goes.
  std::size_t iteration_bytes(const SystemType& system) const override;

 private:
  using Sum = VectorView<double, memory_space>;
  using Loop = Impl::SolveLoop<ExecutionSpace, Scalar>;
  using RankCommunicator = Communicator<ExecutionSpace>;
  using Slices = std::vector<std::size_t>;
  using HeldArray = Impl::HeldArray<Scalar, memory_space>;
  using Held = std::vector<HeldArray>;

  static const RankCommunicator* ranks_of(const SystemType& system) {
    return Impl::several_ranks(system.A().capabilities().row_ranks);
  }
  std::vector<SolveResult> iterate(const ExecutionSpace& exec, const SystemType& system,
                                   const ConstMultiVectorType& B, const MultiVectorType& X,
                                   const std::vector<double>& rhs_norms,
                                   const Monitor<ExecutionSpace, Scalar>& monitor);
  bool start(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
             const MultiVectorType& X, Loop& loop);
  Held held(const SystemType& system) const;
  void save(const ExecutionSpace& exec, const SystemType& system, const Loop& loop,
            SolveProgress& progress) const;
  void take_up(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
               const MultiVectorType& X, Loop& loop);
  void check(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
             const MultiVectorType& X, bool has_monitor) const;
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
  PcgVariant way(const ExecutionSpace& exec, const SystemType& system, bool is_watched) const;
  bool is_single() const { return way_.scheme == PcgScheme::single_reduction; }
  void begin(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k);
  void keep_best(const ExecutionSpace& exec, const ConstVectorType& x) const;
  void multiply(const ExecutionSpace& exec, const SystemType& system, int k);
  bool has_identity(const SystemType& system) const;
  VectorType preconditioned(const SystemType& system) const;
  void begin_single(const ExecutionSpace& exec, const SystemType& system, int k);
  Impl::PcgAdvanceAll<Scalar, memory_space> advance_all(const SystemType& system,
                                                        const VectorType& x) const;
  Impl::PcgTurnAll<memory_space> turn_all(int k, bool measured, bool begins) const;
  void step_single(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k,
                   bool measured);
  void run_resident(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
                    int k, int steps, bool measured);
  void measure_single(const ExecutionSpace& exec, const SystemType& system, int k, bool measured,
                      bool begins);
  void step(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k,
            bool measured);
  void continue_from(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
                     const Loop& loop, Impl::RecordedLaunches<ExecutionSpace>& launches);
  void set_limit(const ExecutionSpace& exec, double limit);
  bool runs_ahead(Loop& loop, int k) const;
  bool waits_at(const IterationRecord& record) const;
  Monitor<ExecutionSpace, Scalar> from_behind(const Monitor<ExecutionSpace, Scalar>& monitor);
  void publish(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
               int k) const;
  void turn(const ExecutionSpace& exec, const SystemType& system, int k, bool measured);
  void confirm(const ExecutionSpace& exec, const SystemType& system, const ConstMultiVectorType& B,
               const MultiVectorType& X, Loop& loop, typename Loop::Reasons& reasons, int k);
  void report_faults(const ExecutionSpace& exec, const SystemType& system, Loop& loop,
                     typename Loop::Reasons& reasons);
  void start_again(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
                   const std::vector<int>& chosen, int k);
  void exchange(const ExecutionSpace& exec, const SystemType& system, const MultiVectorType& X,
                const std::vector<int>& chosen, int k);
  void return_best(const ExecutionSpace& exec, const SystemType& system,
                   const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop,
                   const Slices& slices, int k);
  /// What is iterated.
  VectorType own_iterate(const SystemType& system, const MultiVectorType& X) const {
    return system.is_scaled() ? VectorType(iterate_) : as_vector(X);
  }
  void measure_stopped(const ExecutionSpace& exec, const SystemType& system,
                       const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop,
                       const Slices& slices, int k);
  std::vector<double> host_norms(const ExecutionSpace& exec, const Sum& squared) const;

  PcgParams params_;
  StopRules stop_;                            // of the solve that runs, in its units
  PcgVariant way_;                            // of the solve that runs
  const RankCommunicator* spread_ = nullptr;  // the ranks of it, where there are several
  Ordinal n_, num_columns_;
  Vector<Scalar, memory_space> residual_;   // r, scaled where the system is
  Vector<Scalar, memory_space> image_;      // q = A p, or the true residual of a check
  Vector<Scalar, memory_space> direction_;  // p
  Vector<Scalar, memory_space> inverse_;    // z, where it is applied
  Vector<Scalar, memory_space> iterate_;    // x of a scaled system
  Vector<Scalar, memory_space> shadow_;     // s = A p of `single_reduction`
  Vector<Scalar, memory_space> best_;       // the best iterate that was measured
  Vector<double, memory_space> dot_sums_;   // of products that bring p . q
  Vector<double, memory_space> scalars_;
  Vector<double, memory_space> rank_sums_;  // of a reduction, on their way over the ranks
  Vector<int, memory_space> active_;        // 1 for the columns that go on
  Vector<int, memory_space> chosen_;        // 1 for those that start again
  ReductionWorkspace<memory_space> reduction_;
  Impl::ResidentTeams<ExecutionSpace> resident_;
  Impl::IterationLog<ExecutionSpace> log_;
  // True residuals at the last restart; those of later ones must be half of it.
  std::vector<double> restart_residuals_;
  struct BestIterate {
    double residual = std::numeric_limits<double>::infinity();
    int iteration = 0;
  };
  std::vector<BestIterate> best_iterates_;  // what `best_` holds
  // `best_iterates_` before the last iterate, where a longer solve would not look at that iterate.
  std::vector<BestIterate> best_seen_before_;
  // The iterate up to which there are launches, the one from which their kernels count, and the one
  // at which the host has looked last.
  int queued_ = 0, counted_ = 0, looked_ = 0;
  // Of the only column, where the device may be ahead of the host: the residual at which it waits
  // from the least number of iterations on, and what it was told.
  double limit_ = -1, told_limit_ = -1;
  // What the monitor has asked for when the device was ahead.
  MonitorAction asked_ = MonitorAction::proceed;
  // True while `image_` is the product of the recursion, not the residual of a check.
  bool image_is_product_ = false;
  bool renews_image_ = false;
  bool in_units_ = false;  // the solve that runs
};

template <>
struct SolverOf<PcgParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Pcg<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::square_systems;
  static constexpr bool supports_ranks = true;
};

}  // namespace Tomokkos
