// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_HaloSplit_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                  \
  template HaloSplit<SCALAR, SPACE::memory_space> split_halo<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
