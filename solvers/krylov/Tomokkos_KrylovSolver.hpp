// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_Solver.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief A solver that preconditions its matrix: it also takes one that is prepared already.
template <class ExecutionSpace, class Scalar>
class KrylovSolver : public Solver<ExecutionSpace, Scalar> {
 public:
  using Base = Solver<ExecutionSpace, Scalar>;
  using SystemType = PreconditionedSystem<ExecutionSpace, Scalar>;
  using typename Base::ConstMultiVectorType;
  using typename Base::ConstVectorType;
  using typename Base::MultiVectorType;
  using typename Base::OperatorType;
  using typename Base::VectorType;

  using Base::iteration_bytes;
  using Base::solve;

  /// \brief Iterates from the start in \p X, `n x s`, and leaves the solutions there.
  ///
  /// \throws Error for a non-finite entry of B or X (naming it), and for a solution that X cannot
  /// hold
  /// \throws DimensionMismatch
  virtual std::vector<SolveResult> solve(const ExecutionSpace& exec, const SystemType& system,
                                         const ConstMultiVectorType& B, const MultiVectorType& X,
                                         const Monitor<ExecutionSpace, Scalar>& monitor = {}) = 0;
  /// \brief The same for one vector.
  SolveResult solve(const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
                    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor = {}) {
    return std::move(solve(exec, system, as_multivector(b), as_multivector(x), monitor).front());
  }

  /// \brief The same for a matrix. One that `prepare` was called for is taken as it was prepared;
  /// any other is prepared anew by every call.
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    return solve(exec, system_of(exec, A), B, X, monitor);
  }

  /// \brief See `Solver::resume`. What is on ranks is taken up rank by rank. A system whose numbers
  /// are so large or so small that it is solved in other units is refused.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  /// \brief Prepares \p A as `preconditioner` of the parameters says.
  void prepare(const ExecutionSpace& exec, const OperatorType& A) override {
    prepared_.emplace(exec, A, options_);
  }
  /// \brief Takes a matrix that is prepared.
  void prepare(SystemType system) { prepared_ = std::move(system); }
  /// \brief What `prepare` has made; nothing before.
  const std::optional<SystemType>& prepared() const { return prepared_; }

  /// \brief Bytes that an iteration of \p system must move.
  virtual std::size_t iteration_bytes(const SystemType& system) const = 0;
  /// \brief The same for a matrix, which is prepared for the answer where it is not yet.
  std::size_t iteration_bytes(const OperatorType& A) const override {
    return iteration_bytes(system_of(exec_, A));
  }

 protected:
  KrylovSolver(const ExecutionSpace& exec, const PreconditionerOptions& options)
      : exec_(exec), options_(options) {}

  const ExecutionSpace& constructor_instance() const { return exec_; }

  std::optional<SolveProgress> resumed_;  // what the next solve goes on from

 private:
  SystemType system_of(const ExecutionSpace& exec, const OperatorType& A) const {
    return prepared_ && prepared_->A().is_same(A) ? *prepared_ : SystemType(exec, A, options_);
  }

  ExecutionSpace exec_;
  PreconditionerOptions options_;
  std::optional<SystemType> prepared_;
};

}  // namespace Tomokkos
