// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_CsrOps_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template void csr_diagonal<SPACE, SCALAR>(const SPACE&,                                    \
                                            const CsrMatrix<SCALAR, SPACE::memory_space>&,   \
                                            const VectorView<SCALAR, SPACE::memory_space>&); \
  template void csr_diagonal_blocks<SPACE, SCALAR>(                                          \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, int,                      \
      const VectorView<SCALAR, SPACE::memory_space>&);                                       \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_scaled<SPACE, SCALAR>(                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                           \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const VectorView<const SCALAR, SPACE::memory_space>&);                                 \
  template void csr_kaczmarz_sweep<SPACE, SCALAR>(                                           \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                           \
      const VectorView<const Ordinal, SPACE::memory_space>&, SCALAR, SCALAR, SCALAR,         \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const VectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
