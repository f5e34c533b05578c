// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Mlem.hpp>

namespace Tomokkos {

MlemParams validated(const MlemParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  require(params.sensitivity_threshold >= 0 && params.sensitivity_threshold < 1,
          "the sensitivity threshold is " + std::to_string(params.sensitivity_threshold) +
              "; it is a share of the largest sensitivity, at least 0 and under 1");
  require_subsets(params.subsets, params.subset_unit);
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) TOMOKKOS_MLEM(, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
