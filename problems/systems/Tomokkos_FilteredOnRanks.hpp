// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <utility>

namespace Tomokkos {

/// \brief Operator of a scan whose rays are distributed over ranks, with its filtered back
/// projection. The ranks exchange the data, and each of them filters and projects all views: every
/// rank gets the bits of a single process.
template <class ExecutionSpace, class Scalar>
class FilteredOnRanks final : public DistributedOperator<ExecutionSpace, Scalar> {
 public:
  using Base = DistributedOperator<ExecutionSpace, Scalar>;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param order rays and pixels of this rank. Each ray is on one rank.
  FilteredOnRanks(Base scan_on_ranks, const VolumeGeometry& volume, const ScanGeometry& scan,
                  MatrixOrder<memory_space> order)
      : Base(std::move(scan_on_ranks)), volume_(volume), scan_(scan), order_(std::move(order)) {}

  /// \brief See `AnalyticInverse`. Collective.
  void filtered_back_projection(const ExecutionSpace& exec, RampWindow window,
                                const MultiVectorView<const Scalar, memory_space>& B,
                                const MultiVectorView<Scalar, memory_space>& X) const {
    using Array = Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space>;
    const auto data =
        allocate<Array>(exec, "Tomokkos::FilteredOnRanks::data", scan_.num_rays(), B.extent(1));
    Kokkos::deep_copy(exec, data, Scalar(0));
    scatter<ExecutionSpace, Scalar>(exec, map_or_identity(exec, order_.rows, scan_.num_rays()), B,
                                    data);
    this->row_ranks()->template sum<Scalar>(exec, {data.data(), data.size()});
    const auto images = allocate<Array>(exec, "Tomokkos::FilteredOnRanks::images",
                                        volume_.num_pixels(), X.extent(1));
    const FilteredBackProjection<ExecutionSpace, Scalar> inverse(exec, volume_, scan_, window);
    inverse.apply(exec, data, images);
    gather<ExecutionSpace, Scalar>(exec,
                                   map_or_identity(exec, order_.columns, volume_.num_pixels()),
                                   MultiVectorView<const Scalar, memory_space>(images), X);
    Impl::fence(exec, "FilteredOnRanks: the copies are no longer needed");
  }

 private:
  VolumeGeometry volume_;
  ScanGeometry scan_;
  MatrixOrder<memory_space> order_;
};

}  // namespace Tomokkos
