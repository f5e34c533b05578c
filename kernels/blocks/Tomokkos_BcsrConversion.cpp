// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of BCSR from and to CSR.
#include <Tomokkos_BcsrFormat.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_CheckStorage.hpp>

namespace Tomokkos {
namespace Impl {

/// Visits the blocks of a block row in ascending order, with one position per row.
/// `visit(block column, positions, ends)` receives the positions of the first entries of the block
/// in its B rows.
template <class Scalar, class MemorySpace, int B>
struct BlockWalk {
  CsrMatrix<Scalar, MemorySpace> A;

  template <class Visit>
  KOKKOS_FUNCTION void operator()(Ordinal block_row, const Visit& visit) const {
    Offset next[B], end[B];
    for (int r = 0; r < B; ++r) {
      const Offset row = static_cast<Offset>(block_row) * B + r;
      next[r] = row < A.num_rows ? A.row_offsets(row) : 0;
      end[r] = row < A.num_rows ? A.row_offsets(row + 1) : 0;
    }
    for (;;) {
      Ordinal block = -1;
      for (int r = 0; r < B; ++r) {
        if (next[r] >= end[r]) continue;
        const Ordinal candidate = A.columns(next[r]) / B;
        if (block < 0 || candidate < block) block = candidate;
      }
      if (block < 0) return;
      visit(block, next, end);
      for (int r = 0; r < B; ++r)
        while (next[r] < end[r] && A.columns(next[r]) / B == block) ++next[r];
    }
  }
};

template <class Scalar, class MemorySpace, int B>
struct CountBlocks {
  BlockWalk<Scalar, MemorySpace, B> walk;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Ordinal block_row) const {
    Offset blocks = 0;
    walk(block_row, [&](Ordinal, const Offset*, const Offset*) { ++blocks; });
    counts(block_row) = blocks;
  }
};

template <class Scalar, class MemorySpace, int B>
struct FillBlocks {
  BlockWalk<Scalar, MemorySpace, B> walk;
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal block_row) const {
    Offset at = offsets(block_row);
    walk(block_row, [&](Ordinal block, const Offset* next, const Offset* end) {
      columns(at) = block;
      Scalar* const target = values.data() + at * B * B;
      for (int i = 0; i < B * B; ++i) target[i] = Scalar(0);
      for (int r = 0; r < B; ++r)
        for (Offset k = next[r]; k < end[r] && walk.A.columns(k) / B == block; ++k)
          target[r * B + (walk.A.columns(k) - block * B)] = walk.A.values(k);
      ++at;
    });
  }
};

template <class Scalar, class MemorySpace, int B>
struct CountBlockEntries {
  BcsrMatrix<Scalar, MemorySpace, B> A;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset count = 0;
    for (Offset k = A.block_offsets(row / B); k < A.block_offsets(row / B + 1); ++k)
      for (int c = 0; c < B; ++c)
        if (A.values(k * B * B + row % B * B + c) != Scalar(0)) ++count;
    counts(row) = count;
  }
};

template <class Scalar, class MemorySpace, int B>
struct CopyBlockEntries {
  BcsrMatrix<Scalar, MemorySpace, B> A;
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset to = offsets(row);
    for (Offset k = A.block_offsets(row / B); k < A.block_offsets(row / B + 1); ++k)
      for (int c = 0; c < B; ++c) {
        const Scalar value = A.values(k * B * B + row % B * B + c);
        if (value == Scalar(0)) continue;
        columns(to) = A.block_columns(k) * B + c;
        values(to) = value;
        ++to;
      }
  }
};

}  // namespace Impl

template <int B, class ExecutionSpace, class Scalar>
BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B> bcsr_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const BcsrOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  BcsrMatrix<Scalar, MemorySpace, B> target;
  target.num_rows = A.num_rows;
  target.num_cols = A.num_cols;
  target.nonzeros = A.num_nonzeros();
  const Ordinal rows = target.num_block_rows();
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, rows);
  const Impl::BlockWalk<Scalar, MemorySpace, B> walk{A};
  const auto offsets = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::BcsrMatrix::block_offsets", static_cast<Offset>(rows) + 1);
  Kokkos::parallel_for("Tomokkos::convert::count_blocks", all,
                       Impl::CountBlocks<Scalar, MemorySpace, B>{walk, offsets});
  Impl::exclusive_scan(exec, "Tomokkos::convert::block_offsets", offsets);
  const Offset blocks = Impl::read_entry(exec, offsets, rows, "convert: the number of blocks");
  Impl::check_storage<ExecutionSpace>("bcsr", blocks * B * B, A.num_nonzeros(), options.limit,
                                      sizeof(Scalar) + sizeof(Ordinal) / (B * B));
  const auto columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::BcsrMatrix::block_columns", blocks);
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::BcsrMatrix::values", blocks * B * B);
  Kokkos::parallel_for("Tomokkos::convert::fill_blocks", all,
                       Impl::FillBlocks<Scalar, MemorySpace, B>{walk, offsets, columns, values});
  Impl::fence(exec, "convert: the blocks are filled");
  target.block_offsets = offsets;
  target.block_columns = columns;
  target.values = values;
  return target;
}

template <class ExecutionSpace, class Scalar, int B>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, A.num_rows);
  const auto offsets = Impl::allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  Kokkos::parallel_for("Tomokkos::convert::count_block_entries", all,
                       Impl::CountBlockEntries<Scalar, MemorySpace, B>{A, offsets});
  Impl::exclusive_scan(exec, "Tomokkos::convert::offsets", offsets);
  const Offset nonzeros =
      Impl::read_entry(exec, offsets, A.num_rows, "convert: the number of nonzeros");
  const auto csr = Impl::allocate_entries<Scalar>(exec, offsets, nonzeros);
  Kokkos::parallel_for(
      "Tomokkos::convert::copy_block_entries", all,
      Impl::CopyBlockEntries<Scalar, MemorySpace, B>{A, offsets, csr.columns, csr.values});
  Impl::fence(exec, "convert: the matrix is complete");
  return csr.matrix(A.num_rows, A.num_cols);
}

#define TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, B)                                   \
  template BcsrMatrix<SCALAR, SPACE::memory_space, B> bcsr_from_csr<B, SPACE, SCALAR>(  \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const BcsrOptions&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR, B>(             \
      const SPACE&, const BcsrMatrix<SCALAR, SPACE::memory_space, B>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)     \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 2) \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 3) \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 4) \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 8)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_BLOCKS

}  // namespace Tomokkos
