// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Half.hpp>
#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_CirculantValues.hpp>
#include <impl/Tomokkos_ValueRange.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar>
struct RoundCirculantValues {
  CirculantValues<Scalar> values;
  std::uint16_t* halves;
  KOKKOS_FUNCTION void operator()(const Offset e) const {
    halves[e] = half_from_float(static_cast<float>(values[e]));
  }
};

template <class Scalar>
struct CopyCirculantValues {
  CirculantValues<Scalar> values;
  Scalar* to;
  KOKKOS_FUNCTION void operator()(const Offset e) const { to[e] = values[e]; }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> with_rounded_values(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(std::is_same_v<Scalar, float>, "values of 16 bits require products in float");
  if (A.is_rounded() || A.num_stored() == 0) return A;
  double least = 0, largest = 0;
  Kokkos::parallel_reduce("Tomokkos::block_circulant::value_range",
                          Impl::element_range(exec, A.values.extent(0)),
                          Impl::ValueRange<Scalar, MemorySpace>{A.values},
                          Kokkos::Min<double>(least), Kokkos::Max<double>(largest));
  Impl::fence(exec, "with_rounded_values: the range of the values");
  // Also refuses values that are not finite. From 65520 on the nearest half is infinite.
  require(least > -65520 && largest < 65520,
          "values of 16 bits in a block-circulant matrix must be finite and cannot exceed 65504; "
          "scale the matrix");
  const auto halves = allocate<Kokkos::View<std::uint16_t*, MemorySpace>>(
      exec, "Tomokkos::BlockCirculantMatrix::halves", A.num_stored());
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::round", Impl::element_range(exec, halves.extent(0)),
      Impl::RoundCirculantValues<Scalar>{Impl::CirculantValues<Scalar>(A), halves.data()});
  Impl::fence(exec, "with_rounded_values: the matrix is complete");
  auto result = A;
  result.values = {};
  result.halves = halves;
  return result;
}

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> with_plain_values(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (!A.is_rounded()) return A;
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::BlockCirculantMatrix::values", A.num_stored());
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::plain_values", Impl::element_range(exec, values.extent(0)),
      Impl::CopyCirculantValues<Scalar>{Impl::CirculantValues<Scalar>(A), values.data()});
  Impl::fence(exec, "with_plain_values: the matrix is complete");
  auto result = A;
  result.values = values;
  result.halves = {};
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space> with_rounded_values<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space> with_plain_values<SPACE, SCALAR>(   \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
