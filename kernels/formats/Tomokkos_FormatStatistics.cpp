// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_HostRowSum_impl.hpp>
#include <impl/Tomokkos_SortRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Entries of each chunk of SELL, added up.
template <class MemorySpace>
struct CountSellEntries {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  const Ordinal* rows;  // in the order of their slots; nullptr: as they come
  Ordinal num_rows;
  int chunk, pack;

  KOKKOS_FUNCTION void operator()(const Ordinal c, Offset& entries) const {
    const Offset first = static_cast<Offset>(c) * chunk;
    const Offset last = first + chunk < num_rows ? first + chunk : num_rows;
    Offset width = 0;
    for (Offset slot = first; slot < last; ++slot) {
      const Offset row = rows == nullptr ? slot : rows[slot];
      const Offset length = row_offsets(row + 1) - row_offsets(row);
      if (length > width) width = length;
    }
    entries += (width + pack - 1) / pack * pack * chunk;
  }
};

template <class ExecutionSpace, class MemorySpace>
Offset count_sell_entries(const ExecutionSpace& exec,
                          const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
                          const Ordinal* rows, Ordinal num_rows, int chunk) {
  const Offset chunks = (static_cast<Offset>(num_rows) + chunk - 1) / chunk;
  Offset entries = 0;
  Kokkos::parallel_reduce("Tomokkos::format_statistics::sell_entries",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, chunks),
                          CountSellEntries<MemorySpace>{row_offsets, rows, num_rows, chunk,
                                                        sell_pack(!is_host_space<ExecutionSpace>)},
                          Kokkos::Sum<Offset>(entries));
  fence(exec, "format_statistics: the entries of SELL are counted");
  return entries;
}

/// Entries, and blocks that hold them, of a group of `block` adjacent rows, up to `most` entries:
/// the rows are merged by block columns.
template <class MemorySpace>
struct SampleBlocks {
  static constexpr int largest = 8;

  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  int block;
  Offset stride;  // between the groups that are looked at
  Offset most;

  KOKKOS_FUNCTION void operator()(const Ordinal sample, Offset& entries, Offset& blocks) const {
    const Offset first = sample * stride * block;
    Offset at[largest];
    for (int i = 0; i < block; ++i) at[i] = row_offsets(first + i);
    Offset seen = 0;
    while (seen < most) {
      Ordinal lowest = -1;
      for (int i = 0; i < block; ++i) {
        if (at[i] == row_offsets(first + i + 1)) continue;
        const Ordinal column = columns(at[i]) / block;
        if (lowest < 0 || column < lowest) lowest = column;
      }
      if (lowest < 0) break;
      ++blocks;
      for (int i = 0; i < block; ++i)
        while (at[i] < row_offsets(first + i + 1) && columns(at[i]) / block == lowest) {
          ++at[i];
          ++seen;
        }
    }
    entries += seen;
  }
};

/// Stored entries over nonzeros with blocks of \p block, from a sample; 0 without one.
template <class ExecutionSpace, class MemorySpace>
double sampled_block_fill(const ExecutionSpace& exec,
                          const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
                          const Kokkos::View<const Ordinal*, MemorySpace>& columns,
                          Ordinal num_rows, int block) {
  constexpr Offset most_groups = 4096, most_entries = 1024;
  const Offset groups = num_rows / block;
  if (groups == 0) return 0;
  const Offset stride = (groups + most_groups - 1) / most_groups;
  Offset entries = 0, blocks = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::format_statistics::blocks",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, (groups + stride - 1) / stride),
      SampleBlocks<MemorySpace>{row_offsets, columns, block, stride, most_entries},
      Kokkos::Sum<Offset>(entries), Kokkos::Sum<Offset>(blocks));
  fence(exec, "format_statistics: the blocks are counted");
  return entries > 0 ? static_cast<double>(blocks * block * block) / static_cast<double>(entries)
                     : 0.0;
}

}  // namespace Impl

template <class ExecutionSpace>
DeviceTraits format_traits(const ExecutionSpace& exec) {
  DeviceTraits traits = device_traits(exec);
#ifdef TOMOKKOS_HOST_AVX512
  traits.wide_gathers = !traits.gpu;
#endif
  return traits;
}

template <class ExecutionSpace, class Scalar>
FormatStatistics format_statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  constexpr int chunk = sell_chunk(!Impl::is_host_space<ExecutionSpace>, sizeof(Scalar));
  FormatStatistics result;
  result.rows = row_statistics(exec, A);
  if (A.num_nonzeros() == 0) return result;
  result.sell_entries = Impl::count_sell_entries(exec, A.row_offsets, nullptr, A.num_rows, chunk);
  result.sorted_sell_entries = result.sell_entries;
  // Sorting changes nothing where there is hardly any padding.
  if (static_cast<double>(result.sell_entries) > 1.02 * static_cast<double>(A.num_nonzeros())) {
    const auto rows =
        Impl::rows_by_length(exec, A.row_offsets, A.num_rows, result.rows.longest, sorting_window);
    result.sorted_sell_entries =
        Impl::count_sell_entries(exec, A.row_offsets, rows.data(), A.num_rows, chunk);
  }
  for (std::size_t which = 0; which < block_sizes.size(); ++which)
    result.block_fill[which] =
        Impl::sampled_block_fill(exec, A.row_offsets, A.columns, A.num_rows, block_sizes[which]);
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE) template DeviceTraits format_traits<SPACE>(const SPACE&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                   \
  template FormatStatistics format_statistics<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
