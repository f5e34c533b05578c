// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a block-circulant matrix on host threads that keep the sums of a row in registers
// and write them once.
#pragma once

#include <impl/Tomokkos_CirculantHostRows.hpp>
#include <impl/Tomokkos_HostPacks.hpp>
#include <string>

namespace Tomokkos::Impl {
inline namespace TOMOKKOS_HOST_PACKS_OF {

/// \brief Launches the kernel returned by `make(shares)` for \p parts equal shares of the rows.
template <class ExecutionSpace, class Make>
void launch_shares(const ExecutionSpace& exec, const std::string& label, const Offset* row_offsets,
                   Ordinal num_rows, int parts, const Make& make) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, parts),
      make(RowShares{row_offsets, num_rows, parts}));
}

/// \brief Chooses several shares per thread, because shares take different times.
template <class ExecutionSpace>
int choose_shares(const ExecutionSpace& exec, Ordinal num_rows) {
  constexpr int shares_per_thread = 8;
  return std::clamp(num_rows, 1, shares_per_thread * concurrency(exec));
}

#ifdef TOMOKKOS_HOST_PACKS

/// Distance, in entries, between the one being added and the one whose values of X are prefetched.
/// Measured on a Xeon with AVX-512, cone beams with 150 blocks: without prefetch, products take
/// 1.05 to 1.15 times as long; 8, 16 and 32 differ by 3 %.
inline constexpr Offset host_circulant_prefetch = 16;

/// Number of independent sums of N packs of a row, so that additions need not wait for each other.
template <int N>
inline constexpr int host_circulant_chains = N <= 2   ? 4
                                             : N <= 4 ? 2
                                                      : 1;

/// \brief Computes `y = alpha sums + beta y` for the N packs, \p count values, of some sums of a
/// row.
template <int N, class Scalar>
[[gnu::always_inline]] inline void store_circulant_sums(const CirculantPass<Scalar>& pass,
                                                        HostVector<Scalar> (&sums)[N], int count,
                                                        Scalar* y) {
  const HostVector<Scalar> alpha = HostVector<Scalar>{} + pass.alpha;
#pragma GCC unroll 32
  for (int n = 0; n < N; ++n) sums[n] *= alpha;
  if (pass.beta != Scalar(0)) {
    const HostVector<Scalar> beta = HostVector<Scalar>{} + pass.beta;
    HostVector<Scalar> before[N];
    load_host_packs<N, Scalar>(y, count, before);
#pragma GCC unroll 32
    for (int n = 0; n < N; ++n) sums[n] += beta * before[n];
  }
  store_host_packs<N, Scalar>(sums, count, y);
}

/// Computes `count` sums (N packs) of row i, from `first` on, with X replicated.
template <class Scalar>
struct ReplicatedPacks {
  template <int N>
  struct Sum {
    static void run(const CirculantPass<Scalar>& pass, Ordinal i, Ordinal first, int count) {
      constexpr int chains = host_circulant_chains<N>;
      HostVector<Scalar> sums[chains][N] = {};
      const Offset end = pass.row_offsets[i + 1];
      const Offset last = pass.row_offsets[pass.block_rows] - 1;
      const auto x = [&](Offset e) {
        return pass.x + (Offset{pass.positions[e]} * pass.vectors + first);
      };
      Offset e = pass.row_offsets[i];
      for (; e + chains <= end; e += chains) {
#pragma GCC unroll 4
        for (int c = 0; c < chains; ++c) {
          prefetch_host_packs<N>(x(std::min(e + c + host_circulant_prefetch, last)));
          add_host_packs<N>(sums[c], pass.values[e + c], x(e + c));
        }
      }
      for (; e < end; ++e) add_host_packs<N>(sums[0], pass.values[e], x(e));
#pragma GCC unroll 4
      for (int c = 1; c < chains; ++c) {
#pragma GCC unroll 32
        for (int n = 0; n < N; ++n) sums[0][n] += sums[c][n];
      }
      store_circulant_sums<N>(pass, sums[0], count, pass.y + (Offset{i} * pass.width() + first));
    }
  };
};

/// Computes the same sums with X itself. If an entry has another column than the one before, the
/// row of X is doubled in the first-level cache.
template <class Scalar>
struct DoubledPacks {
  template <int N>
  struct Sum {
    static void run(const CirculantPass<Scalar>& pass, Ordinal i, Ordinal first, int count) {
      DoubledRow<Scalar> row(pass.width());
      const CirculantPlaces places(pass.pitch);
      HostVector<Scalar> sums[N] = {};
      std::uint32_t column = 0xffffffffU;
      for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e) {
        const CirculantPlace place = places(pass.positions[e]);
        if (place.column != column) {
          column = place.column;
          row.take(pass.x + Offset{column} * pass.width());
        }
        add_host_packs<N>(sums, pass.values[e],
                          row.from(static_cast<Ordinal>(place.block) * pass.vectors + first));
      }
      store_circulant_sums<N>(pass, sums, count, pass.y + (Offset{i} * pass.width() + first));
    }
  };
};

/// Computes rows of Y, in passes of as many packs as fit into registers.
///
/// \tparam Packs `ReplicatedPacks` or `DoubledPacks`
template <class Scalar, template <class> class Packs>
struct CirculantHostLanes {
  CirculantPass<Scalar> pass;
  RowShares shares;

  // Called only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    using Function = void (*)(const CirculantPass<Scalar>&, Ordinal, Ordinal, int);
    static constexpr auto sum = host_pack_table<Function, Packs<Scalar>::template Sum>(
        std::make_integer_sequence<int, most_host_packs>());
    const Ordinal end = shares.begin(part + 1);
    for (Ordinal i = shares.begin(part); i < end; ++i)
      for_host_packs<Scalar>(pass.width(), [&](Ordinal first, int packs, int count) {
        sum[static_cast<std::size_t>(packs - 1)](pass, i, first, count);
      });
  }
};

#endif

/// \tparam Replicated `pass.x` is X replicated
template <bool Replicated, class ExecutionSpace, class Scalar>
void run_circulant_lanes(const ExecutionSpace& exec, const std::string& label,
                         const CirculantPass<Scalar>& pass, int parts) {
  const auto launch = [&](const auto& make) {
    launch_shares(exec, label, pass.row_offsets, pass.block_rows, parts, make);
  };
#ifdef TOMOKKOS_HOST_PACKS
  if constexpr (Replicated) {
    launch([&](const RowShares& shares) {
      return CirculantHostLanes<Scalar, ReplicatedPacks>{pass, shares};
    });
    return;
  } else if (pass.width() <= DoubledRow<Scalar>::most) {
    launch([&](const RowShares& shares) {
      return CirculantHostLanes<Scalar, DoubledPacks>{pass, shares};
    });
    return;
  }
#endif
  constexpr auto variant = Replicated ? CirculantVariant::replicated : CirculantVariant::registers;
  launch([&](const RowShares& shares) {
    return CirculantHostRows<Scalar, variant>{pass, CirculantPlaces(pass.pitch), shares};
  });
}

}  // namespace TOMOKKOS_HOST_PACKS_OF
}  // namespace Tomokkos::Impl
