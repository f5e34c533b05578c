// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_CglsKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <impl/Tomokkos_SpreadSums.hpp>
#include <impl/Tomokkos_WhiteNoiseProbe.hpp>

namespace Tomokkos {

/// \brief Parameters of `Cgls`.
struct CglsParams {
  /// Number of iterations.
  int iterations = 20;
  /// The host looks (rules, monitor) every so many iterations.
  int check_every = 10;
  /// Reasons to stop earlier; none by default. Rules on the residual are decided on the true one:
  /// where the recursion claims what the true residual denies, the iteration starts again from x.
  StopRules stop;
  /// Tikhonov damping: minimises `|b - A x|^2 + damping^2 |x|^2`.
  double damping = 0;
  /// Starts again from x, with its true residual, every so many iterations; 0: never. Keeps the
  /// recursion honest in single precision, at the price of the directions gathered so far.
  int restart_every = 0;
  /// Whether a NaN in b is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
CglsParams validated(const CglsParams& params);

/// \brief Conjugate gradients on the normal equations, least squares (Hestenes and Stiefel 1952):
/// minimises `|b - A x|^2 + damping^2 |x|^2` from the start in x (the first residual is `b - A x`).
///
/// The scalars of the recursion stay on the device, in double; vectors are in the precision of the
/// solver. `history` holds the residuals of the recursion, `SolveResult::residual` the true one of
/// the returned x, by one more product. In single precision the recursion leaves the exact path
/// after a few iterations (about 6 for tomography). Where b = 0 and x = 0 nothing is done and the
/// reason is `zero_rhs`.
template <class ExecutionSpace, class Scalar>
class Cgls final : public Solver<ExecutionSpace, Scalar> {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = CglsParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `2 s (num_rows + num_cols)` values for s slices.
  Cgls(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const CglsParams& params = {}, Ordinal num_slices = 1);

  /// \brief Iterates from the start in \p X and leaves the solutions there. Each slice has a
  /// recursion of its own, and starts again by itself; where some stop or start again, one product
  /// serves all of these.
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  /// \throws Error for a non-finite entry of B (naming it), and for a solution that X cannot hold
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Solver<ExecutionSpace, Scalar>::solve;

  Ordinal num_slices() const { return num_slices_; }
  const CglsParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const override;

  /// \brief Bytes that an iteration must move: the two products of \p A, and for every slice
  /// `4 num_rows` and `6 num_cols` values (10 with damping).
  std::size_t iteration_bytes(const OperatorType& A) const override {
    const std::size_t columns = (params_.damping == 0 ? 6 : 10) * direction_.extent(0);
    const std::size_t rows = (params_.nan_data == NanData::refused ? 4 : 5) * residual_.extent(0);
    return product_bytes(A, num_slices_) + (rows + columns) * sizeof(Scalar);
  }

 private:
  using Sum = VectorView<double, memory_space>;
  using Loop = Impl::SolveLoop<ExecutionSpace, Scalar>;

  Sum scalar(Impl::CglsScalar which) const;
  std::vector<double> row_norms(const ExecutionSpace& exec, const Sum& squared) const;
  std::vector<double> column_norms(const ExecutionSpace& exec, const Sum& squared) const;
  void form_residual(const ExecutionSpace& exec, const OperatorType& A,
                     const ConstMultiVectorType& B, const ConstMultiVectorType& X,
                     const VectorType& residual, const Sum& squared, Offset stride = 1);
  void form_gradient(const ExecutionSpace& exec, const OperatorType& A, const VectorType& residual,
                     const ConstVectorType& x, const Sum& squared, Offset stride = 1);
  void form_start(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
                  const ConstMultiVectorType& X);
  bool is_safe(const ExecutionSpace& exec, const std::vector<double>& rhs_norms) const;
  std::vector<SolveResult> iterate_from(const ExecutionSpace& exec, const OperatorType& A,
                                        const ConstMultiVectorType& B, const MultiVectorType& X,
                                        const std::vector<double>& rhs_norms,
                                        const Monitor<ExecutionSpace, Scalar>& monitor);
  void begin_directions(const ExecutionSpace& exec, const Sum& gradient_squared, Offset stride = 1);
  void iterate(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
               const VectorType& x, int k);
  void confirm(const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
               const MultiVectorType& X, Loop& loop, typename Loop::Reasons& reasons);
  void start_again(const ExecutionSpace& exec, const std::vector<int>& chosen);
  void measure_stopped(const ExecutionSpace& exec, const OperatorType& A,
                       const ConstMultiVectorType& B, const MultiVectorType& X, Loop& loop);
  void take_step_length(const ExecutionSpace& exec);
  void turn_direction(const ExecutionSpace& exec, const VectorType& x, int k);
  void reduce_residual(const ExecutionSpace& exec, int k);
  void measure_gradient(const ExecutionSpace& exec, const ConstVectorType& x, const Sum& alpha,
                        const Sum& squared, Offset stride);

  CglsParams params_;
  StopRules stop_;                           // of the solve that runs, in its units
  double damping_ = 0;                       // likewise
  Impl::VectorRanks<ExecutionSpace> ranks_;  // of the solve that runs
  Ordinal num_rows_, num_cols_, num_slices_;
  Vector<Scalar, memory_space> residual_;   // r = b - A x
  Vector<Scalar, memory_space> image_;      // q = A p, or the true residual of a check
  Vector<Scalar, memory_space> gradient_;   // s = A^T r - damping^2 x
  Vector<Scalar, memory_space> direction_;  // p
  Vector<double, memory_space> scalars_;
  Vector<int, memory_space> active_;          // 1 for the slices that go on
  Vector<int, memory_space> chosen_;          // 1 for those that start again
  Vector<double, memory_space> spread_sums_;  // a sum for each slice, on its way between ranks
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
  Impl::WhiteNoiseProbe<ExecutionSpace, Scalar> white_noise_;
  // True residuals at the last restart that a rule caused; later ones must be smaller.
  std::vector<double> restart_residuals_;
};

template <>
struct SolverOf<CglsParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Cgls<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::least_squares;
  static constexpr bool takes_ranks = true;
};

}  // namespace Tomokkos
