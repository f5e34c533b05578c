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

}  // namespace

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

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template void add_kokkos_kernels_transpositions(CandidateList&, BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
