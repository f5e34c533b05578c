// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_VectorOps_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template void fill(const SPACE&, const VectorView<SCALAR, SPACE::memory_space>&, SCALAR);       \
  template void axpby(const SPACE&, SCALAR, const VectorView<const SCALAR, SPACE::memory_space>&, \
                      SCALAR, const VectorView<SCALAR, SPACE::memory_space>&);                    \
  template void dot<SPACE, SCALAR>(const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,  \
                                   const VectorView<const SCALAR, SPACE::memory_space>&,          \
                                   const VectorView<const SCALAR, SPACE::memory_space>&,          \
                                   const VectorView<double, SPACE::memory_space>&);               \
  template void dot_columns<SPACE, SCALAR>(                                                       \
      const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,                               \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const VectorView<double, SPACE::memory_space>&);                                            \
  template void sum<SPACE, SCALAR>(const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,  \
                                   const VectorView<const SCALAR, SPACE::memory_space>&,          \
                                   const VectorView<double, SPACE::memory_space>&);               \
  template void squared_distance<SPACE, SCALAR>(                                                  \
      const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,                               \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                       \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                       \
      const VectorView<double, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                                \
  template void convert<SPACE, float, double>(const SPACE&,                                        \
                                              const VectorView<const float, SPACE::memory_space>&, \
                                              const VectorView<double, SPACE::memory_space>&);     \
  template void convert<SPACE, double, float>(                                                     \
      const SPACE&, const VectorView<const double, SPACE::memory_space>&,                          \
      const VectorView<float, SPACE::memory_space>&);                                              \
  template double to_host(const SPACE&, const VectorView<const double, SPACE::memory_space>&);     \
  template std::vector<double> to_host_vector(                                                     \
      const SPACE&, const VectorView<const double, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
