// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_LeastSquaresSolver.hpp>
#include <impl/Tomokkos_LsmrKernels.hpp>

namespace Tomokkos {

/// \brief Parameters of `Lsmr`.
struct LsmrParams : LeastSquaresParams {};

/// \brief LSMR (D. C.-L. Fong, M. Saunders, SIAM J. Sci. Comput. 33 (2011) 2950-2971): least
/// squares by Golub-Kahan bidiagonalisation. Minimises `|b - A x|^2 + damping^2 |x|^2` from the
/// start in x.
///
/// In exact arithmetic it equals MINRES on the normal equations, as `Cgls` equals conjugate
/// gradients on them. `|A^T r|` decreases in every iteration, whereas that of CGLS fluctuates, so
/// that an early stop is safer. Both converge at the same rate; LSMR keeps two more vectors.
///
/// With damping, the rows `damping I` below A are included. Their part of u is a separate vector,
/// so that any start is valid for the damped problem.
template <class ExecutionSpace, class Scalar>
class Lsmr final : public LeastSquaresSolver<ExecutionSpace, Scalar> {
 public:
  using Base = LeastSquaresSolver<ExecutionSpace, Scalar>;
  using params_type = LsmrParams;
  using typename Base::ConstVectorType;
  using typename Base::memory_space;
  using typename Base::OperatorType;
  using typename Base::VectorType;

  /// \brief Checks \p params and allocates `s (2 num_rows + 4 num_cols)` values for s slices, with
  /// damping `s num_cols` more.
  Lsmr(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const LsmrParams& params = {}, Ordinal num_slices = 1);

  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes that an iteration must move: the two products of \p A, and for every
  /// slice `3 num_rows` and `10 num_cols` values (15 with damping).
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  using typename Base::Measured;
  using typename Base::Sum;

  void forget_scale(const ExecutionSpace& exec) override;
  void begin(const ExecutionSpace& exec, const ConstVectorType& x) override;
  typename Base::Held held() const override;
  void iterate(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
               const VectorType& x, int k) override;
  void compute_u(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b);
  void compute_v(const ExecutionSpace& exec, const OperatorType& A);
  void advance(const ExecutionSpace& exec, const VectorType& x, int k);
  bool is_damped() const { return u_below_.extent(0) > 0; }
  Impl::LsmrScalars<memory_space> scalars() const { return {scalars_, this->num_slices_}; }
  Sum scalar(Impl::LsmrScalar which) const {
    return Sum(scalars_.data() + static_cast<Offset>(which) * this->num_slices_, this->num_slices_);
  }

  // The part of u over the rows of A is `residual_` of the base class.
  Vector<Scalar, memory_space> u_below_;
  Vector<Scalar, memory_space> v_, h_, h_bar_;
  Vector<double, memory_space> scalars_;
};

template <>
struct SolverOf<LsmrParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Lsmr<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::least_squares;
  static constexpr bool supports_ranks = true;
  static constexpr bool measures_whiteness = true;
};

TOMOKKOS_EXTERN_CLASS(Lsmr)

}  // namespace Tomokkos
