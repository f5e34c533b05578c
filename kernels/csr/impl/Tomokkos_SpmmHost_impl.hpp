// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes `Y = alpha A X + beta Y` on a host, with row-major X and Y. An entry of A multiplies
// adjacent values of X, so compilers vectorise over the vectors. The speed is limited by the
// latency of the rows of X, which are therefore prefetched.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <impl/Tomokkos_SpmmRows_impl.hpp>

namespace Tomokkos::Impl {

/// Vectors that are summed side by side: four running sums of this width fill the registers.
inline constexpr int host_spmm_width = 16;

/// Distance, in entries, between summation and the prefetched row of X. Measured on 2 Zen 4 threads
/// with 16 vectors and 60 M entries of a scan: 16 and 32 entries are equally good; without
/// prefetching, a product in double takes 1.8 times as long.
inline constexpr int host_spmm_prefetch = 32;

/// \brief Adds `sum(j) += value x(j)`. Uses `multiply_add`; otherwise the bits of a vector would
/// depend on how the compiler vectorises over its neighbours.
template <int W, class Scalar>
inline void add_row(Scalar value, const Scalar* x, Scalar (&sum)[W]) {
  for (int j = 0; j < W; ++j) sum[j] = multiply_add(value, x[j], sum[j]);
}

/// \brief Stores `y = alpha sum + beta y`; `beta == 0` overwrites.
template <int W, class Scalar>
inline void store_row(Scalar alpha, const Scalar (&sum)[W], Scalar beta, Scalar* y) {
  if (beta == Scalar(0)) {
    for (int j = 0; j < W; ++j) y[j] = alpha * sum[j];
  } else {
    for (int j = 0; j < W; ++j) y[j] = multiply_add(alpha, sum[j], beta * y[j]);
  }
}

/// \brief Prefetches the W values of a row of X. Always inlined: GCC considers a function that only
/// prefetches to have no effects, and drops the call.
template <int W, class Scalar>
[[gnu::always_inline]] inline void prefetch_row(const Scalar* x) {
  for (unsigned at = 0; at < W * sizeof(Scalar); at += 64)
    __builtin_prefetch(reinterpret_cast<const char*>(x) + at);
}

/// \brief Computes the sums of W vectors over one row, in the order of `scalar_row_sum`. A vector
/// has the same bits whatever its neighbours.
template <int W, class Scalar, class Reader>
inline void host_row_sums(const Reader& A, const RowSpan<Scalar>& row, const Scalar* x,
                          Offset stride, Scalar (&total)[W]) {
  // Four named arrays: compilers keep these in registers, but not an array of arrays.
  Scalar sum0[W] = {}, sum1[W] = {}, sum2[W] = {}, sum3[W] = {};
  const auto add = [&](Ordinal k, Scalar(&sum)[W]) {
    const Offset at = A.offset(k);
    add_row(row.values[at], x + row.columns[at] * stride, sum);
  };
  const auto add_four = [&](Ordinal k) {
    add(k, sum0);
    add(k + 1, sum1);
    add(k + 2, sum2);
    add(k + 3, sum3);
  };
  const Ordinal groups = row.tail / 8 * 8;
  const Ordinal known = A.known_entries(row) - host_spmm_prefetch;
  Ordinal k = 0;
  for (; k < groups && k + 4 <= known; k += 4) {
    for (int i = 0; i < 4; ++i)
      prefetch_row<W>(x + row.columns[A.offset(k + i + host_spmm_prefetch)] * stride);
    add_four(k);
  }
  for (; k < groups; k += 4) add_four(k);
  for (; k < row.tail; ++k) add(k, sum0);
  for (int j = 0; j < W; ++j) total[j] = (sum0[j] + sum1[j]) + (sum2[j] + sum3[j]);
}

/// \brief Returns the first slot of part \p part of \p parts with equal numbers of entries plus
/// slots. `entries` are offsets.
inline Ordinal first_slot_of_part(const Offset* entries, Ordinal slots, int part, int parts) {
  if (part == 0) return 0;
  if (part == parts) return slots;
  const Offset base = entries[0];
  const Offset wanted = (entries[slots] - base + slots) / parts * part;
  Ordinal low = 0, high = slots;
  while (low < high) {
    const Ordinal middle = low + (high - low) / 2;
    if (entries[middle] - base + middle < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// \brief Returns the first slot of a part: equal numbers of entries for CSR and SELL, of slots for
/// ELLPACK-R.
template <class Scalar, bool Packed>
inline Ordinal first_slot(const CsrRowReader<Scalar, Packed>& A, int part, int parts) {
  return first_slot_of_part(A.row_offsets, A.num_slots, part, parts);
}
template <class Scalar, bool Packed>
inline Ordinal first_slot(const PaddedRowReader<Scalar, Packed>& A, int part, int parts) {
  if (A.A.chunk_offsets == nullptr)
    return static_cast<Ordinal>(static_cast<Offset>(A.num_slots) * part / parts);
  const Ordinal chunks = A.A.num_slots / A.A.chunk;
  const Ordinal slot = first_slot_of_part(A.A.chunk_offsets, chunks, part, parts) * A.A.chunk;
  return slot < A.num_slots ? slot : A.num_slots;
}

/// \brief Calls `add(width, first)` for the blocks in which \p vectors are summed; `width` is a
/// compile-time constant.
template <class Add>
inline void for_each_host_width(int vectors, const Add& add) {
  int first = 0;
  for (; first + host_spmm_width <= vectors; first += host_spmm_width)
    add(std::integral_constant<int, host_spmm_width>{}, first);
  const int left = vectors - first;
  if (left & 8) add(std::integral_constant<int, 8>{}, first), first += 8;
  if (left & 4) add(std::integral_constant<int, 4>{}, first), first += 4;
  if (left & 2) add(std::integral_constant<int, 2>{}, first), first += 2;
  if (left & 1) add(std::integral_constant<int, 1>{}, first);
}

/// \brief Processes a part of the rows with one thread.
template <class Scalar, class Reader>
struct SpmmHost {
  Reader A;
  MultiVectorPass<Scalar> pass;
  int parts;

  template <int W>
  void add_vectors(const RowSpan<Scalar>& row, Ordinal target, int first) const {
    Scalar sum[W];
    host_row_sums<W>(A, row, pass.x + first, pass.stride, sum);
    store_row(pass.alpha, sum, pass.beta, pass.y + pass.at(target) + first);
  }

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    const Ordinal end = first_slot(A, part + 1, parts);
    for (Ordinal slot = first_slot(A, part, parts); slot < end; ++slot) {
      const RowSpan<Scalar> row = A.span(slot);
      const Ordinal target = A.row(slot);
      for_each_host_width(pass.width, [&](auto width, int first) {
        add_vectors<decltype(width)::value>(row, target, first);
      });
    }
  }
};

}  // namespace Tomokkos::Impl
