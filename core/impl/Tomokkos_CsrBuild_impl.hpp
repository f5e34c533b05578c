// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the builders of CSR matrices share: the three arrays, counts to offsets, and one entry of a
// device array on the host.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <string>

namespace Tomokkos::Impl {

/// \brief Counts to offsets, in place; the last entry, which is not read, receives the total.
template <class MemorySpace>
struct ExclusiveScan {
  Kokkos::View<Offset*, MemorySpace> counts;
  Offset size;

  KOKKOS_FUNCTION void operator()(const Offset i, Offset& sum, const bool final) const {
    const Offset count = i < size ? counts(i) : 0;
    if (final) counts(i) = sum;
    sum += count;
  }
};

template <class ExecutionSpace, class MemorySpace>
void exclusive_scan(const ExecutionSpace& exec, const std::string& label,
                    const Kokkos::View<Offset*, MemorySpace>& counts) {
  const auto size = static_cast<Offset>(counts.extent(0)) - 1;
  Kokkos::parallel_scan(label, element_range(exec, counts.extent(0)),
                        ExclusiveScan<MemorySpace>{counts, size});
}

/// \brief Entry \p index of \p x on the host. Fences.
template <class ExecutionSpace, class View>
typename View::non_const_value_type read_entry(const ExecutionSpace& exec, const View& x,
                                               std::size_t index, const std::string& why) {
  using Value = typename View::non_const_value_type;
  Value value{};
  Kokkos::deep_copy(
      exec, Kokkos::View<Value, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value),
      Kokkos::subview(x, index));
  fence(exec, why);
  return value;
}

}  // namespace Tomokkos::Impl
