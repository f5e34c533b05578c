// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Art.hpp>

namespace Tomokkos {

ArtParams validated(const ArtParams& params) {
  require_loop_params(params.sweeps, params.check_every, params.stop, {true, false});
  require_relaxation(params.relaxation);
  require_relaxation_decay(params.relaxation_decay);
  require_box(params.minimum, params.maximum);
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) TOMOKKOS_ART(, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
