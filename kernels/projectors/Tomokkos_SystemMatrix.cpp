// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums: mirrored rays rely on it.
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SystemMatrix_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                        \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  build_system_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const VolumeGeometry&, \
                                              const ScanGeometry&, Projector, RowRange);    \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  build_mapped_system_matrix<ExecutionSpace, Scalar>(                                       \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector,         \
      const IndexMap<ExecutionSpace::memory_space>&,                                        \
      const IndexMap<ExecutionSpace::memory_space>&);                                       \
  template CsrMatrix<Scalar, ExecutionSpace::memory_space>                                  \
  fill_mapped_system_matrix<ExecutionSpace, Scalar>(                                        \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector,         \
      const Kokkos::View<const Offset*, ExecutionSpace::memory_space>&,                     \
      const IndexMap<ExecutionSpace::memory_space>&,                                        \
      const IndexMap<ExecutionSpace::memory_space>&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                                              \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                      \
  system_matrix_row_offsets<ExecutionSpace>(const ExecutionSpace&, const VolumeGeometry&, \
                                            const ScanGeometry&, Projector, RowRange);    \
  template Offset count_system_matrix_nonzeros<ExecutionSpace>(                           \
      const ExecutionSpace&, const VolumeGeometry&, const ScanGeometry&, Projector, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
