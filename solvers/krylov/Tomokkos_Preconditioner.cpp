// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <cmath>
#include <impl/Tomokkos_Preconditioner_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class PreconditionedSystem<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
