// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_PairBlockedConversion_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template PairBlockedSize pair_blocked_size<SPACE, SCALAR>(                                    \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);                             \
  template PairBlockedMatrix<SCALAR, SPACE::memory_space> pair_blocked_from_csr<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PairBlockedOptions&);  \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(                        \
      const SPACE&, const PairBlockedMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
