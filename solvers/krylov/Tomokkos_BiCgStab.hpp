// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ColumnKrylovSolver.hpp>
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_BiCgStabKernels.hpp>

namespace Tomokkos {

/// \brief Parameters of `BiCgStab`; an iteration has two products.
using BiCgStabParams = KrylovParams;

/// \brief Returns \p params.
///
/// \throws Error that names an invalid member
BiCgStabParams validated(const BiCgStabParams& params);

/// \brief BiCGSTAB (van der Vorst 1992) for any square A, from the start in x, with right
/// preconditioning: `A M^-1 y = b`, `x = M^-1 y`. All residuals are therefore those of the given
/// system.
///
/// An iteration has two products, `v = A M^-1 p` and `t = A M^-1 s`, and five passes over vectors.
/// Its scalars stay on the device, in double, and are computed by the reductions that they need.
/// Vectors have the precision of the solver. If the system is scaled by `D^-1/2`, products use the
/// given matrix, and Jacobi is applied as the preconditioner. Prepare the system with
/// `positive_definite = false` instead, which scales nothing and accepts diagonals of any sign.
///
/// If the recursion cannot continue (rho, `shadow . v` or omega is zero up to rounding), its
/// directions restart from the residual, on the device. If these fail at once, they restart from a
/// shadow vector turned by 45 degrees. If these also fail at once without lowering the residual,
/// the reason is `breakdown`, unless the true residual satisfies a rule. The reason is also
/// `breakdown` if the residual has grown so much that rounding leaves no digit of x. `converged`
/// means that `b - A x`, recomputed, satisfies the rule. An infinity or a NaN ends the recursion
/// where it arises. After that, a breakdown and all other reasons of `returns_best_iterate`, x is
/// the iterate with the smallest true residual among the last, the best checked one and the start.
/// For b = 0 the result is x = 0 with `zero_rhs`, for any start; a system with a `fault()` leaves x
/// unchanged. `history` holds the residual of the recursion for every iterate; it is not monotone.
template <class ExecutionSpace, class Scalar>
class BiCgStab final : public ColumnKrylovSolver<ExecutionSpace, Scalar> {
 public:
  using Base = ColumnKrylovSolver<ExecutionSpace, Scalar>;
  using params_type = BiCgStabParams;
  using Base::iteration_bytes;
  using typename Base::ConstVectorType;
  using memory_space = typename ExecutionSpace::memory_space;
  using typename Base::SystemType;
  using typename Base::VectorType;

  /// \brief Checks \p params and allocates 7 vectors of \p n values. The first solve of a
  /// preconditioned system allocates two more.
  BiCgStab(const ExecutionSpace& exec, Ordinal n, const BiCgStabParams& params = {});

  const BiCgStabParams& params() const { return params_; }

  /// \brief Returns the bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move: two products, and 18 vectors (23 with
  /// Jacobi; 25 with an applied preconditioner, plus twice its own bytes).
  std::size_t iteration_bytes(const SystemType& system) const override;

 private:
  using typename Base::Frame;
  using typename Base::Held;

  void reserve(const ExecutionSpace& exec, const SystemType& system) override;
  VectorType scratch() const override { return image_; }
  void begin(const ExecutionSpace& exec, const SystemType& system, const VectorType& x,
             int k) override;
  Impl::DetectedFault detected_fault(const ExecutionSpace& exec) const override;
  void advance(const ExecutionSpace& exec, const SystemType& system, const ConstVectorType& b,
               const VectorType& x, int k) override;
  Held held() const override;

  Impl::BiCgStabScalars<memory_space> scalars() const { return {scalars_}; }
  /// `M^-1` of a vector, for products that need it as a separate vector.
  VectorType formed_by_entry(const SystemType& system, const VectorType& hat) const;
  void turn_direction(const ExecutionSpace& exec, const SystemType& system, bool begins);
  void step_length(const ExecutionSpace& exec, const SystemType& system, int k);
  void stabilise(const ExecutionSpace& exec, const SystemType& system, int k);
  void move(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k);

  BiCgStabParams params_;
  Vector<Scalar, memory_space> residual_;   // r; s in the middle of an iteration
  Vector<Scalar, memory_space> shadow_;     // residual at the last restart of the directions
  Vector<Scalar, memory_space> direction_;  // p
  Vector<Scalar, memory_space> image_;      // v = A M^-1 p, or the true residual during a check
  Vector<Scalar, memory_space> residual_image_;  // t = A M^-1 s
  Vector<Scalar, memory_space> direction_hat_;   // M^-1 p; unused without a preconditioner
  Vector<Scalar, memory_space> residual_hat_;    // M^-1 s
  Vector<double, memory_space> scalars_;
};

template <>
struct SolverOf<BiCgStabParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = BiCgStab<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::square_systems;
  static constexpr bool supports_ranks = true;
};

TOMOKKOS_EXTERN_CLASS(BiCgStab)

}  // namespace Tomokkos
