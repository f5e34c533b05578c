// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of `values(k) x(columns(k))` over a part of a row, by a host thread or by the lanes of a
// vector.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <impl/Tomokkos_HostRowSum_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Columns and values of a CSR matrix and the vector x, as raw pointers: functors that
/// capture them stay small.
template <class Scalar>
struct CsrStreams {
  const Ordinal* columns;
  const Scalar* values;
  const Scalar* x;
  Offset nonzeros;
  /// Offset subtracted from each column before x is read: x begins at this column.
  Ordinal column_shift;
  /// True if columns and values may be read in packs.
  bool aligned;

  template <class MemorySpace, class XView>
  CsrStreams(const CsrMatrix<Scalar, MemorySpace>& A, const XView& x_view, Ordinal shift = 0)
      : columns(A.columns.data()),
        values(A.values.data()),
        x(x_view.data()),
        nonzeros(A.num_nonzeros()),
        column_shift(shift),
        aligned(is_pack_aligned(A.columns.data()) && is_pack_aligned(A.values.data())) {}

  KOKKOS_FORCEINLINE_FUNCTION Scalar product(Offset k) const {
    return values[k] * load_gathered(x + (columns[k] - column_shift));
  }

  /// Returns the first position in [begin, end) of a sorted row with a column >= \p column.
  KOKKOS_FUNCTION Offset lower_bound(Offset begin, Offset end, Ordinal column) const {
    while (begin < end) {
      const Offset middle = begin + (end - begin) / 2;
      if (columns[middle] < column)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin;
  }
};

/// \brief Returns `alpha sum + beta y`; `beta == 0` ignores y. Every kernel gives the same bits.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar combine(Scalar alpha, Scalar sum, Scalar beta, const Scalar& y) {
  return beta == Scalar(0) ? alpha * sum : multiply_add(alpha, sum, beta * y);
}

/// \brief Returns the sum over [begin, end), computed by one thread. Several running sums hide the
/// latency of the additions.
template <class Scalar>
KOKKOS_INLINE_FUNCTION Scalar row_sum(const CsrStreams<Scalar>& A, Offset begin, Offset end) {
#ifdef __CUDA_ARCH__
  Scalar sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  Offset k = begin;
  for (; k + 4 <= end; k += 4) {
    sum0 += A.product(k);
    sum1 += A.product(k + 1);
    sum2 += A.product(k + 2);
    sum3 += A.product(k + 3);
  }
  for (; k < end; ++k) sum0 += A.product(k);
  return (sum0 + sum1) + (sum2 + sum3);
#else
  return host_row_sum(A.columns + begin, A.values + begin, A.x - A.column_shift, end - begin);
#endif
}

/// \brief Adds one pack of a row, for one lane.
///
/// Packs start on 16-byte boundaries. The first pack may begin before the row, the last may end
/// after it. Positions count from the start of the first pack; the row is [head, tail).
template <class Scalar>
struct PackSum {
  const Ordinal* columns;
  const Scalar* values;
  const Scalar* x;
  int head, tail;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const int pack, Scalar& sum) const {
    const int k = pack * pack_size;
    if (k >= head && k + pack_size <= tail) {
      const Pack<Ordinal> column = load_streamed(columns + k);
      const Pack<Scalar> value = load_streamed(values + k);
      for (int i = 0; i < pack_size; ++i)
        sum += value.value[i] * load_gathered(x + column.value[i]);
    } else {
      for (int i = 0; i < pack_size; ++i)
        if (k + i >= head && k + i < tail) sum += values[k + i] * load_gathered(x + columns[k + i]);
    }
  }
};

template <class Scalar>
struct EntrySum {
  const Ordinal* columns;
  const Scalar* values;
  const Scalar* x;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(const int k, Scalar& sum) const {
    sum += values[k] * load_gathered(x + columns[k]);
  }
};

/// \brief Returns the sum over [begin, end), computed by the vector lanes of one team member; every
/// lane receives it. A part of a row has fewer than 2^31 entries, since its columns differ.
template <class Scalar, class Member>
KOKKOS_INLINE_FUNCTION Scalar vector_row_sum(const Member& member, const CsrStreams<Scalar>& A,
                                             Offset begin, Offset end) {
#ifndef __CUDA_ARCH__
  (void)member;
  return row_sum(A, begin, end);
#else
  Scalar sum = 0;
  const Scalar* const x = A.x - A.column_shift;
  if (A.aligned) {
    const Offset start = begin / pack_size * pack_size;
    const int head = static_cast<int>(begin - start);
    const int tail = static_cast<int>(end - start);
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, (tail + pack_size - 1) / pack_size),
                            PackSum<Scalar>{A.columns + start, A.values + start, x, head, tail},
                            sum);
  } else {
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, static_cast<int>(end - begin)),
                            EntrySum<Scalar>{A.columns + begin, A.values + begin, x}, sum);
  }
  return sum;
#endif
}

/// \brief Returns the sum that lane \p lane of \p lanes forms from the \p count entries at \p
/// columns and \p values.
///
/// Neighbouring lanes read neighbouring entries. If these have neighbouring columns, a warp gathers
/// few cache lines of x. The loads of a step are issued before the first one is used.
template <int lanes, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar lane_sum(const Ordinal* columns, const Scalar* values,
                                            const Scalar* x, int count, int lane) {
  // Measured on an H200: unrolling by eight is 8 % faster for rows of 480 entries by 32 lanes and
  // 15 % for a power law; for shorter rows with fewer lanes it is no faster.
  constexpr int unroll = lanes == 32 ? 8 : 4;
  Scalar sum[unroll] = {};
  // Advance the pointers and count the remaining entries, so that the loads of a step differ by
  // constants.
  columns += lane;
  values += lane;
  int left = count - lane;
  for (; left > (unroll - 1) * lanes; left -= unroll * lanes) {
    Ordinal column[unroll];
    Scalar value[unroll];
    for (int i = 0; i < unroll; ++i) {
      column[i] = load_streamed_entry(columns + i * lanes);
      value[i] = load_streamed_entry(values + i * lanes);
    }
    for (int i = 0; i < unroll; ++i) sum[i] += value[i] * load_gathered(x + column[i]);
    columns += unroll * lanes;
    values += unroll * lanes;
  }
  for (; left > 0; left -= lanes) {
    sum[0] += load_streamed_entry(values) * load_gathered(x + load_streamed_entry(columns));
    columns += lanes;
    values += lanes;
  }
  for (int i = 1; i < unroll; ++i) sum[0] += sum[i];
  return sum[0];
}

}  // namespace Tomokkos::Impl
