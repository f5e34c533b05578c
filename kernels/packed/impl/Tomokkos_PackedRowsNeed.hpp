// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that packed rows need, computed before they are built.
#pragma once

#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_Transpose.hpp>
#include <algorithm>
#include <optional>
#include <string>

namespace Tomokkos::Impl {

/// Least memory, in bytes, for packed rows and the methods to transpose them.
struct PackedRowsNeed {
  std::uint64_t matrix = 0;     ///< exact size of the matrix
  std::uint64_t packing = 0;    ///< temporary memory of the conversion
  std::uint64_t csr = 0;        ///< A^T in CSR, from which a stored transpose is packed
  std::uint64_t entries = 0;    ///< entries of a stored transpose, without padding and bases
  std::uint64_t workspace = 0;  ///< workspace of the transposition
  std::uint64_t images = 0;

  /// Peak with a stored transpose: the transposition, its packing, and both matrices follow each
  /// other.
  std::uint64_t stored(std::uint64_t copy) const {
    return std::max({csr + workspace, csr + copy, matrix + packing + copy});
  }
  std::uint64_t of(std::optional<TransposeMethod> method) const {
    if (method == TransposeMethod::stored) return stored(entries);
    return matrix + std::max(packing, method == TransposeMethod::private_images ? images : 0);
  }
};

/// Returns the temporary memory of the conversion: the numbers of the far groups.
inline std::uint64_t packing_bytes(const PackedCsrSize& size) {
  return size.far_groups > 0 ? (static_cast<std::uint64_t>(size.groups) + 1) * sizeof(Offset) : 0;
}

template <class Matrix, class ExecutionSpace, class Csr>
PackedRowsNeed packed_rows_need(const ExecutionSpace& exec, const Csr& A, bool deterministic) {
  using Scalar = typename Csr::scalar_type;
  const auto rows = static_cast<std::uint64_t>(A.num_cols);
  const auto nonzeros = static_cast<std::uint64_t>(A.num_nonzeros());
  PackedRowsNeed need;
  need.csr = MemoryNeed().add_csr(rows, nonzeros, sizeof(Scalar)).bytes();
  need.entries = nonzeros * Matrix::entry_bytes;
  need.workspace = transpose_workspace_bytes<ExecutionSpace, Scalar>(exec, A);
  need.images = rows * sizeof(Scalar) *
                static_cast<std::uint64_t>(private_image_count(device_traits(exec), deterministic));
  return need;
}

/// Returns the need of a matrix whose size has been counted.
template <class Matrix, class ExecutionSpace, class Csr>
PackedRowsNeed counted_packed_rows_need(const ExecutionSpace& exec, const Csr& A,
                                        const IndexMap<typename Csr::memory_space>& rows,
                                        bool deterministic) {
  using Scalar = typename Csr::scalar_type;
  PackedRowsNeed need = packed_rows_need<Matrix>(exec, A, deterministic);
  const PackedCsrSize size =
      packed_csr_size<ExecutionSpace, Scalar, Matrix::stored_precision>(exec, A, {}, rows);
  need.matrix = size.bytes;
  need.packing = packing_bytes(size);
  return need;
}

/// Throws `MemoryError` with the bytes needed if packed rows of A and their transposition do not
/// fit into the memory. \p transposed: A^T in CSR, or null if it does not exist yet.
template <class Matrix, class ExecutionSpace, class Csr>
void require_room_for_packed_rows(const ExecutionSpace& exec, const Csr& A,
                                  const IndexMap<typename Csr::memory_space>& rows,
                                  std::optional<TransposeMethod> method, bool deterministic,
                                  std::uint64_t available, const Csr* transposed) {
  using Scalar = typename Csr::scalar_type;
  const PackedRowsNeed need = counted_packed_rows_need<Matrix>(exec, A, rows, deterministic);
  const bool is_stored = method == TransposeMethod::stored;
  std::uint64_t bytes = need.of(method);
  if (transposed != nullptr) {
    const PackedCsrSize copy =
        packed_csr_size<ExecutionSpace, Scalar, Matrix::stored_precision>(exec, *transposed);
    bytes = std::max(need.stored(copy.bytes), need.csr + copy.bytes + packing_bytes(copy));
  }
  require_memory(bytes,
                 Impl::text("packed rows of {} entries{}", A.num_nonzeros(),
                            is_stored ? " and those of the transpose need"
                            : method == TransposeMethod::private_images ? " and the images need"
                                                                        : " need"),
                 available, is_stored ? "operator.transpose: atomic needs no copy" : "");
}

}  // namespace Tomokkos::Impl
