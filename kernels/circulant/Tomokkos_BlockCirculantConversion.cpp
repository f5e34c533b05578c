// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_BlockCirculantConversion_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space>                                     \
  block_circulant_from_block_row<SPACE, SCALAR>(                                                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal);                     \
  template CsrMatrix<SCALAR, SPACE::memory_space> block_row_from_block_circulant<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space>                                     \
  block_circulant_from_csr<SPACE, SCALAR>(                                                       \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal, CirculantOrder);     \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_from_block_circulant<SPACE, SCALAR>(       \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, CirculantOrder);   \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space>                                     \
  transposed_block_circulant<SPACE, SCALAR>(                                                     \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template double circulant_reuse<SPACE, SCALAR>(                                                \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template void circulant_row_sums<SPACE, SCALAR>(                                               \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,                    \
      const VectorView<double, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
