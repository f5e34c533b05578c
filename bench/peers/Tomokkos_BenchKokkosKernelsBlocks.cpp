// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_BcsrFormat.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsProduct.hpp"

namespace Tomokkos::Bench {

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
namespace {

/// Makes a product of A in blocks of B x B by our conversion.
template <int B, class ExecutionSpace, class Scalar>
Product<Scalar> make_block_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const KernelsRequest& request) {
  require_whole_blocks(A, B);
  Product<Scalar> product;
  BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B> blocks;
  Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space> offsets;
  product.setup_seconds = seconds_of([&] {
    blocks = bcsr_from_csr<B>(exec, A);
    offsets = narrow_offsets(exec, blocks.block_offsets, blocks.num_blocks());
  });
  product.matrix_bytes = blocks.memory_bytes() - offsets.extent(0) * sizeof(std::int32_t);
  product.memory_bytes = product.matrix_bytes;
  product.fill = fill_of(blocks);
  const typename KokkosKernelsApi::Types<ExecutionSpace, Scalar>::BlockMatrix matrix(
      "A", blocks.num_block_rows(), blocks.num_block_cols(),
      static_cast<std::int32_t>(blocks.num_blocks()), blocks.values, offsets, blocks.block_columns,
      B);
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  set_run<typename Types::X, typename Types::Y>(product, exec, matrix, A.num_rows, A.num_cols,
                                                std::pair(blocks, offsets), request);
  return product;
}

}  // namespace
#endif

template <class ExecutionSpace, class Scalar>
Product<Scalar> kokkos_kernels_block_product(
    [[maybe_unused]] int block, [[maybe_unused]] const ExecutionSpace& exec,
    [[maybe_unused]] const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    [[maybe_unused]] const KernelsRequest& request) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  if (request.vectors != single_vector)
    throw Error("left out: the kernels for blocks and several vectors take minutes to compile");
  if (block == 2) return make_block_product<2>(exec, A, request);
  if (block == 3) return make_block_product<3>(exec, A, request);
  if (block == 4) return make_block_product<4>(exec, A, request);
  return make_block_product<8>(exec, A, request);
#else
  throw Error("products of blocks need Kokkos Kernels 4.3; this is version " +
              KokkosKernelsApi::version());
#endif
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                             \
  template Product<SCALAR> kokkos_kernels_block_product<SPACE, SCALAR>( \
      int, const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const KernelsRequest&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
