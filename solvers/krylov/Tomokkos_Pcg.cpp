// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_Pcg_impl.hpp>

namespace Tomokkos {

PcgParams validated(const PcgParams& params) {
  require_loop_params(params.iterations, params.check_every, params.stop);
  require(!params.stop.relative_change || params.scheme != PcgScheme::single_reduction,
          "the rule relative_change needs the scheme standard; single_reduction does not measure "
          "the change");
  require(params.launches != PcgLaunches::resident || params.scheme != PcgScheme::standard,
          "resident launches need the scheme single_reduction");
  require(params.launches != PcgLaunches::resident || !params.stop.relative_change,
          "the rule relative_change needs the scheme standard, which has no resident launches");
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Pcg<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
