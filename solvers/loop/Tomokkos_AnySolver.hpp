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
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

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

  /// \brief The same for a stack of slices, the columns of \p B and \p X, where `takes_stacks()`;
  /// otherwise throws `Error` for more than one slice.
  std::vector<SolveResult> solve_stack(const ExecutionSpace& exec, const OperatorType& A,
                                       const ConstMultiVectorType& B, const MultiVectorType& X,
                                       const StackMonitor<ExecutionSpace, Scalar>& monitor = {}) {
    return self_->solve_stack(exec, A, B, X, monitor);
  }

  /// \brief Whether the solver has `solve_stack`, for the number of slices that it was made for.
  bool takes_stacks() const { return self_->takes_stacks(); }

  /// \brief Lets the next solve go on from \p progress, of a solver with the same parameters (but
  /// for the number of iterations), and from the x that belongs to it. Throws `Error` where the
  /// solver has no `resume`.
  void resume(SolveProgress progress) { self_->resume(std::move(progress)); }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const { return self_->workspace_bytes(); }

  /// \brief Bytes that an iteration must move.
  std::size_t iteration_bytes(const OperatorType& A) const { return self_->iteration_bytes(A); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual SolveResult solve(const ExecutionSpace&, const OperatorType&, const ConstVectorType&,
                              const VectorType&, const Monitor<ExecutionSpace, Scalar>&) = 0;
    virtual std::vector<SolveResult> solve_stack(const ExecutionSpace&, const OperatorType&,
                                                 const ConstMultiVectorType&,
                                                 const MultiVectorType&,
                                                 const StackMonitor<ExecutionSpace, Scalar>&) = 0;
    virtual bool takes_stacks() const = 0;
    virtual void resume(SolveProgress) = 0;
    virtual std::size_t workspace_bytes() const = 0;
    virtual std::size_t iteration_bytes(const OperatorType&) const = 0;
  };

  template <class Solver>
  struct Model final : Interface {
    static constexpr bool stacks =
        requires(Solver & s, const ExecutionSpace& exec, const OperatorType& A,
                 const ConstMultiVectorType& B, const MultiVectorType& X,
                 const StackMonitor<ExecutionSpace, Scalar>& monitor) {
      s.solve_stack(exec, A, B, X, monitor);
    };

    Solver solver;

    template <class Source>
    explicit Model(Source&& source) : solver(std::forward<Source>(source)) {}

    SolveResult solve(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                      const VectorType& x,
                      const Monitor<ExecutionSpace, Scalar>& monitor) override {
      return solver.solve(exec, A, b, x, monitor);
    }
    std::vector<SolveResult> solve_stack(
        const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
        const MultiVectorType& X, const StackMonitor<ExecutionSpace, Scalar>& monitor) override {
      if constexpr (stacks) {
        return solver.solve_stack(exec, A, B, X, monitor);
      } else {
        require(B.extent(1) == 1 && X.extent(1) == 1,
                "this solver takes one slice at a time, not " + std::to_string(B.extent(1)));
        Monitor<ExecutionSpace, Scalar> slice_monitor;
        if (monitor)
          slice_monitor = [&](const ExecutionSpace& instance,
                              const MonitorState<ExecutionSpace, Scalar>& state) {
            return monitor(instance, {state.record.iteration,
                                      {state.record},
                                      {!state.last},
                                      as_multivector(state.x),
                                      state.last,
                                      {}});
          };
        return {solver.solve(exec, A, as_vector(B), as_vector(X), slice_monitor)};
      }
    }
    bool takes_stacks() const override { return stacks; }
    void resume(SolveProgress progress) override {
      if constexpr (requires { solver.resume(std::move(progress)); })
        solver.resume(std::move(progress));
      else
        throw Refused("this solver holds more than its image and cannot be resumed");
    }
    std::size_t workspace_bytes() const override { return solver.workspace_bytes(); }
    std::size_t iteration_bytes(const OperatorType& A) const override {
      return solver.iteration_bytes(A);
    }
  };

  std::unique_ptr<Interface> self_;
};

}  // namespace Tomokkos
