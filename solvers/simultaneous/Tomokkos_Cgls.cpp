// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Cgls.hpp>

namespace Tomokkos {

CglsParams validated(const CglsParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop, {true, false});
  require(
      params.damping >= 0 && std::isfinite(params.damping),
      "the damping is " + std::to_string(params.damping) + "; it must be finite and not negative");
  require(params.restart_every >= 0, "restart_every is negative");
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) TOMOKKOS_CGLS(, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
