// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of ELLPACK-R and SELL with several vectors.
#include <Tomokkos_PaddedFormats.hpp>
#include <impl/Tomokkos_StoredSpmm_impl.hpp>

namespace Tomokkos::Impl {

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatSpmm<ExecutionSpace, EllRMatrix<Scalar, MemorySpace>> {
  static void multiply(const ExecutionSpace& exec, const EllRMatrix<Scalar, MemorySpace>& A,
                       const MultiVectorPass<Scalar>& pass, const SpmmOptions& options) {
    const double mean = static_cast<double>(A.nonzeros) / A.num_rows;
    launch_spmm(exec, "Tomokkos::spmm::ell_r",
                PaddedRowReader<Scalar, false>{padded_rows(A), A.num_rows}, mean, options, pass);
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatSpmm<ExecutionSpace, SellMatrix<Scalar, MemorySpace>> {
  static void multiply(const ExecutionSpace& exec, const SellMatrix<Scalar, MemorySpace>& A,
                       const MultiVectorPass<Scalar>& pass, const SpmmOptions& options) {
    const PaddedRows<Scalar> rows = padded_rows(A);
    const double mean = static_cast<double>(A.nonzeros) / A.num_rows;
    const bool packed =
        A.pack == pack_size && is_pack_aligned(rows.columns) && is_pack_aligned(rows.values);
    with_packed<ExecutionSpace>(packed, [&](auto is_packed) {
      launch_spmm(exec, "Tomokkos::spmm::sell",
                  PaddedRowReader<Scalar, decltype(is_packed)::value>{rows, A.num_rows}, mean,
                  options, pass);
    });
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                         \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, EllRMatrix<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, SellMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
