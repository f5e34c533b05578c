// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variant `spmv4gpu`: a team member per row, on a copy of CSR whose rows begin at multiples of 16
// entries. Rows keep their lengths, so no lane reads the padding after a row.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Padding.hpp>
#include <impl/Tomokkos_SpmvCsr_impl.hpp>

namespace Tomokkos::Impl {

/// Computes the number of entries of each row including padding.
template <class MemorySpace>
struct AlignedRowSizes {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Offset*, MemorySpace> sizes;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset length = row_offsets(row + 1) - row_offsets(row);
    sizes(row) = (length + spmv4gpu_padding - 1) / spmv4gpu_padding * spmv4gpu_padding;
  }
};

template <class Scalar, class MemorySpace>
struct FillAlignedRows {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const Offset*, MemorySpace> begins;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset from = A.row_offsets(row), length = A.row_offsets(row + 1) - from;
    const Offset to = begins(row), size = begins(row + 1) - to;
    for (Offset k = 0; k < size; ++k) {
      columns(to + k) = k < length ? A.columns(from + k) : padding_column;
      values(to + k) = k < length ? A.values(from + k) : Scalar(0);
    }
  }
};

template <class ExecutionSpace, class Scalar>
AlignedRows<Scalar, typename ExecutionSpace::memory_space> align_rows(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> rows(exec, 0, A.num_rows);
  const auto begins = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::SpmvPlan::aligned_begins", static_cast<std::size_t>(A.num_rows) + 1);
  Kokkos::parallel_for("Tomokkos::spmv::csr::spmv4gpu::sizes", rows,
                       AlignedRowSizes<MemorySpace>{A.row_offsets, begins});
  exclusive_scan(exec, "Tomokkos::spmv::csr::spmv4gpu::begins", begins);
  const Offset entries =
      read_entry(exec, begins, A.num_rows, "spmv4gpu: entries with their padding");
  if constexpr (is_host_space<ExecutionSpace>)
    MemoryNeed()
        .add(static_cast<std::uint64_t>(entries), sizeof(Ordinal) + sizeof(Scalar))
        .require_available("the padded copy of spmv4gpu");
  const auto columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::SpmvPlan::aligned_columns", entries);
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::SpmvPlan::aligned_values", entries);
  Kokkos::parallel_for("Tomokkos::spmv::csr::spmv4gpu::fill", rows,
                       FillAlignedRows<Scalar, MemorySpace>{A, begins, columns, values});
  fence(exec, "SpmvPlan: the padded copy is complete");
  return {begins, columns, values};
}

template <class ExecutionSpace, class Scalar>
struct SpmvAligned {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  CsrStreams<Scalar> A;  // streams of the copy
  CsrRows<Scalar> rows;  // rows of the matrix
  const Offset* begins;
  int rows_per_team;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset first = static_cast<Offset>(member.league_rank()) * rows_per_team;
    for (int i = member.team_rank(); i < rows_per_team; i += member.team_size()) {
      if (first + i >= rows.num_rows) return;
      const auto row = static_cast<Ordinal>(first + i);
      const Offset begin = begins[row];
      const Offset length = rows.row_offsets[row + 1] - rows.row_offsets[row];
      const Scalar sum = vector_row_sum(member, A, begin, begin + length);
      Kokkos::single(Kokkos::PerThread(member), [&]() { rows.store(row, sum); });
    }
  }
};

template <class ExecutionSpace, class Scalar, class XView>
void launch_spmv_aligned(const ExecutionSpace& exec, const SpmvOptions& options,
                         const AlignedRows<Scalar, typename ExecutionSpace::memory_space>& aligned,
                         const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                         const XView& x, const CsrRows<Scalar>& rows) {
  using Functor = SpmvAligned<ExecutionSpace, Scalar>;
  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space> copy{
      A.num_rows, A.num_cols, aligned.begins, aligned.columns, aligned.values};
  const auto teams = static_cast<int>(
      (static_cast<Offset>(rows.num_rows) + options.rows_per_team - 1) / options.rows_per_team);
  Kokkos::parallel_for(
      "Tomokkos::spmv::csr::spmv4gpu",
      typename Functor::Policy(exec, teams, options.team_size, options.vector_length),
      Functor{CsrStreams<Scalar>(copy, x), rows, aligned.begins.data(), options.rows_per_team});
}

}  // namespace Tomokkos::Impl
