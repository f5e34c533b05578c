// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RowBlocks.hpp>
#include <algorithm>

namespace Tomokkos {

std::vector<RowRange> blocks_of_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, Offset most_nonzeros) {
  const auto num_rows = static_cast<Ordinal>(row_offsets.extent(0)) - 1;
  const Offset* const offsets = row_offsets.data();
  std::vector<RowRange> blocks;
  for (Ordinal begin = 0; begin < num_rows;) {
    // Last offset within the limit, but at least the end of the first row, even if that row exceeds
    // the limit.
    const Offset* const last = std::upper_bound(offsets + begin + 2, offsets + num_rows + 1,
                                                offsets[begin] + most_nonzeros) -
                               1;
    const auto end = static_cast<Ordinal>(last - offsets);
    blocks.push_back({begin, end});
    begin = end;
  }
  return blocks;
}

}  // namespace Tomokkos
