// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that a host thread keeps in vector registers while it adds rows of any alignment.
#pragma once

#include <Tomokkos_Types.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>

// The front end of nvcc does not support vector extensions.
#if defined(__GNUC__) && !defined(__CUDACC__)
#define TOMOKKOS_HOST_PACKS
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

// This header may be included by sources compiled for different processors. The inline namespace
// keeps the linker from merging functions for packs of different lengths.
#if defined(__AVX512F__)
#define TOMOKKOS_HOST_PACKS_OF packs_of_64_bytes
#elif defined(__AVX__)
#define TOMOKKOS_HOST_PACKS_OF packs_of_32_bytes
#else
#define TOMOKKOS_HOST_PACKS_OF packs_of_16_bytes
#endif

namespace Tomokkos::Impl {
inline namespace TOMOKKOS_HOST_PACKS_OF {

#if defined(__AVX512F__)
inline constexpr int host_pack_bytes = 64;
#elif defined(__AVX__)
inline constexpr int host_pack_bytes = 32;
#else
inline constexpr int host_pack_bytes = 16;
#endif

/// Maximum number of packs of sums at a time. With 32 registers, this leaves some for the summands.
inline constexpr int most_host_packs = host_pack_bytes == 64 ? 26 : 10;

template <class Scalar>
struct HostPack {
  static constexpr int lanes = host_pack_bytes / static_cast<int>(sizeof(Scalar));
  using Index = std::conditional_t<sizeof(Scalar) == 4, std::int32_t, std::int64_t>;
  typedef Scalar Vector __attribute__((vector_size(host_pack_bytes)));
  typedef Index Indices __attribute__((vector_size(host_pack_bytes)));
  /// Vector with the alignment of a single value.
  typedef Scalar Loose
      __attribute__((vector_size(host_pack_bytes), aligned(alignof(Scalar)), may_alias));

  static Indices iota() {
    Indices result;
    for (int lane = 0; lane < lanes; ++lane) result[lane] = lane;
    return result;
  }
};

template <class Scalar>
using HostVector = typename HostPack<Scalar>::Vector;

/// \brief Adds `sums += value x`. May read up to one pack after the last value and less than a pack
/// before x.
///
/// Most unaligned loads touch two cache lines, which costs as much as two loads. If the processor
/// can shift across two registers, aligned packs are loaded and shifted instead. Measured on a Xeon
/// with AVX-512, 150 floats an entry: 4.2 ns against 5.2 ns for data in the second-level cache, no
/// difference in the first-level cache.
template <int N, class Scalar>
[[gnu::always_inline]] inline void add_host_packs(HostVector<Scalar> (&sums)[N], Scalar value,
                                                  const Scalar* x) {
  using Pack = HostPack<Scalar>;
  using Vector = HostVector<Scalar>;
  const Vector factor = Vector{} + value;
#if defined(__AVX512F__) && !defined(__clang__)
  const auto address = reinterpret_cast<std::uintptr_t>(x);
  const auto* const lines =
      reinterpret_cast<const Vector*>(address & ~static_cast<std::uintptr_t>(host_pack_bytes - 1));
  const auto shift = static_cast<typename Pack::Index>(address % host_pack_bytes / sizeof(Scalar));
  const typename Pack::Indices from = Pack::iota() + shift;
  Vector line = lines[0];
#pragma GCC unroll 32
  for (int n = 0; n < N; ++n) {
    const Vector next = lines[n + 1];
    sums[n] += factor * __builtin_shuffle(line, next, from);
    line = next;
  }
#else
  const auto* const packs = reinterpret_cast<const typename Pack::Loose*>(x);
#pragma GCC unroll 32
  for (int n = 0; n < N; ++n) sums[n] += factor * packs[n];
#endif
}

/// \brief Prefetches the cache lines of N packs. Always inlined: GCC considers a function that only
/// prefetches to have no effects, and may drop the call.
template <int N, class Scalar>
[[gnu::always_inline]] inline void prefetch_host_packs(const Scalar* x) {
  const char* const bytes = reinterpret_cast<const char*>(x);
#pragma GCC unroll 32
  for (int at = 0; at < N * host_pack_bytes; at += 64) __builtin_prefetch(bytes + at);
  __builtin_prefetch(bytes + N * host_pack_bytes - 1);
}

/// \brief Loads the first \p count values of a pack; the others are zero.
template <class Scalar>
[[gnu::always_inline]] inline HostVector<Scalar> load_part(const Scalar* from, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Scalar) == sizeof(float))
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), from);
  else
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from);
#else
  HostVector<Scalar> result{};
  for (int lane = 0; lane < HostPack<Scalar>::lanes; ++lane)
    if (lane < count) result[lane] = from[lane];
  return result;
#endif
}

/// \brief Stores the first \p count values of a pack.
template <class Scalar>
[[gnu::always_inline]] inline void store_part(HostVector<Scalar> pack, Scalar* to, int count) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Scalar) == sizeof(float))
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1U), pack);
  else
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1U), pack);
#else
  for (int lane = 0; lane < HostPack<Scalar>::lanes; ++lane)
    if (lane < count) to[lane] = pack[lane];
#endif
}

/// \brief Loads sums from an array of \p count values; only the last pack is partial.
template <int N, class Scalar>
[[gnu::always_inline]] inline void load_host_packs(const Scalar* from, int count,
                                                   HostVector<Scalar> (&sums)[N]) {
  constexpr int lanes = HostPack<Scalar>::lanes;
  const auto* const packs = reinterpret_cast<const typename HostPack<Scalar>::Loose*>(from);
#pragma GCC unroll 32
  for (int n = 0; n < N - 1; ++n) sums[n] = packs[n];
  sums[N - 1] = load_part(from + (N - 1) * lanes, count - (N - 1) * lanes);
}
template <int N, class Scalar>
[[gnu::always_inline]] inline void store_host_packs(const HostVector<Scalar> (&sums)[N], int count,
                                                    Scalar* to) {
  constexpr int lanes = HostPack<Scalar>::lanes;
  auto* const packs = reinterpret_cast<typename HostPack<Scalar>::Loose*>(to);
#pragma GCC unroll 32
  for (int n = 0; n < N - 1; ++n) packs[n] = sums[n];
  store_part(sums[N - 1], to + (N - 1) * lanes, count - (N - 1) * lanes);
}

/// \brief Builds the table of `Make<N>::run` for N from 1 to `most_host_packs`.
template <class Function, template <int> class Make, int... N>
constexpr std::array<Function, sizeof...(N)> host_pack_table(std::integer_sequence<int, N...>) {
  return {Make<N + 1>::run...};
}

/// \brief Calls `visit(first, packs, count)` for each pass over \p width sums. A pass covers
/// `count` sums from `first` on; all passes have about the same number of packs.
template <class Scalar, class Visit>
inline void for_host_packs(Ordinal width, const Visit& visit) {
  constexpr Ordinal lanes = HostPack<Scalar>::lanes;
  const Ordinal packs = (width + lanes - 1) / lanes;
  const Ordinal passes = (packs + most_host_packs - 1) / most_host_packs;
  for (Ordinal p = 0, begin = 0; p < passes; ++p) {
    const auto end = static_cast<Ordinal>(Offset{packs} * (p + 1) / passes);
    visit(begin * lanes, end - begin, std::min(end * lanes, width) - begin * lanes);
    begin = end;
  }
}

/// \brief Stores a row twice, so that every rotation of it is one contiguous range. For rows that
/// fit the first-level cache.
template <class Scalar>
class DoubledRow {
 public:
  /// Maximum number of values in a row.
  static constexpr Ordinal most = 1024;

  explicit DoubledRow(Ordinal width) : width_(width) {
    std::fill_n(values_ + 2 * width, beyond, Scalar(0));
  }

  void take(const Scalar* row) {
    constexpr Ordinal lanes = HostPack<Scalar>::lanes;
    using Loose = typename HostPack<Scalar>::Loose;
    // By value: the pack in memory may be unaligned.
    const auto put = [&](Ordinal q, HostVector<Scalar> pack) {
      *reinterpret_cast<Loose*>(values_ + q) = pack;
      *reinterpret_cast<Loose*>(values_ + width_ + q) = pack;
    };
    // The last pack first: values that it writes after the end of the first copy are overwritten
    // later.
    const Ordinal whole = width_ / lanes * lanes;
    if (whole < width_) put(whole, load_part(row + whole, width_ - whole));
    for (Ordinal q = whole; (q -= lanes) >= 0;) put(q, *reinterpret_cast<const Loose*>(row + q));
  }
  const Scalar* from(Ordinal shift) const { return values_ + shift; }

 private:
  /// Zeros after the rows, which an addition may read.
  static constexpr Ordinal beyond = 64;

  Ordinal width_;
  alignas(64) Scalar values_[2 * most + beyond];
};

}  // namespace TOMOKKOS_HOST_PACKS_OF
}  // namespace Tomokkos::Impl

#else
#define TOMOKKOS_HOST_PACKS_OF no_packs
#endif
