// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts of MLEM: the uniform one, and the refusal of starts that are too small.
#pragma once

#include <Tomokkos_Mlem.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_MlemKernels.hpp>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
void Impl::uniform_start(
    const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& g,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& x,
    const MlemTerms<Scalar, typename ExecutionSpace::memory_space>& terms) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto slices = static_cast<Ordinal>(g.extent(1));
  require_stack_shapes(A.num_rows(), A.num_cols(), A.num_rows(), A.num_cols(), slices, g.extent(0),
                       g.extent(1), x.extent(0), x.extent(1));
  require_apart("the data", g, "the image", x);
  const std::size_t factors = terms.multiplicative.extent(0);
  if (factors != 0 && factors != g.extent(0))
    require_equal("length of the multiplicative term", static_cast<long long>(factors),
                  slices > 1 ? "the rows, or rows times slices" : "the rows",
                  static_cast<long long>(g.size()));
  const auto ones =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::uniform_start::ones", x.extent(0));
  const auto row_sum =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::uniform_start::row_sum", g.extent(0));
  const auto sums =
      allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::uniform_start::sums", 2 * g.extent(1));
  const ReductionWorkspace<MemorySpace> workspace(exec, slices);
  fill<ExecutionSpace, Scalar>(exec, ones, Scalar(1));
  A.apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, MemorySpace>(ones)), Scalar(0),
          as_multivector(row_sum));
  const bool per_entry = slices > 1 && terms.multiplicative.extent(0) > g.extent(0);
  reduce_columns_to_device<2>(
      exec, "Tomokkos::uniform_start::sums", static_cast<Offset>(g.extent(0)), slices,
      UniformStartSums<Scalar, MemorySpace>{
          row_sum, {terms.multiplicative, per_entry ? slices : 1}, as_vector(g)},
      workspace, sums);
  add_up<ExecutionSpace>(exec, A.capabilities().row_ranks, sums);
  Kokkos::parallel_for("Tomokkos::uniform_start::fill", element_range(exec, x.extent(0)),
                       FillWithQuotient<Scalar, MemorySpace>{sums, x});
}

/// Number of used rows of each slice that hold counts although their model, in `projection_`, is 0.
template <class ExecutionSpace, class Scalar>
std::vector<double> Mlem<ExecutionSpace, Scalar>::count_dark_rows(const ExecutionSpace& exec,
                                                                  const ConstVectorType& g) {
  const VectorView<double, memory_space> dark(sums_.data(), num_slices_);
  reduce_columns_to_device<1>(
      exec, "Tomokkos::mlem::dark_rows", num_rows_, num_slices_,
      Impl::MlemDarkRows<Scalar, memory_space>{factor(weight_), additive(), g, projection_},
      reduction_, dark);
  auto counts = to_host_vector<ExecutionSpace>(exec, dark);
  Impl::add_up(ranks_.rows, counts);
  return counts;
}

/// Throws if the start, whose projection is in `projection_`, is so small against the data that the
/// first update would overflow, or that its projection vanishes. Restores the projection.
template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::require_projection(const ExecutionSpace& exec,
                                                      const OperatorType& A,
                                                      const ConstMultiVectorType& G,
                                                      const MultiVectorType& X) {
  const ConstVectorType g = as_vector(G);
  // Where a model is not smaller than 1 / far, a ratio overflows because of the data, and the solve
  // ends as `non_finite`.
  constexpr double most = std::numeric_limits<Scalar>::max();
  const double far = std::sqrt(most);
  double ratio = 0;
  Kokkos::parallel_reduce("Tomokkos::mlem::largest_ratio",
                          Impl::element_range(exec, projection_.extent(0)),
                          Impl::MlemLargestRatio<Scalar, memory_space>{
                              factor(weight_), additive(), g, projection_, num_slices_, 1 / far},
                          Kokkos::Max<double>(ratio));
  Impl::fence(exec, "Mlem: the largest ratio must have arrived");
  ratio = Impl::largest_of(ranks_.rows, std::max(ratio, 0.0));
  const std::string advice =
      "; start from larger values, or from the uniform image that holds the counts of the data";
  // Back projections add up ratios; their sums must stay finite.
  require(ratio <= far || ratio * std::max(1.0, largest_sensitivity_) <= most / 16,
          "the start image is too small: the data of a row are " + describe_number(ratio) +
              " times its projection, and the first update would overflow" + advice);
  const std::vector<double> dark = count_dark_rows(exec, g);
  if (std::all_of(dark.begin(), dark.end(), [](double count) { return count == 0; })) return;
  // A row through zeros alone has no model. Any other has lost its model by underflow.
  Kokkos::parallel_for("Tomokkos::mlem::mark_positive", Impl::element_range(exec, back_.extent(0)),
                       Impl::MlemMarkPositive<Scalar, memory_space>{as_vector(X), back_});
  const auto rows = Impl::as_array(projection_, G.extent(0), G.extent(1));
  A.apply(exec, Scalar(1), Impl::as_array(back_, X.extent(0), X.extent(1)), Scalar(0), rows);
  const std::vector<double> unseen = count_dark_rows(exec, g);
  for (std::size_t j = 0; j < dark.size(); ++j)
    require(dark[j] <= unseen[j],
            "the start image" +
                (num_slices_ > 1 ? " of slice " + std::to_string(j) : std::string()) +
                " is too small: its projection vanishes on " +
                std::to_string(static_cast<long long>(dark[j] - unseen[j])) +
                " rows that hold counts" + advice);
  A.apply(exec, Scalar(1), X, Scalar(0), rows);
}

}  // namespace Tomokkos
