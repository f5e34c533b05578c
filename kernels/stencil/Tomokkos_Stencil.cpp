// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_Stencil_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                            \
  template CsrMatrix<SCALAR, SPACE::memory_space> build_stencil_matrix<SPACE, SCALAR>( \
      const SPACE&, int, Ordinal, Ordinal, Ordinal, RowRange);                         \
  template CsrMatrix<SCALAR, SPACE::memory_space> couple_unknowns<SPACE, SCALAR>(      \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, int);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
