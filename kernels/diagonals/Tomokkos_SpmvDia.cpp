// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of DIA with A and with its transpose. An output uses one entry of each diagonal, and
// neighbouring outputs use neighbouring entries.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_DiaFormat.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_RowDots.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>
#include <impl/Tomokkos_StoredSpmm_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Diagonals, and ranges of the outputs and sources of a product.
template <class Scalar>
struct Diagonals {
  const Ordinal* offsets;
  const Scalar* values;
  Ordinal num_diagonals;
  Ordinal chunk;
  bool is_one_chunk;
  Ordinal first_output, num_rows;  // outputs, called rows by `RowDots`
  Ordinal first_source, sources;   // entries of x

  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal slot) const { return slot; }
  KOKKOS_FORCEINLINE_FUNCTION Offset position(Ordinal d, Offset at) const {
    if (is_one_chunk) return static_cast<Offset>(d) * chunk + at;
    const Offset before = at / chunk;
    return (before * num_diagonals + d) * chunk + (at - before * chunk);
  }
};

template <class Scalar, class MemorySpace>
Diagonals<Scalar> diagonals_of(const DiaMatrix<Scalar, MemorySpace>& A, RowRange outputs,
                               RowRange sources) {
  return {A.offsets.data(),           A.values.data(), A.num_diagonals(),           A.chunk,
          A.num_chunks() <= 1,        outputs.begin,   outputs.end - outputs.begin, sources.begin,
          sources.end - sources.begin};
}

/// Entry of a diagonal for one output: its position among the values and its source. The source is
/// clamped to a valid one, so both can be loaded before it is known whether the entry counts.
struct DiagonalEntry {
  Offset at;
  Ordinal source;
  bool is_there;
};

template <bool Transposed, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION DiagonalEntry diagonal_entry(const Diagonals<Scalar>& A, Ordinal d,
                                                         Offset output) {
  const Offset offset = A.offsets[d];
  const Offset wanted = (Transposed ? output - offset : output + offset) - A.first_source;
  const Offset last = A.sources - Offset{1};
  const Offset source = wanted < 0 ? 0 : wanted > last ? last : wanted;
  return {A.position(d, Transposed ? source + A.first_source : output),
          static_cast<Ordinal>(source), wanted == source};
}

/// \brief Computes one output per thread, for GPUs. If all sources exist, which the outermost
/// diagonals determine, the loads of several diagonals are issued before the first is used.
template <class Scalar, bool Transposed>
struct SpmvDia {
  /// A batch of values and entries of x occupies half of the registers of a thread.
  static constexpr int batch = sizeof(Scalar) > sizeof(float) ? 4 : 8;

  Diagonals<Scalar> A;
  ProductTarget<Scalar> target;

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Ordinal slot) const {
    const Offset output = Offset{slot} + A.first_output;
    if (A.num_diagonals == 0) return 0;
    const Offset first = load_gathered(A.offsets);
    const Offset last = load_gathered(A.offsets + A.num_diagonals - 1);
    const Offset low = (Transposed ? output - last : output + first) - A.first_source;
    const Offset high = (Transposed ? output - first : output + last) - A.first_source;
    const bool all_there = low >= 0 && high < A.sources;
    return all_there && A.is_one_chunk ? inner_sum(output) : border_sum(output);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar inner_sum(const Offset output) const {
    const Scalar* values = A.values + output;
    const Scalar* const x = target.x + (output - A.first_source);
    Scalar sum[4] = {0, 0, 0, 0};
    Ordinal d = 0;
    for (; d + batch <= A.num_diagonals; d += batch, values += Offset{batch} * A.chunk)
      add_batch(values, x, d, batch, sum);
    if (d < A.num_diagonals) add_batch(values, x, d, A.num_diagonals - d, sum);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  /// Adds `count` diagonals from d on.
  KOKKOS_FORCEINLINE_FUNCTION void add_batch(const Scalar* values, const Scalar* x, Ordinal d,
                                             Ordinal count, Scalar (&sum)[4]) const {
    Scalar value[batch] = {}, other[batch] = {};
    for (int i = 0; i < batch; ++i) {
      if (i >= count) continue;
      const Offset offset = load_gathered(A.offsets + d + i);
      const Offset shift = Transposed ? -offset : offset;
      value[i] = load_streamed_entry(values + Offset{i} * A.chunk + (Transposed ? shift : 0));
      other[i] = load_gathered(x + shift);
    }
    for (int i = 0; i < batch; ++i)
      if (value[i] != Scalar(0)) sum[i % 4] += value[i] * other[i];
  }

  KOKKOS_FUNCTION Scalar border_sum(const Offset output) const {
    Scalar sum = 0;
    for (Ordinal d = 0; d < A.num_diagonals; ++d) {
      const DiagonalEntry entry = diagonal_entry<Transposed>(A, d, output);
      const Scalar value = load_streamed_entry(A.values + entry.at);
      const Scalar x = load_gathered(target.x + entry.source);
      if (entry.is_there && value != Scalar(0)) sum += value * x;
    }
    return sum;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const { target.store(slot, row_sum(slot)); }
};

/// \brief Computes two neighbouring rows per thread, for the forward product on GPUs with all rows
/// in one chunk. Each load of values covers both rows. Share of copy on an H100: 27 points 160^3
/// 0.99 in float and in double (a row per thread: 0.89 and 0.96), 7 points 200^3 1.00 and 1.01
/// (0.95 and 1.00).
template <class Scalar>
struct SpmvDiaPairs {
  Diagonals<Scalar> A;
  ProductTarget<Scalar> target;

  /// A pair is an even row of the whole matrix and the next odd row, wherever a range begins: this
  /// keeps the loads aligned.
  static bool suits(const Diagonals<Scalar>& A) { return A.is_one_chunk && A.chunk % 2 == 0; }
  static Ordinal first_pair(const Diagonals<Scalar>& A) { return A.first_output / 2; }
  static Ordinal num_pairs(const Diagonals<Scalar>& A) {
    return (A.first_output + A.num_rows - 1) / 2 - first_pair(A) + 1;
  }

  KOKKOS_FORCEINLINE_FUNCTION void pair_sum(const Ordinal row, Scalar (&sum)[2]) const {
    const Scalar* values = A.values + row;
    sum[0] = sum[1] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 2
#endif
    for (Ordinal d = 0; d < A.num_diagonals; ++d, values += A.chunk) {
      const Offset source = Offset{row} + load_gathered(A.offsets + d);
      Scalar value[2];
      load_streamed_pair(values, value);
      for (int i = 0; i < 2; ++i) {
        const bool is_there = source + i >= 0 && source + i < A.sources;
        const Scalar x = is_there ? load_gathered(target.x + source + i) : Scalar(0);
        if (value[i] != Scalar(0)) sum[i] += value[i] * x;
      }
    }
  }

  KOKKOS_FUNCTION void operator()(const Ordinal pair) const {
    const Ordinal row = 2 * (A.first_output / 2 + pair);
    Scalar sum[2];
    pair_sum(row, sum);
    for (int i = 0; i < 2; ++i) {
      const Ordinal slot = row + i - A.first_output;
      if (slot >= 0 && slot < A.num_rows) target.store(slot, sum[i]);
    }
  }
};

/// \brief Computes pairs of rows and the dot of each warp, for all rows.
template <class ExecutionSpace, class Scalar>
struct SpmvDiaPairsWithDot {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<spmv_dot_threads>>;
  using Member = typename Policy::member_type;

  SpmvDiaPairs<Scalar> product;
  double* sums;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal row = 2 * (member.league_rank() * spmv_dot_threads + member.team_rank());
    double gathered = 0;
    if (row < product.A.num_rows) {
      Scalar sum[2];
      product.pair_sum(row, sum);
      for (int i = 0; i < 2 && row + i < product.A.num_rows; ++i) {
        product.target.y[row + i] = sum[i];
        gathered =
            multiply_add(static_cast<double>(sum[i]),
                         static_cast<double>(load_gathered(product.target.x + row + i)), gathered);
      }
    }
    const double total = sum_over_lanes(gathered, 1, warp_lanes);
    if (member.team_rank() % warp_lanes == 0)
      sums[static_cast<Offset>(member.league_rank()) * (spmv_dot_threads / warp_lanes) +
           member.team_rank() / warp_lanes] = total;
  }
};

/// \brief Computes one output for one vector per thread, vectors fastest: a row of X is one
/// coalesced load.
template <class Scalar, bool Transposed>
struct SpmmDia {
  Diagonals<Scalar> A;
  MultiVectorPass<Scalar> pass;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    constexpr int unroll = 4;
    const Offset slot = index / pass.width;
    const Offset vector = index - slot * pass.width;
    const Offset output = slot + A.first_output;
    Scalar sum[unroll] = {0, 0, 0, 0};
    for (Ordinal d = 0; d < A.num_diagonals; d += unroll)
      for (int i = 0; i < unroll && d + i < A.num_diagonals; ++i) {
        const DiagonalEntry entry = diagonal_entry<Transposed>(A, d + i, output);
        const Scalar value = load_gathered(A.values + entry.at);
        const Scalar x =
            load_gathered(pass.x + static_cast<Offset>(entry.source) * pass.stride + vector);
        if (entry.is_there && value != Scalar(0)) sum[i] += value * x;
      }
    Scalar& y = pass.y[slot * pass.stride + vector];
    y = combine(pass.alpha, (sum[0] + sum[1]) + (sum[2] + sum[3]), pass.beta, y);
  }
};

/// Minimum number of teams of `spmv_dot_threads` that share a multiprocessor for a product with a
/// dot: 64 registers hold a batch.
inline constexpr int dia_dot_teams = 8;

/// Rows of a step on a host, 16 chunks. A product with a dot forms one sum per step.
inline constexpr Ordinal dia_step_rows = 16 * dia_host_chunk;

/// Bytes of a cache line.
inline constexpr std::size_t line_bytes = 64;

inline Offset dia_steps(Ordinal outputs) {
  return (static_cast<Offset>(outputs) + dia_step_rows - 1) / dia_step_rows;
}

/// Adds `sum += values x`, element by element, if the value is not 0. The product is always formed:
/// an unused product costs less than a branch.
template <class Scalar>
void add_diagonal(const Scalar* values, const Scalar* x, Ordinal length, Scalar* sum) {
  for (Ordinal k = 0; k < length; ++k) {
    const Scalar product = values[k] * x[k];
    sum[k] += values[k] != Scalar(0) ? product : Scalar(0);
  }
}

/// Returns the outputs in `[begin, end)` whose sources for one diagonal exist.
template <bool Transposed, class Scalar>
RowRange outputs_with_sources(const Diagonals<Scalar>& A, Offset offset, Offset begin, Offset end) {
  const Offset shift = Transposed ? -offset : offset;  // from output to source
  const Offset low = A.first_source - shift, high = low + A.sources;
  const Offset from = begin > low ? begin : low, to = end < high ? end : high;
  return {static_cast<Ordinal>(from), static_cast<Ordinal>(to > from ? to : from)};
}

/// \brief Sums the outputs `[begin, end)`, at most one chunk, for hosts: diagonal by diagonal, with
/// neighbouring outputs in vectors.
///
/// The values of the next outputs are prefetched. A thread reads as many streams of values as there
/// are diagonals, more than the hardware prefetcher can follow.
template <bool Transposed, class Scalar>
void sum_diagonals(const Diagonals<Scalar>& A, const Scalar* x, Offset begin, Offset end,
                   Scalar (&sum)[dia_host_chunk]) {
  for (Scalar& value : sum) value = 0;
  const Offset ahead = static_cast<Offset>(A.num_diagonals) * A.chunk;
  for (Ordinal d = 0; d < A.num_diagonals; ++d) {
    const Offset offset = A.offsets[d];
    const RowRange outputs = outputs_with_sources<Transposed>(A, offset, begin, end);
    // One piece of a chunk at a time: A has one piece, its transpose up to two.
    for (Offset output = outputs.begin; output < outputs.end;) {
      const Offset row = Transposed ? output - offset : output;
      const Offset left = A.chunk - row % A.chunk;
      const Offset length = outputs.end - output < left ? outputs.end - output : left;
      const Scalar* const values = A.values + A.position(d, row);
      for (Offset at = 0; at < length; at += static_cast<Offset>(line_bytes / sizeof(Scalar)))
        __builtin_prefetch(values + ahead + at, 0, 0);
      const Scalar* const from = x + ((Transposed ? row : output + offset) - A.first_source);
      // The compiler knows the length of whole chunks.
      if (length == dia_host_chunk)
        add_diagonal(values, from, dia_host_chunk, sum);
      else
        add_diagonal(values, from, static_cast<Ordinal>(length), sum + (output - begin));
      output += length;
    }
  }
}

/// \brief Computes several chunks of outputs per step, for hosts, and the dot if \p sums is not
/// null.
template <class Scalar, bool Transposed>
struct SpmvDiaHost {
  Diagonals<Scalar> A;
  ProductTarget<Scalar> target;
  double* sums;  // null: no dot

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset step) const {
    const Offset first = A.first_output + step * dia_step_rows;
    const Offset end = Offset{A.first_output} + A.num_rows;
    const Offset last = end - first < dia_step_rows ? end : first + dia_step_rows;
    double gathered = 0;
    for (Offset begin = first; begin < last;) {
      // Pieces end at chunk boundaries, wherever the outputs begin.
      const Offset cut = begin / dia_host_chunk * dia_host_chunk + dia_host_chunk;
      const Offset stop = cut < last ? cut : last;
      Scalar sum[dia_host_chunk];
      sum_diagonals<Transposed>(A, target.x, begin, stop, sum);
      const auto slot = static_cast<Ordinal>(begin - A.first_output);
      const auto count = static_cast<Ordinal>(stop - begin);
      for (Ordinal k = 0; k < count; ++k) target.store(slot + k, sum[k]);
      if (sums != nullptr)
        for (Ordinal k = 0; k < count; ++k)
          gathered = multiply_add(static_cast<double>(sum[k]),
                                  static_cast<double>(target.x[slot + k]), gathered);
      begin = stop;
    }
    if (sums != nullptr) sums[step] = gathered;
  }
};

/// Number of sums in a step with several vectors.
inline constexpr Ordinal dia_step_sums = 1024;

/// \brief Multiplies several vectors on a host. A step has fewer outputs, so that their sums need
/// the same memory.
template <class Scalar, bool Transposed>
struct SpmmDiaHost {
  Diagonals<Scalar> A;
  MultiVectorPass<Scalar> pass;
  Ordinal outputs_per_step;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset step) const {
    // Split the vectors into parts for which at least one row of sums fits.
    for (int first = 0; first < pass.width; first += dia_step_sums)
      multiply(step * outputs_per_step, first,
               pass.width - first < dia_step_sums ? pass.width - first : dia_step_sums);
  }

  void multiply(Offset slot, int first, int width) const {
    const Offset left = A.num_rows - slot;
    const Offset count = left < outputs_per_step ? left : outputs_per_step;
    const Offset begin = slot + A.first_output;
    Scalar sum[dia_step_sums];
    for (Offset k = 0; k < count * width; ++k) sum[k] = 0;
    for (Ordinal d = 0; d < A.num_diagonals; ++d) {
      const Offset offset = A.offsets[d];
      const RowRange outputs = outputs_with_sources<Transposed>(A, offset, begin, begin + count);
      for (Offset output = outputs.begin; output < outputs.end; ++output) {
        const Offset source = Transposed ? output - offset : output + offset;
        const Scalar value = A.values[A.position(d, Transposed ? source : output)];
        if (value == Scalar(0)) continue;
        const Scalar* const from = pass.x + (source - A.first_source) * pass.stride + first;
        Scalar* const to = sum + (output - begin) * width;
        for (int v = 0; v < width; ++v) to[v] += value * from[v];
      }
    }
    for (Offset k = 0; k < count; ++k)
      for (int v = 0; v < width; ++v) {
        Scalar& y = pass.y[(slot + k) * pass.stride + first + v];
        y = combine(pass.alpha, sum[k * width + v], pass.beta, y);
      }
  }
};

template <bool Transposed, class ExecutionSpace, class Scalar>
void launch_dia(const ExecutionSpace& exec, const char* label, const Diagonals<Scalar>& A,
                const ProductTarget<Scalar>& target) {
  if (A.num_rows == 0) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, dia_steps(A.num_rows)),
                         SpmvDiaHost<Scalar, Transposed>{A, target, nullptr});
  } else {
    // Without sources there is nothing to clamp to, and every sum is empty.
    Diagonals<Scalar> rows = A;
    if (A.sources == 0) rows.num_diagonals = 0;
    if constexpr (!Transposed) {
      using Pairs = SpmvDiaPairs<Scalar>;
      if (Pairs::suits(A)) {
        Kokkos::parallel_for(label,
                             Kokkos::RangePolicy<ExecutionSpace>(exec, 0, Pairs::num_pairs(A)),
                             Pairs{rows, target});
        return;
      }
    }
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                         SpmvDia<Scalar, Transposed>{rows, target});
  }
}

template <bool Transposed, class ExecutionSpace, class Scalar>
void launch_dia_spmm(const ExecutionSpace& exec, const char* label, const Diagonals<Scalar>& A,
                     const MultiVectorPass<Scalar>& pass) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const Ordinal per_step = pass.width < dia_step_sums ? dia_step_sums / pass.width : 1;
    const Offset steps = (Offset{A.num_rows} + per_step - 1) / per_step;
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, steps),
                         SpmmDiaHost<Scalar, Transposed>{A, pass, per_step});
  } else {
    Diagonals<Scalar> rows = A;
    if (A.sources == 0) rows.num_diagonals = 0;
    Kokkos::parallel_for(label, element_range(exec, Offset{A.num_rows} * pass.width),
                         SpmmDia<Scalar, Transposed>{rows, pass});
  }
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, DiaMatrix<Scalar, MemorySpace>> {
  using Matrix = DiaMatrix<Scalar, MemorySpace>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static void multiply(const ExecutionSpace& exec, const Plan&, const Matrix& A,
                       const ProductTarget<Scalar>& target) {
    launch_dia<false>(exec, "Tomokkos::spmv::dia",
                      diagonals_of(A, {0, A.num_rows}, {0, A.num_cols}), target);
  }

  static Offset dot_sums(const Plan&, const Matrix& A) {
    if constexpr (is_host_space<ExecutionSpace>)
      return dia_steps(A.num_rows);
    else
      return slot_dot_sums<ExecutionSpace>(takes_pairs(A) ? A.num_rows / 2 + A.num_rows % 2
                                                          : A.num_rows);
  }

  static void multiply_with_dot(const ExecutionSpace& exec, const Plan& plan, const Matrix& A,
                                const ProductTarget<Scalar>& target, double* sums) {
    constexpr const char* label = "Tomokkos::spmv::dia::dot";
    const auto rows = diagonals_of(A, {0, A.num_rows}, {0, A.num_cols});
    if constexpr (is_host_space<ExecutionSpace>) {
      Kokkos::parallel_for(label,
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, dia_steps(A.num_rows)),
                           SpmvDiaHost<Scalar, false>{rows, target, sums});
    } else if (takes_pairs(A)) {
      using Functor = SpmvDiaPairsWithDot<ExecutionSpace, Scalar>;
      static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
      const auto league = static_cast<int>(dot_sums(plan, A) / (spmv_dot_threads / warp_lanes));
      Kokkos::parallel_for(label, typename Functor::Policy(exec, league, spmv_dot_threads),
                           Functor{{rows, target}, sums});
    } else {
      launch_slots_with_dot<dia_dot_teams>(exec, label, SpmvDia<Scalar, false>{rows, target}, sums);
    }
  }

 private:
  static bool takes_pairs(const Matrix& A) {
    return SpmvDiaPairs<Scalar>::suits(diagonals_of(A, {0, A.num_rows}, {0, A.num_cols}));
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatSpmm<ExecutionSpace, DiaMatrix<Scalar, MemorySpace>> {
  static void multiply(const ExecutionSpace& exec, const DiaMatrix<Scalar, MemorySpace>& A,
                       const MultiVectorPass<Scalar>& pass, const SpmmOptions&) {
    launch_dia_spmm<false>(exec, "Tomokkos::spmm::dia",
                           diagonals_of(A, {0, A.num_rows}, {0, A.num_cols}), pass);
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void spmv(const ExecutionSpace& exec,
          const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
          const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
          Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
          Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y, RowRange rows) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  Impl::require_operands(Impl::Operand("x", x, "columns of A", A.num_cols),
                         Impl::Operand("y", y, "rows of the range", range.end - range.begin));
  Impl::launch_dia<false>(exec, "Tomokkos::spmv::dia::rows",
                          Impl::diagonals_of(A, range, {0, A.num_cols}),
                          Impl::ProductTarget<Scalar>{x.data(), y.data(), alpha, beta});
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& y, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& x, RowRange rows) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  Impl::require_operands(Impl::Operand("y", y, "rows of the range", range.end - range.begin),
                         Impl::Operand("x", x, "columns of A", A.num_cols));
  Impl::launch_dia<true>(exec, "Tomokkos::spmv_transpose::dia",
                         Impl::diagonals_of(A, {0, A.num_cols}, range),
                         Impl::ProductTarget<Scalar>{y.data(), x.data(), alpha, beta});
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose_columns(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange columns,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& y,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& x) {
  const RowRange range = Impl::checked_range(columns, A.num_cols, "columns");
  Impl::require_operands(Impl::Operand("y", y, "rows of A", A.num_rows),
                         Impl::Operand("x", x, "columns of the range", range.end - range.begin));
  Impl::launch_dia<true>(exec, "Tomokkos::spmv_transpose::dia::columns",
                         Impl::diagonals_of(A, range, {0, A.num_rows}),
                         Impl::ProductTarget<Scalar>{y.data(), x.data(), alpha, beta});
}

template <class ExecutionSpace, class Scalar>
void spmm_transpose(const ExecutionSpace& exec,
                    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X) {
  const auto pass = Impl::whole_pass(A.num_cols, A.num_rows, alpha, Y, beta, X);
  if (X.size() == 0) return;
  Impl::launch_dia_spmm<true>(exec, "Tomokkos::spmm_transpose::dia",
                              Impl::diagonals_of(A, {0, A.num_cols}, {0, A.num_rows}), pass);
}

#define TOMOKKOS_DIA(SPACE, SCALAR) DiaMatrix<SCALAR, SPACE::memory_space>
#define TOMOKKOS_DIA_PLAN(SPACE, SCALAR) SpmvPlan<SPACE, TOMOKKOS_DIA(SPACE, SCALAR)>
#define TOMOKKOS_IN(SPACE, SCALAR) VectorView<const SCALAR, SPACE::memory_space>
#define TOMOKKOS_OUT(SPACE, SCALAR) VectorView<SCALAR, SPACE::memory_space>
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, TOMOKKOS_DIA(SPACE, SCALAR))                      \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, TOMOKKOS_DIA(SPACE, SCALAR))                          \
  template void spmv<SPACE, SCALAR>(const SPACE&, const TOMOKKOS_DIA_PLAN(SPACE, SCALAR)&,       \
                                    const TOMOKKOS_DIA(SPACE, SCALAR)&, SCALAR,                  \
                                    const TOMOKKOS_IN(SPACE, SCALAR)&, SCALAR,                   \
                                    const TOMOKKOS_OUT(SPACE, SCALAR)&, RowRange);               \
  template void spmv_transpose<SPACE, SCALAR>(                                                   \
      const SPACE&, const TOMOKKOS_DIA_PLAN(SPACE, SCALAR)&, const TOMOKKOS_DIA(SPACE, SCALAR)&, \
      SCALAR, const TOMOKKOS_IN(SPACE, SCALAR)&, SCALAR, const TOMOKKOS_OUT(SPACE, SCALAR)&,     \
      RowRange);                                                                                 \
  template void spmv_transpose_columns<SPACE, SCALAR>(                                           \
      const SPACE&, const TOMOKKOS_DIA_PLAN(SPACE, SCALAR)&, const TOMOKKOS_DIA(SPACE, SCALAR)&, \
      RowRange, SCALAR, const TOMOKKOS_IN(SPACE, SCALAR)&, SCALAR,                               \
      const TOMOKKOS_OUT(SPACE, SCALAR)&);                                                       \
  template void spmm_transpose<SPACE, SCALAR>(                                                   \
      const SPACE&, const TOMOKKOS_DIA(SPACE, SCALAR)&, SCALAR,                                  \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                         \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_OUT
#undef TOMOKKOS_IN
#undef TOMOKKOS_DIA_PLAN
#undef TOMOKKOS_DIA

}  // namespace Tomokkos
