// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_IterationLog.hpp>

namespace Tomokkos {

/// \brief Parameters of `Sirt`.
struct SirtParams {
  /// Number of iterations.
  int iterations = 100;
  /// The host looks (rules, monitor) every so many iterations.
  int check_every = 10;
  /// Reasons to stop earlier; none by default.
  StopRules stop;
  /// lambda, between 0 and 2.
  double relaxation = 1;
  /// x is clamped to `[minimum, maximum]` after every iteration.
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// A row or column whose sum is at most this in magnitude has weight 0. An absolute figure: where
  /// the unit of length makes all sums so small, `solve` throws.
  double smallest_sum = 1e-6;
};

/// \brief Returns \p params, or throws `Error` naming the member that makes no sense.
SirtParams validated(const SirtParams& params);

/// \brief Simultaneous iterative reconstruction: `x <- clamp(x + lambda C A^T R (b - A x))`, R and
/// C the inverse row and column sums of A.
///
/// Nothing but x carries over from one iteration to the next: 10 iterations and 10 more from the
/// saved x give the bits of 20.
template <class ExecutionSpace, class Scalar>
class Sirt {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using params_type = SirtParams;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `(s + 1) (num_rows + num_cols)` values for s slices.
  Sirt(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
       const SirtParams& params = {}, Ordinal num_slices = 1);

  /// \brief Iterates from the start in \p x and leaves the image there.
  ///
  /// Before the iterations: one product and one transposed product (the weights). Throws `Error`
  /// for a non-finite entry of b (naming it) and where all sums are too small; `DimensionMismatch`.
  template <class Operator>
  SolveResult solve(const ExecutionSpace& exec, const Operator& A, const ConstVectorType& b,
                    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor = {});

  /// \brief The same for a stack of slices, which share the weights; see Tomokkos_Solver.hpp.
  ///
  /// \param B `num_rows x num_slices`
  /// \param X `num_cols x num_slices`
  template <class Operator>
  std::vector<SolveResult> solve_stack(const ExecutionSpace& exec, const Operator& A,
                                       const ConstMultiVectorType& B, const MultiVectorType& X,
                                       const StackMonitor<ExecutionSpace, Scalar>& monitor = {});

  Ordinal num_slices() const { return num_slices_; }
  const SirtParams& params() const { return params_; }

  /// \brief Bytes of device memory that the solver holds.
  std::size_t workspace_bytes() const;

  /// \brief Bytes that an iteration must move: the two products of \p A; `3 s + 1` values a row in
  /// the weighting and a column in the update, for s slices.
  template <class Operator>
  std::size_t iteration_bytes(const Operator& A) const {
    const std::size_t vectors = 3 * (projection_.extent(0) + back_.extent(0)) +
                                row_weight_.extent(0) + col_weight_.extent(0);
    return product_bytes<Scalar>(A, num_slices_) + vectors * sizeof(Scalar);
  }

 private:
  template <class Operator>
  void form_weights(const ExecutionSpace& exec, const Operator& A);
  void invert(const ExecutionSpace& exec, const char* what, const VectorType& sums) const;

  SirtParams params_;
  Ordinal num_slices_;
  Vector<Scalar, memory_space> projection_;  // A x, then R (b - A x)
  Vector<Scalar, memory_space> row_weight_;  // R
  Vector<Scalar, memory_space> back_;        // A^T R (b - A x)
  Vector<Scalar, memory_space> col_weight_;  // C
  Vector<double, memory_space> sums_;
  Vector<int, memory_space> active_;  // 1 for the slices that go on
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
};

}  // namespace Tomokkos

#include <impl/Tomokkos_Sirt_impl.hpp>
