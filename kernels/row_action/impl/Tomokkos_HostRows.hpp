// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the columns of device rows to the host and visits them row after row.
#pragma once

#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <impl/Tomokkos_KaczmarzLaunches.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Number of entries that are copied to the host at a time: 64 MiB.
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
  Offset first;  // first visit of the piece

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

/// Returns the rows that a sweep in \p order visits, after checking them. Empty: 0, 1, ...
template <class ExecutionSpace>
std::vector<Ordinal> checked_order(
    const ExecutionSpace& exec, Ordinal num_rows,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order) {
  std::vector<Ordinal> rows = copied_to_host<Ordinal>(exec, order);
  for (std::size_t v = 0; v < rows.size(); ++v)
    if (rows[v] < 0 || rows[v] >= num_rows)
      throw Refused(Impl::text("entry {} of the order of rows does not name one of the {} rows", v,
                               num_rows));
  return rows;
}

/// Implements `for_each_row_on_host` if the host cannot access the rows. Their columns are copied
/// in pieces of about \p piece_entries entries, at least one row. \p host_order: \p order on the
/// host.
template <class ExecutionSpace, class Rows, class Visit>
void for_each_row_in_pieces(
    const ExecutionSpace& exec, const Rows& rows,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order,
    const std::vector<Ordinal>& host_order, Offset piece_entries, const Visit& visit) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Offset visits = host_order.empty() ? rows.num_rows : static_cast<Offset>(host_order.size());
  if (visits == 0) return;
  const Ordinal* const device_order = host_order.empty() ? nullptr : order.data();
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
  const auto device_starts =
      allocate<Vector<Offset, MemorySpace>>(exec, "Tomokkos::rows_on_host::starts", starts.size());
  Kokkos::deep_copy(exec, device_starts,
                    VectorView<const Offset, Kokkos::HostSpace>(starts.data(), starts.size()));
  const auto start_of = [&](Offset v) { return starts[static_cast<std::size_t>(v)]; };
  Vector<Ordinal, MemorySpace> piece;
  std::vector<Ordinal> columns;
  for (Offset first = 0; first < visits;) {
    const auto past =
        std::upper_bound(starts.begin() + first + 1, starts.end(), start_of(first) + piece_entries);
    const Offset last = std::max<Offset>(first + 1, past - starts.begin() - 1);
    const auto entries = static_cast<std::size_t>(start_of(last) - start_of(first));
    if (columns.size() < entries) {
      columns.resize(
          std::max(entries, static_cast<std::size_t>(std::min(piece_entries, starts.back()))));
      piece = {};  // frees the old piece before the new one is allocated
      piece = allocate<Vector<Ordinal, MemorySpace>>(exec, "Tomokkos::rows_on_host::piece",
                                                     columns.size());
    }
    visit_level(
        exec, "Tomokkos::rows_on_host::gather", first, last - first,
        GatherRowColumns<Rows>{rows, device_order, device_starts.data(), piece.data(), first});
    Kokkos::deep_copy(exec, VectorView<Ordinal, Kokkos::HostSpace>(columns.data(), entries),
                      VectorView<const Ordinal, MemorySpace>(piece.data(), entries));
    fence(exec, "the host reads a piece of the rows");
    for (Offset v = first; v < last; ++v)
      visit(host_order.empty() ? static_cast<Ordinal>(v) : host_order[static_cast<std::size_t>(v)],
            std::span<const Ordinal>(columns).subspan(
                static_cast<std::size_t>(start_of(v) - start_of(first)),
                static_cast<std::size_t>(start_of(v + 1) - start_of(v))));
    first = last;
  }
}

/// Calls `visit(row, columns)` on the host for the rows of \p order (empty: 0, 1, ...), in order.
template <class ExecutionSpace, class Rows, class Visit>
void for_each_row_on_host(
    const ExecutionSpace& exec, const Rows& rows,
    const VectorView<const Ordinal, typename ExecutionSpace::memory_space>& order,
    const Visit& visit) {
  const std::vector<Ordinal> host_order = checked_order(exec, rows.num_rows, order);
  if constexpr (is_host_space<ExecutionSpace>) {
    fence(exec, "the host reads rows");
    std::vector<Ordinal> columns;
    const auto pass = [&](Ordinal row) {
      const Ordinal size = rows.size(row);
      columns.resize(static_cast<std::size_t>(size));
      for (Ordinal e = 0; e < size; ++e) columns[static_cast<std::size_t>(e)] = rows.column(row, e);
      visit(row, std::span<const Ordinal>(columns));
    };
    for (const Ordinal row : host_order) pass(row);
    for (Ordinal row = 0; host_order.empty() && row < rows.num_rows; ++row) pass(row);
  } else {
    for_each_row_in_pieces(exec, rows, order, host_order, entries_per_piece, visit);
  }
}

}  // namespace Tomokkos::Impl
