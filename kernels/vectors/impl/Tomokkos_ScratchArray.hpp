// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Array in the scratch memory of a team whose accesses are single instructions. The compiler alone
// does not recognise scratch memory: it would use loops for atomics and recompute the address for
// every access.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace Tomokkos::Impl {

template <class T>
class ScratchArray {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);

 public:
  /// Wraps \p values, which must be in scratch memory of level 0.
  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchArray(T* values) {
#ifdef __CUDA_ARCH__
    asm volatile("mov.b32 %0, %1;"
                 : "=r"(base_)
                 : "r"(static_cast<unsigned>(__cvta_generic_to_shared(values))));
#else
    values_ = values;
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION T operator[](unsigned i) const {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 4) {
      unsigned bits;
      asm volatile("ld.shared.b32 %0, [%1];" : "=r"(bits) : "r"(address(i)) : "memory");
      return reinterpret_cast<const T&>(bits);
    } else {
      unsigned long long bits;
      asm volatile("ld.shared.b64 %0, [%1];" : "=l"(bits) : "r"(address(i)) : "memory");
      return reinterpret_cast<const T&>(bits);
    }
#else
    return values_[i];
#endif
  }

  /// Returns the element at `i + distance`. For one i and distances known at compile time, each
  /// access costs only the load.
  KOKKOS_FORCEINLINE_FUNCTION T at(unsigned i, unsigned distance) const {
#ifdef __CUDA_ARCH__
    const unsigned from = address(i) + distance * static_cast<unsigned>(sizeof(T));
    if constexpr (sizeof(T) == 4) {
      unsigned bits;
      asm volatile("ld.shared.b32 %0, [%1];" : "=r"(bits) : "r"(from));
      return reinterpret_cast<const T&>(bits);
    } else {
      unsigned long long bits;
      asm volatile("ld.shared.b64 %0, [%1];" : "=l"(bits) : "r"(from));
      return reinterpret_cast<const T&>(bits);
    }
#else
    return values_[i + distance];
#endif
  }

  /// Adds an integer atomically, for several threads at a time.
  KOKKOS_FORCEINLINE_FUNCTION void add(unsigned i, T value) const {
#ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 4)
      asm volatile("red.shared.add.s32 [%0], %1;" ::"r"(address(i)), "r"(value) : "memory");
    else
      asm volatile("red.shared.add.u64 [%0], %1;" ::"r"(address(i)), "l"(value) : "memory");
#else
    Kokkos::atomic_add(values_ + i, value);
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  __device__ __forceinline__ unsigned address(unsigned i) const {
    unsigned result;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(i), "n"(sizeof(T)), "r"(base_));
    return result;
  }
  unsigned base_;
#else
  T* values_;
#endif
};

}  // namespace Tomokkos::Impl
