// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchAllocations.hpp"
#include <Tomokkos_KokkosKernelsApi.hpp>
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

/// Measures the workspace, without the result, in one run.
void measure_workspace(Candidate& candidate) {
  const AllocationCount count;
  candidate.launch();
  candidate.fence();
  candidate.workspace_bytes = count.workspace_bytes();
  candidate.memory_bytes += *candidate.workspace_bytes;
}

/// Makes a transposition into preallocated arrays. The rows of the result are not sorted. For rows
/// sorted as ours are, the sort of Kokkos Kernels is run as well.
template <class ExecutionSpace, class Scalar>
Candidate into_arrays(BenchCase<ExecutionSpace, Scalar>& matrix_case, bool sorted) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Offsets = Kokkos::View<std::int32_t*, MemorySpace>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  const auto offsets = matrix_case.offsets32();
  const auto t_offsets = allocate<Offsets>(exec, "Tomokkos::Bench::kk", A.num_cols + 1);
  const auto t_columns =
      allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::Bench::kk", A.num_nonzeros());
  const auto t_values =
      allocate<Kokkos::View<Scalar*, MemorySpace>>(exec, "Tomokkos::Bench::kk", A.num_nonzeros());
  Candidate candidate = matrix_case.transposition(
      [=] {
        Kokkos::deep_copy(exec, t_offsets, -1);
        Kokkos::deep_copy(exec, t_columns, -1);
        exec.fence();
      },
      [=] {
        return CsrMatrix<Scalar, MemorySpace>{
            A.num_cols, A.num_rows, converted<Offset>(exec, t_offsets), t_columns, t_values};
      },
      sizeof(std::int32_t));
  candidate.launch = [=] {
    Kokkos::deep_copy(exec, t_offsets, 0);
    KokkosKernelsApi::transpose(exec, A.num_rows, A.num_cols, offsets, A.columns, A.values,
                                t_offsets, t_columns, t_values);
    if (sorted) KokkosKernelsApi::sort(exec, t_offsets, t_columns, t_values);
  };
  measure_workspace(candidate);
  return candidate;
}

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
/// Makes the transposition that users call, which allocates the result in every call.
template <class ExecutionSpace, class Scalar>
Candidate as_ccs(BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  const auto offsets = matrix_case.offsets32();
  const auto convert = [A, offsets] {
    return KokkosKernelsApi::to_ccs<ExecutionSpace, Scalar>(A.num_rows, A.num_cols, offsets,
                                                            A.columns, A.values);
  };
  using Result = decltype(convert());
  const auto result = std::make_shared<Result>();
  Candidate candidate = matrix_case.transposition(
      [result] { *result = Result(); },
      [=] {
        return CsrMatrix<Scalar, typename ExecutionSpace::memory_space>{
            A.num_cols, A.num_rows, converted<Offset>(exec, result->graph.col_map),
            result->graph.entries, result->values};
      },
      sizeof(std::int32_t));
  candidate.launch = [result, convert] {
    *result = Result();  // free the last result first: two may not fit
    *result = convert();
  };
  measure_workspace(candidate);
  return candidate;
}
#endif

}  // namespace

template <class ExecutionSpace, class Scalar>
void KokkosKernelsPeer<ExecutionSpace, Scalar>::add_transpositions(
    CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case) const {
  for (const bool sorted : {false, true})
    list.attempt(this->name(), "csr", sorted ? "sorted" : "unsorted",
                 [&] { return into_arrays(matrix_case, sorted); });
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
  list.attempt(this->name(), "csr", "crs2ccs", [&] { return as_ccs(matrix_case); });
#endif
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                           \
  template void KokkosKernelsPeer<SPACE, SCALAR>::add_transpositions( \
      CandidateList&, BenchCase<SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
