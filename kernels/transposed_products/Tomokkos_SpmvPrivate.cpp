// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SpmvPrivate_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template class PrivateImages<SPACE, SCALAR>;                           \
  template void spmv_transpose_private<SPACE, SCALAR>(                   \
      const SPACE&, const PrivateImages<SPACE, SCALAR>&,                 \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
