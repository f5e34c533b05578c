// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for all builders of CSR matrices: the three arrays, the conversion of counts to offsets,
// and host access to one entry of a device array.
#pragma once

#include <Tomokkos_Views.hpp>
#include <string>

namespace Tomokkos {

template <class Scalar, class MemorySpace>
struct CsrMatrix;

}  // namespace Tomokkos

namespace Tomokkos::Impl {

/// \brief Arrays of a CSR matrix under construction.
template <class Scalar, class MemorySpace>
struct CsrArrays {
  Kokkos::View<Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  CsrMatrix<Scalar, MemorySpace> matrix(Ordinal num_rows, Ordinal num_cols) const {
    return {num_rows, num_cols, row_offsets, columns, values};
  }
};

/// \brief Allocates the offsets of \p num_rows rows, not initialised, in \p MemorySpace. \p exec
/// need not be able to access it.
template <class MemorySpace, class ExecutionSpace>
Kokkos::View<Offset*, MemorySpace> allocate_row_offsets(const ExecutionSpace& exec,
                                                        Ordinal num_rows) {
  return allocate_for_copy<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::CsrMatrix::row_offsets", static_cast<std::size_t>(num_rows) + 1);
}

/// \brief Allocates the values of \p nonzeros entries, not initialised.
template <class Scalar, class MemorySpace, class ExecutionSpace>
Kokkos::View<Scalar*, MemorySpace> allocate_values(const ExecutionSpace& exec, Offset nonzeros) {
  return allocate_for_copy<Kokkos::View<Scalar*, MemorySpace>>(exec, "Tomokkos::CsrMatrix::values",
                                                               static_cast<std::size_t>(nonzeros));
}

/// \brief Allocates columns and values of \p nonzeros entries to complete existing offsets.
template <class Scalar, class MemorySpace, class ExecutionSpace>
CsrArrays<Scalar, MemorySpace> allocate_entries(
    const ExecutionSpace& exec, const Kokkos::View<Offset*, MemorySpace>& row_offsets,
    Offset nonzeros) {
  const auto columns = allocate_for_copy<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::CsrMatrix::columns", static_cast<std::size_t>(nonzeros));
  return {row_offsets, columns, allocate_values<Scalar, MemorySpace>(exec, nonzeros)};
}

/// \brief Allocates all three arrays.
template <class Scalar, class MemorySpace, class ExecutionSpace>
CsrArrays<Scalar, MemorySpace> allocate_csr(const ExecutionSpace& exec, Ordinal num_rows,
                                            Offset nonzeros) {
  return allocate_entries<Scalar>(exec, allocate_row_offsets<MemorySpace>(exec, num_rows),
                                  nonzeros);
}

/// \brief Converts counts to offsets in place. The last entry is not read and receives the total.
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

/// \brief Reads entry \p index of \p x to the host. Fences.
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

// Included last because its functions use the declarations above.
#include <Tomokkos_CsrMatrix.hpp>
