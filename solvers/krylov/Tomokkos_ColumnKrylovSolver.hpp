// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KrylovParams.hpp>
#include <Tomokkos_KrylovSolver.hpp>
#include <impl/Tomokkos_KrylovFrame.hpp>

namespace Tomokkos {

/// \brief Common part of the solvers of non-symmetric systems: solves one right-hand side after the
/// other, starts, checks, and restarts from x. A derived solver adds the recursion.
///
/// If the rows of the system are distributed over ranks, every rank solves with its part of the
/// vectors, and all sums are formed over the ranks: all get the same results. All ranks must call
/// `solve` together.
template <class ExecutionSpace, class Scalar>
class ColumnKrylovSolver : public KrylovSolver<ExecutionSpace, Scalar> {
 public:
  using Base = KrylovSolver<ExecutionSpace, Scalar>;
  using Base::iteration_bytes;
  using Base::solve;
  using typename Base::ConstMultiVectorType;
  using typename Base::ConstVectorType;
  using typename Base::memory_space;
  using typename Base::MultiVectorType;
  using typename Base::SystemType;
  using typename Base::VectorType;

  /// \brief Iterates from the start in \p X and overwrites it with the solutions, one right-hand
  /// side after the other. A resumed solve must have a single right-hand side.
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const SystemType& system,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    const Impl::ResetAtEnd forgotten{this->resumed_};
    require(!this->resumed_ || B.extent(1) == 1,
            "a solve with several right-hand sides cannot be resumed; resume one at a time");
    return Impl::solve_columns(exec, B, X, [&](const ConstVectorType& b, const VectorType& x) {
      return solve_column(exec, system, b, x, monitor);
    });
  }
  bool solves_columns_together() const override { return false; }

 protected:
  using Frame = Impl::KrylovFrame<ExecutionSpace, Scalar>;
  using Held = typename Frame::Held;

  /// \param region name of the region in profilers
  ColumnKrylovSolver(const ExecutionSpace& exec, Ordinal n, const KrylovParams& params,
                     const char* region)
      : Base(exec, params.preconditioner),
        n_(n),
        frame_(exec, n, params.iterations),
        loop_params_(params),
        region_(region) {}

  /// \brief Allocates the workspace for a solve of \p system, and discards the state of the last
  /// solve.
  virtual void reserve(const ExecutionSpace& exec, const SystemType& system) = 0;
  /// \brief Returns a vector to which a check may write the true residual.
  virtual VectorType scratch() const = 0;
  /// \brief Starts the recursion from iterate k in \p x, with its residual in `scratch()`.
  virtual void begin(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
                     int k) = 0;
  /// \brief Computes iterate k in \p x, for recursions that do not update x in every iteration. \p
  /// is_checked: the host will check it.
  virtual void compute_iterate(const ExecutionSpace&, const SystemType&, const VectorType&, int,
                               bool is_checked) {
    (void)is_checked;
  }
  /// \brief Returns the fault that has ended the recursion, if any.
  virtual Impl::DetectedFault detected_fault(const ExecutionSpace& exec) const = 0;
  /// \brief Advances from iterate k, which has been checked, to iterate k + 1.
  virtual void advance(const ExecutionSpace& exec, const SystemType& system,
                       const ConstVectorType& b, const VectorType& x, int k) = 0;

  /// \brief Returns the arrays besides x that the recursion keeps from one iterate to the next.
  virtual Held held() const = 0;
  /// \brief Adds numbers that the host keeps besides these arrays.
  virtual void save(SolveProgress&) const {}
  /// \brief Continues from \p progress at its iterate, after its arrays have been restored.
  virtual void restore_progress(const ExecutionSpace&, const SystemType&, const ConstVectorType&,
                                const SolveProgress&) {}

  Ordinal n_;
  Frame frame_;

 private:
  using Loop = typename Frame::Loop;

  SolveResult solve_column(const ExecutionSpace& exec, const SystemType& system,
                           const ConstVectorType& b, const VectorType& x,
                           const Monitor<ExecutionSpace, Scalar>& monitor) {
    const Impl::ScopedRegion region(region_);
    return frame_.solve(exec, system, b, x, loop_params_.stop, monitor, this->resumed_.has_value(),
                        [&](const auto& own_b, const auto& own_x, double rhs_norm,
                            const StopRules& rules, const auto& watch) {
                          return iterate(exec, system, own_b, own_x, rhs_norm, rules, watch);
                        });
  }

  SolveResult iterate(const ExecutionSpace& exec, const SystemType& system,
                      const ConstVectorType& b, const VectorType& x, double rhs_norm,
                      const StopRules& rules, const Monitor<ExecutionSpace, Scalar>& watch) {
    Loop loop(exec, frame_.log(), frame_.active(), Impl::Objective::none, loop_params_.iterations,
              loop_params_.check_every, rules, watch, {rhs_norm}, this->resumed_);
    // All ranks decide by the numbers of the first one.
    loop.set_ranks(Impl::RecordRanks{frame_.hosts()});
    loop.set_save([&](SolveProgress& progress) {
      frame_.save(exec, held(), progress);
      save(progress);
    });
    loop.set_best([this](std::size_t) { return frame_.best_iteration(); });
    reserve(exec, system);
    if (this->resumed_) {
      frame_.restore(exec, held(), *this->resumed_);
      if (loop.done()) return frame_.conclude(exec, system, b, x, scratch(), rules, loop);
      restore_progress(exec, system, b, *this->resumed_);
    } else {
      if (rhs_norm == 0) fill<ExecutionSpace, Scalar>(exec, x, Scalar(0));
      frame_.compute_residual(exec, system, b, x, scratch(),
                              Impl::LogSquared<memory_space>{
                                  frame_.log().slot(0, Impl::RecordField::residual_squared)});
      if (frame_.is_solved_at_start(exec, system, loop)) return std::move(loop.result(0));
      frame_.begin_best(exec, x);
      begin(exec, system, x, 0);
    }
    for (int k = loop.first();; ++k) {
      compute_iterate(exec, system, x, k, loop.is_check_due(k) || frame_.log().full(k));
      const auto confirm = [&](typename Loop::Reasons& reasons) {
        if (frame_.confirm(exec, system, b, x, scratch(), rules,
                           frame_.of_first_rank(detected_fault(exec)), loop, reasons))
          begin(exec, system, x, k);
      };
      if (loop.check_iterate(exec, k, as_multivector(x), confirm))
        return frame_.conclude(exec, system, b, x, scratch(), rules, loop);
      advance(exec, system, b, x, k);
    }
  }

  KrylovParams loop_params_;
  const char* region_;
};

TOMOKKOS_EXTERN_CLASS(ColumnKrylovSolver)

}  // namespace Tomokkos
