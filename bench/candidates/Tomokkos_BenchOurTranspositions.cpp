// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <algorithm>

#include "Tomokkos_BenchOurProducts.hpp"

namespace Tomokkos::Bench {

/// Arrays of the results, shared by all variants, as for a library that writes into given arrays.
/// Not in the unnamed namespace: lambdas capture it, and GCC would warn in a unity build.
template <class ExecutionSpace, class Scalar>
struct TransposeArrays {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Vector<Offset, MemorySpace> row_offsets;
  Vector<Ordinal, MemorySpace> columns;
  Vector<Scalar, MemorySpace> values;
  Vector<char, MemorySpace> workspace;

  TransposeArrays(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A)
      : row_offsets(allocate<Vector<Offset, MemorySpace>>(exec, "Tomokkos::Bench::transpose",
                                                          static_cast<Offset>(A.num_cols) + 1)),
        columns(allocate<Vector<Ordinal, MemorySpace>>(exec, "Tomokkos::Bench::transpose",
                                                       A.num_nonzeros())),
        values(allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::transpose",
                                                     A.num_nonzeros())) {}

  void provide(const ExecutionSpace& exec, std::size_t bytes) {
    if (bytes <= workspace.extent(0)) return;
    workspace = {};  // free the old one first: two may not fit
    workspace =
        allocate<Vector<char, MemorySpace>>(exec, "Tomokkos::Bench::transpose_workspace", bytes);
  }
};

namespace {

template <class ExecutionSpace, class Scalar>
Candidate into_arrays(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                      const std::shared_ptr<TransposeArrays<ExecutionSpace, Scalar>>& arrays,
                      const TransposeOptions& options, std::size_t workspace_bytes) {
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  arrays->provide(exec, workspace_bytes);
  Candidate candidate = matrix_case.transposition(
      [exec, arrays] {
        Kokkos::deep_copy(exec, arrays->row_offsets, Offset(-1));
        Kokkos::deep_copy(exec, arrays->columns, Ordinal(-1));
        exec.fence();
      },
      [A, arrays] {
        return CsrMatrix<Scalar, typename ExecutionSpace::memory_space>{
            A.num_cols, A.num_rows, arrays->row_offsets, arrays->columns, arrays->values};
      },
      sizeof(Offset));
  candidate.launch = [exec, A, arrays, options] {
    transpose_into<ExecutionSpace, Scalar>(exec, A, arrays->row_offsets, arrays->columns,
                                           arrays->values, arrays->workspace, options);
  };
  return candidate;
}

/// Makes the transposition that users call, which allocates result and workspace in every call.
template <class ExecutionSpace, class Scalar>
Candidate with_allocations(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                           const TransposeOptions& options) {
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  const auto result = std::make_shared<CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>();
  Candidate candidate = matrix_case.transposition([result] { *result = {}; },
                                                  [result] { return *result; }, sizeof(Offset));
  candidate.launch = [exec, A, result, options] {
    *result = {};  // free the last result first: two may not fit
    *result = transpose(exec, A, options);
  };
  return candidate;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_our_transpositions(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options) {
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  const DeviceTraits device = device_traits(exec);
  const MatrixShape shape{A.num_rows, A.num_cols, A.num_nonzeros()};
  std::vector<TransposeVariant> variants = options.transpositions;
  if (variants.empty())
    for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
      if (has_transpose_variant(variant, device.gpu)) variants.push_back(variant);
  std::shared_ptr<TransposeArrays<ExecutionSpace, Scalar>> arrays;
  for (const TransposeVariant variant : variants)
    list.attempt("tomokkos", "csr", std::string(to_string(variant)), [&] {
      const TransposeOptions chosen =
          choose_transposition(device, shape, sizeof(Ordinal) + sizeof(Scalar), {variant});
      const std::size_t workspace_bytes =
          transpose_workspace_bytes<ExecutionSpace, Scalar>(exec, A, chosen);
      Candidate candidate;
      if (variant == TransposeVariant::automatic) {
        candidate = with_allocations(matrix_case, TransposeOptions{});
        candidate.choice = "csr " + std::string(to_string(chosen.variant));
      } else {
        if (arrays == nullptr)
          arrays = std::make_shared<TransposeArrays<ExecutionSpace, Scalar>>(exec, A);
        candidate = into_arrays(matrix_case, arrays, chosen, workspace_bytes);
      }
      candidate.workspace_bytes = workspace_bytes;
      candidate.memory_bytes += workspace_bytes;
      return candidate;
    });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template void add_our_transpositions<SPACE, SCALAR>(CandidateList&, BenchCase<SPACE, SCALAR>&, \
                                                      const BenchOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
