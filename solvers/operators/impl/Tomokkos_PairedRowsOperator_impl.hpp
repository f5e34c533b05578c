// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `make_format_operator` for pairs of rows: what they need is known before they are made.
#pragma once

#include <Tomokkos_FormatOperator.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairBlockedOperator.hpp>
#include <string>
#include <utility>

namespace Tomokkos::Impl {

/// How pairs of rows are transposed. Whole numbers take 9 bytes a column: no choice by memory.
inline PairTranspose chosen_pair_transpose(TransposeMethod method) {
  if (method == TransposeMethod::atomic) return PairTranspose::atomic;
  require(method == TransposeMethod::fixed_point || method == TransposeMethod::automatic,
          std::string(to_string(method)) +
              " is of other formats; pair_blocked is transposed by atomic additions or by those of "
              "whole numbers, fixed_point");
  return PairTranspose::fixed_point;
}

/// A in pairs of rows, which need no transpose beside them.
template <class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_paired_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FormatOptions& options, const PaddingLimit& limit, bool with_transpose,
    std::uint64_t available) {
  std::optional<PairTranspose> transposed;
  if (with_transpose) transposed = chosen_pair_transpose(options.transpose);
  const bool is_fixed = transposed == PairTranspose::fixed_point;
  const PairBlockedSize size = pair_blocked_size<ExecutionSpace, Scalar>(exec, A);
  check_fill(MatrixFormat::pair_blocked, static_cast<Offset>(size.width) * size.pairs,
             A.num_nonzeros(), limit);
  // Sums and marks of the columns, and ones for the rows while their bound is found.
  const auto columns = static_cast<std::uint64_t>(A.num_cols);
  const auto rows = static_cast<std::uint64_t>(A.num_rows);
  const std::uint64_t sums =
      is_fixed ? columns * (sizeof(long long) + 1) + sizeof(double) + rows * sizeof(Scalar) : 0;
  require_memory(size.bytes + sums,
                 "pairs of rows of " + std::to_string(A.num_nonzeros()) + " entries in " +
                     std::to_string(size.stored) + " places need",
                 available, "");
  PairBlockedOptions blocking;
  blocking.limit = limit;
  PairBlockedOperator<ExecutionSpace, Scalar> made(
      exec, pair_blocked_from_csr<ExecutionSpace, Scalar>(exec, A, blocking), transposed);
  const double fill = fill_of(made.matrix());
  MadeOperator<ExecutionSpace, Scalar> result{
      AnyOperator<ExecutionSpace, Scalar>(std::move(made)), fill, 0, {}, {}};
  if (transposed)
    result.transpose = is_fixed ? TransposeMethod::fixed_point : TransposeMethod::atomic;
  result.pairs = PairsMade{size.pairs, size.mixed_begin, size.mixed_end, size.width};
  return result;
}

}  // namespace Tomokkos::Impl
