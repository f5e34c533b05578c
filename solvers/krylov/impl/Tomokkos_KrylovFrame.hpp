// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common part of the solvers of non-symmetric systems: right preconditioning, and the decision that
// a recursion has ended.
#pragma once

#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_Solver.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_HeldArrays.hpp>
#include <impl/Tomokkos_PcgKernels.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_RankedSystem.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SolveUnits.hpp>
#include <span>

namespace Tomokkos::Impl {

/// Faults that end a recursion on the device; x then no longer changes.
enum class KrylovFault : int {
  none,
  breakdown,  // no search direction is left
  stagnated,  // a whole cycle has not lowered the residual
  non_finite_product,
  non_finite_preconditioner
};

/// Fault, and the first iterate that could not be computed.
struct DetectedFault {
  KrylovFault fault = KrylovFault::none;
  int iteration = 0;
};

/// Entry of `M^-1 r` if M is the identity or a diagonal.
template <class Scalar, class MemorySpace>
struct EntryInverse {
  /// `D^-1`, or `D^-1/2` for a scaled system; empty: the identity.
  VectorView<const Scalar, MemorySpace> d;
  bool root;

  KOKKOS_FUNCTION double operator()(const Offset i, double r) const {
    if (d.extent(0) == 0) return r;
    const double factor = static_cast<double>(d(i));
    return root ? factor * (factor * r) : factor * r;
  }
};

/// Stores a sum.
template <class MemorySpace>
struct LogSquared {
  VectorView<double, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset, const Sums<1>& sums) const {
    to(0) = sums.value[0];
  }
};

/// Solve of one right-hand side: preparation before the iterations, sums over vectors that may be
/// distributed over ranks, and decisions based on true residuals.
template <class ExecutionSpace, class Scalar>
class KrylovFrame {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using System = PreconditionedSystem<ExecutionSpace, Scalar>;
  using In = VectorView<const Scalar, MemorySpace>;
  using Out = VectorView<Scalar, MemorySpace>;
  using Sum = VectorView<double, MemorySpace>;
  using Loop = SolveLoop<ExecutionSpace, Scalar>;
  using Reasons = typename Loop::Reasons;
  using Array = HeldArray<Scalar, MemorySpace>;
  using Held = std::vector<Array>;
  using RankCommunicator = Communicator<ExecutionSpace>;

  /// Maximum number of sums that `reduce` forms together.
  static constexpr int max_sums = 8;

  KrylovFrame(const ExecutionSpace& exec, Ordinal n, int iterations)
      : n_(require_length("number of rows", n)),
        best_(allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::KrylovFrame::best", n)),
        start_(allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::KrylovFrame::start", n)),
        squared_(allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::KrylovFrame::squared", 1)),
        active_(allocate<Vector<int, MemorySpace>>(exec, "Tomokkos::KrylovFrame::active", 1)),
        reduction_(exec),
        log_(exec, iterations) {}

  std::size_t bytes() const {
    return (best_.extent(0) + start_.extent(0)) * sizeof(Scalar) +
           (1 + reduction_.partial().extent(0) + rank_sums_.extent(0)) * sizeof(double) +
           sizeof(int) + log_.bytes();
  }
  /// Returns the ranks over which the vectors of this solve are distributed; null: all entries are
  /// local.
  const Ranks* hosts() const { return hosts_of(ranks_); }

  /// Forms N sums over the entries of vectors and calls `finish` with them, as
  /// `reduce_columns_and_finish` does, over all ranks.
  template <int N, class Term, class Finish>
  void reduce(const ExecutionSpace& exec, const char* label, const Term& term,
              const Finish& finish) const {
    static_assert(N <= max_sums);
    reduce_over_ranks_and_finish<N>(exec, ranks_, label, n_, 1, term, reduction_, rank_sums_,
                                    finish);
  }
  /// Computes `x . x` over all ranks.
  void squared_norm(const ExecutionSpace& exec, const In& x, const Sum& result) const {
    dot<ExecutionSpace, Scalar>(exec, reduction_, x, x, result);
    add_up(exec, ranks_, result);
  }
  /// Returns the fault that the first rank has detected. Backends of other ranks may round
  /// differently, but all ranks must end together.
  DetectedFault of_first_rank(DetectedFault met) const {
    if (hosts() != nullptr) hosts()->broadcast(std::as_writable_bytes(std::span(&met, 1)), 0);
    return met;
  }
  IterationLog<ExecutionSpace>& log() { return log_; }
  VectorView<int, MemorySpace> active() const { return active_; }

  /// Checks the input, and calls `iterate(b, x, |b|, rules, monitor)` in the units of the solve. A
  /// resumed solve keeps the units of its data.
  template <class Iterate>
  SolveResult solve(const ExecutionSpace& exec, const System& system, const In& b, const Out& x,
                    const StopRules& rules, const Monitor<ExecutionSpace, Scalar>& monitor,
                    bool is_resumed, const Iterate& iterate) {
    ranks_ = ranks_of_system(system);
    if (ranks_ != nullptr && rank_sums_.extent(0) == 0)
      rank_sums_ =
          allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::KrylovFrame::rank_sums", max_sums);
    check_ranked_system<ExecutionSpace, Scalar>(exec, system, as_multivector(b), as_multivector(x),
                                                n_, 1, is_resumed, static_cast<bool>(monitor));
    system.A_in_units().reserve(exec, 1);
    restart_residual_ = std::numeric_limits<double>::infinity();
    squared_norm(exec, b, squared_);
    const double norm = std::sqrt(to_host<ExecutionSpace>(exec, squared_));
    in_units_ = false;
    if (is_resumed) return iterate(b, x, norm, rules, monitor);
    const SolveUnits<ExecutionSpace, Scalar> units(exec, system.A_in_units(), system.unit(),
                                                   as_multivector(b), as_multivector(x), {norm},
                                                   hosts(), hosts());
    if (units.are_given()) return iterate(b, x, norm, rules, monitor);
    in_units_ = true;
    return std::move(units
                         .solve(exec, system.A_in_units(), as_multivector(b), as_multivector(x),
                                rules, monitor,
                                [&](const auto& B, const auto& X, const std::vector<double>& norms,
                                    const StopRules& own_rules, const auto& own_watch) {
                                  return std::vector<SolveResult>{iterate(
                                      as_vector(B), as_vector(X), norms[0], own_rules, own_watch)};
                                })
                         .front());
  }

  /// Returns true if there is nothing to iterate. The squared residual of the start must have been
  /// recorded.
  bool is_solved_at_start(const ExecutionSpace& exec, const System& system, Loop& loop) {
    const auto& fault = system.fault();
    if (loop.result(0).rhs_norm == 0) return loop.stop_slices(exec, 0, {0}, StopReason::zero_rhs);
    if (!fault) return false;
    loop.stop_slices(exec, 0, {0}, fault->reason);
    loop.result(0).row = fault->row;
    if (fault->reason == StopReason::non_finite) {
      loop.result(0).non_finite_iteration = 0;
      loop.result(0).non_finite_source = NonFiniteSource::diagonal;
    }
    return true;
  }

  /// Computes `residual = b - A x`, and passes its squared norm to `finish`.
  template <class Finish>
  void compute_residual(const ExecutionSpace& exec, const System& system, const In& b, const In& x,
                        const Out& residual, const Finish& finish) const {
    system.A_in_units().apply(exec, Scalar(1), as_multivector(x), Scalar(0),
                              as_multivector(residual));
    reduce<1>(exec, "Tomokkos::krylov::residual",
              PcgFirstResidual<Scalar, MemorySpace>{b, residual, residual, {}, false}, finish);
  }

  /// Computes `residual = b - A x` and returns its norm on the host.
  double measure(const ExecutionSpace& exec, const System& system, const In& b, const In& x,
                 const Out& residual) const {
    compute_residual(exec, system, b, x, residual, LogSquared<MemorySpace>{squared_});
    return std::sqrt(to_host<ExecutionSpace>(exec, squared_));
  }

  static bool has_identity(const System& system) {
    return system.kind() == PreconditionerKind::none;
  }

  /// Computes `z = M^-1 r`.
  void apply_inverse(const ExecutionSpace& exec, const System& system, const In& r,
                     const Out& z) const {
    system.apply_inverse(exec, as_multivector(r), as_multivector(z));
  }

  static EntryInverse<Scalar, MemorySpace> entry_inverse(const System& system) {
    return {system.diagonal(), system.is_scaled()};
  }

  /// Keeps the start.
  void begin_best(const ExecutionSpace& exec, const In& x) {
    Kokkos::deep_copy(exec, start_, x);
    Kokkos::deep_copy(exec, best_, x);
    best_iterate_ = {};
  }

  /// Number of the iterate in `best_`.
  int best_iteration() const { return best_iterate_.iteration; }

  /// Saves the state that this class and the solver (`arrays`) need to continue.
  void save(const ExecutionSpace& exec, Held arrays, SolveProgress& progress) const {
    if (in_units_) {
      mark_units(progress);
      return;
    }
    arrays.push_back(Array::of_vector("best", best_));
    arrays.push_back(Array::of_vector("first", start_));
    Impl::save<ExecutionSpace, Scalar>(exec, arrays, progress);
    progress.held["restart_residuals"] = {restart_residual_};
    progress.held["best_residuals"] = {best_iterate_.residual};
    progress.held["best_iterations"] = {static_cast<double>(best_iterate_.iteration)};
  }

  /// Restores the state written by `save`.
  void restore(const ExecutionSpace& exec, Held arrays, const SolveProgress& progress) {
    require_given_units(progress);
    arrays.push_back(Array::of_vector("best", best_));
    arrays.push_back(Array::of_vector("first", start_));
    Impl::restore<ExecutionSpace, Scalar>(exec, arrays, progress);
    restart_residual_ = held_numbers(progress, "restart_residuals", 1)[0];
    best_iterate_ = {held_numbers(progress, "best_residuals", 1)[0],
                     static_cast<int>(held_numbers(progress, "best_iterations", 1)[0])};
  }

  /// Decides with the true residual, written to `residual`, about reasons from the rules on the
  /// residual of the recursion and from faults on the device. Returns true if the iteration
  /// restarts from x with the contents of `residual`. If a longer solve would not check here, the
  /// state from which it continues is unchanged.
  bool confirm(const ExecutionSpace& exec, const System& system, const In& b, const In& x,
               const Out& residual, const StopRules& rules, const DetectedFault& met, Loop& loop,
               Reasons& reasons) {
    std::optional<StopReason>& reason = reasons.front();
    SolveResult& result = loop.result(0);
    const bool restarts = !loop.is_unscheduled_last(result.iterations);
    std::optional<StopReason> ended;
    if (met.fault != KrylovFault::none) {
      result.iterations = met.iteration > 0 ? met.iteration - 1 : 0;
      result.history.erase(first_after(result.history, result.iterations), result.history.end());
      if (is_non_finite(met.fault)) {
        reason = StopReason::non_finite;
        result.non_finite_iteration = met.iteration;
        result.non_finite_source = met.fault == KrylovFault::non_finite_product
                                       ? NonFiniteSource::product
                                       : NonFiniteSource::preconditioner;
        return false;
      }
      ended = met.fault == KrylovFault::breakdown ? StopReason::breakdown : StopReason::stagnated;
    } else {
      const IterationRecord& seen = result.history.back();
      if (restarts && seen.residual && *seen.residual < best_iterate_.residual)
        keep_best(exec, x, {*seen.residual, seen.iteration});
    }
    if (reason == StopReason::stagnated) ended = reason;
    const IterationRecord& last = result.history.back();
    const bool claimed = reason == StopReason::converged || reason == StopReason::discrepancy;
    const bool idle = !reason && last.residual && *last.residual == 0;
    if (!ended && !claimed && !idle) {
      if (!reason && has_diverged(rules, result.history, result.rhs_norm))
        reason = StopReason::diverged;
      return false;
    }
    IterationRecord honest;
    honest.iteration = result.iterations;
    honest.residual = measure(exec, system, b, x, residual);
    honest.relative_residual =
        IterationLog<ExecutionSpace>::relative(*honest.residual, result.rhs_norm);
    reason = evaluate(rules, honest);
    if (reason) return false;
    if (!std::isfinite(*honest.residual)) {
      // The recursion does not notice that x has overflowed.
      reason = StopReason::non_finite;
      result.non_finite_iteration = result.iterations;
    } else if (*honest.residual == 0) {
      reason = StopReason::converged;
    } else if (ended || !(*honest.residual <= 0.5 * restart_residual_)) {
      // No further progress is possible. A rule may be satisfied, even before the minimum number of
      // iterations.
      StopRules at_once = rules;
      at_once.minimum_iterations = 0;
      reason = evaluate(at_once, honest).value_or(ended.value_or(StopReason::stagnated));
    } else {
      if (!restarts) return false;
      keep_best(exec, x, {*honest.residual, result.iterations});
      restart_residual_ = *honest.residual;
      return true;
    }
    return false;
  }

  /// Returns the result of a finished solve, with the true residual of x. If the solve has failed,
  /// x is the iterate with the smallest true residual among the last, the best checked one and the
  /// start. Costs two products at most, one where the last is the best checked iterate.
  SolveResult conclude(const ExecutionSpace& exec, const System& system, const In& b, const Out& x,
                       const Out& residual, const StopRules& rules, Loop& loop) {
    SolveResult& result = loop.result(0);
    if (!std::isnan(result.residual)) result.recursive_residual = result.residual;
    result.residual = measure(exec, system, b, x, residual);
    // No residual shows the entry of x for a column without entries.
    if (!is_finite(exec, x)) {
      if (result.reason != StopReason::non_finite) result.non_finite_iteration = result.iterations;
      result.reason = StopReason::non_finite;
      result.residual = std::numeric_limits<double>::infinity();
    }
    if (returns_best_iterate(result.reason, rules)) take_best(exec, system, b, x, residual, result);
    result.relative_residual =
        IterationLog<ExecutionSpace>::relative(result.residual, result.rhs_norm);
    return std::move(result);
  }

 private:
  struct Seen {
    double residual = std::numeric_limits<double>::infinity();
    int iteration = 0;
  };

  bool is_finite(const ExecutionSpace& exec, const In& x) const {
    Offset first = std::numeric_limits<Offset>::max();
    Kokkos::parallel_reduce(
        "Tomokkos::krylov::is_finite", element_range(exec, x.extent(0)),
        FirstBadEntry<Scalar, MemorySpace>{x, -std::numeric_limits<double>::infinity(),
                                           static_cast<double>(std::numeric_limits<Scalar>::max())},
        Kokkos::Min<Offset>(first));
    fence(exec, "KrylovFrame: whether x is finite must have arrived");
    return largest_of(ranks_, first < static_cast<Offset>(x.extent(0)) ? 1 : 0) == 0;
  }
  void keep_best(const ExecutionSpace& exec, const In& x, const Seen& seen) {
    Kokkos::deep_copy(exec, best_, x);
    best_iterate_ = seen;
  }
  void take_best(const ExecutionSpace& exec, const System& system, const In& b, const Out& x,
                 const Out& residual, SolveResult& result) const {
    // The start, iterate 0, is kept elsewhere.
    if (best_iterate_.iteration > 0 && best_iterate_.iteration != result.iterations) {
      const double best = measure(exec, system, b, best_, residual);
      if (!(result.residual <= best)) take(exec, best_, best, best_iterate_.iteration, x, result);
    }
    const double first = result.history.front().residual.value_or(std::nan(""));
    if (!(result.residual <= first) && (std::isfinite(first) || !std::isfinite(result.residual)))
      take(exec, start_, first, 0, x, result);
    if (!std::isfinite(result.residual)) {
      // Not even the residual of the start is a number; that of 0 is.
      Kokkos::deep_copy(exec, x, Scalar(0));
      result.residual = result.rhs_norm;
    }
    fence(exec, "KrylovFrame: x must be there");
  }
  static void take(const ExecutionSpace& exec, const In& from, double residual, int iteration,
                   const Out& x, SolveResult& result) {
    Kokkos::deep_copy(exec, x, from);
    result.residual = residual;
    result.iterations = iteration;
  }
  static bool is_non_finite(KrylovFault fault) {
    return fault == KrylovFault::non_finite_product ||
           fault == KrylovFault::non_finite_preconditioner;
  }

  Ordinal n_;
  Vector<Scalar, MemorySpace> best_;   // best checked iterate
  Vector<Scalar, MemorySpace> start_;  // start of the solve
  Vector<double, MemorySpace> squared_;
  Vector<int, MemorySpace> active_;
  ReductionWorkspace<MemorySpace> reduction_;
  const RankCommunicator* ranks_ = nullptr;  // of the current solve; null: all entries are local
  Vector<double, MemorySpace> rank_sums_;    // workspace for sums over ranks
  IterationLog<ExecutionSpace> log_;
  // True residual at the last restart. That at the next one must be at most half as large.
  double restart_residual_ = 0;
  Seen best_iterate_;      // residual and number of the iterate in `best_`
  bool in_units_ = false;  // the current solve uses scaled units
};

}  // namespace Tomokkos::Impl
