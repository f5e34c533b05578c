// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of computed entries times the values of some vectors.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <impl/Tomokkos_ComputedRays_impl.hpp>

namespace Tomokkos::Impl {

/// Writes alpha sums + beta y.
template <int count, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void write_sums(Scalar alpha, const double (&sums)[count], Scalar beta,
                                            Scalar* y) {
  for (int v = 0; v < count; ++v) {
    const double product = static_cast<double>(alpha) * sums[v];
    y[v] =
        static_cast<Scalar>(beta == Scalar(0) ? product
                                              : multiply_add(static_cast<double>(beta),
                                                             static_cast<double>(y[v]), product));
  }
}

/// Sums of weights times the values of `count` vectors, which lie side by side.
template <class Scalar, int count>
struct WeightedSums {
  const Scalar* values;
  Ordinal vectors;
  Ordinal first = 0;  ///< index of the first value
  double sums[count] = {};

  KOKKOS_FUNCTION void operator()(Ordinal index, double weight) {
    const double entry = static_cast<double>(static_cast<Scalar>(weight));
    const Scalar* const of = values + static_cast<Offset>(index - first) * vectors;
    for (int v = 0; v < count; ++v)
      sums[v] = multiply_add(entry, static_cast<double>(of[v]), sums[v]);
  }
};

template <class RayProjector, class Scalar, int count>
struct ComputedRowProduct {
  ComputedRays rays;
  Ordinal first_row;
  Ordinal vectors;
  Scalar alpha, beta;
  const Scalar* x;
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    WeightedSums<Scalar, count> sums{x, vectors};
    rays.visit_row<RayProjector>(first_row + i, sums);
    write_sums<count>(alpha, sums.sums, beta, y + static_cast<Offset>(i) * vectors);
  }
};

template <class RayProjector, class Scalar, int count>
struct ComputedColumnProduct {
  ComputedRays rays;
  RowRange rows;
  RunRange runs;
  Ordinal vectors;
  Scalar alpha, beta;
  const Scalar* x;
  Scalar* y;

  KOKKOS_FUNCTION void operator()(const Ordinal column) const {
    WeightedSums<Scalar, count> sums{x, vectors, rows.begin};
    rays.visit_column<RayProjector>(column, rows, runs, sums);
    write_sums<count>(alpha, sums.sums, beta, y + static_cast<Offset>(column) * vectors);
  }
};

}  // namespace Tomokkos::Impl
