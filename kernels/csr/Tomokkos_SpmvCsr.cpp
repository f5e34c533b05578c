// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SpmvPlan_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                         \
  template class SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>;           \
  template void spmv<SPACE, SCALAR>(                                                \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                        \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);                              \
  template void spmv_transpose_sections<SPACE, SCALAR>(                             \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                        \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);                              \
  template Offset spmv_dot_sums<SPACE, SCALAR>(                                     \
      const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&);              \
  template void spmv_dot<SPACE, SCALAR>(                                            \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&,                                \
      const VectorView<const SCALAR, SPACE::memory_space>&,                         \
      const VectorView<SCALAR, SPACE::memory_space>&,                               \
      const VectorView<double, SPACE::memory_space>&);                              \
  template void spmv_rows<SPACE, SCALAR>(                                           \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,              \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);                              \
  template void spmv_columns<SPACE, SCALAR>(                                        \
      const SPACE&, const SpmvPlan<SPACE, CsrMatrix<SCALAR, SPACE::memory_space>>&, \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,              \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                 \
      const VectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
