// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockArt.hpp>
#include <string>

namespace Tomokkos {

BlockArtParams validated(const BlockArtParams& params) {
  require_loop_params(params.sweeps, params.check_every, params.stop);
  require(params.block_rows >= 1,
          "blocks of " + std::to_string(params.block_rows) + " rows: a block has at least one");
  require_relaxation(params.relaxation);
  require_relaxation_decay(params.relaxation_decay);
  require_box(params.minimum, params.maximum);
  return params;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) TOMOKKOS_BLOCK_ART(, ExecutionSpace, Scalar)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
