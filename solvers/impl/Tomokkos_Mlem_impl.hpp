// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Mlem.hpp>
#include <impl/Tomokkos_MlemKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Mlem<ExecutionSpace, Scalar>::Mlem(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const MlemParams& params)
    : params_(validated(params)),
      projection_(
          allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::projection", num_rows)),
      weight_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::weight", num_rows)),
      back_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::back", num_cols)),
      scale_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Mlem::scale", num_cols)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Mlem::sums", 4)),
      reduction_(exec),
      log_(exec, params.iterations) {}

template <class ExecutionSpace, class Scalar>
std::size_t Mlem<ExecutionSpace, Scalar>::workspace_bytes() const {
  return 2 * (projection_.extent(0) + back_.extent(0)) * sizeof(Scalar) +
         (sums_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) + log_.bytes();
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::check_input(const ExecutionSpace& exec, const ConstVectorType& g,
                                               const VectorType& x) const {
  require_entries<ExecutionSpace, Scalar>(exec, "the data", g, 0);
  require_entries<ExecutionSpace, Scalar>(exec, "the start image", x, 0);
  const auto check_term = [&](const char* name, const ConstVectorType& term) {
    if (term.extent(0) == 0) return;
    require_equal(std::string("length of ") + name, static_cast<long long>(term.extent(0)),
                  "the length of the data", static_cast<long long>(g.extent(0)));
    require_entries<ExecutionSpace, Scalar>(exec, name, term, 0);
  };
  check_term("the multiplicative term", terms_.multiplicative);
  check_term("the additive term", terms_.additive);
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::load_multiplicative(const ExecutionSpace& exec) {
  if (terms_.multiplicative.extent(0) > 0)
    Kokkos::deep_copy(exec, projection_, terms_.multiplicative);
  else
    Kokkos::deep_copy(exec, projection_, Scalar(1));
}

template <class ExecutionSpace, class Scalar>
typename Mlem<ExecutionSpace, Scalar>::Setup Mlem<ExecutionSpace, Scalar>::scale_voxels(
    const ExecutionSpace& exec, const VectorType& x) {
  double largest = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::mlem::largest_sensitivity", Impl::element_range(exec, back_.extent(0)),
      Impl::LargestEntry<Scalar, memory_space>{back_}, Kokkos::Max<double>(largest));
  Impl::fence(exec, "Mlem: the largest sensitivity must have arrived");
  require(largest > 0, "the sensitivity A^T n is zero everywhere: no row sees the image");
  reduce_to_device<2>(exec, "Tomokkos::mlem::scale_voxels", static_cast<Offset>(back_.extent(0)),
                      Impl::MlemScaleVoxels<Scalar, memory_space>{
                          back_, scale_, x, params_.sensitivity_threshold * largest},
                      reduction_, sums_);
  Setup setup;
  setup.inactive_voxels = static_cast<Ordinal>(
      to_host<ExecutionSpace>(exec, VectorView<const double, memory_space>(sums_.data(), 1)));
  setup.start_sum =
      to_host<ExecutionSpace>(exec, VectorView<const double, memory_space>(sums_.data() + 1, 1));
  return setup;
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::weigh_rows(const ExecutionSpace& exec, const ConstVectorType& g,
                                              Setup& setup) {
  reduce_to_device<4>(
      exec, "Tomokkos::mlem::weigh_rows", static_cast<Offset>(g.extent(0)),
      Impl::MlemWeighRows<Scalar, memory_space>{projection_, terms_.multiplicative, g, weight_},
      reduction_, sums_);
  const auto sum = [&](int m) {
    return to_host<ExecutionSpace>(exec,
                                   VectorView<const double, memory_space>(sums_.data() + m, 1));
  };
  setup.excluded_rows = static_cast<Ordinal>(sum(0));
  setup.excluded_counts = sum(1);
  setup.counts = sum(2);
  setup.rhs_norm = std::sqrt(sum(3));
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
typename Mlem<ExecutionSpace, Scalar>::Setup Mlem<ExecutionSpace, Scalar>::set_up(
    const ExecutionSpace& exec, const Operator& A, const ConstVectorType& g, const VectorType& x) {
  load_multiplicative(exec);
  operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                                   as_multivector(ConstVectorType(projection_)),
                                                   Scalar(0), as_multivector(back_));
  Setup setup = scale_voxels(exec, x);
  operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1), as_multivector(ConstVectorType(back_)),
                                         Scalar(0), as_multivector(projection_));
  weigh_rows(exec, g, setup);
  // A start of zeros is the solution for data of zeros, and refused otherwise.
  require(setup.start_sum > 0 || setup.counts == 0,
          "the start image is zero wherever a row sees it, and would stay so");
  return setup;
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::form_ratio(const ExecutionSpace& exec, const ConstVectorType& g,
                                              int iteration) {
  reduce_to_device<2>(exec, "Tomokkos::mlem::ratio", static_cast<Offset>(g.extent(0)),
                      Impl::MlemRatio<Scalar, memory_space>{g, weight_, terms_.additive,
                                                            projection_, params_.log_likelihood},
                      reduction_, log_.slot(iteration, Impl::RecordField::residual_squared));
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::update(const ExecutionSpace& exec, const VectorType& x,
                                          int iteration) {
  reduce_to_device<2>(exec, "Tomokkos::mlem::update", static_cast<Offset>(x.extent(0)),
                      Impl::MlemUpdate<Scalar, memory_space>{back_, scale_, x}, reduction_,
                      log_.slot(iteration, Impl::RecordField::change_squared));
}

template <class ExecutionSpace, class Scalar>
template <class Operator>
SolveResult Mlem<ExecutionSpace, Scalar>::solve(const ExecutionSpace& exec, const Operator& A,
                                                const ConstVectorType& g, const VectorType& x,
                                                const Monitor<ExecutionSpace, Scalar>& monitor) {
  static_assert(TransposableOperator<Operator, ExecutionSpace, Scalar>,
                "MLEM needs an operator with apply and apply_transpose");
  const Impl::ScopedRegion region("Tomokkos::Mlem::solve");
  require_shapes(A.num_rows(), A.num_cols(), static_cast<Ordinal>(projection_.extent(0)),
                 static_cast<Ordinal>(back_.extent(0)), g.extent(0), x.extent(0));
  check_input(exec, g, x);
  const Setup setup = set_up(exec, A, g, x);
  const auto objective =
      params_.log_likelihood ? Impl::Objective::log_likelihood : Impl::Objective::none;
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, objective, params_.iterations,
                                               params_.check_every, params_.stop, monitor,
                                               setup.rhs_norm);
  loop.result().excluded_rows = setup.excluded_rows;
  loop.result().excluded_counts = setup.excluded_counts;
  loop.result().inactive_voxels = setup.inactive_voxels;
  if (setup.counts == 0) fill<ExecutionSpace, Scalar>(exec, x, Scalar(0));

  // Per iteration: A and A^T once; ratio: projection, g, weight (and background) read, projection
  // written, 4 (5) m values; update: back, scale, x read, x written, 4 n values.
  for (int k = 0;; ++k) {
    operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1), as_multivector(ConstVectorType(x)),
                                           Scalar(0), as_multivector(projection_));
    form_ratio(exec, g, k);
    if (setup.counts == 0) {
      loop.collect(exec, k);
      return loop.finish(StopReason::zero_rhs);
    }
    if (const auto reason = loop.look(exec, k, x)) return loop.finish(*reason);
    operator_apply_transpose<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                                     as_multivector(ConstVectorType(projection_)),
                                                     Scalar(0), as_multivector(back_));
    update(exec, x, k + 1);
  }
}

template <class ExecutionSpace, class Scalar, class Operator>
void Impl::uniform_start(const ExecutionSpace& exec, const Operator& A,
                         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& g,
                         const VectorView<Scalar, typename ExecutionSpace::memory_space>& x,
                         const MlemTerms<Scalar, typename ExecutionSpace::memory_space>& terms) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_shapes(A.num_rows(), A.num_cols(), A.num_rows(), A.num_cols(), g.extent(0), x.extent(0));
  const auto row_sum =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::uniform_start::row_sum", g.extent(0));
  const auto sums = allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::uniform_start::sums", 2);
  const ReductionWorkspace<MemorySpace> workspace(exec);
  fill<ExecutionSpace, Scalar>(exec, x, Scalar(1));
  operator_apply<ExecutionSpace, Scalar>(exec, A, Scalar(1),
                                         as_multivector(VectorView<const Scalar, MemorySpace>(x)),
                                         Scalar(0), as_multivector(row_sum));
  reduce_to_device<2>(exec, "Tomokkos::uniform_start::sums", static_cast<Offset>(g.extent(0)),
                      UniformStartSums<Scalar, MemorySpace>{row_sum, terms.multiplicative, g},
                      workspace, sums);
  Kokkos::parallel_for("Tomokkos::uniform_start::fill", element_range(exec, x.extent(0)),
                       FillWithQuotient<Scalar, MemorySpace>{sums, x});
}

#define TOMOKKOS_MLEM(EXTERN, ExecutionSpace, Scalar)                    \
  EXTERN template class Mlem<ExecutionSpace, Scalar>;                    \
  EXTERN template SolveResult Mlem<ExecutionSpace, Scalar>::solve(       \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&, \
      const VectorView<const Scalar, ExecutionSpace::memory_space>&,     \
      const VectorView<Scalar, ExecutionSpace::memory_space>&,           \
      const Monitor<ExecutionSpace, Scalar>&);                           \
  EXTERN template void Impl::uniform_start(                              \
      const ExecutionSpace&, const AnyOperator<ExecutionSpace, Scalar>&, \
      const VectorView<const Scalar, ExecutionSpace::memory_space>&,     \
      const VectorView<Scalar, ExecutionSpace::memory_space>&,           \
      const MlemTerms<Scalar, ExecutionSpace::memory_space>&);
#define TOMOKKOS_MLEM_EXTERN(ExecutionSpace, Scalar) TOMOKKOS_MLEM(extern, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_MLEM_EXTERN)
#undef TOMOKKOS_MLEM_EXTERN

}  // namespace Tomokkos
