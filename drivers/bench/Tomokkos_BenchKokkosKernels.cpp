// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_ForEach.hpp>
#include <utility>

#include "Tomokkos_BenchKokkosKernelsProduct.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

template <class MemorySpace, class Offsets>
struct WidenOffsets {
  Offsets from;
  Kokkos::View<Offset*, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { to(i) = from(i); }
};

template <class ExecutionSpace, class Scalar>
Product<Scalar> make_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    const KernelsRequest& request) {
  Product<Scalar> product;
  product.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
  product.memory_bytes = product.matrix_bytes;
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  const typename Types::Matrix matrix("A", A.num_rows, A.num_cols,
                                      static_cast<std::int32_t>(A.num_nonzeros()), A.values,
                                      offsets, A.columns);
  const std::pair arrays(A, offsets);
  if (request.vectors == single_vector)
    set_run<typename Types::X, typename Types::Y>(product, exec, matrix, A.num_rows, A.num_cols,
                                                  arrays, request);
  else
    set_run<typename Types::MultiX, typename Types::MultiY>(product, exec, matrix, A.num_rows,
                                                            A.num_cols, arrays, request);
  return product;
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
      auto product = kokkos_kernels_block_product<ExecutionSpace, Scalar>(
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
