// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of padded rows by one host thread: a row of ELLPACK, or a chunk of SELL with one row per
// vector lane. With AVX-512 the gathers of a chunk are written as intrinsics, since compilers
// vectorise such loops with narrower vectors.
#pragma once

#include <Tomokkos_PaddedRows.hpp>
#include <impl/Tomokkos_HostRowSum_impl.hpp>

namespace Tomokkos::Impl {

/// Rows of a chunk that fit a host vector.
template <class Scalar>
inline constexpr int host_chunk_lanes = static_cast<int>(64 / sizeof(Scalar));

/// \brief Returns the sum of a row that starts at \p at, for either order of the entries.
template <class Scalar>
inline Scalar host_padded_row_sum(const PaddedRows<Scalar>& A, Offset at, Ordinal length,
                                  const Scalar* x) {
  if (A.entry_stride == 1) return host_row_sum(A.columns + at, A.values + at, x, length);
  Scalar sum = 0;
  for (Ordinal k = 0; k < length; ++k) {
    const Offset entry = at + k * A.entry_stride;
    sum += A.values[entry] * x[A.columns[entry]];
  }
  return sum;
}

/// Returns the length of the shortest row of a chunk: up to here no lane meets padding.
template <class Scalar>
inline Ordinal shortest_of_chunk(const PaddedRows<Scalar>& A, Ordinal first_slot) {
  Ordinal shortest = A.lengths[first_slot];
  for (int lane = 1; lane < host_chunk_lanes<Scalar>; ++lane) {
    const Ordinal length = A.lengths[first_slot + lane];
    shortest = length < shortest ? length : shortest;
  }
  return shortest;
}

#ifdef TOMOKKOS_HOST_AVX512

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

template <class Scalar>
struct Avx512Chunk;

template <>
struct Avx512Chunk<float> : Avx512Float {
  static Mask present(const Ordinal* columns) {
    return _mm512_cmpge_epi32_mask(_mm512_loadu_si512(columns), _mm512_setzero_si512());
  }
  static Vector masked_step(const Ordinal* columns, const float* values, const float* x,
                            Vector sum) {
    const Mask mask = present(columns);
    const Vector gathered =
        _mm512_mask_i32gather_ps(zero(), mask, _mm512_loadu_si512(columns), x, 4);
    return _mm512_mask3_fmadd_ps(_mm512_loadu_ps(values), gathered, sum, mask);
  }
  static void store(float* to, Vector sum) { _mm512_storeu_ps(to, sum); }
};

template <>
struct Avx512Chunk<double> : Avx512Double {
  static Vector masked_step(const Ordinal* columns, const double* values, const double* x,
                            Vector sum) {
    const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
    const Mask mask = _mm256_cmpge_epi32_mask(index, _mm256_setzero_si256());
    const Vector gathered = _mm512_mask_i32gather_pd(zero(), mask, index, x, 8);
    return _mm512_mask3_fmadd_pd(_mm512_loadu_pd(values), gathered, sum, mask);
  }
  static void store(double* to, Vector sum) { _mm512_storeu_pd(to, sum); }
};

/// \brief Computes the sums of the rows of chunk \p c.
///
/// Uses two vectors of running sums. Padding is masked out, so values of x that the chunk does not
/// use never reach a sum.
template <class Scalar>
inline void host_chunk_sum(const PaddedRows<Scalar>& A, Ordinal c, const Scalar* x, Scalar* sums) {
  using Simd = Avx512Chunk<Scalar>;
  constexpr int lanes = host_chunk_lanes<Scalar>;
  const Offset begin = A.chunk_offsets[c], end = A.chunk_offsets[c + 1];
  const Offset full = begin + static_cast<Offset>(shortest_of_chunk(A, c * lanes)) * lanes;
  auto first = Simd::zero();
  auto second = Simd::zero();
  Offset at = begin;
  for (; at + 2 * lanes <= full; at += 2 * lanes) {
    prefetch_entries(A.columns, A.values, at);
    prefetch_entries(A.columns, A.values, at + lanes);
    first = Simd::step(A.columns + at, A.values + at, x, first);
    second = Simd::step(A.columns + at + lanes, A.values + at + lanes, x, second);
  }
  for (; at < end; at += lanes) {
    prefetch_entries(A.columns, A.values, at);
    first = Simd::masked_step(A.columns + at, A.values + at, x, first);
  }
  Simd::store(sums, Simd::add(first, second));
}

#pragma GCC diagnostic pop
#else

template <class Scalar>
inline void host_chunk_sum(const PaddedRows<Scalar>& A, Ordinal c, const Scalar* x, Scalar* sums) {
  constexpr int lanes = host_chunk_lanes<Scalar>;
  const Offset begin = A.chunk_offsets[c], end = A.chunk_offsets[c + 1];
  const Offset full = begin + static_cast<Offset>(shortest_of_chunk(A, c * lanes)) * lanes;
  for (int lane = 0; lane < lanes; ++lane) sums[lane] = 0;
  Offset at = begin;
  for (; at < full; at += lanes) {
    prefetch_entries(A.columns, A.values, at);
    for (int lane = 0; lane < lanes; ++lane)
      sums[lane] += A.values[at + lane] * x[A.columns[at + lane]];
  }
  for (; at < end; at += lanes)
    for (int lane = 0; lane < lanes; ++lane)
      if (A.columns[at + lane] != padding_column)
        sums[lane] += A.values[at + lane] * x[A.columns[at + lane]];
}

#endif

}  // namespace Tomokkos::Impl
