// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SymmetricProjection_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template SymmetricProjection<SCALAR, SPACE::memory_space>                                      \
  build_symmetric_projection<SPACE, SCALAR>(const SPACE&, const VolumeGeometry&,                 \
                                            const ScanGeometry&, Projector,                      \
                                            const std::vector<char>&, const std::vector<char>&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> expanded_projection<SPACE, SCALAR>(            \
      const SPACE&, const SymmetricProjection<SCALAR, SPACE::memory_space>&);                    \
  template RowStatistics expanded_statistics<SPACE, SCALAR>(                                     \
      const SPACE&, const SymmetricProjection<SCALAR, SPACE::memory_space>&);                    \
  template void validate<SPACE, SCALAR>(const SPACE&,                                            \
                                        const SymmetricProjection<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
