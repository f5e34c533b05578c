// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between slices on the host, one after the other as in files, and slices on the device,
// side by side as the columns of row-major multivectors in the order of the solver. A single slice
// is a stack of one.
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Solver.hpp>
#include <Tomokkos_Views.hpp>
#include <optional>
#include <span>
#include <string>
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

/// \brief Check of the entries of a vector (`require_entries`). Without a name nothing is checked.
struct EntryCheck {
  std::string name = {};
  double minimum = 0;
  NanData nan_data = NanData::refused;
};

/// \brief Conversions of slices in memory of an execution space. A map orders the entries of each;
/// empty: natural order. All functions fence.
template <class ExecutionSpace, class Scalar>
struct Slices {
  using memory_space = typename ExecutionSpace::memory_space;
  using Values = Vector<Scalar, memory_space>;
  using ConstValues = VectorView<const Scalar, memory_space>;
  using Map = std::optional<IndexMap<memory_space>>;

  /// \brief Copies \p slices slices to the device in the order of \p map.
  ///
  /// \param by_host the host maps them, because the complete vectors may not fit on a device
  /// \param check of values that change their order, so that messages use natural indices
  /// \throws Refused for an entry that \p check does not accept
  static Values to_device(const ExecutionSpace& exec, const char* label,
                          std::span<const double> values, Ordinal slices, const Map& map = {},
                          bool by_host = false, const EntryCheck& check = {});
  /// \brief Copies \p columns, already side by side, to the device.
  static Values copied(const ExecutionSpace& exec, const char* label,
                       std::span<const Scalar> columns);
  /// \brief Returns \p natural columns in the order of \p map.
  ///
  /// \throws Refused as `to_device`
  static Values in_order(const ExecutionSpace& exec, const char* label, Values natural,
                         Ordinal slices, const Map& map, const EntryCheck& check = {});

  /// \brief Copies columns to \p in_turn, one slice after the other in natural order; 0 for indices
  /// that \p map leaves out. Needs a natural copy of the columns if there is a map.
  static void put_in_turn(const ExecutionSpace& exec, const ConstValues& values, Ordinal slices,
                          const Map& map, const VectorView<Scalar, memory_space>& in_turn);
  /// \brief Returns columns on the device as slices on the host, in natural order; 0 for indices
  /// that \p map leaves out.
  static std::vector<Scalar> to_host(const ExecutionSpace& exec, const ConstValues& values,
                                     Ordinal slices, const Map& map = {});
};

}  // namespace Tomokkos
