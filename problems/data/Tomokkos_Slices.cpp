// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

namespace Tomokkos {

namespace {

/// Entries of all slices that are moved together, so that both arrays stay in the cache.
constexpr std::size_t entries_of_block = 256;

/// Calls move(entry, slice) for all entries of all slices, with all threads of the host or with the
/// calling one.
template <class Move>
void for_entries_of_slices(std::size_t entries, std::size_t slices, const Move& move,
                           bool with_all_threads = true) {
  const std::size_t blocks = (entries + entries_of_block - 1) / entries_of_block;
  const auto move_block = [&](const std::size_t block) {
    const std::size_t begin = block * entries_of_block;
    const std::size_t end = std::min(begin + entries_of_block, entries);
    for (std::size_t slice = 0; slice < slices; ++slice)
      for (std::size_t entry = begin; entry < end; ++entry) move(entry, slice);
  };
  if (!with_all_threads) {
    for (std::size_t block = 0; block < blocks; ++block) move_block(block);
    return;
  }
  using Host = TOMOKKOS_HOST_SPACE;
  const Host host;
  Kokkos::parallel_for("Tomokkos::slices",
                       Kokkos::RangePolicy<Host, Kokkos::IndexType<std::size_t>>(host, 0, blocks),
                       move_block);
  host.fence();
}

/// Value of a slice: `to(j, i) = from(i, j)`.
template <class Scalar>
struct SlicesInTurn {
  std::size_t length, slices;
  const Scalar* from;
  Scalar* to;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto at = static_cast<std::size_t>(index);
    const std::size_t slice = at / length, entry = at - slice * length;
    to[at] = from[entry * slices + slice];
  }
};

/// Puts \p slices slices of \p values side by side.
template <class Scalar>
void interleave(std::span<const double> values, Ordinal slices, Scalar* to, bool with_all_threads) {
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = values.size() / s;
  const auto move = [&](std::size_t i, std::size_t j) {
    to[i * s + j] = static_cast<Scalar>(values[j * length + i]);
  };
  for_entries_of_slices(length, s, move, with_all_threads);
}

/// Copies slices to the device in natural order.
template <class ExecutionSpace, class Scalar>
auto natural_on_device(const ExecutionSpace& exec, const char* label,
                       std::span<const double> values, Ordinal slices) {
  const auto converted = std::make_unique_for_overwrite<Scalar[]>(values.size());
  interleave(values, slices, converted.get(), true);
  return Slices<ExecutionSpace, Scalar>::copied(exec, label, {converted.get(), values.size()});
}

/// Columns in natural order: \p values themselves, or a copy in \p buffer if there is a map.
template <class ExecutionSpace, class Scalar, class Types = Slices<ExecutionSpace, Scalar>>
typename Types::ConstValues natural_columns(const ExecutionSpace& exec,
                                            const typename Types::ConstValues& values,
                                            Ordinal slices, const typename Types::Map& map,
                                            typename Types::Values& buffer) {
  using MemorySpace = typename Types::memory_space;
  if (!map) return values;
  buffer = allocate<typename Types::Values>(exec, "Tomokkos::natural_columns",
                                            Offset{map->natural_size()} * slices);
  // Entries that a mask removes are 0.
  if (!map->is_permutation()) Kokkos::deep_copy(exec, buffer, Scalar(0));
  scatter<ExecutionSpace, Scalar>(exec, *map, columns_of<const Scalar, MemorySpace>(values, slices),
                                  columns_of<Scalar, MemorySpace>(buffer, slices));
  return buffer;
}

}  // namespace

Ordinal count_gap_patterns(std::span<const double> values, Ordinal slices) {
  const std::size_t length = values.size() / static_cast<std::size_t>(slices);
  std::set<std::vector<std::size_t>> patterns;
  for (Ordinal slice = 0; slice < slices; ++slice) {
    const auto own = values.subspan(static_cast<std::size_t>(slice) * length, length);
    std::vector<std::size_t> gaps;
    for (std::size_t i = 0; i < length; ++i)
      if (std::isnan(own[i])) gaps.push_back(i);
    patterns.insert(std::move(gaps));
  }
  return static_cast<Ordinal>(patterns.size());
}

std::vector<double> counted_rays(std::span<const double> data, Ordinal slices,
                                 const std::vector<char>& mask) {
  const auto count = static_cast<std::size_t>(slices);
  const std::size_t rows = data.size() / count;
  std::vector<double> counts;
  for (std::size_t slice = 0; slice < count; ++slice) {
    const std::span<const double> of_slice = data.subspan(slice * rows, rows);
    std::size_t counted = 0;
    for (std::size_t ray = 0; ray < rows; ++ray)
      if ((mask.empty() || mask[ray] != 0) && !std::isnan(of_slice[ray])) ++counted;
    counts.push_back(static_cast<double>(counted));
  }
  return counts;
}

template <class Scalar>
std::vector<Scalar> side_by_side(const std::vector<double>& values, Ordinal slices) {
  std::vector<Scalar> result(values.size());
  interleave(std::span<const double>(values), slices, result.data(), false);
  return result;
}

template <class ExecutionSpace, class Scalar>
auto Slices<ExecutionSpace, Scalar>::copied(const ExecutionSpace& exec, const char* label,
                                            std::span<const Scalar> columns) -> Values {
  const auto result = allocate<Values>(exec, label, columns.size());
  Kokkos::deep_copy(exec, result,
                    VectorView<const Scalar, Kokkos::HostSpace>(columns.data(), columns.size()));
  exec.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
auto Slices<ExecutionSpace, Scalar>::in_order(const ExecutionSpace& exec, const char* label,
                                              Values natural, Ordinal slices, const Map& map,
                                              const EntryCheck& check) -> Values {
  if (!map) return natural;
  if (!check.name.empty())
    require_entries<ExecutionSpace, Scalar>(exec, check.name.c_str(), natural, check.minimum,
                                            static_cast<std::size_t>(slices), check.nan_data);
  const auto result = allocate<Values>(exec, label, Offset{map->size()} * slices);
  gather<ExecutionSpace, Scalar>(exec, *map,
                                 columns_of<const Scalar, memory_space>(natural, slices),
                                 columns_of<Scalar, memory_space>(result, slices));
  exec.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
auto Slices<ExecutionSpace, Scalar>::to_device(const ExecutionSpace& exec, const char* label,
                                               std::span<const double> values, Ordinal slices,
                                               const Map& map, bool by_host,
                                               const EntryCheck& check) -> Values {
  if (map && by_host) {
    using Host = TOMOKKOS_HOST_SPACE;
    const auto mapped = Slices<Host, Scalar>::to_device(Host(), label, values, slices,
                                                        map_on_host(*map), false, check);
    return copied(exec, label, {mapped.data(), mapped.size()});
  }
  return in_order(exec, label,
                  natural_on_device<ExecutionSpace, Scalar>(exec, label, values, slices), slices,
                  map, check);
}

template <class ExecutionSpace, class Scalar>
void Slices<ExecutionSpace, Scalar>::put_in_turn(const ExecutionSpace& exec,
                                                 const ConstValues& values, Ordinal slices,
                                                 const Map& map,
                                                 const VectorView<Scalar, memory_space>& in_turn) {
  Values buffer;
  const auto natural = natural_columns<ExecutionSpace, Scalar>(exec, values, slices, map, buffer);
  require_equal("values in turn", static_cast<long long>(in_turn.extent(0)), "values of the slices",
                static_cast<long long>(natural.extent(0)));
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = natural.extent(0) / s;
  const Scalar* const from = natural.data();
  Scalar* const to = in_turn.data();
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    exec.fence();
    for_entries_of_slices(
        length, s, [=](std::size_t i, std::size_t j) { to[j * length + i] = from[i * s + j]; });
  } else {
    Kokkos::parallel_for("Tomokkos::put_slices_in_turn", Impl::element_range(exec, length * s),
                         SlicesInTurn<Scalar>{length, s, from, to});
    exec.fence();
  }
}

template <class ExecutionSpace, class Scalar>
std::vector<Scalar> Slices<ExecutionSpace, Scalar>::to_host(const ExecutionSpace& exec,
                                                            const ConstValues& values,
                                                            Ordinal slices, const Map& map) {
  Values buffer;
  const auto natural = natural_columns<ExecutionSpace, Scalar>(exec, values, slices, map, buffer);
  std::vector<Scalar> host(natural.extent(0));
  Kokkos::deep_copy(exec, VectorView<Scalar, Kokkos::HostSpace>(host.data(), host.size()), natural);
  exec.fence();
  if (slices == 1) return host;
  const auto s = static_cast<std::size_t>(slices);
  const std::size_t length = host.size() / s;
  std::vector<Scalar> in_turn(host.size());
  for_entries_of_slices(
      length, s, [&](std::size_t i, std::size_t j) { in_turn[j * length + i] = host[i * s + j]; });
  return in_turn;
}

template std::vector<float> side_by_side<float>(const std::vector<double>&, Ordinal);
template std::vector<double> side_by_side<double>(const std::vector<double>&, Ordinal);

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template struct Slices<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
