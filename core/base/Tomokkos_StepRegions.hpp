// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>

namespace Tomokkos::Impl {

/// \brief Names of the regions of a profile (`ScopedRegion`) that tell the steps of an iteration
/// apart.
struct StepRegions {
  static constexpr const char* iterations = "Tomokkos::iterations";
  static constexpr const char* forward = "Tomokkos::A x";
  static constexpr const char* transposed = "Tomokkos::A' y";
  static constexpr const char* rows = "Tomokkos::rows of A";
  static constexpr const char* ranks = "Tomokkos::ranks";
};

}  // namespace Tomokkos::Impl
