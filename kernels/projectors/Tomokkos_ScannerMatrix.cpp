// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums: the same bits on every backend.
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_ScannerMatrix_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                           \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  build_scanner_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const VolumeGeometry3D&, \
                                               const RingScanner&, RowRange);                  \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  fill_scanner_matrix<ExecutionSpace, Scalar>(                                                 \
      const ExecutionSpace&, const VolumeGeometry3D&, const RingScanner&,                      \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&, RowRange);             \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  fill_scanner_matrix<ExecutionSpace, Scalar>(                                                 \
      const ExecutionSpace&, const VolumeGeometry3D&, const RingScanner&,                      \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&,                        \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange);                                \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  fill_mapped_scanner_matrix<ExecutionSpace, Scalar>(                                          \
      const ExecutionSpace&, const VolumeGeometry3D&, const RingScanner&,                      \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&,                        \
      const IndexMap<ExecutionSpace::memory_space>&,                                           \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange);                                \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                     \
  build_mapped_scanner_matrix<ExecutionSpace, Scalar>(                                         \
      const ExecutionSpace&, const VolumeGeometry3D&, const RingScanner&,                      \
      const IndexMap<ExecutionSpace::memory_space>&,                                           \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                          \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                  \
  scanner_row_offsets<ExecutionSpace>(const ExecutionSpace&, const VolumeGeometry3D&, \
                                      const RingScanner&, RowRange);                  \
  template Offset count_scanner_matrix_nonzeros<ExecutionSpace>(                      \
      const ExecutionSpace&, const VolumeGeometry3D&, const RingScanner&, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
