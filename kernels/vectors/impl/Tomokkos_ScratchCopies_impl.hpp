// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of 16 bytes from memory to the scratch memory of a team, which go on while the threads
// compute, and loads of up to 16 bytes from there. On a host, and on GPUs before the instructions
// exist, both are plain assignments.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace Tomokkos::Impl {

/// \brief Place in scratch memory of level 0, at a multiple of the size of what is loaded there.
class ScratchPlace {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit ScratchPlace(void* place) {
#ifdef __CUDA_ARCH__
    at_ = static_cast<unsigned>(__cvta_generic_to_shared(place));
#else
    at_ = static_cast<char*>(place);
#endif
  }

  KOKKOS_FORCEINLINE_FUNCTION ScratchPlace operator+(unsigned bytes) const {
    ScratchPlace sum = *this;
    sum.at_ += bytes;
    return sum;
  }

  /// \brief Loads \p count values that lie \p distance bytes further.
  template <unsigned distance, int count>
  KOKKOS_FORCEINLINE_FUNCTION void load(float (&values)[count]) const {
    static_assert(count == 1 || count == 2 || count == 4);
#ifdef __CUDA_ARCH__
    if constexpr (count == 1)
      asm volatile("ld.shared.f32 %0, [%1+%2];" : "=f"(values[0]) : "r"(at_), "n"(distance));
    else if constexpr (count == 2)
      asm volatile("ld.shared.v2.f32 {%0, %1}, [%2+%3];"
                   : "=f"(values[0]), "=f"(values[1])
                   : "r"(at_), "n"(distance));
    else
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4+%5];"
                   : "=f"(values[0]), "=f"(values[1]), "=f"(values[2]), "=f"(values[3])
                   : "r"(at_), "n"(distance));
#else
    const auto* const from = reinterpret_cast<const float*>(at_ + distance);
    for (int v = 0; v < count; ++v) values[v] = from[v];
#endif
  }

  /// \brief Loads one value.
  template <unsigned distance>
  KOKKOS_FORCEINLINE_FUNCTION void load(double& value) const {
#ifdef __CUDA_ARCH__
    asm volatile("ld.shared.f64 %0, [%1+%2];" : "=d"(value) : "r"(at_), "n"(distance));
#else
    value = *reinterpret_cast<const double*>(at_ + distance);
#endif
  }

  /// \brief Loads two values.
  template <unsigned distance>
  KOKKOS_FORCEINLINE_FUNCTION void load(double& first, double& second) const {
#ifdef __CUDA_ARCH__
    asm volatile("ld.shared.v2.f64 {%0, %1}, [%2+%3];"
                 : "=d"(first), "=d"(second)
                 : "r"(at_), "n"(distance));
#else
    const auto* const from = reinterpret_cast<const double*>(at_ + distance);
    first = from[0];
    second = from[1];
#endif
  }

  /// \brief Starts a copy of 16 bytes to the place \p distance bytes further, or of zeros unless \p
  /// exists; then \p from need not be valid. It has arrived after `wait_for_copies` and a barrier.
  template <unsigned distance = 0>
  KOKKOS_FORCEINLINE_FUNCTION void copy16(const float* from, bool exists) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const int bytes = exists ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0+%3], [%1], 16, %2;" ::"r"(at_), "l"(from),
                 "r"(bytes), "n"(distance)
                 : "memory");
#elif defined(__CUDA_ARCH__)
    float4 values = make_float4(0, 0, 0, 0);
    if (exists) values = *reinterpret_cast<const float4*>(from);
    asm volatile("st.shared.v4.f32 [%0+%5], {%1, %2, %3, %4};" ::"r"(at_), "f"(values.x),
                 "f"(values.y), "f"(values.z), "f"(values.w), "n"(distance)
                 : "memory");
#else
    auto* const to = reinterpret_cast<float*>(at_ + distance);
    for (int v = 0; v < 4; ++v) to[v] = exists ? from[v] : 0.0F;
#endif
  }

 private:
#ifdef __CUDA_ARCH__
  unsigned at_;
#else
  char* at_;
#endif
};

/// \brief Ends a group of copies of the calling thread.
KOKKOS_FORCEINLINE_FUNCTION void end_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// \brief Waits until at most the last \p groups groups of copies of the calling thread are under
/// way.
template <int groups>
KOKKOS_FORCEINLINE_FUNCTION void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

}  // namespace Tomokkos::Impl
