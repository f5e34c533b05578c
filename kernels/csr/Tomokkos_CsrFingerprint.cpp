// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_CsrFingerprint_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)              \
  template class CsrFingerprint<SPACE, SCALAR>;          \
  template std::uint64_t csr_fingerprint<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
