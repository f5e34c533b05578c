// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SymmetricVectors_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template void expand_image<SPACE, SCALAR>(                             \
      const SPACE&, const RaySymmetry<SPACE::memory_space>&,             \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,         \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);              \
  template void fold_image<SPACE, SCALAR>(                               \
      const SPACE&, const RaySymmetry<SPACE::memory_space>&, SCALAR,     \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);              \
  template void gather_rays<SPACE, SCALAR>(                              \
      const SPACE&, const RaySymmetry<SPACE::memory_space>&, SCALAR,     \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, RowRange);    \
  template void expand_rays<SPACE, SCALAR>(                              \
      const SPACE&, const RaySymmetry<SPACE::memory_space>&,             \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,         \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, RowRange);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
