// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_Solver.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Solver that preconditions its matrix. It also accepts a matrix that is already prepared.
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
  /// \throws Error when an entry of B or X is not finite (naming it), or when X cannot hold the
  /// solution
  /// \throws DimensionMismatch
  virtual std::vector<SolveResult> solve(const ExecutionSpace& exec, const SystemType& system,
                                         const ConstMultiVectorType& B, const MultiVectorType& X,
                                         const Monitor<ExecutionSpace, Scalar>& monitor = {}) = 0;
  /// \brief Solves for a single right-hand side.
  SolveResult solve(const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
                    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor = {}) {
    return std::move(solve(exec, system, as_multivector(b), as_multivector(x), monitor).front());
  }

  /// \brief Solves with a matrix. Uses the result of `prepare` if it was called for this matrix;
  /// otherwise every call prepares the matrix again.
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    return solve(exec, system_of(exec, A), B, X, monitor);
  }

  /// \brief See `Solver::resume`. Distributed systems are resumed rank by rank. A system with very
  /// large or small numbers, which is solved in scaled units, is refused.
  void resume(SolveProgress progress) override { resumed_ = std::move(progress); }

  /// \brief Prepares \p A with the `preconditioner` of the parameters.
  void prepare(const ExecutionSpace& exec, const OperatorType& A) override {
    prepared_.emplace(exec, A, options_);
  }
  /// \brief Sets a matrix that is already prepared.
  void prepare(SystemType system) { prepared_ = std::move(system); }
  /// \brief Returns the prepared system; empty before `prepare`.
  const std::optional<SystemType>& prepared() const { return prepared_; }

  /// \brief Returns the bytes that an iteration of \p system must move.
  virtual std::size_t iteration_bytes(const SystemType& system) const = 0;
  /// \brief Returns the bytes that an iteration of \p A must move. Prepares the matrix if it is not
  /// prepared yet.
  std::size_t iteration_bytes(const OperatorType& A) const override {
    return iteration_bytes(system_of(exec_, A));
  }

 protected:
  KrylovSolver(const ExecutionSpace& exec, const PreconditionerOptions& options)
      : exec_(exec), options_(options) {}

  const ExecutionSpace& constructor_instance() const { return exec_; }

  std::optional<SolveProgress> resumed_;  // state from which the next solve continues

 private:
  SystemType system_of(const ExecutionSpace& exec, const OperatorType& A) const {
    return prepared_ && prepared_->A().is_same(A) ? *prepared_ : SystemType(exec, A, options_);
  }

  ExecutionSpace exec_;
  PreconditionerOptions options_;
  std::optional<SystemType> prepared_;
};

}  // namespace Tomokkos
