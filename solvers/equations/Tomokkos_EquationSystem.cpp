// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_EquationSystem_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(Scalar) template class EquationSystem<Scalar>;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                               \
  template AssembledEquations<ExecutionSpace, Scalar> EquationSystem<Scalar>::assemble(            \
      const ExecutionSpace&) const;                                                                \
  template void EquationSystem<Scalar>::refill(const ExecutionSpace&,                              \
                                               AssembledEquations<ExecutionSpace, Scalar>&) const; \
  template void EquationSystem<Scalar>::take_values(                                               \
      const ExecutionSpace&, const MultiVectorView<const Scalar, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
