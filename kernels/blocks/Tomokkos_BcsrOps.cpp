// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on every entry of BCSR: a thread visits the blocks of a block row.
#include <Tomokkos_BcsrFormat.hpp>
#include <impl/Tomokkos_FormatOps_impl.hpp>

namespace Tomokkos::Impl {

/// Skips fill after the last row or column.
template <class Scalar, class MemorySpace, int B, class Visitor>
struct VisitBlocks {
  BcsrMatrix<Scalar, MemorySpace, B> A;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Ordinal block_row) const {
    for (Offset block = A.block_offsets(block_row); block < A.block_offsets(block_row + 1); ++block)
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j) {
          const Offset row = static_cast<Offset>(block_row) * B + i;
          const Offset column = static_cast<Offset>(A.block_columns(block)) * B + j;
          if (row < A.num_rows && column < A.num_cols)
            visit(static_cast<Ordinal>(row), static_cast<Ordinal>(column),
                  block * B * B + i * B + j);
        }
  }
};

template <class Scalar, class MemorySpace, int B>
struct FormatEntries<BcsrMatrix<Scalar, MemorySpace, B>> {
  template <class ExecutionSpace, class Visitor>
  static void visit(const ExecutionSpace& exec, const std::string& label,
                    const BcsrMatrix<Scalar, MemorySpace, B>& A, const Visitor& visitor) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_block_rows()),
                         VisitBlocks<Scalar, MemorySpace, B, Visitor>{A, visitor});
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                 \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 2>) \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 3>) \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 4>) \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 8>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
