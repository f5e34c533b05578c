// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes `Y = alpha A X + beta Y` with BCSR. The B rows of X for a block are read once for its B
// rows.
#include <Tomokkos_BcsrFormat.hpp>
#include <impl/Tomokkos_SpmmHost_impl.hpp>
#include <impl/Tomokkos_StoredSpmm_impl.hpp>

namespace Tomokkos::Impl {

template <class Scalar, int B>
struct BlockRows {
  const Offset* offsets;
  const Ordinal* columns;
  const Scalar* values;
  Ordinal num_block_rows, num_rows, num_cols;
  /// True if the values of a block may be read by 16-byte loads.
  bool values_aligned;

  KOKKOS_FORCEINLINE_FUNCTION bool has_column(Ordinal block, int c) const {
    return static_cast<Offset>(block) * B + c < num_cols;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool has_row(Ordinal block_row, int r) const {
    return static_cast<Offset>(block_row) * B + r < num_rows;
  }
};

/// \brief Processes a block row with the lanes of one team member. They share the vectors as in
/// `SpmmRows`; each lane keeps the sums of B rows.
template <class ExecutionSpace, class Scalar, int B, int W, bool Aligned>
struct SpmmBlocks {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<spmm_team_threads, 1>>;
  using Member = typename Policy::member_type;
  using Lanes = LaneVectors<Scalar, W, Aligned>;
  static constexpr int V = Lanes::V;
  static constexpr int L = Lanes::L;

  BlockRows<Scalar, B> A;
  MultiVectorPass<Scalar> pass;
  int parts;

  /// Adds the columns [first, first + C) of a block.
  template <int C>
  KOKKOS_FORCEINLINE_FUNCTION void add_columns(Offset k, Ordinal block, int first, int lane,
                                               Scalar (&sum)[B][V]) const {
    alignas(16) Scalar x[C][V];
    for (int c = 0; c < C; ++c) {
      if (A.has_column(block, first + c)) {
        Lanes::load(pass.x + (static_cast<Offset>(block) * B + first + c) * pass.stride, lane,
                    pass.width, x[c]);
      } else {
        for (int v = 0; v < V; ++v) x[c][v] = 0;
      }
    }
    for (int r = 0; r < B; ++r) {
      alignas(16) Scalar value[C];
      const Scalar* const from = A.values + k * (B * B) + r * B + first;
      if constexpr (C % 2 == 0) {
        if (A.values_aligned)
          load_gathered_block(from, value);
        else
          for (int c = 0; c < C; ++c) value[c] = load_gathered(from + c);
      } else {
        for (int c = 0; c < C; ++c) value[c] = load_gathered(from + c);
      }
      for (int c = 0; c < C; ++c)
        for (int v = 0; v < V; ++v) sum[r][v] += value[c] * x[c][v];
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset slot =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    if (slot >= A.num_block_rows) return;
    const auto block_row = static_cast<Ordinal>(slot);
    const int lane = lane_of_member() % L;
    const int part = lane_of_member() / L;
    const bool active = Lanes::holds_any(lane, pass.width);
    Scalar sum[B][V] = {};
    if (active) {
      constexpr int C = B % 4 == 0 ? 4 : B;
      for (Offset k = A.offsets[block_row] + part; k < A.offsets[block_row + 1]; k += parts) {
        const Ordinal block = A.columns[k];
        for (int first = 0; first < B; first += C) add_columns<C>(k, block, first, lane, sum);
      }
    }
    for (int r = 0; r < B; ++r) {
      if (parts > 1)
        for (int v = 0; v < V; ++v) sum[r][v] = sum_over_lanes(sum[r][v], L, L * parts);
      if (part == 0 && active && A.has_row(block_row, r))
        Lanes::store(pass, block_row * B + r, lane, sum[r]);
    }
  }
};

/// \brief Processes a block row with one host thread.
template <class Scalar, int B>
struct SpmmBlocksHost {
  BlockRows<Scalar, B> A;
  MultiVectorPass<Scalar> pass;
  int parts;

  template <int W>
  void add_vectors(Ordinal block_row, int first_vector) const {
    Scalar sum[B][W] = {};
    for (Offset k = A.offsets[block_row]; k < A.offsets[block_row + 1]; ++k) {
      const Ordinal block = A.columns[k];
      const Scalar* const values = A.values + k * (B * B);
      for (int c = 0; c < B && A.has_column(block, c); ++c) {
        const Scalar* const x =
            pass.x + (static_cast<Offset>(block) * B + c) * pass.stride + first_vector;
        for (int r = 0; r < B; ++r) add_row(values[r * B + c], x, sum[r]);
      }
    }
    for (int r = 0; r < B && A.has_row(block_row, r); ++r) {
      store_row(pass.alpha, sum[r], pass.beta, pass.y + pass.at(block_row * B + r) + first_vector);
    }
  }

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    const Ordinal end = first_slot_of_part(A.offsets, A.num_block_rows, part + 1, parts);
    for (Ordinal block_row = first_slot_of_part(A.offsets, A.num_block_rows, part, parts);
         block_row < end; ++block_row) {
      for_each_host_width(pass.width, [&](auto width, int first) {
        add_vectors<decltype(width)::value>(block_row, first);
      });
    }
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
struct FormatSpmm<ExecutionSpace, BcsrMatrix<Scalar, MemorySpace, B>> {
  static void multiply(const ExecutionSpace& exec, const BcsrMatrix<Scalar, MemorySpace, B>& A,
                       const MultiVectorPass<Scalar>& pass, const SpmmOptions& options) {
    const BlockRows<Scalar, B> rows{A.block_offsets.data(),
                                    A.block_columns.data(),
                                    A.values.data(),
                                    A.num_block_rows(),
                                    A.num_rows,
                                    A.num_cols,
                                    is_pack_aligned(A.values.data())};
    if constexpr (is_host_space<ExecutionSpace>) {
      (void)options;
      const int parts = concurrency(exec);
      Kokkos::parallel_for("Tomokkos::spmm::bcsr",
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, parts),
                           SpmmBlocksHost<Scalar, B>{rows, pass, parts});
    } else {
      const double mean = static_cast<double>(A.num_blocks()) / A.num_block_rows();
      for_each_spmm_pass(pass, [&](auto width, const MultiVectorPass<Scalar>& part) {
        constexpr int W = decltype(width)::width;
        using Functor = SpmmBlocks<ExecutionSpace, Scalar, B, W, decltype(width)::aligned>;
        static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
        const SpmmOptions chosen =
            choose_spmm_launch(device_traits(exec), mean, 1, W, sizeof(Scalar), options);
        Kokkos::parallel_for(
            "Tomokkos::spmm::bcsr",
            typename Functor::Policy(exec, (rows.num_block_rows - 1) / chosen.team_size + 1,
                                     chosen.team_size, Functor::L * chosen.parts),
            Functor{rows, part, chosen.parts});
      });
    }
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                            \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 2>) \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 3>) \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 4>) \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 8>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
