// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_SolveEquations_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                            \
  template std::vector<SolveResult> solve_equations<ExecutionSpace, Scalar>(    \
      const ExecutionSpace&, const AssembledEquations<ExecutionSpace, Scalar>&, \
      const MultiVectorView<Scalar, ExecutionSpace::memory_space>&, const PcgParams&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
