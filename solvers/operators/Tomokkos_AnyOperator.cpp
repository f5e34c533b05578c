// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AnyOperator.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)          \
  template struct AnyOperator<ExecutionSpace, Scalar>::Model< \
      MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, ExecutionSpace::memory_space>>>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
