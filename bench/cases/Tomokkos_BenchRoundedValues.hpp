// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error of products with 16-bit values, relative to the product with the rounded matrix.
#pragma once

#include <Tomokkos_Half.hpp>
#include <Tomokkos_RayTiles.hpp>

#include "Tomokkos_BenchIntegerValues.hpp"

namespace Tomokkos::Bench {

/// \brief Rounds values as ray tiles and packed rows store them: `rounded(k) = values(k)`.
template <class Scalar, class MemorySpace, StoredPrecision Values>
struct RoundValue {
  Kokkos::View<const Scalar*, MemorySpace> values;
  Kokkos::View<Scalar*, MemorySpace> rounded;
  float least, step;

  KOKKOS_FUNCTION void operator()(const Offset k) const {
    const auto value = static_cast<float>(values(k));
    if constexpr (Values == StoredPrecision::half) {
      rounded(k) = float_from_half(half_from_float(value));
    } else {
      const auto code =
          step > 0 ? static_cast<std::uint32_t>((value - least) / step + 0.5F) : std::uint32_t{0};
      rounded(k) = least + step * static_cast<float>(code < 65535 ? code : 65535U);
    }
  }
};

/// \brief Returns A with its values rounded as ray tiles and packed rows store them.
template <StoredPrecision Values, class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> rounded_matrix(
    const ExecutionSpace& exec, CsrMatrix<Scalar, typename ExecutionSpace::memory_space> A,
    float least, float step) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if constexpr (Values != StoredPrecision::plain) {
    const auto rounded = allocate<Kokkos::View<Scalar*, MemorySpace>>(
        exec, "Tomokkos::Bench::rounded", A.values.extent(0));
    Kokkos::parallel_for("Tomokkos::bench::round", Impl::element_range(exec, rounded.extent(0)),
                         RoundValue<Scalar, MemorySpace, Values>{A.values, rounded, least, step});
    A.values = rounded;
  } else {
    (void)exec, (void)least, (void)step;
  }
  return A;
}

/// \brief Returns the largest error of y = A x or A^T x divided by its bound, with respect to the
/// rounded A.
///
/// \param column_bound column bound for `reference_with_integer_values`, used for A^T x
template <StoredPrecision Values, class ExecutionSpace, class Scalar>
double error_of_rounded(const ExecutionSpace& exec,
                        const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                        float least, float step, bool of_transpose, const Scalar* x,
                        const Scalar* y, double column_bound = 0) {
  using Vector1 = Kokkos::View<const Scalar*, typename ExecutionSpace::memory_space>;
  const auto rounded = rounded_matrix<Values, ExecutionSpace, Scalar>(exec, A, least, step);
  const auto length_of_x = static_cast<std::size_t>(of_transpose ? A.num_rows : A.num_cols);
  const auto length_of_y = static_cast<std::size_t>(of_transpose ? A.num_cols : A.num_rows);
  const auto wide = widen<ExecutionSpace, Scalar>(exec, Vector1(x, length_of_x));
  return largest_error<ExecutionSpace, Scalar>(
      exec,
      of_transpose ? reference_with_integer_values<ExecutionSpace, Scalar>(
                         exec, rounded, column_bound,
                         reference_transposed_product<ExecutionSpace, Scalar>(exec, rounded, wide))
                   : reference_product<ExecutionSpace, Scalar>(exec, rounded, wide),
      Vector1(y, length_of_y));
}

}  // namespace Tomokkos::Bench
