// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <impl/Tomokkos_Transpose_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE)                                                       \
  template CsrPattern<SPACE::memory_space> transpose_pattern<SPACE>(                      \
      const SPACE&, const CsrPattern<SPACE::memory_space>&, const TransposeOptions&);     \
  template std::size_t transpose_workspace_bytes<SPACE>(const SPACE&, const MatrixShape&, \
                                                        std::size_t, const TransposeOptions&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template CsrMatrix<SCALAR, SPACE::memory_space> transpose<SPACE, SCALAR>(                  \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const TransposeOptions&); \
  template void transpose_into<SPACE, SCALAR>(                                               \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                           \
      const VectorView<Offset, SPACE::memory_space>&,                                        \
      const VectorView<Ordinal, SPACE::memory_space>&,                                       \
      const VectorView<SCALAR, SPACE::memory_space>&,                                        \
      const VectorView<char, SPACE::memory_space>&, const TransposeOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
