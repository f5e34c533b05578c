// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a block-circulant matrix on host threads, as in the paper: a thread processes whole
// rows and adds to a row of Y in memory.
#pragma once

#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <algorithm>
#include <impl/Tomokkos_CirculantPass.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_DivideBy.hpp>

namespace Tomokkos::Impl {

/// \brief Computes `y += a x`.
template <class Scalar>
inline void host_axpy(Scalar a, const Scalar* x, Scalar* __restrict__ y, Ordinal count) {
  for (Ordinal q = 0; q < count; ++q) y[q] = multiply_add(a, x[q], y[q]);
}

/// \brief Computes `y += a(0) x(0) + ... + a(S - 1) x(S - 1)`, term by term.
template <int S, class Scalar>
inline void host_maxpy(const Scalar (&a)[S], const Scalar* const (&x)[S], Scalar* __restrict__ y,
                       Ordinal count) {
  for (Ordinal q = 0; q < count; ++q) {
    Scalar sum = y[q];
    for (int i = 0; i < S; ++i) sum = multiply_add(a[i], x[i][q], sum);
    y[q] = sum;
  }
}

/// \brief Computes `y += a x` for the values of y from \p begin to \p end. x has `width` values and
/// is rotated by \p shift: the first value of y corresponds to `x(shift)`.
template <class Scalar>
inline void host_rotated_axpy(Scalar a, const Scalar* x, Ordinal shift, Ordinal width,
                              Scalar* __restrict__ y, Ordinal begin, Ordinal end) {
  const Ordinal wrap = std::clamp(width - shift, begin, end);
  if (wrap > begin) host_axpy(a, x + (shift + begin), y, wrap - begin);
  if (wrap < end) host_axpy(a, x + (shift + wrap - width), y + (wrap - begin), end - wrap);
}

/// \brief Shares of the rows, one per work item.
struct RowShares {
  const Offset* row_offsets;
  Ordinal num_rows;
  int parts;

  /// Returns the first row of a part. Parts have equal sums of rows and entries.
  Ordinal begin(int part) const {
    if (part == 0) return 0;
    if (part == parts) return num_rows;
    const Offset wanted = (row_offsets[num_rows] + num_rows) / parts * part;
    Ordinal low = 0, high = num_rows;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (row_offsets[middle] + middle < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

/// \brief Adds \p count sums of row i, with X replicated and S entries at a time, to y.
template <int S, class Scalar>
inline void add_replicated(const CirculantPass<Scalar>& pass, Ordinal i, Ordinal count, Scalar* y) {
  const Offset end = pass.row_offsets[i + 1];
  const auto row = [&](Offset e) { return pass.x + Offset{pass.positions[e]} * pass.vectors; };
  Offset e = pass.row_offsets[i];
  for (; e + S <= end; e += S) {
    Scalar value[S];
    const Scalar* x[S];
    for (int k = 0; k < S; ++k) {
      value[k] = pass.alpha * pass.values[e + k];
      x[k] = row(e + k);
    }
    host_maxpy<S>(value, x, y, count);
  }
  for (; e < end; ++e) host_axpy(pass.alpha * pass.values[e], row(e), y, count);
}

/// Number of sums outside Y that are formed in one pass over a row. They leave half of a
/// first-level cache to the rows of X.
inline constexpr Ordinal host_circulant_sums = 2048;

template <class Scalar, CirculantVariant Variant>
struct CirculantHostRows {
  CirculantPass<Scalar> pass;
  CirculantPlaces places;
  RowShares shares;

  // Called only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    const Ordinal end = shares.begin(part + 1);
    for (Ordinal i = shares.begin(part); i < end; ++i) {
      Scalar* const y = pass.y + Offset{i} * pass.width();
      if constexpr (Variant == CirculantVariant::team) {
        sum_in_sequence(i, y);
      } else if constexpr (Variant == CirculantVariant::registers ||
                           Variant == CirculantVariant::replicated) {
        sum_in_buffer(i, y);
      } else {
        for (Ordinal q = 0; q < pass.width(); ++q)
          y[q] = pass.beta == Scalar(0) ? Scalar(0) : pass.beta * y[q];
        if constexpr (Variant == CirculantVariant::spmm)
          element_by_element(i, y);
        else if constexpr (Variant == CirculantVariant::mm)
          two_ranges(i, y);
        else if constexpr (Variant == CirculantVariant::mm_2)
          add_replicated<1>(pass, i, pass.width(), y);
        else if constexpr (Variant == CirculantVariant::maxpy_2)
          add_replicated<2>(pass, i, pass.width(), y);
        else if constexpr (Variant == CirculantVariant::maxpy_4)
          add_replicated<4>(pass, i, pass.width(), y);
        else if constexpr (Variant == CirculantVariant::maxpy_8)
          add_replicated<8>(pass, i, pass.width(), y);
        else if constexpr (Variant == CirculantVariant::maxpy_12)
          add_replicated<12>(pass, i, pass.width(), y);
        else
          add_replicated<16>(pass, i, pass.width(), y);
      }
    }
  }

 private:
  const Scalar* row_of_x(const CirculantPlace& place) const {
    return pass.x + Offset{place.column} * pass.width();
  }
  Ordinal shift(const CirculantPlace& place) const {
    return static_cast<Ordinal>(place.block) * pass.vectors;
  }

  void element_by_element(Ordinal i, Scalar* __restrict__ y) const {
    const auto width = static_cast<unsigned>(pass.width());
    for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e) {
      const CirculantPlace place = places(pass.positions[e]);
      const Scalar* const x = row_of_x(place);
      const Scalar value = pass.alpha * pass.values[e];
      const auto first = static_cast<unsigned>(shift(place));
      for (unsigned q = 0; q < width; ++q) y[q] = multiply_add(value, x[(first + q) % width], y[q]);
    }
  }

  void two_ranges(Ordinal i, Scalar* y) const {
    for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e) {
      const CirculantPlace place = places(pass.positions[e]);
      host_rotated_axpy(pass.alpha * pass.values[e], row_of_x(place), shift(place), pass.width(), y,
                        0, pass.width());
    }
  }

  void sum_in_sequence(Ordinal i, Scalar* y) const {
    const Ordinal width = pass.width();
    for (Ordinal q = 0; q < width; ++q) {
      Scalar sum = 0;
      for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e) {
        const CirculantPlace place = places(pass.positions[e]);
        // Figure 6 compares with n_B; but the index wraps at a block, and there are k blocks.
        Ordinal from = shift(place) - (width - q);
        if (from < 0) from += width;
        sum = multiply_add(pass.values[e], row_of_x(place)[from], sum);
      }
      y[q] = combine(pass.alpha, sum, pass.beta, y[q]);
    }
  }

  void sum_in_buffer(Ordinal i, Scalar* y) const {
    Scalar sums[host_circulant_sums];
    const Ordinal width = pass.width();
    for (Ordinal begin = 0; begin < width; begin += host_circulant_sums) {
      const Ordinal end = std::min(begin + host_circulant_sums, width);
      std::fill_n(sums, end - begin, Scalar(0));
      if constexpr (Variant == CirculantVariant::replicated) {
        CirculantPass<Scalar> of_sums = pass;
        of_sums.alpha = Scalar(1);
        of_sums.x += begin;
        add_replicated<8>(of_sums, i, end - begin, sums);
      } else {
        for (Offset e = pass.row_offsets[i]; e < pass.row_offsets[i + 1]; ++e) {
          const CirculantPlace place = places(pass.positions[e]);
          host_rotated_axpy(pass.values[e], row_of_x(place), shift(place), width, sums, begin, end);
        }
      }
      for (Ordinal q = begin; q < end; ++q)
        y[q] = combine(pass.alpha, sums[q - begin], pass.beta, y[q]);
    }
  }
};

}  // namespace Tomokkos::Impl
