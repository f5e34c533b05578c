// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions under which BCSR is worth a conversion. docs/benchmarks/products.md has the shares of
// the bandwidth and their commands; those of a GPU were measured for the kernel alone.
#include <Tomokkos_BcsrFormat.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>

namespace Tomokkos {
namespace Impl {

/// Counts the entries of a group of `block` adjacent rows, up to `most`, and the blocks that hold
/// them. Merges the rows by block columns.
template <class MemorySpace>
struct SampleBlocks {
  static constexpr int largest = 8;

  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  int block;
  Offset stride;  // distance between the sampled groups
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

/// Returns the estimated ratio of stored entries to nonzeros with blocks of size \p block, from a
/// sample; 0 without a sample.
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

template <class ExecutionSpace, class Scalar>
BcsrFormat::Statistics BcsrFormat::statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics&) {
  Statistics result;
  for (std::size_t which = 0; which < block_sizes.size(); ++which)
    result.fill[which] =
        Impl::sampled_block_fill(exec, A.row_offsets, A.columns, A.num_rows, block_sizes[which]);
  return result;
}

namespace {

// GPU: shares of the copy bandwidth on an H200, 27 full blocks in a row in float: 2x2 0.77, 4x4
// 0.87, 8x8 0.95. 3x3 was not measured.
constexpr std::array<double, block_sizes.size()> gpu_bcsr{0.77, 0.77, 0.87, 0.95};

// Matrices in the last-level cache of a GPU (60 MB): time per byte relative to CSR, Table I. Full
// or nearly full blocks of 3x3 take 0.57 to 0.78 of the time of CSR in float (0.56 expected from
// their bytes) and 0.67 to 0.8 in double (0.7 expected), as long as their rows keep at least a
// quarter of the threads busy. Full blocks of 2x2 take 0.66 to 0.84 (0.62 and 0.75 expected), even
// when only a tenth of the threads is busy (an H100). Larger blocks were not measured.
constexpr double cached_bcsr = 0.85;
constexpr std::array<double, block_sizes.size()> cached_busy_share{0.1, 0.25, 0.25, 0.25};

// Hosts: two threads with AVX-512, time relative to CSR on the same matrix. 2x2 blocks are 1.71
// times faster (1.6 expected from their bytes), 4x4 2.28 (1.88 expected). 3x3 and 8x8 were not
// measured.
constexpr std::array<double, block_sizes.size()> host_bcsr{1.07, 1.07, 1.2, 1.2};

double cost_of(const FormatChoiceInput& matrix, double fill, std::size_t which) {
  const double size = static_cast<double>(block_sizes[which]) * block_sizes[which];
  const double blocks = fill * matrix.num_nonzeros() / size;
  const double bytes = blocks * (sizeof(Ordinal) + size * static_cast<double>(matrix.scalar_bytes));
  if (matrix.is_cached()) {
    const double block_rows = matrix.num_rows() / block_sizes[which];
    const SpmvOptions launch =
        choose_bcsr_launch(matrix.device, block_sizes[which], static_cast<Ordinal>(block_rows),
                           static_cast<Offset>(blocks), {});
    const double busy = block_rows * launch.vector_length / matrix.device.concurrency;
    return bytes / (cached_bcsr * std::min(1.0, busy / cached_busy_share[which]));
  }
  return bytes / (matrix.device.gpu ? gpu_bcsr[which] : host_bcsr[which]);
}

/// Returns the number of blocks that hold the entries of A.
Offset count_blocks(const HostPattern& A, Ordinal block) {
  Offset blocks = 0;
  std::vector<Ordinal> met;
  for (Offset first = 0; first < A.num_rows; first += block) {
    const Offset last = std::min<Offset>(A.num_rows, first + block);
    met.clear();
    for (Offset k = A.row_offsets(first); k < A.row_offsets(last); ++k)
      met.push_back(A.columns(k) / block);
    std::sort(met.begin(), met.end());
    blocks += std::unique(met.begin(), met.end()) - met.begin();
  }
  return blocks;
}

}  // namespace

std::vector<Offer<BcsrOptions>> BcsrFormat::offers(const FormatChoiceInput& matrix,
                                                   const Statistics& statistics) {
  std::vector<Offer<Options>> result;
  // A long block row occupies its lanes as long as a long row of CSR does, but `merge_path` of CSR
  // cuts such rows.
  if (!matrix.rows_are_even()) return result;
  for (std::size_t which = 0; which < block_sizes.size(); ++which) {
    const double fill = statistics.fill[which];
    // Skip blocks that are too empty for the given limit.
    if (fill <= 0 || fill > matrix.largest_fill.value_or(fill)) continue;
    Options options;
    options.block = block_sizes[which];
    result.push_back({cost_of(matrix, fill, which), options});
  }
  return result;
}

void BcsrFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  for (const Ordinal block : {2, 4}) {
    const Offset blocks = count_blocks(A, block);
    const std::string name = std::to_string(block);
    const auto rows = static_cast<std::size_t>((A.num_rows + block - 1) / block + 1);
    sizes.push_back({"bcsr_" + name + "x" + name, blocks * block * block,
                     static_cast<std::size_t>(blocks) * sizeof(Ordinal) + rows * sizeof(Offset)});
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template BcsrFormat::Statistics BcsrFormat::statistics<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const RowStatistics&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
