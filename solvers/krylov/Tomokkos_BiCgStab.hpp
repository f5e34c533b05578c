// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ColumnKrylovSolver.hpp>
#include <impl/Tomokkos_BiCgStabKernels.hpp>

namespace Tomokkos {

/// \brief Parameters of `BiCgStab`; an iteration is two products.
using BiCgStabParams = KrylovParams;

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
BiCgStabParams validated(const BiCgStabParams& params);

/// \brief BiCGSTAB (van der Vorst 1992) for any square A, from the start in x, preconditioned from
/// the right: `A M^-1 y = b`, `x = M^-1 y`, so that all residuals are those of the system as it was
/// given.
///
/// An iteration is two products, `v = A M^-1 p` and `t = A M^-1 s`, and five passes over vectors;
/// its scalars stay on the device, in double, and are formed by the reductions that they need.
/// Vectors are in the precision of the solver. Of a system that is scaled by `D^-1/2` the given
/// matrix is multiplied, and Jacobi applied: prepare with `positive_definite = false`, which scales
/// nothing and takes diagonals of any sign.
///
/// Where the recursion cannot go on (rho, `shadow . v` or omega is zero up to rounding) its
/// directions begin anew from the residual, on the device; where that has ended at once, from a
/// shadow turned by 45 degrees. Where that ends at once, too, and has not lowered the residual, the
/// reason is `breakdown`, unless the true residual passes; and so it is where the residual has
/// grown beyond all that rounding leaves of x. `converged` means that `b - A x`, formed anew,
/// passes. An infinity or a NaN ends the recursion where it arises, and x is the iterate before.
/// After that and after a breakdown x is the best iterate of those at which the host has looked
/// (the start is one), where its true residual is smaller than that of the last. For b = 0 the
/// result is x = 0 with `zero_rhs`, whatever the start; a system with a `fault()` leaves x alone.
/// `history` holds the residual of the recursion of every iterate, which is not monotone.
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

  /// \brief Checks \p params and allocates 6 vectors of \p n values; the first solve of a
  /// preconditioned system two more.
  BiCgStab(const ExecutionSpace& exec, Ordinal n, const BiCgStabParams& params = {});

  const BiCgStabParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Bytes that an iteration must move: two products, and 18 vectors (23 with Jacobi; 25
  /// with an applied preconditioner, and twice what that moves).
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
  /// `M^-1` of a vector where the product needs a vector of its own.
  VectorType formed_by_entry(const SystemType& system, const VectorType& hat) const;
  void turn_direction(const ExecutionSpace& exec, const SystemType& system, bool begins);
  void step_length(const ExecutionSpace& exec, const SystemType& system, int k);
  void stabilise(const ExecutionSpace& exec, const SystemType& system, int k);
  void move(const ExecutionSpace& exec, const SystemType& system, const VectorType& x, int k);

  BiCgStabParams params_;
  Vector<Scalar, memory_space> residual_;   // r, and s in the middle of an iteration
  Vector<Scalar, memory_space> shadow_;     // the residual with which the directions have begun
  Vector<Scalar, memory_space> direction_;  // p
  Vector<Scalar, memory_space> image_;      // v = A M^-1 p, or the true residual of a check
  Vector<Scalar, memory_space> residual_image_;  // t = A M^-1 s
  Vector<Scalar, memory_space> direction_hat_;   // M^-1 p, without a preconditioner p itself
  Vector<Scalar, memory_space> residual_hat_;    // M^-1 s
  Vector<double, memory_space> scalars_;
};

template <>
struct SolverOf<BiCgStabParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = BiCgStab<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::square_systems;
  static constexpr bool supports_ranks = false;
};

}  // namespace Tomokkos
