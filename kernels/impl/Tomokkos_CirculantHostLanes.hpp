// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product with a block-circulant matrix by a host thread that keeps the sums of a row in
// registers, of X replicated.
#pragma once

#include <impl/Tomokkos_CirculantHostRows.hpp>
#include <string>

namespace Tomokkos::Impl {

/// \brief Calls the kernel that `make(shares)` returns for \p parts equal shares of the rows.
template <class ExecutionSpace, class Make>
void launch_shares(const ExecutionSpace& exec, const std::string& label, const Offset* row_offsets,
                   Ordinal num_rows, int parts, const Make& make) {
  Kokkos::parallel_for(
      label, Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0, parts),
      make(RowShares{row_offsets, num_rows, parts}));
}

/// \brief Several shares for each thread: they do not take equally long.
template <class ExecutionSpace>
int choose_shares(const ExecutionSpace& exec, Ordinal num_rows) {
  constexpr int shares_per_thread = 8;
  return std::clamp(num_rows, 1, shares_per_thread * concurrency(exec));
}

template <class Scalar>
struct CirculantHostLanes {
  CirculantPass<Scalar> pass;
  RowShares shares;

  void operator()(const int part) const {
    const Ordinal end = shares.begin(part + 1), width = pass.width();
    Scalar sums[host_circulant_sums];
    for (Ordinal i = shares.begin(part); i < end; ++i)
      for (Ordinal first = 0; first < width; first += host_circulant_sums) {
        const Ordinal count = std::min(host_circulant_sums, width - first);
        std::fill_n(sums, count, Scalar(0));
        for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e)
          host_axpy(pass.values[e], pass.x + (Offset{pass.positions[e]} * pass.vectors + first),
                    sums, count);
        Scalar* const y = pass.y + (Offset{i} * width + first);
        for (Ordinal q = 0; q < count; ++q) y[q] = combine(pass.alpha, sums[q], pass.beta, y[q]);
      }
  }
};

template <class ExecutionSpace, class Scalar>
void run_circulant_lanes(const ExecutionSpace& exec, const std::string& label,
                         const CirculantPass<Scalar>& pass, int parts) {
  launch_shares(exec, label, pass.row_offsets, pass.block_rows, parts,
                [&](const RowShares& shares) {
                  return CirculantHostLanes<Scalar>{pass, shares};
                });
}

}  // namespace Tomokkos::Impl
