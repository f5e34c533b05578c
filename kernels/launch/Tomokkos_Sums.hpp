// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief N sums that are formed in one pass, in double.
template <int N>
struct Sums {
  double value[N] = {};

  KOKKOS_INLINE_FUNCTION Sums& operator+=(const Sums& other) {
    for (int i = 0; i < N; ++i) value[i] += other.value[i];
    return *this;
  }
};

/// \brief Position of an element in a row-major array with s columns.
struct ArrayEntry {
  Offset row;
  Offset column;
  /// Linear index `row * s + column`.
  Offset at;
};

}  // namespace Tomokkos
