// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One visit of a row by a host thread or by a warp. Both sum in the same order.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_Types.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>

namespace Tomokkos::Impl {

/// Number of partial sums of a row: entry e belongs to sum `e % row_lanes`, and the sums are added
/// in halves. There are as many sums as a warp has lanes, which suffices for the vector units of a
/// host.
inline constexpr Ordinal row_lanes = warp_lanes;

/// Number of entries that a lane keeps in registers between the sum of a row and its update.
inline constexpr int kept_entries = 8;

/// Adds the partial sums of one thread in halves, as the lanes of a warp do.
KOKKOS_FORCEINLINE_FUNCTION double sum_in_halves(double* partial) {
  for (Ordinal half = row_lanes / 2; half > 0; half /= 2)
    for (Ordinal lane = 0; lane < half; ++lane) partial[lane] += partial[lane + half];
  return partial[0];
}

/// Computes `|a_i|^2`.
template <class Rows>
struct RowSquaredNorm {
  Rows rows;
  double* squared_norms;

  KOKKOS_FUNCTION double squared(Ordinal row, Ordinal e, double sum) const {
    const auto value = static_cast<double>(rows.value(row, e));
    return multiply_add(value, value, sum);
  }

  KOKKOS_FUNCTION void by_thread(const Offset at) const {
    const auto row = static_cast<Ordinal>(at);
    const Ordinal size = rows.size(row);
    double partial[row_lanes] = {};
    for (Ordinal e = 0; e < size; ++e)
      partial[e % row_lanes] = squared(row, e, partial[e % row_lanes]);
    squared_norms[row] = sum_in_halves(partial);
  }

  KOKKOS_FUNCTION void by_warp(const Offset at, const int lane) const {
    const auto row = static_cast<Ordinal>(at);
    const Ordinal size = rows.size(row);
    double sum = 0;
    for (Ordinal e = lane; e < size; e += row_lanes) sum = squared(row, e, sum);
    sum = sum_over_lanes(sum, 1, row_lanes);
    if (lane == 0) squared_norms[row] = sum;
  }
};

/// Data of the row of a visit that a warp loads before x is ready.
template <class Scalar>
struct FetchedRow {
  Ordinal row = 0, size = 0;
  double squared_norm = 0, b = 0;
  Ordinal columns[kept_entries] = {};
  Scalar values[kept_entries] = {};
};

/// Performs visit number v of a sweep by levels: `x += relaxation (b_i - a_i x) / |a_i|^2 a_i`,
/// clamped.
template <class Rows>
struct KaczmarzVisit {
  using Scalar = typename Rows::scalar_type;
  static constexpr int kept = kept_entries;

  Rows rows;
  const Ordinal* order;
  const double* squared_norms;
  const Scalar* b;
  Scalar* x;
  Scalar relaxation, minimum, maximum;

  KOKKOS_FORCEINLINE_FUNCTION double step(double b_row, double row_dot_x,
                                          double squared_norm) const {
    return static_cast<double>(relaxation) * (b_row - row_dot_x) / squared_norm;
  }

  KOKKOS_FORCEINLINE_FUNCTION double with_product(Scalar value, Scalar x_value, double sum) const {
    return multiply_add(static_cast<double>(value), static_cast<double>(x_value), sum);
  }

  /// Returns the new value of an entry of x. A NaN fails both comparisons and stays visible.
  KOKKOS_FORCEINLINE_FUNCTION Scalar moved(Scalar before, double by, Scalar value) const {
    const double after = multiply_add(by, static_cast<double>(value), static_cast<double>(before));
    return after < static_cast<double>(minimum)   ? minimum
           : after > static_cast<double>(maximum) ? maximum
                                                  : static_cast<Scalar>(after);
  }

  KOKKOS_FUNCTION void by_thread(const Offset visit) const {
    const Ordinal row = order[visit];
    const double squared_norm = squared_norms[row];
    if (squared_norm == 0) return;
    const Ordinal size = rows.size(row);
    double partial[row_lanes] = {};
    Ordinal e = 0;
    for (; e + row_lanes <= size; e += row_lanes)
      for (Ordinal lane = 0; lane < row_lanes; ++lane)
        partial[lane] =
            with_product(rows.value(row, e + lane), x[rows.column(row, e + lane)], partial[lane]);
    for (Ordinal lane = 0; e < size; ++e, ++lane)
      partial[lane] = with_product(rows.value(row, e), x[rows.column(row, e)], partial[lane]);
    const double by = step(static_cast<double>(b[row]), sum_in_halves(partial), squared_norm);
    for (e = 0; e < size; ++e) {
      Scalar& pixel = x[rows.column(row, e)];
      pixel = moved(pixel, by, rows.value(row, e));
    }
  }

  /// Loads everything that does not depend on x.
  KOKKOS_FUNCTION FetchedRow<Scalar> fetch(const Offset visit, const int lane) const {
    FetchedRow<Scalar> fetched;
    fetched.row = order[visit];
    fetched.size = rows.size(fetched.row);
    fetched.squared_norm = squared_norms[fetched.row];
    fetched.b = static_cast<double>(b[fetched.row]);
    for (int i = 0; i < kept; ++i) {
      const Ordinal e = lane + i * row_lanes;
      if (e >= fetched.size) continue;
      fetched.columns[i] = rows.column(fetched.row, e);
      fetched.values[i] = rows.value(fetched.row, e);
    }
    return fetched;
  }

  /// Processes a visit; all lanes of the warp call it for the same visit.
  KOKKOS_FUNCTION void by_warp(const FetchedRow<Scalar>& fetched, const int lane) const {
    const Ordinal row = fetched.row, size = fetched.size;
    Scalar pixels[kept] = {};
    for (int i = 0; i < kept; ++i)
      if (lane + i * row_lanes < size) pixels[i] = x[fetched.columns[i]];
    double sum = 0;
    for (int i = 0; i < kept; ++i)
      if (lane + i * row_lanes < size) sum = with_product(fetched.values[i], pixels[i], sum);
    const Ordinal rest = lane + kept * row_lanes;
    for (Ordinal e = rest; e < size; e += row_lanes)
      sum = with_product(rows.value(row, e), x[rows.column(row, e)], sum);
    // A lane changes only its own pixels and has read them by now.
    const double row_dot_x = sum_over_lanes(sum, 1, row_lanes);
    if (fetched.squared_norm == 0) return;
    const double by = step(fetched.b, row_dot_x, fetched.squared_norm);
    for (int i = 0; i < kept; ++i)
      if (lane + i * row_lanes < size)
        x[fetched.columns[i]] = moved(pixels[i], by, fetched.values[i]);
    for (Ordinal e = rest; e < size; e += row_lanes) {
      Scalar& pixel = x[rows.column(row, e)];
      pixel = moved(pixel, by, rows.value(row, e));
    }
  }

  KOKKOS_FUNCTION void by_warp(const Offset visit, const int lane) const {
    by_warp(fetch(visit, lane), lane);
  }
};

}  // namespace Tomokkos::Impl
