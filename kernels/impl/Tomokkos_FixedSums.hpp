// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What products share whose sums are whole numbers of a unit: the largest entry of the vector,
// which decides the unit with the largest sum of |A|, and the way back.
#pragma once

#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_FixedPoint.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos::Impl {

/// Whole numbers back to values: `to = alpha sum / 2^e + beta to`; the sums are left zero.
template <class Scalar, class Integer>
struct TakeFixedSums {
  const double* bound;  // largest entry of the vector
  double matrix_bound;  // largest sum of |A|
  int bits;
  Scalar alpha, beta;
  Integer* sums;
  unsigned char* faults;
  Scalar* to;
  int stride = 1;  // of the result

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double bounded = *bound * matrix_bound;
    const double unit = bounded > 0 ? power_of_two(-fixed_point_exponent(bounded, bits)) : 0.0;
    double value = static_cast<double>(sums[i]) * unit;
    sums[i] = 0;
    // A bound beyond the range of doubles says nothing about the sums. (The largest entry of no
    // entries is below all numbers, and there is nothing to add up.)
    if (faults[i] != 0 || (bounded > 0 && bounded - bounded != 0)) {
      value = nan("");
      faults[i] = 0;
    }
    const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * value);
    Scalar& result = to[i * stride];
    result = beta == Scalar(0) ? product : product + beta * result;
  }
};

template <class T>
struct LargestFinite {
  const T* values;
  int stride;
  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    const double value = fabs(static_cast<double>(values[i * stride]));
    if (value - value == 0 && value > largest) largest = value;
  }
};

/// The largest absolute value of what is finite, on the device.
template <class ExecutionSpace, class T>
void largest_finite(const ExecutionSpace& exec, const std::string& label, const T* values,
                    Offset count, int stride,
                    const Vector<double, typename ExecutionSpace::memory_space>& result) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::View<double, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> largest(
      result.data());
  Kokkos::parallel_reduce(label, element_range(exec, count), LargestFinite<T>{values, stride},
                          Kokkos::Max<double, MemorySpace>(largest));
}

/// Weights of rows, entries of a vector over the largest sum of a column, must stay in range.
template <class Scalar>
void require_summable_columns(double column_bound, const std::string& what) {
  constexpr bool is_float = std::is_same_v<Scalar, float>;
  constexpr double largest = is_float ? 0x1p90 : 0x1p900;
  require(column_bound >= 1 / largest && column_bound <= largest,
          what + ": the sums of columns must lie between " +
              (is_float ? "1e-27 and 1e27" : "1e-270 and 1e270") + "; scale the matrix");
}

/// Bits of the sums of columns: with more rows than there is room for their rounding one less.
template <class Integer>
int column_sum_bits(Ordinal num_rows) {
  return fixed_point_bits<Integer> - (num_rows > 4000000 ? 1 : 0);
}

}  // namespace Tomokkos::Impl
