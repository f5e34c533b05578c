// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <impl/Tomokkos_HostRowSum_impl.hpp>

namespace Tomokkos {

template <class ExecutionSpace>
DeviceTraits format_traits(const ExecutionSpace& exec) {
  DeviceTraits traits = device_traits(exec);
#ifdef TOMOKKOS_HOST_AVX512
  traits.wide_gathers = !traits.gpu;
#endif
  return traits;
}

template <class ExecutionSpace, class Scalar>
FormatStatistics format_statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  FormatStatistics result;
  result.rows = row_statistics(exec, A);
  if (A.num_nonzeros() == 0) return result;
  for_each_format([&]<class Format>() {
    if constexpr (requires { typename Format::Statistics; })
      result.of<Format>() =
          Format::template statistics<ExecutionSpace, Scalar>(exec, A, result.rows);
  });
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE) template DeviceTraits format_traits<SPACE>(const SPACE&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                   \
  template FormatStatistics format_statistics<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
