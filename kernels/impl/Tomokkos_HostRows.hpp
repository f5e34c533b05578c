// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns of rows of a device, row after row on the host.
#pragma once

#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <impl/Tomokkos_KaczmarzLaunches.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Entries that travel to the host at a time: 64 MiB.
inline constexpr Offset entries_per_piece = Offset{1} << 24;

template <class Rows>
struct CountRowEntries {
  Rows rows;
  const Ordinal* order;  // nullptr: 0, 1, ...
  Ordinal* sizes;
  KOKKOS_FUNCTION void operator()(const Offset visit) const {
    sizes[visit] = rows.size(order != nullptr ? order[visit] : static_cast<Ordinal>(visit));
  }
};

/// Copies the columns of visit v to `columns + starts[v] - starts[first]`.
template <class Rows>
struct GatherRowColumns {
  Rows rows;
  const Ordinal* order;
  const Offset* starts;
  Ordinal* columns;
  Offset first;  // visit of the piece

  KOKKOS_FUNCTION Ordinal row_of(Offset visit) const {
    return order != nullptr ? order[visit] : static_cast<Ordinal>(visit);
  }
  KOKKOS_FUNCTION void by_thread(const Offset visit) const { by_lanes(visit, 0, 1); }
  KOKKOS_FUNCTION void by_warp(const Offset visit, const int lane) const {
    by_lanes(visit, lane, warp_lanes);
  }
  KOKKOS_FUNCTION void by_lanes(const Offset visit, const int lane, const int lanes) const {
    const Ordinal row = row_of(visit), size = rows.size(row);
    Ordinal* const to = columns + (starts[visit] - starts[first]);
    for (Ordinal e = lane; e < size; e += lanes) to[e] = rows.column(row, e);
  }
};

template <class Value, class ExecutionSpace, class View>
std::vector<Value> copied_to_host(const ExecutionSpace& exec, const View& from) {
  std::vector<Value> to(from.extent(0));
  Kokkos::deep_copy(exec, VectorView<Value, Kokkos::HostSpace>(to.data(), to.size()), from);
  fence(exec, "the host reads a copy");
  return to;
}

/// `visit(row, columns)` on the host for the rows of \p order (0, 1, ... where it is empty), in
/// order.
template <class ExecutionSpace, class Rows, class Visit>
void for_each_row_on_host(
    const ExecutionSpace& exec, const Rows& rows,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order,
    const Visit& visit) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Offset visits = order.extent(0) > 0 ? static_cast<Offset>(order.extent(0)) : rows.num_rows;
  const std::vector<Ordinal> host_order = copied_to_host<Ordinal>(exec, order);
  const auto row_of = [&](Offset v) {
    return host_order.empty() ? static_cast<Ordinal>(v) : host_order[static_cast<std::size_t>(v)];
  };
  for (Offset v = 0; v < visits; ++v)
    require(row_of(v) >= 0 && row_of(v) < rows.num_rows,
            "entry " + std::to_string(v) + " of the order of rows is none of the " +
                std::to_string(rows.num_rows) + " rows");
  std::vector<Ordinal> columns;
  if constexpr (is_host_space<ExecutionSpace>) {
    fence(exec, "the host reads rows");
    for (Offset v = 0; v < visits; ++v) {
      const Ordinal row = row_of(v), size = rows.size(row);
      columns.resize(static_cast<std::size_t>(size));
      for (Ordinal e = 0; e < size; ++e) columns[static_cast<std::size_t>(e)] = rows.column(row, e);
      visit(row, std::span<const Ordinal>(columns));
    }
  } else {
    const Ordinal* const device_order = order.extent(0) > 0 ? order.data() : nullptr;
    const auto sizes =
        allocate<Vector<Ordinal, MemorySpace>>(exec, "Tomokkos::rows_on_host::sizes", visits);
    Kokkos::parallel_for("Tomokkos::rows_on_host::count",
                         element_range(exec, static_cast<std::size_t>(visits)),
                         CountRowEntries<Rows>{rows, device_order, sizes.data()});
    std::vector<Offset> starts(static_cast<std::size_t>(visits) + 1, 0);
    {
      const std::vector<Ordinal> host_sizes = copied_to_host<Ordinal>(exec, sizes);
      for (std::size_t v = 0; v < host_sizes.size(); ++v) starts[v + 1] = starts[v] + host_sizes[v];
    }
    const auto device_starts = allocate<Vector<Offset, MemorySpace>>(
        exec, "Tomokkos::rows_on_host::starts", starts.size());
    Kokkos::deep_copy(exec, device_starts,
                      VectorView<const Offset, Kokkos::HostSpace>(starts.data(), starts.size()));
    const auto start_of = [&](Offset v) { return starts[static_cast<std::size_t>(v)]; };
    Vector<Ordinal, MemorySpace> piece;
    for (Offset first = 0; first < visits;) {
      const auto past = std::upper_bound(starts.begin() + first + 1, starts.end(),
                                         start_of(first) + entries_per_piece);
      const Offset last = std::max<Offset>(first + 1, past - starts.begin() - 1);
      const auto entries = static_cast<std::size_t>(start_of(last) - start_of(first));
      if (piece.extent(0) < entries)
        piece = allocate<Vector<Ordinal, MemorySpace>>(
            exec, "Tomokkos::rows_on_host::piece",
            std::max(entries,
                     static_cast<std::size_t>(std::min(entries_per_piece, starts.back()))));
      visit_at_once(
          exec, "Tomokkos::rows_on_host::gather", first, last - first,
          GatherRowColumns<Rows>{rows, device_order, device_starts.data(), piece.data(), first});
      columns = copied_to_host<Ordinal>(
          exec, VectorView<const Ordinal, MemorySpace>(piece.data(), entries));
      for (Offset v = first; v < last; ++v)
        visit(row_of(v), std::span<const Ordinal>(columns).subspan(
                             static_cast<std::size_t>(start_of(v) - start_of(first)),
                             static_cast<std::size_t>(start_of(v + 1) - start_of(v))));
      first = last;
    }
  }
}

}  // namespace Tomokkos::Impl
