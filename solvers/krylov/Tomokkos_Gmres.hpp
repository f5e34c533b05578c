// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ColumnKrylovSolver.hpp>
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_GmresKernels.hpp>

namespace Tomokkos {

/// \brief Parameters of `Gmres`; an iteration has one product.
///
/// A check computes x, which costs a pass over the basis: choose `check_every` no smaller than a
/// small `restart`. The rule `relative_change` is refused, because x is not computed between
/// checks.
struct GmresParams : KrylovParams {
  /// m: number of iterations after which the basis is discarded and rebuilt from x.
  int restart = 30;
};

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
GmresParams validated(const GmresParams& params);

template <class Visitor>
void describe(Visitor&& key, GmresParams& params) {
  key.integer("restart", params.restart, 1, 10000, "Iterations between restarts.");
  describe(key, static_cast<KrylovParams&>(params));
}

/// \brief Restarted GMRES(m) (Saad and Schultz 1986) for any square A, from the start in x, with
/// right preconditioning.
///
/// It minimises `|b - A x|` over `x_0 + M^-1 K_j(A M^-1, r_0)`. All residuals are therefore those
/// of the given system, and never increase.
///
/// The basis is orthogonalised twice by classical Gram-Schmidt. A reduction computes up to 8 dot
/// products, and nothing waits for the host. The rotations (Givens) and the triangle stay on the
/// device, in double; vectors have the precision of the solver. Every restart recomputes the true
/// residual. If the system is scaled by `D^-1/2`, products use the given matrix, and Jacobi is
/// applied as the preconditioner. Prepare the system with `positive_definite = false` instead.
///
/// `converged` means that `b - A x`, recomputed, satisfies the rule. A cycle that has not lowered
/// the residual ends the solve as `stagnated`, and a matrix that is singular on the Krylov space
/// ends it as `breakdown`, unless the true residual satisfies a rule. An infinity or a NaN ends the
/// recursion where it arises. After these and all other reasons of `returns_best_iterate`, x is the
/// iterate with the smallest true residual among the last, the best checked one and the start. For
/// b = 0 the result is x = 0 with `zero_rhs`, for any start; a system with a `fault()` leaves x
/// unchanged. `history` holds the residual of the recursion for every iterate.
///
/// The saved progress holds x at the beginning of the cycle instead of the m basis vectors. A
/// resumed solve repeats the cycle, which costs less than m iterations.
template <class ExecutionSpace, class Scalar>
class Gmres final : public ColumnKrylovSolver<ExecutionSpace, Scalar> {
 public:
  using Base = ColumnKrylovSolver<ExecutionSpace, Scalar>;
  using params_type = GmresParams;
  using Base::iteration_bytes;
  using typename Base::ConstVectorType;
  using memory_space = typename ExecutionSpace::memory_space;
  using typename Base::SystemType;
  using typename Base::VectorType;

  /// \brief Checks \p params and allocates `n (m + 4)` values, with m at most \p n, and about
  /// `8 m^2` bytes. The first solve of a preconditioned system allocates n more.
  Gmres(const ExecutionSpace& exec, Ordinal n, const GmresParams& params = {});

  const GmresParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move, averaged over a cycle: the product (and
  /// the preconditioner), and about `2 m + 13` vectors.
  std::size_t iteration_bytes(const SystemType& system) const override;

 private:
  using typename Base::Frame;
  using typename Base::Held;

  void reserve(const ExecutionSpace& exec, const SystemType& system) override;
  VectorType scratch() const override { return basis(0); }
  void begin(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
             int k) override;
  void compute_iterate(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
                       int k, bool is_checked) override;
  Impl::DetectedFault detected_fault(const ExecutionSpace& exec) const override;
  void advance(const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
               const VectorType& x, int k) override;
  Held held() const override;
  void save(SolveProgress& progress) const override;
  void restore_progress(const ExecutionSpace& exec, const SystemType& system,
                        const ConstVectorType& b, const SolveProgress& progress) override;

  void allocate_cycle(const ExecutionSpace& exec, int restart);
  Impl::GmresSmall<memory_space> small() const { return {small_, restart_}; }
  VectorType basis(int j) const;
  void begin_cycle(const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
                   const VectorType& x, int k, bool compares);
  void project(const ExecutionSpace& exec, int j, bool again);
  void step(const ExecutionSpace& exec, const SystemType& system, int j, int k);
  void combine(const ExecutionSpace& exec, const SystemType& system, const VectorType& x);

  GmresParams params_;
  int restart_ = 0;                     // at most the number of rows of all ranks
  Vector<Scalar, memory_space> basis_;  // m + 1 vectors, one after the other
  Vector<Scalar, memory_space> start_;  // x at the beginning of the cycle
  Vector<Scalar, memory_space> hat_;    // M^-1 of the multiplied vector
  Vector<double, memory_space> small_;
  int cycle_ = 0;               // iterate at which the cycle has begun
  bool from_residual_ = false;  // the residual was available when the cycle began
};

template <>
struct SolverOf<GmresParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Gmres<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::square_systems;
  static constexpr bool supports_ranks = true;
};

TOMOKKOS_EXTERN_CLASS(Gmres)

}  // namespace Tomokkos
