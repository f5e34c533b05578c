// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared parts of products whose sums are integer multiples of a unit: the largest entry of the
// vector, which determines the unit together with the largest sum of |A|, and the conversion back
// to values.
#pragma once

#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <impl/Tomokkos_FixedPoint.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos::Impl {

/// Entries processed per iteration of a pass over a vector. On a GPU the loads of several entries
/// are in flight at once, and shared values are computed once.
template <class ExecutionSpace>
inline constexpr int entries_at_once = is_host_space<ExecutionSpace> ? 1 : 4;

/// Parameters of the conversion from integers back to values: `to = alpha sum / 2^e + beta to`. The
/// sums are reset to zero.
template <class Scalar, class Integer>
struct FixedSums {
  const double* bound;  // largest entry of the vector, or of each vector
  double matrix_bound;  // largest sum of |A|
  int bits;
  Scalar alpha, beta;
  Integer* sums;
  unsigned char* faults;
  Scalar* to;
  int stride = 1;   // stride of the result
  int vectors = 1;  // whose sums alternate, each with a bound of its own
};

/// \tparam single true for one vector, whose unit is computed once
template <int entries, bool single, class Scalar, class Integer>
struct ConvertFixedSums {
  FixedSums<Scalar, Integer> of;
  Offset count, steps;  // `count / entries`, rounded up

  /// Unit of the sums of a vector.
  struct Unit {
    double unit;
    // True if the bound exceeds the range of doubles: the unit is meaningless. (For a vector
    // without entries the largest entry is below all numbers, and there is nothing to add up.)
    bool boundless;
  };
  KOKKOS_FORCEINLINE_FUNCTION Unit unit_of(Offset vector) const {
    const double bounded = of.bound[vector] * of.matrix_bound;
    return {bounded > 0 ? power_of_two(-fixed_point_exponent(bounded, of.bits)) : 0.0,
            bounded > 0 && bounded - bounded != 0};
  }

  KOKKOS_FUNCTION void operator()(const Offset first) const {
    Integer sums[entries];
    unsigned char faults[entries];
    for (int k = 0; k < entries; ++k) {
      const Offset i = first + k * steps;
      sums[k] = i < count ? of.sums[i] : Integer(0);
      faults[k] = i < count ? of.faults[i] : static_cast<unsigned char>(0);
    }
    Unit unit = unit_of(0);
    for (int k = 0; k < entries; ++k) {
      const Offset i = first + k * steps;
      if (i >= count) continue;
      const Offset place = single ? i : i / of.vectors;
      const Offset vector = single ? 0 : i - place * of.vectors;
      if constexpr (!single) unit = unit_of(vector);
      double value = static_cast<double>(sums[k]) * unit.unit;
      of.sums[i] = 0;
      if (faults[k] != 0 || unit.boundless) {
        value = nan("");
        of.faults[i] = 0;
      }
      const Scalar product = static_cast<Scalar>(static_cast<double>(of.alpha) * value);
      Scalar& result = of.to[place * of.stride + vector];
      result = of.beta == Scalar(0) ? product : product + of.beta * result;
    }
  }
};

template <class ExecutionSpace, class Scalar, class Integer>
void store_fixed_sums(const ExecutionSpace& exec, const std::string& label, Offset count,
                      const FixedSums<Scalar, Integer>& sums) {
  constexpr int entries = entries_at_once<ExecutionSpace>;
  const Offset steps = (count + entries - 1) / entries;
  const auto range = element_range(exec, static_cast<std::size_t>(steps));
  if (sums.vectors == 1)
    Kokkos::parallel_for(label, range,
                         ConvertFixedSums<entries, true, Scalar, Integer>{sums, count, steps});
  else
    Kokkos::parallel_for(label, range,
                         ConvertFixedSums<entries, false, Scalar, Integer>{sums, count, steps});
}

template <int entries, class T>
struct LargestFinite {
  const T* values;
  int stride;
  Offset count, steps;
  KOKKOS_FUNCTION void operator()(const Offset first, double& largest) const {
    T some[entries];
    for (int k = 0; k < entries; ++k) {
      const Offset i = first + k * steps;
      some[k] = i < count ? values[i * stride] : T(0);
    }
    for (int k = 0; k < entries; ++k) {
      const double value = fabs(static_cast<double>(some[k]));
      if (value - value == 0 && value > largest) largest = value;
    }
  }
};

/// Computes the largest absolute value of the finite entries, on the device.
template <class ExecutionSpace, class T>
void largest_finite(const ExecutionSpace& exec, const std::string& label, const T* values,
                    Offset count, int stride,
                    const Vector<double, typename ExecutionSpace::memory_space>& result) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  constexpr int entries = entries_at_once<ExecutionSpace>;
  const Offset steps = (count + entries - 1) / entries;
  const Kokkos::View<double, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> largest(
      result.data());
  Kokkos::parallel_reduce(label, element_range(exec, static_cast<std::size_t>(steps)),
                          LargestFinite<entries, T>{values, stride, count, steps},
                          Kokkos::Max<double, MemorySpace>(largest));
}

/// Computes the largest absolute value of the finite entries of a part of one vector. Neighbouring
/// threads of a GPU read neighbouring entries; a thread of a host reads entries that follow each
/// other.
template <bool on_host, class T>
struct LargestOfVectors {
  const T* values;
  int stride, vectors;
  Offset count, parts;
  double* result;  // of each vector; 0 at first

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset part = index / vectors, vector = index - part * vectors;
    double largest = 0;
    const Offset begin = on_host ? count * part / parts : part;
    const Offset end = on_host ? count * (part + 1) / parts : count;
    for (Offset i = begin; i < end; i += on_host ? 1 : parts) {
      const double value = fabs(static_cast<double>(values[i * stride + vector]));
      if (value - value == 0 && value > largest) largest = value;
    }
    // Few parts exceed what is there already. The order does not matter.
    const volatile double* const current = result + vector;
    if (largest > *current) Kokkos::atomic_fetch_max(result + vector, largest);
  }
};

/// Parts of a vector that are searched at the same time: with eight vectors enough threads for a
/// GPU, and few atomic operations.
template <class ExecutionSpace>
inline constexpr Offset parts_of_largest = is_host_space<ExecutionSpace> ? 64 : 4096;

/// Computes the largest absolute value of the finite entries of each of the vectors
/// `values[i stride + v]`, on the device.
template <class ExecutionSpace, class T>
void largest_finite_of_each(const ExecutionSpace& exec, const std::string& label, const T* values,
                            Offset count, int stride, int vectors,
                            const Vector<double, typename ExecutionSpace::memory_space>& result) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (vectors == 1) return largest_finite(exec, label, values, count, stride, result);
  Kokkos::deep_copy(
      exec, VectorView<double, MemorySpace>(result.data(), static_cast<std::size_t>(vectors)), 0.0);
  const Offset parts = std::min(count, parts_of_largest<ExecutionSpace>);
  Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(parts * vectors)),
                       LargestOfVectors<is_host_space<ExecutionSpace>, T>{
                           values, stride, vectors, count, parts, result.data()});
}

/// Checks that weights of rows, entries of a vector over the largest column sum, stay in range.
/// Throws `Error`.
template <class Scalar>
void require_summable_columns(double column_bound, const std::string& what) {
  constexpr bool is_float = std::is_same_v<Scalar, float>;
  constexpr double largest = is_float ? 0x1p90 : 0x1p900;
  require(column_bound >= 1 / largest && column_bound <= largest,
          what + ": the column sums must be between " +
              (is_float ? "1e-27 and 1e27" : "1e-270 and 1e270") + "; scale the matrix");
}

/// Returns the bits of the column sums: one bit less if there are more rows than the rounding
/// reserve allows.
template <class Integer>
int column_sum_bits(Ordinal num_rows) {
  return fixed_point_bits<Integer> - (num_rows > 4000000 ? 1 : 0);
}

}  // namespace Tomokkos::Impl
