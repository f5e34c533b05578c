// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_Smoothing_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                \
  template class MeshSmoothing<ExecutionSpace, Scalar>;             \
  template std::vector<SolveResult> smooth<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, TriangleMesh&, std::span<const char>, const PcgParams&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
