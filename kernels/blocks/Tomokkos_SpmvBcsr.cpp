// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Product of BCSR. The B values of x for a block are read once for its B rows. The B sums of a
// block row stay in registers.
#include <Tomokkos_BcsrFormat.hpp>
#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <impl/Tomokkos_HostBlockSums.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_RowDots.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>

namespace Tomokkos::Impl {

template <class Scalar, int B>
struct BlockStreams {
  const Offset* offsets;
  const Ordinal* columns;
  const Scalar* values;
  ProductTarget<Scalar> target;
  Ordinal num_block_rows, num_rows, num_cols;

  /// True if x, or the values, may be read in whole blocks.
  bool aligned, values_aligned;

  /// Loads the part of x for block column \p block; 0 outside of the matrix.
  KOKKOS_FORCEINLINE_FUNCTION void load_x(Ordinal block, Scalar (&x)[B]) const {
    const Ordinal first = block * B;
    if (aligned && first <= num_cols - B) {
      load_gathered_block(target.x + first, x);
      return;
    }
    for (int c = 0; c < B; ++c)
      x[c] = first + c < num_cols ? load_gathered(target.x + first + c) : Scalar(0);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(Ordinal block_row, int r, Scalar sum) const {
    const Offset row = static_cast<Offset>(block_row) * B + r;
    if (row < num_rows) target.store(static_cast<Ordinal>(row), sum);
  }
};

/// \brief Processes a block row with one thread, for hosts.
template <class Scalar, int B>
struct SpmvBcsrThread {
  BlockStreams<Scalar, B> A;

  KOKKOS_FORCEINLINE_FUNCTION void sum_blocks(Ordinal block_row, Scalar (&sum)[B]) const {
    const Offset end = A.offsets[block_row + 1];
    Offset k = A.offsets[block_row];
    if constexpr (has_host_block_sums<Scalar, B>) {
      using Sums = HostBlockSums<Scalar, B>;
      Sums sums;
      for (; k + Sums::in_flight <= end; k += Sums::in_flight)
        for (int slot = 0; slot < Sums::in_flight; ++slot) add_block(k + slot, slot, sums);
      for (; k < end; ++k) add_block(k, 0, sums);
      sums.add_rows(sum);
    } else {
      for (int r = 0; r < B; ++r) sum[r] = 0;
      for (; k < end; ++k) {
        Scalar x[B];
        A.load_x(A.columns[k], x);
        const Scalar* const block = A.values + k * (B * B);
        for (int r = 0; r < B; ++r)
          for (int c = 0; c < B; ++c) sum[r] += block[r * B + c] * x[c];
      }
    }
  }

  template <class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void add_block(Offset k, int slot, Sums& sums) const {
    const Scalar* const block = A.values + k * (B * B);
    const Ordinal first = A.columns[k] * B;
    if (first <= A.num_cols - B) {
      sums.add(slot, block, A.target.x + first);
      return;
    }
    Scalar x[B];
    A.load_x(A.columns[k], x);
    sums.add(slot, block, x);
  }

  KOKKOS_FUNCTION void operator()(const Ordinal block_row) const {
    Scalar sum[B];
    sum_blocks(block_row, sum);
    for (int r = 0; r < B; ++r) A.store(block_row, r, sum[r]);
  }
};

/// \brief Processes a block row with the lanes of one team member.
///
/// L lanes share the rows of a block: lane l processes the `B / L` rows from `l % L * B / L` on, in
/// the blocks `l / L`, `l / L + lanes / L`, ... Neighbouring lanes thus read neighbouring values. A
/// lane always processes the same rows of a block, so their sums stay in registers.
template <class ExecutionSpace, class Scalar, int B>
struct SpmvBcsrTeam {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int lanes_per_block = bcsr_lanes_per_block(B);
  static constexpr int rows_per_lane = lanes_per_block < B ? B / lanes_per_block : 1;

  BlockStreams<Scalar, B> A;
  int lanes;

  /// Sums the rows of a lane, from row \p first of a block on, over the blocks of the lane.
  KOKKOS_FORCEINLINE_FUNCTION void sum_blocks(Offset block_row, int lane, int first,
                                              Scalar (&sum)[rows_per_lane]) const {
    if (first >= B) return;
    const Offset end = A.offsets[block_row + 1];
    for (Offset k = A.offsets[block_row] + lane / lanes_per_block; k < end;
         k += lanes / lanes_per_block) {
      alignas(16) Scalar x[B];
      A.load_x(A.columns[k], x);
      alignas(16) Scalar block[rows_per_lane * B];
      load_rows(A.values + k * (B * B) + first * B, block);
      for (int r = 0; r < rows_per_lane; ++r)
        for (int c = 0; c < B; ++c) sum[r] += block[r * B + c] * x[c];
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset block_row =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    if (block_row >= A.num_block_rows) return;
    const int lane = lane_of_member();
    const int first = lane % lanes_per_block * rows_per_lane;
    Scalar sum[rows_per_lane] = {};
    sum_blocks(block_row, lane, first, sum);
    for (int r = 0; r < rows_per_lane; ++r) {
      const Scalar total = sum_over_lanes(sum[r], lanes_per_block, lanes);
      if (lane < lanes_per_block && first + r < B)
        A.store(static_cast<Ordinal>(block_row), first + r, total);
    }
  }

  /// Loads the rows of a lane with the widest loads that the alignment allows.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void load_rows(const Scalar* from, Scalar (&to)[N]) const {
    if constexpr (N % 2 == 0) {
      if (A.values_aligned) {
        load_gathered_block(from, to);
        return;
      }
    }
    for (int i = 0; i < N; ++i) to[i] = from[i];
  }
};

template <class Scalar, class MemorySpace, int B>
BlockStreams<Scalar, B> block_streams(const BcsrMatrix<Scalar, MemorySpace, B>& A,
                                      const ProductTarget<Scalar>& target) {
  return {A.block_offsets.data(),
          A.block_columns.data(),
          A.values.data(),
          target,
          A.num_block_rows(),
          A.num_rows,
          A.num_cols,
          is_pack_aligned(target.x),
          is_pack_aligned(A.values.data())};
}

/// \brief Multiplies BCSR and forms `x . y` on a GPU. The lanes that store rows read their x first.
///
/// \tparam teams minimum number of teams that share a multiprocessor
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
    // Rows that this lane stores. Other lanes of a block have other rows, further lanes have none.
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

/// \brief Multiplies BCSR and forms `x . y` on a host, one group of block rows per step.
template <class Scalar, int B>
struct SpmvBcsrBlocksWithDot {
  SpmvBcsrThread<Scalar, B> product;
  double* sums;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
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

template <class ExecutionSpace, class Scalar, class MemorySpace, int B>
struct FormatKernels<ExecutionSpace, BcsrMatrix<Scalar, MemorySpace, B>> {
  using Matrix = BcsrMatrix<Scalar, MemorySpace, B>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static void multiply(const ExecutionSpace& exec, const Plan& plan, const Matrix& A,
                       const ProductTarget<Scalar>& target) {
    const BlockStreams<Scalar, B> streams = block_streams(A, target);
    if constexpr (is_host_space<ExecutionSpace>) {
      (void)plan;
      Kokkos::parallel_for("Tomokkos::spmv::bcsr",
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_block_rows()),
                           SpmvBcsrThread<Scalar, B>{streams});
    } else {
      using Functor = SpmvBcsrTeam<ExecutionSpace, Scalar, B>;
      const SpmvOptions& options = plan.options();
      const int teams = (A.num_block_rows() - 1) / options.team_size + 1;
      Kokkos::parallel_for(
          "Tomokkos::spmv::bcsr",
          typename Functor::Policy(exec, teams, options.team_size, options.vector_length),
          Functor{streams, options.vector_length});
    }
  }

  static Offset dot_sums(const Plan& plan, const Matrix& A) {
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

  static void multiply_with_dot(const ExecutionSpace& exec, const Plan& plan, const Matrix& A,
                                const ProductTarget<Scalar>& target, double* sums) {
    const BlockStreams<Scalar, B> streams = block_streams(A, target);
    if constexpr (is_host_space<ExecutionSpace>) {
      Kokkos::parallel_for("Tomokkos::spmv::bcsr::dot",
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, dot_sums(plan, A)),
                           SpmvBcsrBlocksWithDot<Scalar, B>{{streams}, sums});
    } else {
      const SpmvOptions& options = plan.options();
      const auto launch = [&](const auto& functor) {
        using Functor = std::decay_t<decltype(functor)>;
        static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
        const int league = (A.num_block_rows() - 1) / options.team_size + 1;
        Kokkos::parallel_for(
            "Tomokkos::spmv::bcsr::dot",
            typename Functor::Policy(exec, league, options.team_size, options.vector_length),
            functor);
      };
      constexpr int teams = bcsr_dot_teams(B, sizeof(Scalar));
      if (teams_fit(device_traits(exec), teams, spmv_dot_threads, 0))
        launch(SpmvBcsrTeamWithDot<ExecutionSpace, Scalar, B, teams>{
            {streams, options.vector_length}, sums});
      else
        launch(SpmvBcsrTeamWithDot<ExecutionSpace, Scalar, B, 1>{{streams, options.vector_length},
                                                                 sums});
    }
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

template <class ExecutionSpace, class Scalar, int B>
SpmvPlan<ExecutionSpace, BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : Impl::PlanWithoutMemory(choose_bcsr_launch(device_traits(exec), B, A.num_block_rows(),
                                                 A.num_blocks(), options)) {}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 2>) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 3>) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 4>) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 8>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
