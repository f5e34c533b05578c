// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Sirt.hpp>

namespace Tomokkos {

SirtParams validated(const SirtParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop,
                      {true, params.subsets == 1});
  require_relaxation(params.relaxation);
  require_box(params.minimum, params.maximum);
  require(params.smallest_sum >= 0, "smallest_sum is negative");
  require(params.smallest_product.value_or(0) >= 0, "smallest_product is negative");
  require_subsets(params.subsets, params.subset_unit);
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) TOMOKKOS_SIRT(, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
