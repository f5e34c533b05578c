// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kernels read memory. The one place that knows the load instructions of a device.
#pragma once

#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_Views.hpp>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

namespace Tomokkos::Impl {

/// \brief Entries of one pack: four columns are one 16-byte load, four values one (float) or two
/// (double).
inline constexpr int pack_size = pack_entries;

/// \brief Four adjacent values, read by 16-byte loads.
template <class T>
struct alignas(16) Pack {
  T value[pack_size];
};

/// \brief An element that several threads gather (the vector x): through the read-only cache.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_gathered(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldg(from);
#else
  return *from;
#endif
}

/// \brief B adjacent elements that several threads gather, by the widest loads that their alignment
/// (to their own size, up to 16 bytes) allows. \p to is aligned to 16 bytes.
template <class T, int B>
KOKKOS_FORCEINLINE_FUNCTION void load_gathered_block(const T* from, T (&to)[B]) {
#ifdef __CUDA_ARCH__
  constexpr unsigned bytes = B * sizeof(T);
  if constexpr (bytes % sizeof(int4) == 0) {
    for (unsigned i = 0; i < bytes / sizeof(int4); ++i)
      reinterpret_cast<int4*>(to)[i] = __ldg(reinterpret_cast<const int4*>(from) + i);
  } else if constexpr (bytes % sizeof(int2) == 0 && B % 2 == 0) {
    for (unsigned i = 0; i < bytes / sizeof(int2); ++i)
      reinterpret_cast<int2*>(to)[i] = __ldg(reinterpret_cast<const int2*>(from) + i);
  } else {
    for (int i = 0; i < B; ++i) to[i] = __ldg(from + i);
  }
#else
  for (int i = 0; i < B; ++i) to[i] = from[i];
#endif
}

/// \brief B adjacent elements to memory, by the widest stores that their alignment (to their own
/// size, up to 16 bytes) allows. \p from is aligned to 16 bytes.
template <class T, int B>
KOKKOS_FORCEINLINE_FUNCTION void store_block(const T (&from)[B], T* to) {
#ifdef __CUDA_ARCH__
  constexpr unsigned bytes = B * sizeof(T);
  if constexpr (bytes % sizeof(int4) == 0) {
    for (unsigned i = 0; i < bytes / sizeof(int4); ++i)
      reinterpret_cast<int4*>(to)[i] = reinterpret_cast<const int4*>(from)[i];
  } else if constexpr (bytes % sizeof(int2) == 0 && B % 2 == 0) {
    for (unsigned i = 0; i < bytes / sizeof(int2); ++i)
      reinterpret_cast<int2*>(to)[i] = reinterpret_cast<const int2*>(from)[i];
  } else {
    for (int i = 0; i < B; ++i) to[i] = from[i];
  }
#else
  for (int i = 0; i < B; ++i) to[i] = from[i];
#endif
}

/// \brief A pack of a matrix stream that is read once: marked to leave the cache first, so that x
/// stays.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION Pack<T> load_streamed(const T* from) {
#ifdef __CUDA_ARCH__
  Pack<T> pack;
  auto* target = reinterpret_cast<int4*>(&pack);
  const auto* source = reinterpret_cast<const int4*>(from);
  for (unsigned i = 0; i < sizeof(Pack<T>) / sizeof(int4); ++i) target[i] = __ldcs(source + i);
  return pack;
#else
  return *reinterpret_cast<const Pack<T>*>(from);
#endif
}

/// \brief Four adjacent 16-bit numbers, as they were loaded.
struct alignas(8) ShortPack {
  std::uint32_t word[2];

  KOKKOS_FORCEINLINE_FUNCTION unsigned operator[](int i) const {
    return i % 2 == 0 ? word[i / 2] & 0xffffU : word[i / 2] >> 16;
  }
};

/// \brief A pack of such a stream, by one 8-byte load; on hosts of the byte order of a GPU.
KOKKOS_FORCEINLINE_FUNCTION ShortPack load_streamed_shorts(const std::uint16_t* from) {
#ifdef __CUDA_ARCH__
  const uint2 loaded = __ldcs(reinterpret_cast<const uint2*>(from));
  return {{loaded.x, loaded.y}};
#else
  return {{from[0] | static_cast<std::uint32_t>(from[1]) << 16,
           from[2] | static_cast<std::uint32_t>(from[3]) << 16}};
#endif
}

/// \brief One entry of such a stream.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_streamed_entry(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

/// \brief Two adjacent entries of such a stream, aligned to both: one load.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void load_streamed_pair(const T* from, T (&to)[2]) {
#ifdef __CUDA_ARCH__
  using Pair = std::conditional_t<sizeof(T) == sizeof(int), int2, int4>;
  const Pair loaded = __ldcs(reinterpret_cast<const Pair*>(from));
  to[0] = reinterpret_cast<const T*>(&loaded)[0];
  to[1] = reinterpret_cast<const T*>(&loaded)[1];
#else
  to[0] = from[0];
  to[1] = from[1];
#endif
}

/// \brief Begins to copy a pack of a stream into scratch memory, both on 16-byte boundaries. It is
/// there after `wait_for_copies`, and for the other members of a team after the barrier behind
/// that.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_pack(const T* from, T* to) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // Past the registers: what is under way does not cost any.
  for (unsigned i = 0; i < sizeof(Pack<T>) / sizeof(int4); ++i)
    __pipeline_memcpy_async(reinterpret_cast<int4*>(to) + i,
                            reinterpret_cast<const int4*>(from) + i, sizeof(int4));
#else
  *reinterpret_cast<Pack<T>*>(to) = load_streamed(from);
#endif
}

/// \brief Waits for the copies that this thread began.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
}

/// \brief True when packs may be read from \p pointer.
template <class T>
bool is_pack_aligned(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(Pack<T>) == 0;
}

}  // namespace Tomokkos::Impl
