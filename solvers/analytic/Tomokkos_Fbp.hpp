// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_RampWindow.hpp>
#include <Tomokkos_Solver.hpp>

namespace Tomokkos {

/// \brief Parameters of `Fbp`.
struct FbpParams {
  RampWindow filter = RampWindow::ram_lak;
  // Every solver has these two. The image is checked once, and no rule is allowed.
  int check_every = 1;
  StopRules stop{};
};

/// \brief Returns \p params.
///
/// \throws Error if there is a stop rule
FbpParams validated(const FbpParams& params);

template <class Visitor>
void describe(Visitor&& key, FbpParams& params) {
  key.name("filter", params.filter,
           "Window of the ramp filter; all but ram_lak damp high frequencies.");
}

/// \brief Filtered back projection (`FilteredBackProjection`): the image in one step, whatever the
/// start.
///
/// Iterate 0 is the image 0, iterate 1 the result. Its residual takes one product. The operator
/// must know the geometry of its rows (`AnalyticInverse`), as `ComputedOperator` does. If it is
/// distributed over ranks, its inverse combines the data of all of them.
template <class ExecutionSpace, class Scalar>
class Fbp final : public Solver<ExecutionSpace, Scalar> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using params_type = FbpParams;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Checks \p params and allocates `num_slices num_rows` values.
  Fbp(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, const FbpParams& params = {},
      Ordinal num_slices = 1);

  /// \brief Computes the images of \p B.
  ///
  /// \throws Error when an entry of B is not finite (naming it; `fill_missing` of problems/data
  /// fills NaN), and when A has no `AnalyticInverse`
  /// \throws DimensionMismatch
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                 const ConstMultiVectorType& B, const MultiVectorType& X,
                                 const Monitor<ExecutionSpace, Scalar>& monitor = {}) override;
  using Solver<ExecutionSpace, Scalar>::solve;

  const FbpParams& params() const { return params_; }

  std::size_t workspace_bytes() const override;

  /// \brief Returns the bytes of the product that measures the residual, and of the data and the
  /// images: filtering reads each view many times, but from the cache.
  std::size_t iteration_bytes(const OperatorType& A) const override;

 private:
  FbpParams params_;
  Ordinal num_rows_, num_cols_, num_slices_;
  Vector<Scalar, memory_space> projection_;
  Vector<double, memory_space> sums_;
  Vector<int, memory_space> active_;
  ReductionWorkspace<memory_space> reduction_;
  Impl::IterationLog<ExecutionSpace> log_;
};

template <>
struct SolverOf<FbpParams> {
  template <class ExecutionSpace, class Scalar>
  using Type = Fbp<ExecutionSpace, Scalar>;
  static constexpr SolverTask task = SolverTask::images;
  static constexpr bool supports_ranks = true;
};

TOMOKKOS_EXTERN_CLASS(Fbp)

}  // namespace Tomokkos
