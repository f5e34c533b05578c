// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products that also form `x . y`. Kernels wrap the row sums of the plain products, so y has the
// same bits. On a GPU each warp adds up the rows of its threads. On a host each block of rows has
// its own sum, whatever the number of threads.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos::Impl {

/// Teams of `spmv_dot_threads` that must share a multiprocessor for a product with a dot. This
/// bound leaves a thread as many registers as the plain product uses: 40 for kernels that load at
/// least four entries of a row at a time.
inline constexpr int slot_dot_teams = 12;
/// Teams for kernels with fewer entries in flight, and for ELLPACK in float: 32 registers a thread.
inline constexpr int small_slot_dot_teams = 16;

/// \brief Multiplies with one thread per row on a GPU, in teams of whole warps.
///
/// \tparam Product plain kernel, with `A.row(slot)`, `row_sum(slot)` and `target`
/// \tparam teams minimum number of teams that share a multiprocessor
template <class ExecutionSpace, class Product, int teams>
struct SpmvSlotsWithDot {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<spmv_dot_threads, teams>>;
  using Member = typename Policy::member_type;

  Product product;
  double* sums;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal first = member.league_rank() * spmv_dot_threads;
    double gathered = 0;
    if (member.team_rank() < product.A.num_rows - first) {
      const Ordinal slot = first + member.team_rank();
      const auto sum = product.row_sum(slot);
      // Load x(row) after the sum, which needs all registers. The diagonal entry has usually
      // brought it into cache.
      const Ordinal row = product.A.row(slot);
      const auto own = load_gathered(product.target.x + row);
      product.target.y[row] = sum;
      gathered = static_cast<double>(sum) * static_cast<double>(own);
    }
    const double total = sum_over_lanes(gathered, 1, warp_lanes);
    if (member.team_rank() % warp_lanes == 0)
      sums[static_cast<Offset>(member.league_rank()) * (spmv_dot_threads / warp_lanes) +
           member.team_rank() / warp_lanes] = total;
  }
};

/// Returns the end of the block of \p size elements that begins at \p first, out of \p count.
inline Ordinal block_end(Ordinal first, Ordinal size, Ordinal count) {
  return count - first < size ? count : first + size;
}

/// \brief Multiplies with one step per block of slots on a host.
template <class Product>
struct SpmvSlotBlocksWithDot {
  Product product;
  double* sums;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Ordinal block) const {
    const Ordinal first = block * format_dot_rows;
    const Ordinal last = block_end(first, format_dot_rows, product.A.num_rows);
    double gathered = 0;
    for (Ordinal slot = first; slot < last; ++slot) {
      const Ordinal row = product.A.row(slot);
      const auto sum = product.row_sum(slot);
      product.target.y[row] = sum;
      gathered = multiply_add(static_cast<double>(sum), static_cast<double>(product.target.x[row]),
                              gathered);
    }
    sums[block] = gathered;
  }
};

/// Returns the number of sums for \p rows rows: blocks on a host, warps of all teams on a GPU.
template <class ExecutionSpace>
Offset slot_dot_sums(Ordinal rows) {
  if constexpr (is_host_space<ExecutionSpace>)
    return (static_cast<Offset>(rows) + format_dot_rows - 1) / format_dot_rows;
  else
    return (static_cast<Offset>(rows) + spmv_dot_threads - 1) / spmv_dot_threads *
           (spmv_dot_threads / warp_lanes);
}

/// Launches \p product together with the sums of `x . y`.
///
/// \tparam teams minimum number of teams that share a multiprocessor of a GPU
template <int teams, class ExecutionSpace, class Product>
void launch_slots_with_dot(const ExecutionSpace& exec, const std::string& label,
                           const Product& product, double* sums) {
  const Offset count = slot_dot_sums<ExecutionSpace>(product.A.num_rows);
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
                         SpmvSlotBlocksWithDot<Product>{product, sums});
  } else {
    const auto launch = [&](const auto& functor) {
      using Functor = std::decay_t<decltype(functor)>;
      static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
      const int league = static_cast<int>(count / (spmv_dot_threads / warp_lanes));
      Kokkos::parallel_for(label, typename Functor::Policy(exec, league, spmv_dot_threads),
                           functor);
    };
    // The dot must not reduce the number of resident threads below that of the plain product.
    if (teams_fit(device_traits(exec), teams, spmv_dot_threads, 0))
      launch(SpmvSlotsWithDot<ExecutionSpace, Product, teams>{product, sums});
    else
      launch(SpmvSlotsWithDot<ExecutionSpace, Product, 1>{product, sums});
  }
}

}  // namespace Tomokkos::Impl
