// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges between the vector lanes of a team member, by the shuffle instructions of a device. On
// a host a member has one lane. Every lane of the member must take part in a call.
#pragma once

#include <Tomokkos_Views.hpp>

/// Unrolls the next loop in device code, so that what its counter selects stays in registers.
#ifdef __CUDA_ARCH__
#define TOMOKKOS_UNROLL _Pragma("unroll")
#else
#define TOMOKKOS_UNROLL
#endif

/// Lets the next loop use the registers of a host for several values. A compiler would otherwise
/// unroll it before it looks for such loops.
#if defined(__CUDACC__)
#define TOMOKKOS_SIMD
#elif defined(__clang__)
#define TOMOKKOS_SIMD _Pragma("clang loop vectorize(enable) unroll(disable)")
#elif defined(__GNUC__)
#define TOMOKKOS_SIMD _Pragma("GCC unroll 1")
#else
#define TOMOKKOS_SIMD
#endif

namespace Tomokkos::Impl {

/// \brief Returns the number of the calling lane within its member.
KOKKOS_FORCEINLINE_FUNCTION int lane_of_member() {
#ifdef __CUDA_ARCH__
  return static_cast<int>(threadIdx.x);
#else
  return 0;
#endif
}

#ifdef __CUDA_ARCH__
/// Returns the lanes of the warp that belong to the member of \p lanes lanes of the calling lane.
/// In a team whose members have one lane each: to its group of \p lanes neighbours.
KOKKOS_FORCEINLINE_FUNCTION unsigned member_mask(int lanes) {
  const unsigned own = lanes == 32 ? 0xffffffffU : (1U << lanes) - 1U;
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  return own << (thread % 32U / static_cast<unsigned>(lanes) * static_cast<unsigned>(lanes));
}
#endif

/// \brief Returns the value of lane \p from.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T value_of_lane(T value, int from, int lanes) {
#ifdef __CUDA_ARCH__
  return __shfl_sync(member_mask(lanes), value, from, lanes);
#else
  (void)from, (void)lanes;
  return value;
#endif
}

/// \brief Returns the value of the lane \p distance before the calling lane, or its own value if no
/// such lane exists.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T value_of_lane_before(T value, int distance, int lanes) {
#ifdef __CUDA_ARCH__
  return __shfl_up_sync(member_mask(lanes), value, static_cast<unsigned>(distance), lanes);
#else
  (void)distance, (void)lanes;
  return value;
#endif
}

/// \brief Returns the sum over all lanes that differ from the calling lane by a multiple of \p
/// stride, a power of two.
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

/// Lanes that a device runs in lock step.
inline constexpr int warp_lanes = 32;

/// \brief Synchronises the lanes of the warp; afterwards each sees what the others have written.
KOKKOS_FORCEINLINE_FUNCTION void sync_warp() {
#ifdef __CUDA_ARCH__
  __syncwarp();
#endif
}

/// \brief Returns a bit mask of the lanes of the warp whose \p condition holds. All lanes must call
/// it.
KOKKOS_FORCEINLINE_FUNCTION unsigned warp_ballot(bool condition) {
#ifdef __CUDA_ARCH__
  return __ballot_sync(0xffffffffU, condition);
#else
  return condition ? 1U : 0U;
#endif
}

/// \brief Synchronises a team that fills its block of threads. Returns true to all members if \p
/// condition holds for one of them. On a host a team has one member.
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

/// \brief Returns the number of lanes in the bit mask \p lanes.
KOKKOS_FORCEINLINE_FUNCTION unsigned count_lanes(unsigned lanes) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(lanes));
#else
  return lanes != 0 ? 1U : 0U;
#endif
}

#ifdef __CUDA_ARCH__
/// Returns the value, plus that of the lane \p distance before, unless that lane is before \p
/// first.
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

/// \brief Returns the sum from the last of \p heads at or before the calling lane up to the calling
/// lane.
///
/// Without such a head the sum starts at the first lane. The order depends only on the lanes. All
/// lanes of the warp must call it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T sum_from_head(T value, unsigned heads) {
#ifdef __CUDA_ARCH__
  // The predicate of the shuffle says whether the other lane is at or after the head.
  unsigned head;
  asm("bfind.u32 %0, %1;" : "=r"(head) : "r"(heads | 1U));
  for (int distance = 1; distance < 32; distance *= 2)
    value = with_lane_before(value, distance, head);
#else
  (void)heads;
#endif
  return value;
}

/// \brief Returns the least \p value of the lanes of the warp. All lanes must call it.
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

/// \brief Returns the first lane of the nonempty mask \p lanes.
KOKKOS_FORCEINLINE_FUNCTION int lowest_lane(unsigned lanes) {
#ifdef __CUDA_ARCH__
  return __ffs(static_cast<int>(lanes)) - 1;
#else
  (void)lanes;
  return 0;
#endif
}

/// \brief Returns the last lane of the nonempty mask \p lanes.
KOKKOS_FORCEINLINE_FUNCTION int highest_lane(unsigned lanes) {
#ifdef __CUDA_ARCH__
  return 31 - __clz(static_cast<int>(lanes));
#else
  (void)lanes;
  return 0;
#endif
}

}  // namespace Tomokkos::Impl
