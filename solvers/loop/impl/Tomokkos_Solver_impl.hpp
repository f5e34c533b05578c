// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Solver.hpp>
#include <impl/Tomokkos_MissingData.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace Impl {

/// The first index whose entry is not a finite number of at least `minimum`, nor an allowed NaN.
template <class Scalar, class MemorySpace>
struct FirstBadEntry {
  VectorView<const Scalar, MemorySpace> x;
  double minimum, largest;
  bool nan_is_good = false;

  KOKKOS_FUNCTION void operator()(const Offset i, Offset& first) const {
    const double value = static_cast<double>(x(i));
    const bool good =
        is_missing(value) ? nan_is_good : value >= minimum && value <= largest && value >= -largest;
    if (!good && i < first) first = i;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void require_entries(const ExecutionSpace& exec, const char* name,
                     const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                     double minimum, std::size_t columns, NanData nan_data) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Offset n = static_cast<Offset>(x.extent(0));
  Offset first = std::numeric_limits<Offset>::max();
  Kokkos::parallel_reduce("Tomokkos::solver::require_entries",
                          Impl::element_range(exec, x.extent(0)),
                          Impl::FirstBadEntry<Scalar, MemorySpace>{
                              x, minimum, static_cast<double>(std::numeric_limits<Scalar>::max()),
                              nan_data == NanData::missing},
                          Kokkos::Min<Offset>(first));
  Impl::fence(exec, "require_entries: the index must have arrived");
  if (first >= n) return;
  Scalar value;
  const Kokkos::View<Scalar*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      &value, 1);
  Kokkos::deep_copy(exec, host, VectorView<const Scalar, MemorySpace>(x.data() + first, 1));
  Impl::fence(exec, "require_entries: the value must have arrived");
  const bool finite = value - value == Scalar(0);
  const Offset stride = static_cast<Offset>(columns);
  const std::string slice = columns > 1 ? " of slice " + std::to_string(first % stride) : "";
  throw Error(
      "entry " + std::to_string(first / stride) + " of " + name + slice + " is " +
      describe_number(static_cast<double>(value)) +
      (finite ? "; it must be at least " + describe_number(minimum) : "; it must be finite"));
}

template <class Scalar, class Operator>
std::size_t product_bytes(const Operator& A, std::size_t slices) {
  const auto vectors = static_cast<int>(slices);
  return operator_apply_bytes<Scalar>(A, vectors) +
         operator_apply_transpose_bytes<Scalar>(A, vectors);
}

#define TOMOKKOS_EXTERN(ExecutionSpace, Scalar)                                                    \
  extern template void require_entries<ExecutionSpace, Scalar>(                                    \
      const ExecutionSpace&, const char*,                                                          \
      const VectorView<const Scalar, typename ExecutionSpace::memory_space>&, double, std::size_t, \
      NanData);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_EXTERN)
#undef TOMOKKOS_EXTERN

}  // namespace Tomokkos
