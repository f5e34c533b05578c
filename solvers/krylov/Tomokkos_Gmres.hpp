// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KrylovParams.hpp>
#include <Tomokkos_KrylovSolver.hpp>
#include <impl/Tomokkos_GmresKernels.hpp>
#include <impl/Tomokkos_KrylovFrame.hpp>

namespace Tomokkos {

/// \brief Parameters of `Gmres`; an iteration is one product.
///
/// A look forms x, which costs a pass over the basis: `check_every` no smaller than a small
/// `restart`. The rule `relative_change` is refused: between looks there is no x.
struct GmresParams : KrylovParams {
  /// m: iterations after which the basis is thrown away and begun anew from x.
  int restart = 30;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
GmresParams validated(const GmresParams& params);

template <class Visitor>
void describe(Visitor&& key, GmresParams& params) {
  key.integer("restart", params.restart, 1, 10000, "Iterations of a cycle.");
  describe(key, static_cast<KrylovParams&>(params));
}

/// \brief Restarted GMRES(m) (Saad and Schultz 1986) for any square A, from the start in x,
/// preconditioned from the right: minimises `|b - A x|` over `x_0 + M^-1 K_j(A M^-1, r_0)`, so that
/// all residuals are those of the system as it was given, and never rise.
///
/// The basis is made orthogonal by the classical Gram-Schmidt process, twice: up to 8 products a
/// reduction, and nothing waits for the host. The rotations (Givens) and the triangle lie on the
/// device, in double; vectors are in the precision of the solver. With every restart the true
/// residual is formed anew. Of a system that is scaled by `D^-1/2` the given matrix is multiplied,
/// and Jacobi applied: prepare with `positive_definite = false`.
///
/// `converged` means that `b - A x`, formed anew, passes. A cycle that has not lowered the residual
/// ends it as `stagnated`, a matrix that is singular on the space as `breakdown`, unless the true
/// residual passes. An infinity or a NaN ends the recursion where it arises, and x is the iterate
/// before. For b = 0 the result is x = 0 with `zero_rhs`, whatever the start; a system with a
/// `fault()` leaves x alone. `history` holds the residual of the recursion of every iterate.
template <class ExecutionSpace, class Scalar>
class Gmres final : public KrylovSolver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using Base = KrylovSolver<ExecutionSpace, Scalar>;
  using params_type = GmresParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using SystemType = PreconditionedSystem<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `n (m + 3)` values, m being no more than \p n, and
  /// about `8 m^2` bytes; the first solve of a preconditioned system n more.
  Gmres(const ExecutionSpace& exec, Ordinal n, const GmresParams& params = {});

  /// \brief Iterates from the start in \p X and leaves the solutions there, one right-hand side
  /// after the other.
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const SystemType& system,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override {
    return Impl::solve_columns(exec, B, X, [&](const ConstVectorType& b, const VectorType& x) {
      return solve_column(exec, system, b, x, monitor);
    });
  }
  using Base::iteration_bytes;
  using Base::solve;
  bool solves_together() const override { return false; }

  const GmresParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Bytes that an iteration must move, on the average of a cycle: the product (and the
  /// preconditioner), and about `2 m + 13` vectors.
  std::size_t iteration_bytes(const SystemType& system) const override;

 private:
  SolveResult solve_column(const ExecutionSpace& exec, const SystemType& system,
                           const ConstVectorType& b, const VectorType& x,
                           const Monitor<ExecutionSpace, Scalar>& monitor);
  using Frame = Impl::KrylovFrame<ExecutionSpace, Scalar>;
  using Loop = typename Frame::Loop;

  Impl::GmresSmall<memory_space> small() const { return {small_, restart_}; }
  VectorType basis(int j) const;
  SolveResult iterate(const ExecutionSpace& exec, const SystemType& system,
                      const ConstVectorType& b, const VectorType& x, double rhs_norm,
                      const StopRules& rules, const Monitor<ExecutionSpace, Scalar>& watch);
  void reserve(const ExecutionSpace& exec, const SystemType& system);
  void begin_cycle(const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
                   const VectorType& x, int k, bool compares);
  void begin_from_residual(const ExecutionSpace& exec, const VectorType& x, int k);
  void project(const ExecutionSpace& exec, int j, bool again);
  void step(const ExecutionSpace& exec, const SystemType& system, int j, int k);
  void form_iterate(const ExecutionSpace& exec, const SystemType& system, const VectorType& x);
  Impl::MetFault met_fault(const ExecutionSpace& exec) const;

  GmresParams params_;
  Ordinal n_;
  int restart_;                         // no more than there are rows
  Vector<Scalar, memory_space> basis_;  // m + 1 vectors, one after the other
  Vector<Scalar, memory_space> start_;  // x at the beginning of the cycle
  Vector<Scalar, memory_space> hat_;    // M^-1 of what is multiplied
  Vector<double, memory_space> small_;
  Frame frame_;
};

template <>
struct SolverOf<GmresParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Gmres<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::square_systems;
  static constexpr bool takes_ranks = false;
  static constexpr bool resumes = false;
};

}  // namespace Tomokkos
