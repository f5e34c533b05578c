// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vector lanes of a team member tell each other. The one place that knows the shuffles of
// a device; on a host a member has one lane. Every lane of the member must take part in a call.
#pragma once

#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {

/// \brief My lane.
KOKKOS_FORCEINLINE_FUNCTION int lane_of_member() {
#ifdef __CUDA_ARCH__
  return static_cast<int>(threadIdx.x);
#else
  return 0;
#endif
}

#ifdef __CUDA_ARCH__
/// The lanes of the warp that belong to my member of \p lanes lanes, or, in a team of members of
/// one lane, to my group of \p lanes neighbours.
KOKKOS_FORCEINLINE_FUNCTION unsigned member_mask(int lanes) {
  const unsigned own = lanes == 32 ? 0xffffffffU : (1U << lanes) - 1U;
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  return own << (thread % 32U / static_cast<unsigned>(lanes) * static_cast<unsigned>(lanes));
}
#endif

/// \brief The value of lane \p from.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T value_of_lane(T value, int from, int lanes) {
#ifdef __CUDA_ARCH__
  return __shfl_sync(member_mask(lanes), value, from, lanes);
#else
  (void)from, (void)lanes;
  return value;
#endif
}

/// \brief The value of the lane \p distance before mine; my own where there is none.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T value_of_lane_before(T value, int distance, int lanes) {
#ifdef __CUDA_ARCH__
  return __shfl_up_sync(member_mask(lanes), value, static_cast<unsigned>(distance), lanes);
#else
  (void)distance, (void)lanes;
  return value;
#endif
}

/// \brief The sum over all lanes that differ from mine by a multiple of \p stride, a power of two.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_over_lanes(T value, int stride, int lanes) {
#ifdef __CUDA_ARCH__
  for (int distance = lanes / 2; distance >= stride; distance /= 2)
    value += __shfl_xor_sync(member_mask(lanes), value, distance, lanes);
#else
  (void)stride, (void)lanes;
#endif
  return value;
}

/// Lanes that a device runs in step.
inline constexpr int warp_lanes = 32;

/// \brief Waits for the lanes of my warp, which then see what the others have written.
KOKKOS_FORCEINLINE_FUNCTION void sync_warp() {
#ifdef __CUDA_ARCH__
  __syncwarp();
#endif
}

/// \brief The lanes of my warp, by their bits, whose \p condition holds. All of them must ask.
KOKKOS_FORCEINLINE_FUNCTION unsigned warp_ballot(bool condition) {
#ifdef __CUDA_ARCH__
  return __ballot_sync(0xffffffffU, condition);
#else
  return condition ? 1U : 0U;
#endif
}

/// \brief A barrier of a team that fills its block of threads: true for all of them where the \p
/// condition of one holds. On a host a team has one member.
template <class Member>
KOKKOS_FORCEINLINE_FUNCTION bool team_barrier_or(const Member& member, bool condition) {
#ifdef __CUDA_ARCH__
  (void)member;
  return __syncthreads_or(condition ? 1 : 0) != 0;
#else
  member.team_barrier();
  return condition;
#endif
}

/// \brief How many \p lanes there are.
KOKKOS_FORCEINLINE_FUNCTION unsigned count_lanes(unsigned lanes) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(lanes));
#else
  return lanes != 0 ? 1U : 0U;
#endif
}

#ifdef __CUDA_ARCH__
/// The value, and that of the lane \p distance before mine where it is not before \p first.
__device__ __forceinline__ float with_lane_before(float value, int distance, unsigned first) {
  asm volatile(
      "{.reg .f32 other; .reg .pred there;\n"
      "shfl.sync.up.b32 other|there, %0, %1, %2, 0xffffffff;\n"
      "@there add.f32 %0, %0, other;}"
      : "+f"(value)
      : "r"(distance), "r"(first));
  return value;
}
__device__ __forceinline__ double with_lane_before(double value, int distance, unsigned first) {
  asm volatile(
      "{.reg .f64 other; .reg .b32 low, high; .reg .pred there;\n"
      "mov.b64 {low, high}, %0;\n"
      "shfl.sync.up.b32 low, low, %1, %2, 0xffffffff;\n"
      "shfl.sync.up.b32 high|there, high, %1, %2, 0xffffffff;\n"
      "mov.b64 other, {low, high};\n"
      "@there add.f64 %0, %0, other;}"
      : "+d"(value)
      : "r"(distance), "r"(first));
  return value;
}
#endif

/// \brief The sum over the lanes of my warp from the last of \p heads, of those up to mine, on;
/// from the first lane where there is none. In an order of the lanes alone. All of them must ask.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_from_head(T value, unsigned heads) {
#ifdef __CUDA_ARCH__
  // The shuffle itself tells whether there is such a lane from the head on.
  unsigned head;
  asm("bfind.u32 %0, %1;" : "=r"(head) : "r"(heads | 1U));
  for (int distance = 1; distance < 32; distance *= 2)
    value = with_lane_before(value, distance, head);
#else
  (void)heads;
#endif
  return value;
}

/// \brief The least \p value of the lanes of my warp. All of them must ask.
KOKKOS_FORCEINLINE_FUNCTION unsigned least_of_warp(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(0xffffffffU, value);
#elif defined(__CUDA_ARCH__)
  for (int distance = 16; distance > 0; distance /= 2) {
    const unsigned other = __shfl_xor_sync(0xffffffffU, value, distance);
    if (other < value) value = other;
  }
  return value;
#else
  return value;
#endif
}

/// \brief The first of \p lanes, which are not none.
KOKKOS_FORCEINLINE_FUNCTION int lowest_lane(unsigned lanes) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(lanes)) - 1;
#else
  (void)lanes;
  return 0;
#endif
}

/// \brief The last of \p lanes, which are not none.
KOKKOS_FORCEINLINE_FUNCTION int highest_lane(unsigned lanes) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(static_cast<int>(lanes));
#else
  (void)lanes;
  return 0;
#endif
}

}  // namespace Tomokkos::Impl
