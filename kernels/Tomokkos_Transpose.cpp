// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <impl/Tomokkos_TransposeDevice_impl.hpp>
#include <impl/Tomokkos_TransposeHost_impl.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  const Impl::ScopedRegion region("Tomokkos::transpose");
  CsrMatrix<Scalar, typename ExecutionSpace::memory_space> result;
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    result = Impl::transpose_by_bands(exec, A);
  else
    result = Impl::transpose_by_claims(exec, A);
  Impl::fence(exec, "transpose: the matrix is complete");
  return result;
}

template <class ExecutionSpace, class Scalar>
std::size_t transpose_workspace_bytes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  const auto columns = static_cast<std::size_t>(A.num_cols);
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    return sizeof(Offset) *
           (columns * static_cast<std::size_t>(Impl::transpose_bands(A, Impl::concurrency(exec))) +
            static_cast<std::size_t>(A.num_rows));
  else
    return columns * (sizeof(Offset) + sizeof(char));
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                 \
  template CsrMatrix<SCALAR, SPACE::memory_space> transpose<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);         \
  template std::size_t transpose_workspace_bytes<SPACE, SCALAR>(            \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)

}  // namespace Tomokkos
