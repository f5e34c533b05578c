// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic on data in which NaN marks an entry that was not measured (`NanData::missing`).
#pragma once

#include <impl/Tomokkos_SliceKernels.hpp>

namespace Tomokkos::Impl {

/// Returns true for a NaN.
template <class Scalar>
KOKKOS_INLINE_FUNCTION bool is_missing(const Scalar entry) {
  return entry != entry;
}

/// Returns `b - projection`, or 0 if b was not measured.
template <class Scalar>
KOKKOS_INLINE_FUNCTION double measured_residual(const Scalar b, const Scalar projection) {
  return is_missing(b) ? 0 : static_cast<double>(b) - static_cast<double>(projection);
}

/// Sum of the squares of the measured entries.
template <class Scalar, class MemorySpace>
struct MeasuredSquares {
  VectorView<const Scalar, MemorySpace> b;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& e, Sums<1>& sums) const {
    const double value = is_missing(b(e.at)) ? 0 : static_cast<double>(b(e.at));
    sums.value[0] = multiply_add(value, value, sums.value[0]);
  }
};

/// Squared norm of each column of B over the measured entries. Columns without a NaN get the same
/// bits as with `dot_columns`.
template <class ExecutionSpace, class Scalar>
void measured_squares(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
                      const VectorView<double, typename ExecutionSpace::memory_space>& result) {
  reduce_columns_to_device<1>(
      exec, "Tomokkos::solver::measured_squares", static_cast<Offset>(B.extent(0)),
      static_cast<Offset>(B.extent(1)),
      MeasuredSquares<Scalar, typename ExecutionSpace::memory_space>{as_vector(B)}, workspace,
      result);
}

/// Sets `values = 0` where b was not measured.
template <class Scalar, class MemorySpace>
struct ClearMissing {
  VectorView<const Scalar, MemorySpace> b;
  VectorView<Scalar, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    if (is_missing(b(i))) values(i) = Scalar(0);
  }
};

}  // namespace Tomokkos::Impl
