// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of packed rows, formed by one host thread: the sum of one row, or the sums of a bundle with
// one row in each lane of a vector. With AVX-512, offsets are widened and x is gathered by
// intrinsics.
#pragma once

#include <impl/Tomokkos_HostChunkSum_impl.hpp>
#include <impl/Tomokkos_PackedCsr_impl.hpp>

namespace Tomokkos::Impl {

#ifdef TOMOKKOS_HOST_AVX512

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

/// Operations on a vector of entries of packed rows.
template <class Scalar, StoredPrecision Values>
struct Avx512Packed;

template <>
struct Avx512Packed<float, StoredPrecision::plain> : Avx512Chunk<float> {
  using Streams = PackedStreams<float, StoredPrecision::plain>;
  using Index = __m512i;
  static Index offsets(const Streams& A, Offset at) {
    return _mm512_cvtepu16_epi32(
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(A.offsets + at)));
  }
  static Vector values(const Streams& A, Offset at) { return _mm512_loadu_ps(A.values + at); }
};

template <>
struct Avx512Packed<double, StoredPrecision::plain> : Avx512Chunk<double> {
  using Streams = PackedStreams<double, StoredPrecision::plain>;
  using Index = __m256i;
  static Index offsets(const Streams& A, Offset at) {
    return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(A.offsets + at)));
  }
  static Vector values(const Streams& A, Offset at) { return _mm512_loadu_pd(A.values + at); }
};

template <StoredPrecision Values>
struct Avx512Packed<float, Values> : Avx512Chunk<float> {
  using Streams = PackedStreams<float, Values>;
  using Index = __m512i;
  static Index offsets(const Streams& A, Offset at) {
    return _mm512_and_si512(_mm512_loadu_si512(A.words + at), _mm512_set1_epi32(0xffff));
  }
  static Vector values(const Streams& A, Offset at) {
    const __m512i codes = _mm512_srli_epi32(_mm512_loadu_si512(A.words + at), 16);
    if constexpr (Values == StoredPrecision::half)
      return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(codes));
    else
      return _mm512_fmadd_ps(_mm512_set1_ps(A.step), _mm512_cvtepi32_ps(codes),
                             _mm512_set1_ps(A.least));
  }
};

// Overloads, since the widths of the indices differ.
inline __m512 gather_masked(__m512i index, const float* x, __mmask16 mask) {
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, index, x, 4);
}
inline __m512d gather_masked(__m256i index, const double* x, __mmask8 mask) {
  return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, index, x, 8);
}
inline __m512 add_products(__m512 a, __m512 b, __m512 sum, __mmask16 mask) {
  return _mm512_mask3_fmadd_ps(a, b, sum, mask);
}
inline __m512d add_products(__m512d a, __m512d b, __m512d sum, __mmask8 mask) {
  return _mm512_mask3_fmadd_pd(a, b, sum, mask);
}
inline __m512 load_vector(const float* from) { return _mm512_loadu_ps(from); }
inline __m512d load_vector(const double* from) { return _mm512_loadu_pd(from); }
inline __m512i load_indices(const Ordinal* from, float) { return _mm512_loadu_si512(from); }
inline __m256i load_indices(const Ordinal* from, double) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}

/// Adds the products of a vector of entries from \p at on. They are the entries from \p lane on of
/// a group with the base \p base.
template <class Scalar, StoredPrecision Values>
[[gnu::always_inline]] inline auto packed_step(const PackedStreams<Scalar, Values>& A, Offset at,
                                               std::uint32_t base, int lane, const Scalar* x,
                                               typename Avx512Packed<Scalar, Values>::Mask mask,
                                               typename Avx512Packed<Scalar, Values>::Vector sum) {
  using Simd = Avx512Packed<Scalar, Values>;
  const auto values = Simd::values(A, at);
  if (base < packed_run)
    return add_products(values, gather_masked(Simd::offsets(A, at), x + base, mask), sum, mask);
  if (base < packed_far)
    return add_products(values, load_vector(x + (base & packed_bits) + lane), sum, mask);
  const auto columns = load_indices(A.far(base) + lane, Scalar());
  return add_products(values, gather_masked(columns, x, mask), sum, mask);
}

#pragma GCC diagnostic pop
#endif

/// \brief Prefetches the entries one distance ahead; \p with_offsets: also their offsets, which a
/// run does not read.
template <class Scalar, StoredPrecision Values>
[[gnu::always_inline]] inline void prefetch_packed(const PackedStreams<Scalar, Values>& A,
                                                   Offset at, bool with_offsets) {
  if constexpr (Values == StoredPrecision::plain) {
    __builtin_prefetch(A.values + at + host_prefetch_distance);
    if (with_offsets) __builtin_prefetch(A.offsets + at + host_prefetch_distance);
  } else {
    (void)with_offsets;
    __builtin_prefetch(A.words + at + host_prefetch_distance);
  }
}

/// \brief Adds products one by one, with four running sums to hide the latency of the additions.
template <class Scalar, class Value, class Column>
[[gnu::always_inline]] inline void add_entries(int count, const Value& value, const Column& column,
                                               const Scalar* x, Scalar (&sum)[4]) {
  int i = 0;
  for (; i + 4 <= count; i += 4)
    for (int c = 0; c < 4; ++c) sum[c] += value(i + c) * x[column(i + c)];
  for (; i < count; ++i) sum[0] += value(i) * x[column(i)];
}

/// \brief Adds the products of the entries from \p at on, which are number \p first and later ones
/// of their group.
template <class Scalar, StoredPrecision Values>
inline void add_packed_entries(const PackedStreams<Scalar, Values>& A, Offset at,
                               std::uint32_t base, int first, int count, const Scalar* x,
                               Scalar (&sum)[4]) {
  const auto value = [&](int i) { return A.value(at + i); };
  if (base >= packed_far) {
    const Ordinal* const columns = A.far(base) + first;
    add_entries(
        count, value, [&](int i) { return columns[i]; }, x, sum);
  } else {
    add_entries(
        count, value, [&](int i) { return A.offset(at + i); }, x + A.first_column(base), sum);
  }
}

/// \brief Returns the sum of a row, for groups along rows and packs of one entry.
template <class Scalar, StoredPrecision Values>
inline Scalar host_packed_row_sum(const PackedStreams<Scalar, Values>& A, Ordinal row,
                                  const Scalar* x) {
  Offset at = A.bundle_offsets[row];
  const Offset end = A.bundle_offsets[row + 1];
  const std::uint32_t* base = A.bases + A.first_chunk(row);
  Scalar sum[4] = {0, 0, 0, 0};
#ifdef TOMOKKOS_HOST_AVX512
  if (end - at >= host_short_row) {
    using Simd = Avx512Packed<Scalar, Values>;
    constexpr int lanes = Simd::lanes;
    const auto all = static_cast<typename Simd::Mask>(-1);
    auto first = Simd::zero(), second = Simd::zero();
    for (; at < end; at += A.group, ++base) {
      const int count = end - at < A.group ? static_cast<int>(end - at) : A.group;
      int lane = 0;
      for (; lane + 2 * lanes <= count; lane += 2 * lanes) {
        prefetch_packed(A, at + lane, true);
        prefetch_packed(A, at + lane + lanes, true);
        first = packed_step(A, at + lane, *base, lane, x, all, first);
        second = packed_step(A, at + lane + lanes, *base, lane + lanes, x, all, second);
      }
      for (; lane + lanes <= count; lane += lanes) {
        prefetch_packed(A, at + lane, true);
        second = packed_step(A, at + lane, *base, lane, x, all, second);
      }
      if (lane < count) add_packed_entries(A, at + lane, *base, lane, count - lane, x, sum);
    }
    return Simd::total(Simd::add(first, second)) + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
  }
#endif
  for (; at < end; at += A.group, ++base) {
    const int count = end - at < A.group ? static_cast<int>(end - at) : A.group;
    prefetch_packed(A, at, true);
    prefetch_packed(A, at + A.group / 2, true);
    add_packed_entries(A, at, *base, 0, count, x, sum);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// \brief Computes the sums of the rows of a bundle, one in each lane of a vector, for packs of one
/// entry.
template <class Scalar, StoredPrecision Values>
inline void host_packed_bundle_sum(const PackedStreams<Scalar, Values>& A, Ordinal bundle,
                                   const Scalar* x, Scalar* sums) {
  constexpr int lanes = host_chunk_lanes<Scalar>;
  const Offset begin = A.bundle_offsets[bundle];
  const auto steps = static_cast<Ordinal>((A.bundle_offsets[bundle + 1] - begin) / lanes);
  const Ordinal* const lengths = A.row_lengths + bundle * lanes;
  const std::uint32_t* const bases = A.bases + begin / lanes;
  Ordinal shortest = lengths[0];
  for (int lane = 1; lane < lanes; ++lane)
    shortest = lengths[lane] < shortest ? lengths[lane] : shortest;
#ifdef TOMOKKOS_HOST_AVX512
  using Simd = Avx512Packed<Scalar, Values>;
  const auto all = static_cast<typename Simd::Mask>(-1);
  auto first = Simd::zero(), second = Simd::zero();
  Ordinal k = 0;
  Offset at = begin;
  for (; k + 2 <= shortest; k += 2, at += 2 * lanes) {
    prefetch_packed(A, at, bases[k] < packed_run);
    prefetch_packed(A, at + lanes, bases[k + 1] < packed_run);
    first = packed_step(A, at, bases[k], 0, x, all, first);
    second = packed_step(A, at + lanes, bases[k + 1], 0, x, all, second);
  }
  for (; k < steps; ++k, at += lanes) {
    unsigned present = 0;
    for (int lane = 0; lane < lanes; ++lane) present |= (k < lengths[lane] ? 1U : 0U) << lane;
    prefetch_packed(A, at, bases[k] < packed_run);
    first = packed_step(A, at, bases[k], 0, x, static_cast<typename Simd::Mask>(present), first);
  }
  Simd::store(sums, Simd::add(first, second));
#else
  for (int lane = 0; lane < lanes; ++lane) sums[lane] = 0;
  Offset at = begin;
  for (Ordinal k = 0; k < steps; ++k, at += lanes) {
    const std::uint32_t base = bases[k];
    prefetch_packed(A, at, base < packed_run);
    if (k < shortest && base < packed_far) {
      const Scalar* const from = x + A.first_column(base);
      if (base >= packed_run)
        for (int lane = 0; lane < lanes; ++lane) sums[lane] += A.value(at + lane) * from[lane];
      else
        for (int lane = 0; lane < lanes; ++lane)
          sums[lane] += A.value(at + lane) * from[A.offset(at + lane)];
    } else {
      for (int lane = 0; lane < lanes; ++lane) {
        if (k >= lengths[lane]) continue;
        const Offset column = base >= packed_far
                                  ? Offset{A.far(base)[lane]}
                                  : Offset{A.first_column(base)} + A.offset(at + lane);
        sums[lane] += A.value(at + lane) * x[column];
      }
    }
  }
#endif
}

}  // namespace Tomokkos::Impl
