// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SymmetricRanges_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template void symmetric_product_of_rows<SPACE, SCALAR>(                                  \
      const SPACE&, const SymmetricRows<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                   \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                \
  template void symmetric_transpose_atomic<SPACE, SCALAR>(                                 \
      const SPACE&, const SymmetricRows<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                   \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                \
  template void symmetric_transpose_of_bands<SPACE, SCALAR>(                               \
      const SPACE&, const RaySymmetry<SPACE::memory_space>&,                               \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, const StoredBands&, RowRange, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                           \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, SCALAR,                         \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
