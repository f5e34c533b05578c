// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `make_format_operator` for packed rows: what they need is known before they are made.
#pragma once

#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_FormatOperator.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_PackedCsrOperator.hpp>
#include <Tomokkos_Transpose.hpp>
#include <algorithm>
#include <string>
#include <utility>

namespace Tomokkos::Impl {

/// What packed rows and the ways to transpose them take at least, all at once.
struct PackedRowsNeed {
  std::uint64_t matrix = 0;     ///< exactly
  std::uint64_t packing = 0;    ///< beside it while it is made
  std::uint64_t csr = 0;        ///< A^T in CSR, from which a stored transpose is packed
  std::uint64_t entries = 0;    ///< those of a stored transpose, without padding and bases
  std::uint64_t workspace = 0;  ///< of the transposition
  std::uint64_t images = 0;

  /// The transposition, its packing, and both matrices follow each other.
  std::uint64_t stored(std::uint64_t copy) const {
    return std::max({csr + workspace, csr + copy, matrix + packing + copy});
  }
  std::uint64_t of(std::optional<TransposeMethod> method) const {
    if (method == TransposeMethod::stored) return stored(entries);
    return matrix + std::max(packing, method == TransposeMethod::private_images ? images : 0);
  }
};

/// What is there beside packed rows while they are made: numbers of the far groups.
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

/// How packed rows are transposed where `automatic` may choose.
template <class ExecutionSpace>
TransposeMethod chosen_packed_transpose(const ExecutionSpace& exec, const FormatOptions& options,
                                        const PackedRowsNeed& need, std::uint64_t available) {
  constexpr bool on_host = is_host_space<ExecutionSpace>;
  require(options.transpose != TransposeMethod::windowed,
          "windows are of csr; packed_csr is transposed by a stored copy, by atomic additions or, "
          "on hosts, by private images");
  require(options.transpose != TransposeMethod::direct,
          "direct is of block-circulant matrices; packed_csr is transposed by a stored copy, by "
          "atomic additions or, on hosts, by private images");
  require(
      options.transpose != TransposeMethod::fixed_point,
      "whole numbers are of pairs of rows; packed_csr is transposed by a stored copy, by atomic "
      "additions or, on hosts, by private images");
  require(on_host || options.transpose != TransposeMethod::private_images,
          "private images are for the threads of a host; a GPU has too many");
  if (options.transpose != TransposeMethod::automatic) return options.transpose;
  TransposeNeeds needs;
  needs.stored_bytes = need.of(TransposeMethod::stored);
  needs.private_bytes = need.of(TransposeMethod::private_images);
  needs.available_bytes = available;
  return choose_transpose(device_traits(exec), needs, options.deterministic);
}

/// A in packed rows, with the transpose that \p options ask for. The values of a stored one are
/// rounded as those of A are: the range that `scaled` divides is the same.
template <TileValues Values, class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_packed_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FormatOptions& options, bool with_transpose, std::uint64_t available) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Matrix = PackedCsrMatrix<Scalar, MemorySpace, Values>;
  const bool tiled_rays =
      options.views > 0 && Offset{options.views} * options.detectors == A.num_rows;
  IndexMap<MemorySpace> rows;
  if (tiled_rays)
    rows = make_index_map(exec, A.num_rows, tiled_ray_order(options.views, options.detectors));
  PackedRowsNeed need = packed_rows_need<Matrix>(exec, A, options.deterministic);
  const PackedCsrSize size = packed_csr_size<ExecutionSpace, Scalar, Values>(exec, A, {}, rows);
  need.matrix = size.bytes;
  need.packing = packing_bytes(size);

  PackedTranspose<Matrix> transposed;
  if (with_transpose) transposed.method = chosen_packed_transpose(exec, options, need, available);
  const bool is_stored = transposed.method == TransposeMethod::stored;
  const auto require_room = [&](std::uint64_t bytes, const char* what) {
    require_memory(bytes, "packed rows of " + std::to_string(A.num_nonzeros()) + " entries" + what,
                   available, is_stored ? "operator.transpose: atomic keeps no copy" : "");
  };
  require_room(need.of(transposed.method), is_stored ? " and those of the transpose need"
                                           : transposed.method == TransposeMethod::private_images
                                               ? " and the images need"
                                               : " need");
  double transposed_fill = 0;
  if (is_stored) {
    const auto csr = transpose<ExecutionSpace, Scalar>(exec, A);
    const PackedCsrSize copy = packed_csr_size<ExecutionSpace, Scalar, Values>(exec, csr);
    require_room(std::max(need.stored(copy.bytes), need.csr + copy.bytes + packing_bytes(copy)),
                 " and those of the transpose need");
    transposed.copy = packed_csr_from_csr<ExecutionSpace, Scalar, Values>(exec, csr);
    transposed_fill = fill_of(*transposed.copy);
  } else if (transposed.method == TransposeMethod::private_images) {
    transposed.images = private_image_count(device_traits(exec), options.deterministic);
  }
  const std::optional<TransposeMethod> method = transposed.method;
  PackedCsrOperator<ExecutionSpace, Matrix> made(
      exec, packed_csr_from_csr<ExecutionSpace, Scalar, Values>(exec, A, {}, rows),
      std::move(transposed));
  const Matrix& matrix = made.matrix();
  const double fill = fill_of(matrix);
  const PackedRowsMade shape{matrix.layout(), matrix.group, matrix.num_far_groups(), tiled_rays};
  return {AnyOperator<ExecutionSpace, Scalar>(std::move(made)),
          fill,
          transposed_fill,
          method,
          {},
          shape};
}

}  // namespace Tomokkos::Impl
