// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_BiCgStab_impl.hpp>

namespace Tomokkos {

BiCgStabParams validated(const BiCgStabParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class BiCgStab<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
