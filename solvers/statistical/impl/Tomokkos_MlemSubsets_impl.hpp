// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered subsets of MLEM.
#pragma once

#include <Tomokkos_Mlem.hpp>
#include <impl/Tomokkos_MlemKernels.hpp>
#include <impl/Tomokkos_SubsetLoop.hpp>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
std::size_t Mlem<ExecutionSpace, Scalar>::iteration_bytes(const OperatorType& A) const {
  const std::size_t ratio =
      3 * projection_.extent(0) + weight_.extent(0) + terms_.additive.extent(0);
  const auto count = static_cast<std::size_t>(subsets_.count());
  const std::size_t updates = count * (3 * back_.extent(0) + scale_.extent(0));
  std::size_t bytes = product_bytes(A, num_slices_) + (ratio + updates) * sizeof(Scalar);
  if (count > 1)
    bytes += (A.apply_bytes(num_slices_) + (ratio + 4 * back_.extent(0)) * sizeof(Scalar)) /
             static_cast<std::size_t>(params_.check_every);
  return bytes;
}

template <class ExecutionSpace, class Scalar>
typename Mlem<ExecutionSpace, Scalar>::VectorType Mlem<ExecutionSpace, Scalar>::subset_scale(
    int subset) const {
  return VectorType(subset_scale_.data() + scale_.extent(0) * static_cast<std::size_t>(subset),
                    scale_.extent(0));
}

/// Throws if all data of a subset are zero: its update would set all its voxels to 0.
template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::require_counts(const ExecutionSpace& exec,
                                                  const ConstVectorType& g,
                                                  const std::vector<Setup>& setup, int subset) {
  const RowRange rows = subsets_[subset];
  reduce_columns_to_device<4>(
      exec, "Tomokkos::mlem::count", rows.end - rows.begin, num_slices_,
      Impl::MlemCount<Scalar, memory_space>{factor(Impl::rows_of(weight_, rows, num_weightings())),
                                            Impl::rows_of(g, rows, num_slices_)},
      reduction_, sums_);
  auto sums = to_host_vector<ExecutionSpace>(exec, sums_);
  sums.push_back(rows.end - rows.begin);
  Impl::add_up(ranks_.rows, sums);
  for (std::size_t j = 0; j < setup.size(); ++j) {
    const bool takes_part = sums[4 * j] < sums.back();
    require(setup[j].counts == 0 || !takes_part || sums[4 * j + 2] > 0,
            "the data" + (num_slices_ > 1 ? " of slice " + std::to_string(j) : std::string()) +
                " hold no counts in subset " + std::to_string(subset) +
                (ranks_.rows != nullptr ? std::string()  // each rank has its own row numbers
                                        : ", rows " + std::to_string(rows.begin) + " to " +
                                              std::to_string(rows.end - 1)) +
                ": its update would set all its voxels to 0 permanently; use fewer subsets");
  }
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::set_up_subsets(const ExecutionSpace& exec, const OperatorType& A,
                                                  const ConstMultiVectorType& G,
                                                  const std::vector<Setup>& setup) {
  const Ordinal width = joint_weightings(), sets = num_weightings();
  const auto voxels =
      Impl::as_array(back_, static_cast<std::size_t>(num_cols_), static_cast<std::size_t>(width));
  for (Ordinal set = 0; set < sets; set += width) {
    load_multiplicative(exec, G, set);
    for (int i = 0; i < subsets_.count(); ++i) {
      const RowRange rows = subsets_[i];
      if (visited_[static_cast<std::size_t>(i)] == 0) continue;
      A.apply_transpose(
          exec, Scalar(1),
          Impl::as_array(Impl::rows_of(projection_, rows, width), rows.end - rows.begin, width),
          Scalar(0), voxels, rows);
      Kokkos::parallel_for("Tomokkos::mlem::scale_subset", Impl::element_range(exec, voxels.size()),
                           Impl::MlemScaleSubset<Scalar, memory_space>{
                               back_, scale_, thresholds_, subset_scale(i), width, sets, set,
                               1.0 / subsets_.count(), std::numeric_limits<Scalar>::min()});
    }
  }
  for (int i = 0; i < subsets_.count(); ++i)
    if (visited_[static_cast<std::size_t>(i)] != 0) require_counts(exec, as_vector(G), setup, i);
}

template <class ExecutionSpace, class Scalar>
void Mlem<ExecutionSpace, Scalar>::visit(const ExecutionSpace& exec, const OperatorType& A,
                                         const ConstVectorType& g, const MultiVectorType& X,
                                         int subset) {
  const RowRange rows = subsets_[subset];
  if (visited_[static_cast<std::size_t>(subset)] == 0) return;
  const auto projection = Impl::as_array(Impl::rows_of(projection_, rows, num_slices_),
                                         rows.end - rows.begin, X.extent(1));
  A.apply(exec, Scalar(1), X, Scalar(0), projection, rows);
  compute_ratio(exec, g, rows, false, sums_, 3);
  A.apply_transpose(exec, Scalar(1), projection, Scalar(0),
                    Impl::as_array(back_, X.extent(0), X.extent(1)), rows);
  Kokkos::parallel_for(
      "Tomokkos::mlem::update_subset", Impl::element_range(exec, back_.extent(0)),
      Impl::MlemUpdateSubset<Scalar, memory_space>{back_, factor(subset_scale(subset)), active_,
                                                   as_vector(X), num_slices_});
}

}  // namespace Tomokkos
