// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_MapVectors_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void gather<SPACE, SCALAR>(const SPACE&, const IndexMap<SPACE::memory_space>&,         \
                                      const MultiVectorView<const SCALAR, SPACE::memory_space>&,  \
                                      const MultiVectorView<SCALAR, SPACE::memory_space>&);       \
  template void scatter<SPACE, SCALAR>(const SPACE&, const IndexMap<SPACE::memory_space>&,        \
                                       const MultiVectorView<const SCALAR, SPACE::memory_space>&, \
                                       const MultiVectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
