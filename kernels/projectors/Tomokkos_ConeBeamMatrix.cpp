// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled without contraction of products and sums: the same bits on every backend.
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_ConeBeamMatrix_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                        \
  template BlockCirculantMatrix<Scalar, ExecutionSpace::memory_space>                       \
  build_cone_beam_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const PolarVolume&, \
                                                 const ConeBeamScan&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace)                \
  template Offset count_cone_beam_nonzeros<ExecutionSpace>( \
      const ExecutionSpace&, const PolarVolume&, const ConeBeamScan&, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
