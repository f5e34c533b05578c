// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between slices on the host, one after the other as in files, and slices on the device,
// side by side as the columns of row-major multivectors in the order of the solver. A single slice
// is a stack of one.
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Views.hpp>
#include <optional>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Views \p values as an array of \p slices columns, without a copy.
template <class Scalar, class MemorySpace>
MultiVectorView<Scalar, MemorySpace> columns_of(const VectorView<Scalar, MemorySpace>& values,
                                                Ordinal slices) {
  return MultiVectorView<Scalar, MemorySpace>(
      values.data(), values.extent(0) / static_cast<std::size_t>(slices), slices);
}

/// \brief Returns \p slices slices side by side, entry by entry. Uses the calling thread alone, so
/// that it can run beside kernels.
template <class Scalar>
std::vector<Scalar> side_by_side(const std::vector<double>& values, Ordinal slices);

/// \brief Returns the number of sets of missing values (NaN) that differ between slices: 1 if all
/// slices lack the same values, or none.
Ordinal count_gap_patterns(std::span<const double> values, Ordinal slices);

/// \brief Number of rays of each of \p slices slices that were measured, so that \p data holds a
/// number, and are not excluded by \p mask. An empty mask excludes none.
std::vector<double> counted_rays(std::span<const double> data, Ordinal slices,
                                 const std::vector<char>& mask);

/// \brief Copies \p slices slices to the device, in natural order. Fences.
template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> to_device_columns(
    const ExecutionSpace& exec, const char* label, std::span<const double> values, Ordinal slices);

/// \brief Returns columns in natural order rearranged to the order of \p map. Fences.
template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> mapped_columns(
    const ExecutionSpace& exec, const char* label,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& natural, Ordinal slices,
    const IndexMap<typename ExecutionSpace::memory_space>& map);

/// \brief Copies \p slices slices to the device in the order of \p map (none: natural). Fences.
///
/// \param by_host the host maps them, because the complete vectors may not fit on a device
template <class ExecutionSpace, class Scalar>
Vector<Scalar, typename ExecutionSpace::memory_space> to_ordered_columns(
    const ExecutionSpace& exec, const char* label, std::span<const double> values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map,
    bool by_host = false);

/// \brief Copies columns to \p in_turn, one slice after the other in natural order; 0 for indices
/// that \p map leaves out. Needs a natural copy of the columns if there is a map. Fences.
template <class ExecutionSpace, class Scalar>
void put_slices_in_turn(
    const ExecutionSpace& exec,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& in_turn);

/// \brief Returns columns on the device as slices on the host, in natural order; 0 for indices that
/// \p map leaves out. Fences.
template <class ExecutionSpace, class Scalar>
std::vector<Scalar> to_host_slices(
    const ExecutionSpace& exec,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& values, Ordinal slices,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map);

}  // namespace Tomokkos
