// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_RowPartition.hpp>

namespace Tomokkos {

RankRows share_rows(const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                    const RowSubsets& subsets, const std::vector<double>& weights, int rank) {
  const auto all = static_cast<Ordinal>(row_offsets.extent(0)) - 1;
  RankRows result;
  Ordinal begin = 0;
  for (int i = 0; i < subsets.count(); ++i) {
    const std::vector<Ordinal> begins =
        partition_rows(row_offsets, subsets[i].resolved(all), weights);
    const auto own = static_cast<std::size_t>(rank);
    result.ranges.push_back({begins[own], begins[own + 1]});
    result.subset_begins.push_back(begin);
    begin += begins[own + 1] - begins[own];
  }
  return result;
}

template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> restrict_map(
    const ExecutionSpace& exec,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, Ordinal natural_size,
    const std::vector<RowRange>& ranges) {
  std::vector<Ordinal> order;
  if (map) {
    const auto natural = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map->to_natural);
    for (const RowRange& range : ranges)
      order.insert(order.end(), natural.data() + range.begin, natural.data() + range.end);
  } else {
    for (const RowRange& range : ranges)
      for (Ordinal i = range.begin; i < range.end; ++i) order.push_back(i);
  }
  return make_index_map(exec, map ? map->natural_size() : natural_size, order);
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                               \
  template IndexMap<SPACE::memory_space> restrict_map<SPACE>(                     \
      const SPACE&, const std::optional<IndexMap<SPACE::memory_space>>&, Ordinal, \
      const std::vector<RowRange>&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
