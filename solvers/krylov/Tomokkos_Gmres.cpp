// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_Gmres_impl.hpp>

namespace Tomokkos {

GmresParams validated(const GmresParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  require(params.restart >= 1, "restart must be at least 1");
  require(!params.stop.relative_change,
          "the rule relative_change is not for GMRES, which has no x between its looks");
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Gmres<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
