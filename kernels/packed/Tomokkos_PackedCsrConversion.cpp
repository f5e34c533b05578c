// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_PackedCsrConversion_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES)                                    \
  template PackedCsrSize packed_csr_size<SPACE, SCALAR, VALUES>(                              \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PackedCsrOptions&,   \
      const IndexMap<SPACE::memory_space>&);                                                  \
  template PackedCsrMatrix<SCALAR, SPACE::memory_space, VALUES>                               \
  packed_csr_from_csr<SPACE, SCALAR, VALUES>(                                                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PackedCsrOptions&,   \
      const IndexMap<SPACE::memory_space>&);                                                  \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_from_packed_csr<SPACE, SCALAR, VALUES>( \
      const SPACE&, const PackedCsrMatrix<SCALAR, SPACE::memory_space, VALUES>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, TileValues::plain)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                           \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, TileValues::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, TileValues::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
