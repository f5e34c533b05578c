// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_RowStatistics_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)             \
  template RowStatistics row_statistics<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
