// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace Tomokkos {

/// \brief Returns the distance of rows in the replicated X, and of in-sector columns in
/// `BlockCirculantMatrix::positions`.
///
/// A row has two copies of its k values without the last value, which is never read. With 16 or
/// more blocks this is rounded up to a multiple of 8, so that rows begin at multiples of 32 bytes
/// in float.
constexpr Offset circulant_pitch(Ordinal blocks) {
  const Offset least = 2 * Offset{blocks} - 1;
  return blocks < 16 ? least : (least + 7) / 8 * 8;
}

/// \brief Sparse k x k matrix C of blocks in which each row of blocks is the one above it, rotated
/// by one block to the right. Only the first row of blocks `(A_0 A_1 ... A_{k-1})` is stored.
///
/// ```
///     C(i of block row p, l of block column j) = A_{(j - p) mod k}(i, l)
///
///     A0 A1 A2        m_B x n_B blocks, k = 3
///     A2 A0 A1
///     A1 A2 A0
/// ```
///
/// Vectors are row-major arrays: x is X, n_B x k, with `X(l, j) = x(l k + j)`, and y is Y, m_B x k.
/// `y = C x` is thus the product of a sparse matrix with k right-hand sides. Each right-hand side
/// is the previous one, rotated by one place:
///
/// ```
///     Y(i, p) = sum over the entries e of row i: values(e) X(column(e), (block(e) + p) mod k)
/// ```
///
/// Contract, checked by `validate`:
///  - `blocks` is at least 1, `pitch` is `circulant_pitch(blocks)`, and `block_rows blocks` and
///    `block_cols blocks` are within the range of indices;
///  - `row_offsets` has `block_rows + 1` entries, starts at 0, never decreases, and ends at the
///    length of `positions` and of `values`, or of `halves`;
///  - only one of `values` and `halves` has entries, and in double only `values`;
///  - `positions(e) = column(e) pitch + block(e)`, with a column below `block_cols` and a block
///    below `blocks`, ascend within a row. A position is the index of the first value for the entry
///    in X replicated: rows of `pitch` values with `X(l, j mod k)` at j.
/// There is no padding.
///
/// Memory: `(4 + sizeof(Scalar)) nnz + 8 (m_B + 1)` bytes, where nnz is a k-th of the nonzeros of
/// C; `6 nnz + 8 (m_B + 1)` with halves. Copies share the arrays.
template <class Scalar, class MemorySpace>
struct BlockCirculantMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal block_rows = 0;  ///< m_B: rows of a block
  Ordinal block_cols = 0;  ///< n_B: columns of a block
  Ordinal blocks = 1;      ///< k: number of blocks in a row of blocks
  Ordinal pitch = 1;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const std::uint32_t*, MemorySpace> positions;
  Kokkos::View<const Scalar*, MemorySpace> values;
  /// Values rounded to binary16, instead of `values`: see `with_rounded_values`.
  Kokkos::View<const std::uint16_t*, MemorySpace> halves{};

  /// \brief Number of rows and of columns of C.
  Ordinal num_rows() const { return block_rows * blocks; }
  Ordinal num_cols() const { return block_cols * blocks; }
  /// \brief Number of entries of the first row of blocks; C has k times as many.
  Offset num_stored() const { return static_cast<Offset>(positions.extent(0)); }
  Offset num_nonzeros() const { return num_stored() * blocks; }
  bool is_rounded() const { return halves.extent(0) > 0; }
  std::size_t memory_bytes() const {
    return row_offsets.extent(0) * sizeof(Offset) + positions.extent(0) * sizeof(std::uint32_t) +
           values.extent(0) * sizeof(Scalar) + halves.extent(0) * sizeof(std::uint16_t);
  }
};

/// \brief Checks that a block-circulant matrix can have blocks of this shape.
///
/// \throws Error for a negative count, no block, more rows or columns of C than an index can count,
///   and positions beyond 32 bits
void check_circulant_shape(Ordinal block_rows, Ordinal block_cols, Ordinal blocks);

/// \brief Checks the contract of \p A. Two passes, fences.
///
/// \throws Error naming the first row (and entry) that violates it
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const BlockCirculantMatrix<Scalar, MemorySpace>& A);

namespace Impl {

/// Finds the first row of the block row that violates the contract; `block_rows` if no row does.
template <class Scalar, class MemorySpace>
struct FirstBadCirculantRow {
  BlockCirculantMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION bool is_bad(Ordinal row) const {
    const Offset begin = A.row_offsets(row);
    const Offset end = A.row_offsets(row + 1);
    if (begin < 0 || end < begin || end > static_cast<Offset>(A.positions.extent(0))) return true;
    const auto pitch = static_cast<std::uint32_t>(A.pitch);
    for (Offset e = begin; e < end; ++e) {
      const std::uint32_t position = A.positions(e);
      if (position / pitch >= static_cast<std::uint32_t>(A.block_cols) ||
          position % pitch >= static_cast<std::uint32_t>(A.blocks))
        return true;
      if (e > begin && A.positions(e - 1) >= position) return true;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && is_bad(row)) first = row;
  }
};

/// Returns the message for row \p row of an invalid matrix; reads only that row.
template <class ExecutionSpace, class Scalar, class MemorySpace>
std::string describe_bad_circulant_row(const ExecutionSpace& exec,
                                       const BlockCirculantMatrix<Scalar, MemorySpace>& A,
                                       Ordinal row) {
  const auto offset = [&](Ordinal i) {
    return read_entry(exec, A.row_offsets, static_cast<std::size_t>(i), "validate: a bad row");
  };
  const Offset begin = offset(row), end = offset(row + 1);
  const std::string where = Impl::text("row {}", row);
  if (begin < 0 || end < begin || end > A.num_stored())
    return Impl::text("{}: offsets {} to {} do not form a range within the {} stored entries",
                      where, begin, end, A.num_stored());
  const auto pitch = static_cast<std::uint32_t>(A.pitch);
  std::uint32_t previous = 0;
  for (Offset e = begin; e < end; ++e) {
    const std::uint32_t position =
        read_entry(exec, A.positions, static_cast<std::size_t>(e), "validate: a bad row");
    const std::uint32_t column = position / pitch, block = position % pitch;
    const std::string entry = Impl::text("{}, entry {}: position {} is column {} of block {}",
                                         where, e - begin, position, column, block);
    if (column >= static_cast<std::uint32_t>(A.block_cols))
      return Impl::text("{}, but blocks have {} columns", entry, A.block_cols);
    if (block >= static_cast<std::uint32_t>(A.blocks))
      return Impl::text("{}, but there are {} blocks", entry, A.blocks);
    if (e > begin && previous == position) return entry + ", which occurs twice in its row";
    if (e > begin && previous > position)
      return Impl::text("{}, and follows position {}, but positions must ascend", entry, previous);
    previous = position;
  }
  return where + " breaks the contract";
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const BlockCirculantMatrix<Scalar, MemorySpace>& A) {
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "validate needs an execution space that can access the matrix");
  check_circulant_shape(A.block_rows, A.block_cols, A.blocks);
  require_equal("pitch", A.pitch, "the pitch for this number of blocks", circulant_pitch(A.blocks));
  require_equal("length of row_offsets", static_cast<long long>(A.row_offsets.extent(0)),
                "rows of a block + 1", static_cast<long long>(A.block_rows) + 1);
  const bool in_halves = A.is_rounded();
  require(!in_halves || std::is_same_v<Scalar, float>,
          "values of 16 bits require products in float");
  require(!in_halves || A.values.extent(0) == 0,
          "a matrix has both values and halves; only one of them may have entries");
  require_equal("length of positions", static_cast<long long>(A.positions.extent(0)),
                in_halves ? "length of halves" : "length of values",
                static_cast<long long>(in_halves ? A.halves.extent(0) : A.values.extent(0)));
  const Offset first_offset =
      Impl::read_entry(exec, A.row_offsets, 0, "validate: first of row_offsets");
  const Offset last_offset = Impl::read_entry(
      exec, A.row_offsets, static_cast<std::size_t>(A.block_rows), "validate: last of row_offsets");
  require_equal("row_offsets(0)", first_offset, "the first position", 0);
  require_equal("row_offsets(block_rows)", last_offset, "the number of stored entries",
                A.num_stored());

  Ordinal first_bad = A.block_rows;
  Kokkos::parallel_reduce("Tomokkos::validate::block_circulant",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.block_rows),
                          Impl::FirstBadCirculantRow<Scalar, MemorySpace>{A},
                          Kokkos::Min<Ordinal>(first_bad));
  if (first_bad >= A.block_rows) return;
  throw Refused("not a valid block-circulant matrix: " +
                Impl::describe_bad_circulant_row(exec, A, first_bad));
}

}  // namespace Tomokkos
