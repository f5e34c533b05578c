// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SpmvWindowed_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template class WindowedPlan<SPACE, SCALAR>;                                                      \
  template std::uint64_t windowed_need<SPACE, SCALAR>(std::uint64_t, std::uint64_t, std::uint64_t, \
                                                      Ordinal);                                    \
  template std::uint64_t windowed_plan_bytes<SPACE, SCALAR>(                                       \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal);                       \
  template void spmv_transpose_windowed<SPACE, SCALAR>(                                            \
      const SPACE&, const WindowedPlan<SPACE, SCALAR>&,                                            \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,                             \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                           \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
