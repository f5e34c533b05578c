// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_KaczmarzSchedule_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template Vector<double, SPACE::memory_space> csr_row_squared_norms<SPACE, SCALAR>(               \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);                                \
  template KaczmarzSchedule<SPACE> make_csr_kaczmarz_schedule<SPACE, SCALAR>(                      \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                                 \
      const VectorView<const Ordinal, SPACE::memory_space>&,                                       \
      const Vector<double, SPACE::memory_space>&);                                                 \
  template void csr_kaczmarz_sweep_levels<SPACE, SCALAR>(                                          \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const KaczmarzSchedule<SPACE>&, \
      const KaczmarzCoefficients<SCALAR>&, const VectorView<const SCALAR, SPACE::memory_space>&,   \
      const VectorView<SCALAR, SPACE::memory_space>&, KaczmarzVariant);                            \
  template Vector<Ordinal, SPACE::memory_space> csr_largest_block_counts<SPACE, SCALAR>(           \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const RowSubsets&,              \
      const Ranks*);                                                                               \
  TOMOKKOS_INSTANTIATE_ROW_ACTIONS(SPACE, SCALAR, CsrRows<SCALAR, SPACE::memory_space>)

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
