// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory access of kernels. Only this file uses the load instructions of a device.
#pragma once

#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_Views.hpp>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_pipeline.h>
#endif

namespace Tomokkos::Impl {

/// \brief Number of entries in a pack: four columns are one 16-byte load, four values are one
/// (float) or two (double).
inline constexpr int pack_size = pack_entries;

/// \brief Four adjacent values, read by 16-byte loads.
template <class T>
struct alignas(16) Pack {
  T value[pack_size];
};

/// \brief Loads an element that several threads gather (the vector x) through the read-only cache.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_gathered(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldg(from);
#else
  return *from;
#endif
}

/// \brief Loads B adjacent elements that several threads gather, by the widest loads that their
/// alignment (to their own size, up to 16 bytes) allows. \p to is aligned to 16 bytes.
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

/// \brief Stores B adjacent elements by the widest stores that their alignment (to their own size,
/// up to 16 bytes) allows. \p from is aligned to 16 bytes.
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

/// \brief Loads a pack of a matrix stream that is read once. It is marked for early eviction from
/// the cache, so that x stays.
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

/// \brief Four adjacent 16-bit numbers, in the form in which they were loaded.
struct alignas(8) ShortPack {
  std::uint32_t word[2];

  KOKKOS_FORCEINLINE_FUNCTION unsigned operator[](int i) const {
    return i % 2 == 0 ? word[i / 2] & 0xffffU : word[i / 2] >> 16;
  }
};

/// \brief Loads a pack of 16-bit numbers of a stream by one 8-byte load; on hosts in the byte order
/// of a GPU.
KOKKOS_FORCEINLINE_FUNCTION ShortPack load_streamed_shorts(const std::uint16_t* from) {
#ifdef __CUDA_ARCH__
  const uint2 loaded = __ldcs(reinterpret_cast<const uint2*>(from));
  return {{loaded.x, loaded.y}};
#else
  return {{from[0] | static_cast<std::uint32_t>(from[1]) << 16,
           from[2] | static_cast<std::uint32_t>(from[3]) << 16}};
#endif
}

/// \brief Loads one entry of a stream.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_streamed_entry(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

/// \brief Loads two adjacent entries of a stream by one load; \p from is aligned to both.
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

/// \brief Starts to copy a pack of a stream into scratch memory, both on 16-byte boundaries. This
/// thread may read the copy after `wait_for_copies`, the other members of the team after a
/// following barrier.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void copy_pack(const T* from, T* to) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // Asynchronous copies bypass the registers.
  for (unsigned i = 0; i < sizeof(Pack<T>) / sizeof(int4); ++i)
    __pipeline_memcpy_async(reinterpret_cast<int4*>(to) + i,
                            reinterpret_cast<const int4*>(from) + i, sizeof(int4));
#else
  *reinterpret_cast<Pack<T>*>(to) = load_streamed(from);
#endif
}

/// \brief Waits for the copies that this thread has started.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  __pipeline_commit();
  __pipeline_wait_prior(0);
#endif
}

/// \brief True if packs may be read from \p pointer.
template <class T>
bool is_pack_aligned(const T* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignof(Pack<T>) == 0;
}

}  // namespace Tomokkos::Impl
