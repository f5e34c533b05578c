// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Fbp.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <cmath>
#include <impl/Tomokkos_MissingData.hpp>
#include <impl/Tomokkos_RangeOfSquares.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_RankSums.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <limits>

namespace Tomokkos {

namespace Impl {

/// Sum of the squared differences between data and projections.
template <class Scalar, class MemorySpace>
struct FbpResidual {
  VectorView<const Scalar, MemorySpace> b, projection;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double residual = static_cast<double>(b(e.at)) - static_cast<double>(projection(e.at));
    sums.value[0] = multiply_add(residual, residual, sums.value[0]);
  }
};

/// Sums of the squared change from the image 0, and of the squared values.
template <class Scalar, class MemorySpace>
struct FbpChange {
  VectorView<const Scalar, MemorySpace> x;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<2>& sums) const {
    const double value = static_cast<double>(x(e.at));
    add_squares(value, value, sums);
  }
};

}  // namespace Impl

FbpParams validated(const FbpParams& params) {
  require_loop_params(1, params.check_every, params.stop);
  require(!params.stop.any(), "filtered back projection has one step and no stop rules");
  return params;
}

template <class ExecutionSpace, class Scalar>
Fbp<ExecutionSpace, Scalar>::Fbp(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                 const FbpParams& params, Ordinal num_slices)
    : params_(validated(params)),
      num_rows_(num_rows),
      num_cols_(num_cols),
      num_slices_(require_slices(num_slices)),
      projection_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Fbp::projection",
                                                         Offset{num_rows} * num_slices)),
      sums_(allocate<Vector<double, memory_space>>(exec, "Tomokkos::Fbp::sums", num_slices)),
      active_(allocate<Vector<int, memory_space>>(exec, "Tomokkos::Fbp::active", num_slices)),
      reduction_(exec, num_slices),
      log_(exec, 1, num_slices) {}

template <class ExecutionSpace, class Scalar>
std::size_t Fbp<ExecutionSpace, Scalar>::workspace_bytes() const {
  return projection_.extent(0) * sizeof(Scalar) +
         (sums_.extent(0) + reduction_.partial().extent(0)) * sizeof(double) +
         active_.extent(0) * sizeof(int) + log_.bytes();
}

template <class ExecutionSpace, class Scalar>
std::size_t Fbp<ExecutionSpace, Scalar>::iteration_bytes(const OperatorType& A) const {
  const auto values = (static_cast<std::size_t>(num_rows_) + static_cast<std::size_t>(num_cols_)) *
                      static_cast<std::size_t>(num_slices_);
  return A.apply_bytes(num_slices_) + 2 * values * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> Fbp<ExecutionSpace, Scalar>::solve(
    const ExecutionSpace& exec, const OperatorType& A, const ConstMultiVectorType& B,
    const MultiVectorType& X, const Monitor<ExecutionSpace, Scalar>& monitor) {
  const Impl::ScopedRegion region("Tomokkos::Fbp::solve");
  const Impl::VectorRanks<ExecutionSpace> ranks = Impl::vector_ranks(A);
  const auto b = as_vector(B);
  const auto* const inverse = A.capabilities().analytic_inverse;
  on_all_ranks(Impl::hosts_of(ranks.any()), [&] {
    require_stack_shapes(A.num_rows(), A.num_cols(), num_rows_, num_cols_, num_slices_, B.extent(0),
                         B.extent(1), X.extent(0), X.extent(1));
    require_apart("the data", b, "the image", as_vector(X));
    require_entries<ExecutionSpace, Scalar>(exec, "the data", b,
                                            -std::numeric_limits<double>::infinity(), B.extent(1));
    require(inverse != nullptr,
            "filtered back projection needs an operator that knows the geometry of all rays of a "
            "scan, such as ComputedOperator");
  });
  A.reserve(exec, num_slices_);
  Impl::measured_squares<ExecutionSpace, Scalar>(exec, reduction_, B, sums_);
  std::vector<double> rhs_norms = to_host_vector<ExecutionSpace>(exec, sums_);
  Impl::add_up(ranks.rows, rhs_norms);
  for (double& norm : rhs_norms) norm = std::sqrt(norm);
  Impl::require_squares<ExecutionSpace, Scalar>(exec, B, rhs_norms, Impl::hosts_of(ranks.rows));
  Impl::SolveLoop<ExecutionSpace, Scalar> loop(exec, log_, active_, Impl::Objective::none, 1,
                                               params_.check_every, params_.stop, monitor,
                                               rhs_norms);
  if (ranks.any() != nullptr)
    loop.set_ranks(Impl::RecordRanks{&ranks.any()->ranks()}
                       .set_distributed(Impl::RecordField::residual_squared, ranks.rows != nullptr)
                       .set_distributed(Impl::RecordField::change_squared, ranks.columns != nullptr)
                       .set_distributed(Impl::RecordField::norm_squared, ranks.columns != nullptr));
  const auto projection = Impl::as_array(projection_, B.extent(0), B.extent(1));
  const auto measure = [&](int k) {
    reduce_columns_to_device<1>(exec, "Tomokkos::fbp::residual", num_rows_, num_slices_,
                                Impl::FbpResidual<Scalar, memory_space>{b, projection_}, reduction_,
                                log_.slot(k, Impl::RecordField::residual_squared), log_.stride);
  };
  Kokkos::deep_copy(exec, projection_, Scalar(0));
  Kokkos::deep_copy(exec, as_vector(X), Scalar(0));
  measure(0);
  if (loop.check_iterate(exec, 0, X)) return loop.results();
  inverse->filtered_back_projection(exec, params_.filter, B, X);
  reduce_columns_to_device<2>(exec, "Tomokkos::fbp::change", num_cols_, num_slices_,
                              Impl::FbpChange<Scalar, memory_space>{as_vector(X)}, reduction_,
                              log_.slot(1, Impl::RecordField::change_squared), log_.stride);
  A.apply(exec, Scalar(1), X, Scalar(0), projection);
  measure(1);
  loop.check_iterate(exec, 1, X);
  return loop.results();
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Fbp<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
