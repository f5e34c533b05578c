// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_SymmetricTranspose.hpp>
#include <Tomokkos_Transpose.hpp>

namespace Tomokkos {
namespace {

// Chunk size on a GPU. Memory of the copies for 1024 x 1024 pixels: 489 MB, 495 with chunks of 16,
// 500 with 32.
constexpr int chunk_rows = 8;

}  // namespace

template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, Scalar> make_symmetric_transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& E,
    const TransposeOptions& transposition) {
  SellOptions sell;
  sell.chunk = Impl::is_host_space<ExecutionSpace> ? 0 : chunk_rows;
  MakeOptions options;
  options.format = sell;
  options.with_transpose = false;
  return make_operator<ExecutionSpace, Scalar>(
             exec, transpose<ExecutionSpace, Scalar>(exec, E, transposition), options)
      .A;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                    \
  template AnyOperator<SPACE, SCALAR> make_symmetric_transpose<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const TransposeOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
