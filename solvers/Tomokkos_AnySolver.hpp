// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Solver.hpp>
#include <memory>
#include <utility>

namespace Tomokkos {

/// \brief Any solver behind one virtual call per solve, for those who choose it at run time.
///
/// Owns the solver (with its terms or its order already set); moves, does not copy.
template <class ExecutionSpace, class Scalar>
class AnySolver {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;

  /// \brief Takes over \p solver: `solve`, `workspace_bytes` and `iteration_bytes` are needed.
  template <class Solver>
  requires(!std::is_same_v<std::remove_cvref_t<Solver>, AnySolver>) explicit AnySolver(
      Solver&& solver)
      : self_(std::make_unique<Model<std::remove_cvref_t<Solver>>>(std::forward<Solver>(solver))) {}

  /// \brief Iterates from the start in \p x and leaves the result there.
  SolveResult solve(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor = {}) {
    return self_->solve(exec, A, b, x, monitor);
  }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const { return self_->workspace_bytes(); }

  /// \brief Bytes that an iteration must move.
  std::size_t iteration_bytes(const OperatorType& A) const { return self_->iteration_bytes(A); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual SolveResult solve(const ExecutionSpace&, const OperatorType&, const ConstVectorType&,
                              const VectorType&, const Monitor<ExecutionSpace, Scalar>&) = 0;
    virtual std::size_t workspace_bytes() const = 0;
    virtual std::size_t iteration_bytes(const OperatorType&) const = 0;
  };

  template <class Solver>
  struct Model final : Interface {
    Solver solver;

    template <class Source>
    explicit Model(Source&& source) : solver(std::forward<Source>(source)) {}

    SolveResult solve(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                      const VectorType& x,
                      const Monitor<ExecutionSpace, Scalar>& monitor) override {
      return solver.solve(exec, A, b, x, monitor);
    }
    std::size_t workspace_bytes() const override { return solver.workspace_bytes(); }
    std::size_t iteration_bytes(const OperatorType& A) const override {
      return solver.iteration_bytes(A);
    }
  };

  std::unique_ptr<Interface> self_;
};

}  // namespace Tomokkos
