// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of ELLPACK, ELLPACK-R and SELL.
#include <Tomokkos_PaddedFormats.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_HostChunkSum_impl.hpp>
#include <impl/Tomokkos_RowDots.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Multiplies ELLPACK or ELLPACK-R on a host, one row per step.
template <class Scalar>
struct SpmvPaddedHost {
  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  Scalar row_sum(Ordinal slot) const {
    return host_padded_row_sum(A, A.position(slot, 0), A.length(slot), target.x);
  }

  void operator()(const Ordinal slot) const { target.store(A.row(slot), row_sum(slot)); }
};

/// \brief Multiplies ELLPACK on a GPU, one thread per row, which skips padding.
///
/// The entries of neighbouring rows are adjacent. Four entries are loaded before the first is used.
template <class Scalar>
struct SpmvEll {
  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Ordinal row) const {
    constexpr int unroll = 4;
    Scalar sum[unroll] = {0, 0, 0, 0};
    Ordinal k = 0;
    for (; k + unroll <= A.width; k += unroll) {
      Ordinal column[unroll];
      Scalar value[unroll];
      for (int i = 0; i < unroll; ++i) {
        const Offset at = row * A.row_stride + (k + i) * A.entry_stride;
        column[i] = A.columns[at];
        value[i] = A.values[at];
      }
      if (column[0] == padding_column) break;
      for (int i = 0; i < unroll; ++i)
        if (column[i] != padding_column) sum[i] += value[i] * load_gathered(target.x + column[i]);
    }
    for (; k < A.width; ++k) {
      const Offset at = row * A.row_stride + k * A.entry_stride;
      const Ordinal column = A.columns[at];
      if (column == padding_column) break;
      sum[0] += A.values[at] * load_gathered(target.x + column);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  KOKKOS_FUNCTION void operator()(const Ordinal row) const { target.store(row, row_sum(row)); }
};

/// \brief Multiplies ELLPACK-R on a GPU, one thread per row, without reading padding.
template <class Scalar>
struct SpmvEllR {
  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Ordinal slot) const {
    const Ordinal length = A.lengths[slot];
    constexpr int unroll = 4;
    Scalar sum[unroll] = {0, 0, 0, 0};
    Ordinal k = 0;
    for (; k + unroll <= length; k += unroll) {
      Ordinal column[unroll];
      Scalar value[unroll];
      for (int i = 0; i < unroll; ++i) {
        const Offset at = slot * A.row_stride + (k + i) * A.entry_stride;
        column[i] = A.columns[at];
        value[i] = A.values[at];
      }
      for (int i = 0; i < unroll; ++i) sum[i] += value[i] * load_gathered(target.x + column[i]);
    }
    for (; k < length; ++k) {
      const Offset at = slot * A.row_stride + k * A.entry_stride;
      sum[0] += A.values[at] * load_gathered(target.x + A.columns[at]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    target.store(A.row(slot), row_sum(slot));
  }
};

/// \brief Multiplies ELLPACK-R with the vector lanes of a team member per row: of T lanes, lane t
/// processes the entries t, t + T, ...
template <class ExecutionSpace, class Scalar>
struct SpmvEllRLanes {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset slot =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    if (slot >= A.num_slots) return;
    const Offset first = slot * A.row_stride;
    Scalar sum = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, A.lengths[slot]),
        [&](const Ordinal k, Scalar& partial) {
          const Offset at = first + k * A.entry_stride;
          partial += A.values[at] * load_gathered(target.x + A.columns[at]);
        },
        sum);
    Kokkos::single(Kokkos::PerThread(member),
                   [&]() { target.store(A.row(static_cast<Ordinal>(slot)), sum); });
  }
};

/// \brief Multiplies SELL on a GPU, one thread per row, in packs of four entries; the packs of
/// neighbouring lanes are adjacent.
template <class Scalar>
struct SpmvSellPacked {
  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;

  KOKKOS_FUNCTION void add(const Pack<Ordinal>& column, const Pack<Scalar>& value,
                           Scalar (&sum)[pack_size]) const {
    for (int i = 0; i < pack_size; ++i)
      sum[i] += value.value[i] * load_gathered(target.x + column.value[i]);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Ordinal slot) const {
    const Ordinal length = A.lengths[slot];
    const Ordinal c = slot / A.chunk;
    const Offset step = static_cast<Offset>(A.chunk) * pack_size;
    Offset at = A.chunk_offsets[c] + static_cast<Offset>(slot - c * A.chunk) * pack_size;
    Scalar sum[pack_size] = {0, 0, 0, 0};
    Ordinal k = 0;
    for (; k + 2 * pack_size <= length; k += 2 * pack_size, at += 2 * step) {
      const Pack<Ordinal> column0 = load_streamed(A.columns + at);
      const Pack<Ordinal> column1 = load_streamed(A.columns + at + step);
      const Pack<Scalar> value0 = load_streamed(A.values + at);
      const Pack<Scalar> value1 = load_streamed(A.values + at + step);
      add(column0, value0, sum);
      add(column1, value1, sum);
    }
    for (; k < length; k += pack_size, at += step) {
      const Pack<Ordinal> column = load_streamed(A.columns + at);
      const Pack<Scalar> value = load_streamed(A.values + at);
      for (int i = 0; i < pack_size; ++i)
        if (k + i < length) sum[i] += value.value[i] * load_gathered(target.x + column.value[i]);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    const Scalar sum = row_sum(slot);
    if (slot < A.num_rows) target.store(A.row(slot), sum);
  }
};

/// \brief Multiplies SELL on a host: a chunk of rows side by side in the lanes of a vector. The
/// parts have equal numbers of entries.
template <class Scalar>
struct SpmvSellChunks {
  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;
  Ordinal num_chunks;
  int parts;

  Ordinal first_chunk(int part) const {
    const Offset entries = A.chunk_offsets[num_chunks];
    const Offset wanted = part < parts ? entries / parts * part : entries + 1;
    Ordinal low = 0, high = num_chunks;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (A.chunk_offsets[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  int rows_of(Ordinal c) const {
    constexpr int lanes = host_chunk_lanes<Scalar>;
    const Ordinal left = A.num_rows - c * lanes;
    return left < lanes ? static_cast<int>(left) : lanes;
  }

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    constexpr int lanes = host_chunk_lanes<Scalar>;
    const Ordinal last = first_chunk(part + 1);
    for (Ordinal c = part == 0 ? 0 : first_chunk(part); c < last; ++c) {
      Scalar sum[lanes];
      host_chunk_sum(A, c, target.x, sum);
      const int rows = rows_of(c);
      for (int lane = 0; lane < rows; ++lane) target.store(A.row(c * lanes + lane), sum[lane]);
    }
  }
};

/// \brief Multiplies SELL with any other chunk and pack, one thread per row.
template <class Scalar>
struct SpmvSellGeneric {
  PaddedRows<Scalar> A;
  ProductTarget<Scalar> target;

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Ordinal slot) const {
    const Ordinal length = A.lengths[slot];
    Scalar sum = 0;
    for (Ordinal k = 0; k < length; ++k) {
      const Offset at = A.position(slot, k);
      sum += A.values[at] * load_gathered(target.x + A.columns[at]);
    }
    return sum;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    if (slot < A.num_rows) target.store(A.row(slot), row_sum(slot));
  }
};

/// \brief True if a chunk of \p A fits exactly one host vector.
template <class Scalar, class MemorySpace>
bool has_host_chunks(const SellMatrix<Scalar, MemorySpace>& A) {
  return A.chunk == host_chunk_lanes<Scalar> && A.pack == 1;
}

/// \brief True if the slots of \p A may be read in packs.
template <class Scalar, class MemorySpace>
bool has_packed_slots(const SellMatrix<Scalar, MemorySpace>& A) {
  return A.pack == pack_size && is_pack_aligned(A.columns.data()) &&
         is_pack_aligned(A.values.data());
}

/// \brief Multiplies SELL on a host by whole chunks and forms `x . y`.
///
/// The parts have equal numbers of entries and depend on the number of threads. They consist of
/// whole blocks, whose sums do not depend on it.
template <class Scalar>
struct SpmvSellChunksWithDot {
  static constexpr int lanes = host_chunk_lanes<Scalar>;
  static constexpr Ordinal chunks_per_block = format_dot_rows / lanes;
  static_assert(format_dot_rows % lanes == 0, "blocks must consist of whole chunks");

  SpmvSellChunks<Scalar> product;
  double* sums;
  Ordinal num_blocks;

  Ordinal first_block(int part) const {
    if (part == 0) return 0;
    return part < product.parts ? product.first_chunk(part) / chunks_per_block : num_blocks;
  }

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
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

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, EllMatrix<Scalar, MemorySpace>> {
  using Matrix = EllMatrix<Scalar, MemorySpace>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static void multiply(const ExecutionSpace& exec, const Plan&, const Matrix& A,
                       const ProductTarget<Scalar>& target) {
    const Kokkos::RangePolicy<ExecutionSpace> rows(exec, 0, A.num_rows);
    if constexpr (is_host_space<ExecutionSpace>)
      Kokkos::parallel_for("Tomokkos::spmv::ell", rows,
                           SpmvPaddedHost<Scalar>{padded_rows(A), target});
    else
      Kokkos::parallel_for("Tomokkos::spmv::ell", rows, SpmvEll<Scalar>{padded_rows(A), target});
  }

  static Offset dot_sums(const Plan&, const Matrix& A) {
    return slot_dot_sums<ExecutionSpace>(A.num_rows);
  }

  static void multiply_with_dot(const ExecutionSpace& exec, const Plan&, const Matrix& A,
                                const ProductTarget<Scalar>& target, double* sums) {
    using Product =
        std::conditional_t<is_host_space<ExecutionSpace>, SpmvPaddedHost<Scalar>, SpmvEll<Scalar>>;
    constexpr int teams = sizeof(Scalar) > sizeof(float) ? slot_dot_teams : small_slot_dot_teams;
    launch_slots_with_dot<teams>(exec, "Tomokkos::spmv::ell::dot", Product{padded_rows(A), target},
                                 sums);
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, EllRMatrix<Scalar, MemorySpace>> {
  using Matrix = EllRMatrix<Scalar, MemorySpace>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static void multiply(const ExecutionSpace& exec, const Plan& plan, const Matrix& A,
                       const ProductTarget<Scalar>& target) {
    const Kokkos::RangePolicy<ExecutionSpace> slots(exec, 0, A.num_rows);
    if constexpr (is_host_space<ExecutionSpace>) {
      (void)plan;
      Kokkos::parallel_for("Tomokkos::spmv::ell_r", slots,
                           SpmvPaddedHost<Scalar>{padded_rows(A), target});
    } else if (plan.options().vector_length <= 1) {
      Kokkos::parallel_for("Tomokkos::spmv::ell_r::scalar", slots,
                           SpmvEllR<Scalar>{padded_rows(A), target});
    } else {
      using Functor = SpmvEllRLanes<ExecutionSpace, Scalar>;
      static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
      const SpmvOptions& options = plan.options();
      const int teams = (A.num_rows - 1) / options.team_size + 1;
      Kokkos::parallel_for(
          "Tomokkos::spmv::ell_r::lanes",
          typename Functor::Policy(exec, teams, options.team_size, options.vector_length),
          Functor{padded_rows(A), target});
    }
  }

  static Offset dot_sums(const Plan& plan, const Matrix& A) {
    return plan.options().vector_length <= 1 ? slot_dot_sums<ExecutionSpace>(A.num_rows) : 0;
  }

  static void multiply_with_dot(const ExecutionSpace& exec, const Plan&, const Matrix& A,
                                const ProductTarget<Scalar>& target, double* sums) {
    using Product =
        std::conditional_t<is_host_space<ExecutionSpace>, SpmvPaddedHost<Scalar>, SpmvEllR<Scalar>>;
    launch_slots_with_dot<slot_dot_teams>(exec, "Tomokkos::spmv::ell_r::dot",
                                          Product{padded_rows(A), target}, sums);
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, SellMatrix<Scalar, MemorySpace>> {
  using Matrix = SellMatrix<Scalar, MemorySpace>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static void multiply(const ExecutionSpace& exec, const Plan&, const Matrix& A,
                       const ProductTarget<Scalar>& target) {
    const PaddedRows<Scalar> rows = padded_rows(A);
    const Kokkos::RangePolicy<ExecutionSpace> slots(exec, 0, rows.num_slots);
    if constexpr (is_host_space<ExecutionSpace>) {
      if (has_host_chunks(A)) {
        const int parts = concurrency(exec);
        Kokkos::parallel_for("Tomokkos::spmv::sell::chunks",
                             Kokkos::RangePolicy<ExecutionSpace>(exec, 0, parts),
                             SpmvSellChunks<Scalar>{rows, target, rows.num_slots / A.chunk, parts});
        return;
      }
    } else {
      if (has_packed_slots(A)) {
        Kokkos::parallel_for("Tomokkos::spmv::sell::packed", slots,
                             SpmvSellPacked<Scalar>{rows, target});
        return;
      }
    }
    Kokkos::parallel_for("Tomokkos::spmv::sell::scalar", slots,
                         SpmvSellGeneric<Scalar>{rows, target});
  }

  static Offset dot_sums(const Plan&, const Matrix& A) {
    return slot_dot_sums<ExecutionSpace>(A.num_rows);
  }

  static void multiply_with_dot(const ExecutionSpace& exec, const Plan&, const Matrix& A,
                                const ProductTarget<Scalar>& target, double* sums) {
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
                                                SpmvSellGeneric<Scalar>{rows, target}, sums);
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
SpmvPlan<ExecutionSpace, EllRMatrix<Scalar, typename ExecutionSpace::memory_space>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : Impl::PlanWithoutMemory(
          choose_ell_r_launch(device_traits(exec), A.num_rows, A.num_nonzeros(), options)) {}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                             \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, EllMatrix<SCALAR, SPACE::memory_space>)  \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, EllRMatrix<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, SellMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
