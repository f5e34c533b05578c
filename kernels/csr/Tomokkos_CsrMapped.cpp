// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_CsrMapped_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                        \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_mapped<SPACE, SCALAR>(       \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                 \
      const IndexMap<SPACE::memory_space>&, const IndexMap<SPACE::memory_space>&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_interleaved<SPACE, SCALAR>(  \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, int);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
