// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatConversion.hpp>
#include <utility>

#include "Tomokkos_BenchKokkosKernelsApi.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

template <class MemorySpace, class Offsets>
struct WidenOffsets {
  Offsets from;
  Kokkos::View<Offset*, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { to(i) = from(i); }
};

/// What is to be multiplied, and how.
struct KernelsRequest {
  int vectors = single_vector;
  bool merge_path = false;
  const char* mode = "N";
};

/// `y = M x` for its matrix of \p rows x \p columns, with \p arrays, which M does not own.
template <class ExecutionSpace, class Scalar, class Matrix, class Arrays>
void set_run(Product<Scalar>& product, const ExecutionSpace& exec, const Matrix& matrix,
             Ordinal rows, Ordinal columns, const Arrays& arrays, const KernelsRequest& request) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  const bool transposed = *request.mode == 'T';
  const Ordinal x_rows = transposed ? rows : columns;
  const Ordinal y_rows = transposed ? columns : rows;
  const char* mode = request.mode;
  if (request.vectors == single_vector) {
    using X = typename Types::X;
    using Y = typename Types::Y;
    const auto spmv =
        std::make_shared<KokkosKernelsApi::Spmv<ExecutionSpace, Matrix, X, Y>>(request.merge_path);
    product.run = [=](const Scalar* x, Scalar* y) {
      static_cast<void>(arrays);
      spmv->run(exec, mode, matrix, X(x, x_rows), Y(y, y_rows));
    };
    return;
  }
  using X = typename Types::MultiX;
  using Y = typename Types::MultiY;
  const auto spmv =
      std::make_shared<KokkosKernelsApi::Spmv<ExecutionSpace, Matrix, X, Y>>(request.merge_path);
  product.vectors = request.vectors;
  product.run = [=, vectors = request.vectors](const Scalar* x, Scalar* y) {
    static_cast<void>(arrays);
    spmv->run(exec, mode, matrix, X(x, x_rows, vectors), Y(y, y_rows, vectors));
  };
}

template <class ExecutionSpace, class Scalar>
Product<Scalar> make_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request) {
  Product<Scalar> product;
  product.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
  product.memory_bytes = product.matrix_bytes;
  const typename KokkosKernelsApi::Types<ExecutionSpace, Scalar>::Matrix matrix(
      "A", A.num_rows, A.num_cols, static_cast<std::int32_t>(A.num_nonzeros()), A.values, offsets,
      A.columns);
  set_run(product, exec, matrix, A.num_rows, A.num_cols, std::pair(A, offsets), request);
  return product;
}

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
/// In blocks of B x B, as our own conversion makes them.
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
  set_run(product, exec, matrix, A.num_rows, A.num_cols, std::pair(blocks, offsets), request);
  return product;
}
#endif

template <class ExecutionSpace, class Scalar>
Product<Scalar> make_block_product(
    [[maybe_unused]] int block, [[maybe_unused]] const ExecutionSpace& exec,
    [[maybe_unused]] const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    [[maybe_unused]] const KernelsRequest& request) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  if (block == 2) return make_block_product<2>(exec, A, request);
  if (block == 3) return make_block_product<3>(exec, A, request);
  if (block == 4) return make_block_product<4>(exec, A, request);
  return make_block_product<8>(exec, A, request);
#else
  throw Error("products of its matrix of blocks are called from version 4.3 on, this is " +
              KokkosKernelsApi::version());
#endif
}

}  // namespace

std::string kokkos_kernels_version() { return KokkosKernelsApi::version(); }

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> kokkos_kernels_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                            const BenchOptions& options, int vectors,
                                            bool of_transpose) {
  ProductList<Scalar> list("kokkos_kernels");
  const ExecutionSpace exec = matrix_case.exec();
  KernelsRequest request;
  request.vectors = vectors;
  const auto make_csr = [&] {
    auto product = of_transpose && *request.mode == 'N'
                       ? make_product(exec, matrix_case.transposed(),
                                      matrix_case.transposed_offsets32(), request)
                       : make_product(exec, matrix_case.matrix(), matrix_case.offsets32(), request);
    if (of_transpose && *request.mode == 'N')
      product.setup_seconds += matrix_case.transposed_seconds();
    return product;
  };
  const std::string stored = of_transpose ? "stored:" : "";
  list.attempt(product_name(stored + "native", vectors), make_csr);
  // Of one vector alone.
  if (KokkosKernelsApi::has_merge_path<ExecutionSpace> && vectors == single_vector) {
    request.merge_path = true;
    list.attempt(product_name(stored + "merge_path", vectors), make_csr);
    request.merge_path = false;
  }
  if (of_transpose) {
    request.mode = "T";
    list.attempt(product_name("op_t", vectors), make_csr);
    request.mode = "N";
  }
  if (!wants(options, MatrixFormat::bcsr)) return list;
  for (const int block : {2, 3, 4, 8})
    list.attempt("bcsr", product_name(stored + "native:" + block_name(block), vectors), [&] {
      auto product = make_block_product<ExecutionSpace, Scalar>(
          block, exec, of_transpose ? matrix_case.transposed() : matrix_case.matrix(), request);
      if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
      return product;
    });
  return list;
}

template <class ExecutionSpace, class Scalar>
void add_kokkos_kernels_transpositions(CandidateList& list,
                                       BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<std::int32_t*, MemorySpace>;
  // Its transposition leaves the rows unsorted; sorted rows, as ours are, take its sort as well.
  for (const bool sorted : {false, true}) {
    list.attempt("kokkos_kernels", "csr", sorted ? "sorted" : "unsorted", [&] {
      const ExecutionSpace exec = matrix_case.exec();
      const auto A = matrix_case.matrix();
      const auto offsets = matrix_case.offsets32();
      const auto t_offsets = allocate<Offsets>(exec, "Tomokkos::Bench::kk", A.num_cols + 1);
      const auto t_columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
          exec, "Tomokkos::Bench::kk", A.num_nonzeros());
      const auto t_values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
          exec, "Tomokkos::Bench::kk", A.num_nonzeros());
      Candidate candidate = matrix_case.transposition(
          [=] {
            Kokkos::deep_copy(exec, t_offsets, -1);
            Kokkos::deep_copy(exec, t_columns, -1);
            exec.fence();
          },
          [=] {
            const Kokkos::View<Offset*, MemorySpace> wide("Tomokkos::Bench::kk", A.num_cols + 1);
            exec.fence();
            Kokkos::parallel_for("Tomokkos::bench::widen_offsets",
                                 Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_cols + 1),
                                 WidenOffsets<MemorySpace, Offsets>{t_offsets, wide});
            exec.fence();
            return CsrMatrix<Scalar, MemorySpace>{A.num_cols, A.num_rows, wide, t_columns,
                                                  t_values};
          },
          sizeof(std::int32_t));
      candidate.memory_bytes += sizeof(std::int32_t) * (static_cast<std::size_t>(A.num_cols) + 1);
      candidate.launch = [=] {
        Kokkos::deep_copy(exec, t_offsets, 0);
        KokkosKernelsApi::transpose(exec, A.num_rows, A.num_cols, offsets, A.columns, A.values,
                                    t_offsets, t_columns, t_values);
        if (sorted) KokkosKernelsApi::sort(exec, t_offsets, t_columns, t_values);
      };
      return candidate;
    });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                             \
  template ProductList<SCALAR> kokkos_kernels_products(BenchCase<SPACE, SCALAR>&,       \
                                                       const BenchOptions&, int, bool); \
  template void add_kokkos_kernels_transpositions(CandidateList&, BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
