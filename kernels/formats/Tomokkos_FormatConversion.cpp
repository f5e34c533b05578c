// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_BlockConversion_impl.hpp>
#include <impl/Tomokkos_ListConversion_impl.hpp>
#include <impl/Tomokkos_PaddedConversion_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_CSR(SPACE, SCALAR) CsrMatrix<SCALAR, SPACE::memory_space>
#define TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, B)                                  \
  template BcsrMatrix<SCALAR, SPACE::memory_space, B> bcsr_from_csr<B, SPACE, SCALAR>( \
      const SPACE&, const TOMOKKOS_CSR(SPACE, SCALAR)&, const BcsrOptions&);           \
  template TOMOKKOS_CSR(SPACE, SCALAR)                                                 \
      to_csr<SPACE, SCALAR, B>(const SPACE&, const BcsrMatrix<SCALAR, SPACE::memory_space, B>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template CooMatrix<SCALAR, SPACE::memory_space> coo_from_csr<SPACE, SCALAR>(             \
      const SPACE&, const TOMOKKOS_CSR(SPACE, SCALAR)&);                                   \
  template EllMatrix<SCALAR, SPACE::memory_space> ell_from_csr<SPACE, SCALAR>(             \
      const SPACE&, const TOMOKKOS_CSR(SPACE, SCALAR)&, const PaddingLimit&);              \
  template EllRMatrix<SCALAR, SPACE::memory_space> ell_r_from_csr<SPACE, SCALAR>(          \
      const SPACE&, const TOMOKKOS_CSR(SPACE, SCALAR)&, const EllROptions&);               \
  template HybMatrix<SCALAR, SPACE::memory_space> hyb_from_csr<SPACE, SCALAR>(             \
      const SPACE&, const TOMOKKOS_CSR(SPACE, SCALAR)&, const HybOptions&);                \
  template SellMatrix<SCALAR, SPACE::memory_space> sell_from_csr<SPACE, SCALAR>(           \
      const SPACE&, const TOMOKKOS_CSR(SPACE, SCALAR)&, const SellOptions&);               \
  template TOMOKKOS_CSR(SPACE, SCALAR)                                                     \
      to_csr<SPACE, SCALAR>(const SPACE&, const CooMatrix<SCALAR, SPACE::memory_space>&);  \
  template TOMOKKOS_CSR(SPACE, SCALAR)                                                     \
      to_csr<SPACE, SCALAR>(const SPACE&, const EllMatrix<SCALAR, SPACE::memory_space>&);  \
  template TOMOKKOS_CSR(SPACE, SCALAR)                                                     \
      to_csr<SPACE, SCALAR>(const SPACE&, const EllRMatrix<SCALAR, SPACE::memory_space>&); \
  template TOMOKKOS_CSR(SPACE, SCALAR)                                                     \
      to_csr<SPACE, SCALAR>(const SPACE&, const HybMatrix<SCALAR, SPACE::memory_space>&);  \
  template TOMOKKOS_CSR(SPACE, SCALAR)                                                     \
      to_csr<SPACE, SCALAR>(const SPACE&, const SellMatrix<SCALAR, SPACE::memory_space>&); \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 2)                                            \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 3)                                            \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 4)                                            \
  TOMOKKOS_INSTANTIATE_BLOCKS(SPACE, SCALAR, 8)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_BLOCKS
#undef TOMOKKOS_CSR

}  // namespace Tomokkos
