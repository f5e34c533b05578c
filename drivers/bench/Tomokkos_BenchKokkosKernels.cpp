// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_ForEach.hpp>

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

/// Matrix, vectors and handle of one product.
template <class ExecutionSpace, class Scalar>
Product<Scalar> make_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const std::int32_t*, typename ExecutionSpace::memory_space>& offsets,
    bool merge_path, const char* mode) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  Product<Scalar> product;
  product.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
  product.memory_bytes = product.matrix_bytes;
  const bool transposed = *mode == 'T';
  const Ordinal x_length = transposed ? A.num_rows : A.num_cols;
  const Ordinal y_length = transposed ? A.num_cols : A.num_rows;
  const typename Types::Matrix matrix("A", A.num_rows, A.num_cols,
                                      static_cast<std::int32_t>(A.num_nonzeros()), A.values,
                                      offsets, A.columns);
  const auto spmv = std::make_shared<KokkosKernelsApi::Spmv<ExecutionSpace, Scalar>>(merge_path);
  product.run = [exec, A, offsets, matrix, spmv, mode, x_length, y_length](const Scalar* x,
                                                                           Scalar* y) {
    spmv->run(exec, mode, matrix, typename Types::X(x, x_length), typename Types::Y(y, y_length));
  };
  return product;
}

}  // namespace

std::string kokkos_kernels_version() { return KokkosKernelsApi::version(); }

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> kokkos_kernels_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                            bool of_transpose) {
  ProductList<Scalar> list("kokkos_kernels");
  const ExecutionSpace exec = matrix_case.exec();
  for (const bool merge_path : {false, true}) {
    if (merge_path && !KokkosKernelsApi::has_merge_path<ExecutionSpace>) continue;
    const std::string name = merge_path ? "merge_path" : "native";
    if (!of_transpose) {
      list.attempt(name, [&] {
        return make_product(exec, matrix_case.matrix(), matrix_case.offsets32(), merge_path, "N");
      });
      continue;
    }
    list.attempt("stored:" + name, [&] {
      auto product = make_product(exec, matrix_case.transposed(),
                                  matrix_case.transposed_offsets32(), merge_path, "N");
      product.setup_seconds += matrix_case.transposed_seconds();
      return product;
    });
  }
  if (of_transpose)
    list.attempt("op_t", [&] {
      return make_product(exec, matrix_case.matrix(), matrix_case.offsets32(), false, "T");
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

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  template ProductList<SCALAR> kokkos_kernels_products(BenchCase<SPACE, SCALAR>&, bool); \
  template void add_kokkos_kernels_transpositions(CandidateList&, BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
