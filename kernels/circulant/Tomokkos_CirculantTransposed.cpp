// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_CirculantTransposed_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template class CirculantTransposePlan<SPACE, SCALAR>;                  \
  template void spmv_transpose<SPACE, SCALAR>(                           \
      const SPACE&, const CirculantTransposePlan<SPACE, SCALAR>&,        \
      const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, SCALAR,  \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
