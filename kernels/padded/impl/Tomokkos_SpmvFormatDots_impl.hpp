// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the formats that leave `x . y` behind: the kernels of the plain products around the
// same sums of rows, so y has the same bits. On a GPU every warp adds up the rows of its threads,
// on a host every block of rows has its sum, however many threads there are.
#pragma once

#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <impl/Tomokkos_SpmvBcsr_impl.hpp>
#include <impl/Tomokkos_SpmvPadded_impl.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos::Impl {

/// \brief ELLPACK, ELLPACK-R and SELL on a GPU: a thread per row, in teams of whole warps.
///
/// \tparam Product the plain kernel, whose sum of a row this takes
/// \tparam teams that share a multiprocessor at least
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
      // After the sum, which wants all registers; the diagonal has mostly brought it near.
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

/// Where a block of \p size that begins at \p first ends, among \p count.
inline Ordinal block_end(Ordinal first, Ordinal size, Ordinal count) {
  return count - first < size ? count : first + size;
}

/// \brief The same on a host: a block of slots per step.
template <class Product>
struct SpmvSlotBlocksWithDot {
  Product product;
  double* sums;

  // For hosts alone, hence without a mark for devices.
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

/// \brief SELL on a host by whole chunks. The parts of the range hold equal shares of the entries
/// and follow the number of threads; they are made of whole blocks, whose sums do not.
template <class Scalar>
struct SpmvSellChunksWithDot {
  static constexpr int lanes = host_chunk_lanes<Scalar>;
  static constexpr Ordinal chunks_per_block = format_dot_rows / lanes;
  static_assert(format_dot_rows % lanes == 0, "blocks are whole chunks");

  SpmvSellChunks<Scalar> product;
  double* sums;
  Ordinal num_blocks;

  Ordinal first_block(int part) const {
    if (part == 0) return 0;
    return part < product.parts ? product.first_chunk(part) / chunks_per_block : num_blocks;
  }

  // For hosts alone, hence without a mark for devices.
  void operator()(const int part) const {
    const Ordinal last = first_block(part + 1);
    for (Ordinal block = first_block(part); block < last; ++block) sums[block] = multiply(block);
  }

  double multiply(Ordinal block) const {
    const Ordinal first = block * chunks_per_block;
    const Ordinal last = block_end(first, chunks_per_block, product.num_chunks);
    double gathered = 0;
    for (Ordinal c = first; c < last; ++c) {
      Scalar sum[lanes];
      host_chunk_sum(product.A, c, product.target.x, sum);
      const int rows = product.rows_of(c);
      for (int lane = 0; lane < rows; ++lane) {
        const Ordinal row = product.A.row(c * lanes + lane);
        product.target.y[row] = sum[lane];
        gathered = multiply_add(static_cast<double>(sum[lane]),
                                static_cast<double>(product.target.x[row]), gathered);
      }
    }
    return gathered;
  }
};

/// \brief BCSR on a GPU: the lanes that store rows read their x first.
///
/// \tparam teams that share a multiprocessor at least
template <class ExecutionSpace, class Scalar, int B, int teams>
struct SpmvBcsrTeamWithDot {
  using Product = SpmvBcsrTeam<ExecutionSpace, Scalar, B>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<spmv_dot_threads, teams>>;
  using Member = typename Policy::member_type;
  static constexpr int rows_per_lane = Product::rows_per_lane;

  Product product;
  double* sums;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal block_row = member.league_rank() * member.team_size() + member.team_rank();
    const int lane = lane_of_member();
    const int first = lane % Product::lanes_per_block * rows_per_lane;
    // The rows that I store. The other lanes of a block have others, further lanes none.
    const unsigned row = static_cast<unsigned>(block_row) * B + static_cast<unsigned>(first);
    const unsigned end = lane < Product::lanes_per_block && first < B
                             ? static_cast<unsigned>(product.A.num_rows)
                             : 0U;
    Scalar own[rows_per_lane] = {};
    for (int r = 0; r < rows_per_lane; ++r)
      if (row + r < end) own[r] = load_gathered(product.A.target.x + row + r);
    Scalar sum[rows_per_lane] = {};
    if (block_row < product.A.num_block_rows) product.sum_blocks(block_row, lane, first, sum);
    double gathered = 0;
    for (int r = 0; r < rows_per_lane; ++r) {
      const Scalar total = sum_over_lanes(sum[r], Product::lanes_per_block, product.lanes);
      if (row + r < end) {
        product.A.target.y[row + r] = total;
        gathered = multiply_add(static_cast<double>(total), static_cast<double>(own[r]), gathered);
      }
    }
    const double total = sum_over_lanes(gathered, 1, warp_lanes);
    const int thread = member.team_rank() * product.lanes + lane;
    if (thread % warp_lanes == 0)
      sums[static_cast<Offset>(member.league_rank()) *
               (member.team_size() * product.lanes / warp_lanes) +
           thread / warp_lanes] = total;
  }
};

/// \brief BCSR on a host: a block of block rows per step.
template <class Scalar, int B>
struct SpmvBcsrBlocksWithDot {
  SpmvBcsrThread<Scalar, B> product;
  double* sums;

  // For hosts alone, hence without a mark for devices.
  void operator()(const Ordinal block) const {
    constexpr Ordinal rows_per_block = format_dot_rows / B;
    const BlockStreams<Scalar, B>& A = product.A;
    const Ordinal first = block * rows_per_block;
    const Ordinal last = block_end(first, rows_per_block, A.num_block_rows);
    double gathered = 0;
    for (Ordinal block_row = first; block_row < last; ++block_row) {
      Scalar sum[B];
      product.sum_blocks(block_row, sum);
      const Ordinal row = block_row * B;
      for (int r = 0; r < B && r < A.num_rows - row; ++r) {
        A.target.y[row + r] = sum[r];
        gathered = multiply_add(static_cast<double>(sum[r]),
                                static_cast<double>(A.target.x[row + r]), gathered);
      }
    }
    sums[block] = gathered;
  }
};

/// Blocks of a host, or warps of the teams of a GPU, that take \p rows, one a thread.
template <class ExecutionSpace>
Offset slot_dot_sums(Ordinal rows) {
  if constexpr (is_host_space<ExecutionSpace>)
    return (static_cast<Offset>(rows) + format_dot_rows - 1) / format_dot_rows;
  else
    return (static_cast<Offset>(rows) + spmv_dot_threads - 1) / spmv_dot_threads *
           (spmv_dot_threads / warp_lanes);
}

/// Formats without such a product.
template <class Matrix>
inline constexpr bool lacks_dot = false;
template <class Scalar, class MemorySpace>
inline constexpr bool lacks_dot<CooMatrix<Scalar, MemorySpace>> = true;
template <class Scalar, class MemorySpace>
inline constexpr bool lacks_dot<HybMatrix<Scalar, MemorySpace>> = true;

template <class ExecutionSpace, class Matrix>
requires(lacks_dot<Matrix>) Offset
    format_dot_sums(const SpmvPlan<ExecutionSpace, Matrix>&, const Matrix&) {
  return 0;
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
Offset format_dot_sums(const SpmvPlan<ExecutionSpace, EllMatrix<Scalar, MemorySpace>>&,
                       const EllMatrix<Scalar, MemorySpace>& A) {
  return slot_dot_sums<ExecutionSpace>(A.num_rows);
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
Offset format_dot_sums(const SpmvPlan<ExecutionSpace, EllRMatrix<Scalar, MemorySpace>>& plan,
                       const EllRMatrix<Scalar, MemorySpace>& A) {
  return plan.options().vector_length <= 1 ? slot_dot_sums<ExecutionSpace>(A.num_rows) : 0;
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
Offset format_dot_sums(const SpmvPlan<ExecutionSpace, SellMatrix<Scalar, MemorySpace>>&,
                       const SellMatrix<Scalar, MemorySpace>& A) {
  return slot_dot_sums<ExecutionSpace>(A.num_rows);
}

template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
Offset format_dot_sums(const SpmvPlan<ExecutionSpace, BcsrMatrix<Scalar, MemorySpace, B>>& plan,
                       const BcsrMatrix<Scalar, MemorySpace, B>& A) {
  if constexpr (is_host_space<ExecutionSpace>) {
    constexpr Ordinal rows_per_block = format_dot_rows / B;
    return (static_cast<Offset>(A.num_block_rows()) + rows_per_block - 1) / rows_per_block;
  } else {
    const int threads = plan.options().team_size * plan.options().vector_length;
    if (threads == 0 || threads % warp_lanes != 0 || threads > spmv_dot_threads) return 0;
    return (static_cast<Offset>(A.num_block_rows()) + plan.options().team_size - 1) /
           plan.options().team_size * (threads / warp_lanes);
  }
}

/// \tparam teams of a GPU that share a multiprocessor at least
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
      static_assert(sizeof(Functor) <= recordable_functor_bytes, "see operator_only_launches");
      const int league = static_cast<int>(count / (spmv_dot_threads / warp_lanes));
      Kokkos::parallel_for(label, typename Functor::Policy(exec, league, spmv_dot_threads),
                           functor);
    };
    // As many threads as the product alone has, of which the dot would cost some.
    if (teams_fit(device_traits(exec), teams, spmv_dot_threads, 0))
      launch(SpmvSlotsWithDot<ExecutionSpace, Product, teams>{product, sums});
    else
      launch(SpmvSlotsWithDot<ExecutionSpace, Product, 1>{product, sums});
  }
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
void launch_spmv_dot(const ExecutionSpace& exec,
                     const SpmvPlan<ExecutionSpace, EllMatrix<Scalar, MemorySpace>>&,
                     const EllMatrix<Scalar, MemorySpace>& A, const ProductTarget<Scalar>& target,
                     double* sums) {
  using Product =
      std::conditional_t<is_host_space<ExecutionSpace>, SpmvPaddedHost<Scalar>, SpmvEll<Scalar>>;
  constexpr int teams = sizeof(Scalar) > sizeof(float) ? slot_dot_teams : small_slot_dot_teams;
  launch_slots_with_dot<teams>(exec, "Tomokkos::spmv::ell::dot", Product{padded_rows(A), target},
                               sums);
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
void launch_spmv_dot(const ExecutionSpace& exec,
                     const SpmvPlan<ExecutionSpace, EllRMatrix<Scalar, MemorySpace>>&,
                     const EllRMatrix<Scalar, MemorySpace>& A, const ProductTarget<Scalar>& target,
                     double* sums) {
  using Product =
      std::conditional_t<is_host_space<ExecutionSpace>, SpmvPaddedHost<Scalar>, SpmvEllR<Scalar>>;
  launch_slots_with_dot<slot_dot_teams>(exec, "Tomokkos::spmv::ell_r::dot",
                                        Product{padded_rows(A), target}, sums);
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
void launch_spmv_dot(const ExecutionSpace& exec,
                     const SpmvPlan<ExecutionSpace, SellMatrix<Scalar, MemorySpace>>&,
                     const SellMatrix<Scalar, MemorySpace>& A, const ProductTarget<Scalar>& target,
                     double* sums) {
  const PaddedRows<Scalar> rows = padded_rows(A);
  if constexpr (is_host_space<ExecutionSpace>) {
    if (has_host_chunks(A)) {
      const int parts = concurrency(exec);
      Kokkos::parallel_for("Tomokkos::spmv::sell::dot",
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, parts),
                           SpmvSellChunksWithDot<Scalar>{
                               {rows, target, rows.num_slots / A.chunk, parts},
                               sums,
                               static_cast<Ordinal>(slot_dot_sums<ExecutionSpace>(A.num_rows))});
      return;
    }
  } else {
    if (has_packed_slots(A)) {
      launch_slots_with_dot<slot_dot_teams>(exec, "Tomokkos::spmv::sell::dot",
                                            SpmvSellPacked<Scalar>{rows, target}, sums);
      return;
    }
  }
  launch_slots_with_dot<small_slot_dot_teams>(exec, "Tomokkos::spmv::sell::dot",
                                              SpmvSellAny<Scalar>{rows, target}, sums);
}

template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
void launch_spmv_dot(const ExecutionSpace& exec,
                     const SpmvPlan<ExecutionSpace, BcsrMatrix<Scalar, MemorySpace, B>>& plan,
                     const BcsrMatrix<Scalar, MemorySpace, B>& A,
                     const ProductTarget<Scalar>& target, double* sums) {
  const BlockStreams<Scalar, B> streams = block_streams(A, target);
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("Tomokkos::spmv::bcsr::dot",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, format_dot_sums(plan, A)),
                         SpmvBcsrBlocksWithDot<Scalar, B>{{streams}, sums});
  } else {
    const SpmvOptions& options = plan.options();
    const auto launch = [&](const auto& functor) {
      using Functor = std::decay_t<decltype(functor)>;
      static_assert(sizeof(Functor) <= recordable_functor_bytes, "see operator_only_launches");
      const int league = (A.num_block_rows() - 1) / options.team_size + 1;
      Kokkos::parallel_for(
          "Tomokkos::spmv::bcsr::dot",
          typename Functor::Policy(exec, league, options.team_size, options.vector_length),
          functor);
    };
    constexpr int teams = bcsr_dot_teams(B, sizeof(Scalar));
    if (teams_fit(device_traits(exec), teams, spmv_dot_threads, 0))
      launch(SpmvBcsrTeamWithDot<ExecutionSpace, Scalar, B, teams>{{streams, options.vector_length},
                                                                   sums});
    else
      launch(SpmvBcsrTeamWithDot<ExecutionSpace, Scalar, B, 1>{{streams, options.vector_length},
                                                               sums});
  }
}

}  // namespace Tomokkos::Impl
