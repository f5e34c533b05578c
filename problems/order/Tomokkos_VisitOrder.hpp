// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in the order in which a sweep visits them: `visits` lists natural rows; empty: 0, 1, ...
#pragma once

#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <algorithm>
#include <numeric>
#include <vector>

namespace Tomokkos {

/// \brief Replaces the natural order of rows by the order of the visits; no effect if this is the
/// natural order.
///
/// \param mask rows that the matrix contains; empty: all
template <class ExecutionSpace>
void set_visit_order(const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
                     const std::vector<char>& mask, OrderOn<ExecutionSpace>& order) {
  if (visits.empty()) return;
  order.rows = make_index_map(exec, static_cast<Ordinal>(visits.size()), kept_of(visits, mask));
}

/// \brief Reorders the rows of the naturally ordered matrix \p A in order of visit and sets the
/// map. Leaves A unchanged if it already has this order. Both matrices exist for a moment.
///
/// \param mask rows that A contains; empty: all
///
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
void number_rows_by_visit(const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
                          const std::vector<char>& mask,
                          OrderedMatrix<ExecutionSpace, Scalar>& matrix) {
  if (visits.empty()) return;
  auto& [A, order] = matrix;
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Impl::require_memory(A.memory_bytes(), "the matrix in the order of the visits needs");
  set_visit_order(exec, visits, mask, order);
  const std::vector<Ordinal> kept = kept_of(visits, mask);
  A = csr_mapped<ExecutionSpace, Scalar>(
      exec, A, make_index_map(exec, A.num_rows, positions_among_kept(kept, mask)),
      identity_map(exec, A.num_cols));
}

/// \brief Numbers stored orbits of rays in order of visit. Moves no entry.
template <class ExecutionSpace>
void number_rays_by_visit(const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
                          const std::vector<char>& mask,
                          RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                          OrderOn<ExecutionSpace>& order) {
  if (visits.empty()) return;
  set_visit_order(exec, visits, mask, order);
  symmetry = rays_in_order(exec, symmetry, positions_among_kept(kept_of(visits, mask), mask));
}

/// \brief Rows of a matrix in \p order in the sequence in which a sweep visits them, in memory of
/// \p exec, without masked rows. Empty: 0, 1, ... ...
template <class ExecutionSpace>
Kokkos::View<const Ordinal*, typename ExecutionSpace::memory_space> rows_by_visit(
    const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
    const OrderOn<ExecutionSpace>& order) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const bool all = !order.rows || order.rows->is_permutation();
  if (visits.empty() && all)
    return order.rows ? order.rows->from_natural : Kokkos::View<const Ordinal*, MemorySpace>();
  std::vector<Ordinal> rows = visits;
  if (order.rows) {
    const auto from_natural =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.rows->from_natural);
    if (rows.empty()) {
      rows.resize(from_natural.extent(0));
      std::iota(rows.begin(), rows.end(), 0);
    }
    for (Ordinal& row : rows) row = from_natural(row);
    rows.erase(std::remove(rows.begin(), rows.end(), not_mapped), rows.end());
  }
  const auto result =
      allocate<Vector<Ordinal, MemorySpace>>(exec, "Tomokkos::rows_by_visit", rows.size());
  Kokkos::deep_copy(exec, result,
                    VectorView<const Ordinal, Kokkos::HostSpace>(rows.data(), rows.size()));
  exec.fence();
  return result;
}

}  // namespace Tomokkos
