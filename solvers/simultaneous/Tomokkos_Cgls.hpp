// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_LeastSquaresSolver.hpp>
#include <impl/Tomokkos_CglsKernels.hpp>

namespace Tomokkos {

/// \brief Parameters of `Cgls`.
struct CglsParams : LeastSquaresParams {};

/// \brief Conjugate gradients on the normal equations (CGLS; Hestenes and Stiefel 1952): minimises
/// `|b - A x|^2 + damping^2 |x|^2` from the start in x.
///
/// The first residual is `b - A x`. In single precision the recursion leaves the exact path after a
/// few iterations (about 6 for tomography). It stops by itself after two consecutive iterations
/// that have not changed x. If x is distributed over ranks, only a check by the host stops it.
template <class ExecutionSpace, class Scalar>
class Cgls final : public LeastSquaresSolver<ExecutionSpace, Scalar> {
 public:
  using Base = LeastSquaresSolver<ExecutionSpace, Scalar>;
  using params_type = CglsParams;
  using typename Base::ConstVectorType;
  using typename Base::memory_space;
  using typename Base::OperatorType;
  using typename Base::VectorType;

  /// \brief Checks \p params and allocates `2 s (num_rows + num_cols)` values for s slices.
  Cgls(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const CglsParams& params = {}, Ordinal num_slices = 1);

  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move: the two products of \p A, and for every
  /// slice `4 num_rows` and `6 num_cols` values (10 with damping).
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  using typename Base::Measured;
  using typename Base::Sum;

  void forget_scale(const ExecutionSpace& exec) override;
  void begin(const ExecutionSpace& exec, const ConstVectorType& x) override;
  typename Base::Held held() const override;
  void set_last_changes(const ExecutionSpace& exec, const std::vector<double>& changes) override;
  void iterate(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
               const VectorType& x, int k) override;
  Sum scalar(Impl::CglsScalar which) const;
  void take_step_length(const ExecutionSpace& exec, int k);
  void turn_direction(const ExecutionSpace& exec, const VectorType& x, int k);

  Vector<Scalar, memory_space> direction_;  // p
  Vector<double, memory_space> scalars_;
  bool has_last_change_ = false;  // valid for the next iteration only
};

template <>
struct SolverOf<CglsParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Cgls<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::least_squares;
  static constexpr bool supports_ranks = true;
  static constexpr bool measures_whiteness = true;
};

TOMOKKOS_EXTERN_CLASS(Cgls)

}  // namespace Tomokkos
