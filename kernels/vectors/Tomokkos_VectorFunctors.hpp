// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functors on vectors, launched by kernels of several folders.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_Reduce.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {

/// \brief Term of a dot product by columns: one entry of x times the same entry of y.
template <class Scalar, class MemorySpace>
struct ColumnDotTerm {
  VectorView<const Scalar, MemorySpace> x, y;
  KOKKOS_FUNCTION void several(const ArrayEntry (&entries)[4], Sums<1>& sums) const {
    Scalar a[4], b[4];
    for (int i = 0; i < 4; ++i) {
      a[i] = x(entries[i].at);
      b[i] = y(entries[i].at);
    }
    for (int i = 0; i < 4; ++i)
      sums.value[0] =
          multiply_add(static_cast<double>(a[i]), static_cast<double>(b[i]), sums.value[0]);
  }
  KOKKOS_FUNCTION void operator()(const ArrayEntry& entry, Sums<1>& sums) const {
    sums.value[0] = multiply_add(static_cast<double>(x(entry.at)), static_cast<double>(y(entry.at)),
                                 sums.value[0]);
  }
};

/// \brief Computes `Y = beta Y`; `beta == 0` overwrites.
template <class Scalar, class MemorySpace>
struct ScaleOrClear {
  VectorView<Scalar, MemorySpace> y;
  Scalar beta;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    y(i) = beta == Scalar(0) ? Scalar(0) : beta * y(i);
  }
};

}  // namespace Tomokkos::Impl
