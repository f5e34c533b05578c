// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SpmvPairBlocked_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template void spmv<SPACE, SCALAR>(const SPACE&,                                                  \
                                    const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, SCALAR, \
                                    const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,  \
                                    const VectorView<SCALAR, SPACE::memory_space>&);               \
  template class PairBlockedPlan<SPACE, SCALAR>;                                                   \
  template void spmv_transpose<SPACE, SCALAR>(                                                     \
      const SPACE&, const PairBlockedPlan<SPACE, SCALAR>&,                                         \
      const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                               \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                                \
      const VectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
