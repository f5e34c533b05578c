// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                          \
  template void spmm<SPACE, SCALAR>(                                                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,             \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, const SpmmOptions&);      \
  template void spmm_columns<SPACE, SCALAR>(                                         \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,             \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                          \
  template void spmv_transpose_atomic<SPACE, SCALAR>(                                \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,             \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
