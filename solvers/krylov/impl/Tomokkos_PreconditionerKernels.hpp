// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <limits>

namespace Tomokkos::Impl {

/// Finds the first row whose diagonal entry is zero, so small that its reciprocal is infinite,
/// infinite, NaN, or negative where this is not allowed.
template <class Scalar, class MemorySpace>
struct FindBadDiagonal {
  VectorView<const Scalar, MemorySpace> d;
  bool any_sign;

  KOKKOS_FUNCTION void operator()(const Offset i, Offset& first) const {
    const Scalar value = any_sign && d(i) < Scalar(0) ? -d(i) : d(i);
    const bool good = value >= Kokkos::Experimental::norm_min<Scalar>::value &&
                      value <= Kokkos::Experimental::finite_max<Scalar>::value;
    if (!good && i < first) first = i;
  }
};

/// Computes `d = d^-1`, or `d = d^-1/2`.
template <class Scalar, class MemorySpace>
struct InvertDiagonal {
  VectorView<Scalar, MemorySpace> d;
  bool root;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const double value = static_cast<double>(d(i));
    d(i) = static_cast<Scalar>(1 / (root ? sqrt(value) : value));
  }
};

/// Inverts a symmetric positive definite block in place by its Cholesky factor, in double; finds
/// the first row of the matrix whose pivot is not positive.
template <class Scalar, class MemorySpace, int B>
struct InvertBlocks {
  VectorView<Scalar, MemorySpace> blocks;

  KOKKOS_FUNCTION void operator()(const Offset index, Offset& first) const {
    Scalar* const block = blocks.data() + index * B * B;
    double lower[B][B], inverse[B][B];
    for (int i = 0; i < B; ++i)
      for (int j = 0; j <= i; ++j) {
        double value = static_cast<double>(block[i * B + j]);
        for (int k = 0; k < j; ++k) value -= lower[i][k] * lower[j][k];
        if (i == j) {
          if (!(value > 0) || value > Kokkos::Experimental::finite_max<double>::value) {
            const Offset row = index * B + i;
            if (row < first) first = row;
            return;
          }
          lower[i][i] = sqrt(value);
        } else {
          lower[i][j] = value / lower[j][j];
        }
      }
    // Columns of the inverse, by substitution with unit vectors.
    for (int c = 0; c < B; ++c) {
      for (int i = 0; i < B; ++i) {
        double value = i == c ? 1 : 0;
        for (int k = 0; k < i; ++k) value -= lower[i][k] * inverse[k][c];
        inverse[i][c] = value / lower[i][i];
      }
      for (int i = B - 1; i >= 0; --i) {
        double value = inverse[i][c];
        for (int k = i + 1; k < B; ++k) value -= lower[k][i] * inverse[k][c];
        inverse[i][c] = value / lower[i][i];
      }
    }
    for (int i = 0; i < B; ++i)
      for (int j = 0; j < B; ++j)  // keeps the block exactly symmetric
        block[i * B + j] = static_cast<Scalar>(inverse[i >= j ? i : j][i >= j ? j : i]);
  }
};

/// Inverts any block in place by elimination with pivoting, in double; finds the first row of the
/// matrix for which no pivot is left.
template <class Scalar, class MemorySpace, int B>
struct InvertGeneralBlocks {
  VectorView<Scalar, MemorySpace> blocks;

  KOKKOS_FUNCTION void operator()(const Offset index, Offset& first) const {
    Scalar* const block = blocks.data() + index * B * B;
    double left[B][B], right[B][B];
    for (int i = 0; i < B; ++i)
      for (int j = 0; j < B; ++j) {
        left[i][j] = static_cast<double>(block[i * B + j]);
        right[i][j] = i == j ? 1 : 0;
      }
    for (int c = 0; c < B; ++c) {
      int pivot = c;
      for (int i = c + 1; i < B; ++i)
        if (fabs(left[i][c]) > fabs(left[pivot][c])) pivot = i;
      const double size = fabs(left[pivot][c]);
      if (!(size > 0) || size > Kokkos::Experimental::finite_max<double>::value) {
        const Offset row = index * B + c;
        if (row < first) first = row;
        return;
      }
      for (int j = 0; j < B; ++j) {
        const double upper_left = left[c][j], upper_right = right[c][j];
        left[c][j] = left[pivot][j];
        right[c][j] = right[pivot][j];
        left[pivot][j] = upper_left;
        right[pivot][j] = upper_right;
      }
      const double inverse = 1 / left[c][c];
      for (int j = 0; j < B; ++j) {
        left[c][j] *= inverse;
        right[c][j] *= inverse;
      }
      for (int i = 0; i < B; ++i) {
        const double factor = left[i][c];
        for (int j = 0; i != c && j < B; ++j) {
          left[i][j] -= factor * left[c][j];
          right[i][j] -= factor * right[c][j];
        }
      }
    }
    for (int i = 0; i < B; ++i)
      for (int j = 0; j < B; ++j) block[i * B + j] = static_cast<Scalar>(right[i][j]);
  }
};

/// Computes `z = M^-1 r` for a block of rows in one column.
template <class Scalar, class MemorySpace>
struct ApplyBlocks {
  VectorView<const Scalar, MemorySpace> blocks;
  MultiVectorView<const Scalar, MemorySpace> r;
  MultiVectorView<Scalar, MemorySpace> z;
  int block;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(r.extent(1));
    const Offset row = at / columns, column = at % columns;
    const Offset first = row / block * block;
    const Offset rows = static_cast<Offset>(r.extent(0)) - first;
    const int size = rows < block ? static_cast<int>(rows) : block;
    const Scalar* const inverse = blocks.data() + row * block;
    double sum = 0;
    for (int j = 0; j < size; ++j)
      sum += static_cast<double>(inverse[j]) * static_cast<double>(r(first + j, column));
    z(row, column) = static_cast<Scalar>(sum);
  }
};

}  // namespace Tomokkos::Impl
