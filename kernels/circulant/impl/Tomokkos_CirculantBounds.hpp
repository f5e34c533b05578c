// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of the integer sums of transposed products with a block-circulant matrix, and the
// conversion of these sums to values.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_CirculantNumbering.hpp>
#include <impl/Tomokkos_CirculantValues.hpp>
#include <impl/Tomokkos_FixedSums.hpp>

namespace Tomokkos::Impl {

/// \brief Largest sum of |values|, and largest number of entries, of an in-sector column.
struct CirculantBounds {
  double largest_sum = 0;
  Offset most_entries = 0;
};

/// \brief Counts the entries of each in-sector column, or sums |values| as integers in units of
/// `1 / scale`.
template <class Scalar>
struct SumInSectorColumns {
  const std::uint32_t* positions;
  CirculantValues<Scalar> values;
  CirculantPlaces places;
  double scale;
  long long* sums;

  KOKKOS_FUNCTION void operator()(const Offset e) const {
    const std::uint32_t column = places(positions[e]).column;
    const double term = scale > 0 ? fabs(static_cast<double>(values[e])) * scale : 1.0;
    add_shared(sums + column, nearest(term));
  }
};

/// Finds the largest absolute value; an infinity if some value is not finite.
template <class Scalar>
struct LargestValue {
  CirculantValues<Scalar> values;
  KOKKOS_FUNCTION void operator()(const Offset e, double& largest) const {
    const double value = fabs(static_cast<double>(values[e]));
    const double met = value - value == 0 ? value : HUGE_VAL;
    if (met > largest) largest = met;
  }
};

/// \brief Computes the bounds with integer sums, so that the same matrix has the same unit on every
/// run. Fences.
///
/// \param result workspace of one number
template <class ExecutionSpace, class Scalar, class MemorySpace>
CirculantBounds circulant_column_bounds(const ExecutionSpace& exec,
                                        const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                                        const Vector<double, MemorySpace>& result) {
  if (A.num_stored() == 0) return {};
  const auto entries = element_range(exec, A.positions.extent(0));
  const CirculantValues<Scalar> values(A);
  Kokkos::parallel_reduce(
      "Tomokkos::block_circulant::largest_value", entries, LargestValue<Scalar>{values},
      Kokkos::Max<double, MemorySpace>(
          Kokkos::View<double, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
              result.data())));
  const auto read = [&] {
    return read_entry(exec, result, 0, "CirculantTransposePlan: a bound of the matrix");
  };
  const double largest = read();
  require(largest - largest == 0,
          "a transposed product with integer sums cannot use values that are not finite");
  const auto sums = allocate<Vector<long long, MemorySpace>>(
      exec, "Tomokkos::CirculantTransposePlan::long_sums", A.block_cols);
  const auto largest_sum = [&](double scale) {
    Kokkos::deep_copy(exec, sums, 0LL);
    Kokkos::parallel_for("Tomokkos::block_circulant::column_bounds", entries,
                         SumInSectorColumns<Scalar>{A.positions.data(), values,
                                                    CirculantPlaces(A.pitch), scale, sums.data()});
    largest_finite(exec, "Tomokkos::block_circulant::largest_column", sums.data(), A.block_cols, 1,
                   result);
    return read();
  };
  CirculantBounds bounds;
  bounds.most_entries = static_cast<Offset>(largest_sum(0));
  const double loose = largest * static_cast<double>(bounds.most_entries);
  if (!(loose > 0)) return bounds;
  const int exponent = fixed_point_exponent(loose, fixed_point_bits<long long>);
  // A small margin for the rounding of the terms, and of sums of several terms in float.
  bounds.largest_sum = largest_sum(power_of_two(exponent)) * power_of_two(-exponent) * 1.01;
  return bounds;
}

/// \brief Returns the bits of sums of this many terms, each rounded by half a unit. Beyond four
/// million terms one bit less.
template <class Integer>
int circulant_sum_bits(Offset terms) {
  return fixed_point_bits<Integer> - (terms > 4000000 ? 1 : 0);
}

/// \brief Converts integer sums to values and adds the two places of each value:
/// `X(l, j) = alpha (sum(l, j) + sum(l, j + k)) / 2^e + beta X(l, j)`. Resets sums and faults to
/// zero.
template <class Scalar, class Integer>
struct FoldSums {
  const double* bound;  // largest entry of Y
  double column_bound;
  int bits;
  Scalar alpha, beta;
  DivideBy width;
  Ordinal row;  // values of a row of the sums
  int vectors;
  Integer* sums;
  unsigned char* faults;
  Scalar* x;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto values = static_cast<Offset>(width.divisor());
    const Offset column = index <= Offset{0xffffffffU}
                              ? Offset{width.quotient(static_cast<std::uint32_t>(index))}
                              : index / values;
    const Offset q = index - column * values;
    Integer* const first = sums + column * row + q;
    double sum = static_cast<double>(*first);
    *first = 0;
    // Values of the last block have one place only.
    if (q < values - vectors) {
      Integer* const second = first + values;
      sum += static_cast<double>(*second);
      *second = 0;
    }
    const double bounded = *bound * column_bound;
    double value = bounded > 0 ? sum * power_of_two(-fixed_point_exponent(bounded, bits)) : 0.0;
    // The sums are unknown if the bound is not finite.
    if (faults[index] != 0 || (bounded > 0 && bounded - bounded != 0)) {
      value = nan("");
      faults[index] = 0;
    }
    const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * value);
    x[index] = beta == Scalar(0) ? product : product + beta * x[index];
  }
};

}  // namespace Tomokkos::Impl
