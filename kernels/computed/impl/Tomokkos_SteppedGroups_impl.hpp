// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of images and rays, and their margins, on which the products of both directions and their
// workspace agree. Included by sources only.
#pragma once

#include <Tomokkos_SteppedProducts.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_FanTable_impl.hpp>
#include <impl/Tomokkos_HostRays_impl.hpp>
#include <impl/Tomokkos_SteppedCopies_impl.hpp>
#include <impl/Tomokkos_SteppedPixels_impl.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

template <class MemorySpace>
SteppedScan stepped_scan(const ComputedProjection<MemorySpace>& A) {
  return {A.volume, A.scan, A.projector};
}

/// Calls action(integral constant of the beam).
template <class Action>
void with_beam(Beam beam, const Action& action) {
  if (beam == Beam::fan)
    action(std::integral_constant<Beam, Beam::fan>());
  else
    action(std::integral_constant<Beam, Beam::parallel>());
}

template <class MemorySpace>
ImageCopy image_copy(const ComputedProjection<MemorySpace>& A) {
  return {A.volume.rows, A.volume.columns};
}

template <class MemorySpace>
int most_taps(const ComputedProjection<MemorySpace>& A) {
  int taps = 1;
  for (const ViewSteps& view : A.steps_on_host) taps = std::max(taps, view.taps);
  return taps;
}

/// True for the kernels that keep windows of their input in scratch memory.
template <class ExecutionSpace, class Scalar>
constexpr bool has_windows = !is_host_space<ExecutionSpace> && std::is_same_v<Scalar, float>;

/// Zeros on each side of the rays of a view for the kernels with windows.
constexpr Ordinal window_margin = 104;

/// Zeros on each side of the rays of a view: as many as the pixels of a strip can read outside. A
/// window that is not all zeros must fit.
template <class MemorySpace>
Ordinal ray_margin(const ComputedProjection<MemorySpace>& A) {
  double span = 0;
  if (A.scan.beam == Beam::parallel)
    for (const ViewSteps& view : A.steps_on_host)
      span = std::max(
          span, longest_strip<typename MemorySpace::execution_space> * std::fabs(view.per_row));
  const Ordinal of_strips = static_cast<Ordinal>(span) + 2 * most_taps(A) + 5;
  using Space = typename MemorySpace::execution_space;
  Ordinal of_windows = has_windows<Space, float> ? window_margin : 0;
#ifdef TOMOKKOS_HAVE_HOST_LANES
  of_windows = host_window + 4;
#endif
  return whole_units(std::max(of_strips, of_windows));
}

template <class MemorySpace>
Ordinal ray_pitch(const ComputedProjection<MemorySpace>& A) {
  return whole_units(A.scan.detectors + 2 * ray_margin(A));
}

template <class MemorySpace>
FanTable fan_table(const ComputedProjection<MemorySpace>& A) {
  return {A.scan.views.count(), A.scan.detectors};
}

/// Values of the copy of rays for the runs of a range.
template <class MemorySpace>
Offset size_of_rays(const ComputedProjection<MemorySpace>& A, Ordinal runs) {
  return static_cast<Offset>(ray_pitch(A)) * runs;
}

/// Vectors that lie side by side, `stride` values from entry to entry.
template <class Scalar>
struct SteppedVectors {
  Scalar* values;
  Ordinal stride;
  Ordinal count;

  Scalar* data() const { return values; }
  Ordinal extent(int) const { return stride; }
};

/// Sets `Y = alpha A(rows, :) X + beta Y` for the vectors of X, in groups. \p work holds all of
/// them.
template <class ExecutionSpace, class Scalar>
void sum_rays(const ExecutionSpace& exec,
              const ComputedProjection<typename ExecutionSpace::memory_space>& A,
              const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
              Scalar alpha, SteppedVectors<const Scalar> X, Scalar beta, SteppedVectors<Scalar> Y,
              RowRange rows);

/// Sets `Y = alpha A(rows, :)^T X + beta Y` likewise. Where views have exact weights, X and Y have
/// the same stride.
template <class ExecutionSpace, class Scalar>
void sum_pixels(const ExecutionSpace& exec,
                const ComputedProjection<typename ExecutionSpace::memory_space>& A,
                const SteppedWorkspace<Scalar, typename ExecutionSpace::memory_space>& work,
                Scalar alpha, SteppedVectors<const Scalar> X, Scalar beta, SteppedVectors<Scalar> Y,
                RowRange rows);

}  // namespace Tomokkos::Impl
