// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of CSR with row-major multivectors, and the transposed product by atomics.
#pragma once

#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_SpmmCsr.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_SpmmPasses.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// \brief Computes `Y = alpha A(:, columns) X + beta Y` with one thread per element of Y.
template <class Scalar, class MemorySpace>
struct SpmmElement {
  CsrMatrix<Scalar, MemorySpace> A;
  MultiVectorView<const Scalar, MemorySpace> X;
  MultiVectorView<Scalar, MemorySpace> Y;
  Scalar alpha, beta;
  Ordinal first_column, last_column;  // entries outside are skipped

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset width = static_cast<Offset>(X.extent(1));
    const Offset row = index / width;
    const Offset j = index % width;
    Scalar sum = 0;
    const Offset end = A.row_offsets(row + 1);
    for (Offset k = A.row_offsets(row); k < end; ++k) {
      const Ordinal column = A.columns(k);
      if (column >= first_column && column < last_column)
        sum += A.values(k) * X(column - first_column, j);
    }
    Y(row, j) = combine(alpha, sum, beta, Y(row, j));
  }
};

/// \brief Computes `Y += alpha A^T X` with one atomic addition per nonzero and column of X.
template <class ExecutionSpace, class Scalar>
struct SpmvTransposeAtomic {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  CsrMatrix<Scalar, MemorySpace> A;
  MultiVectorView<const Scalar, MemorySpace> X;
  MultiVectorView<Scalar, MemorySpace> Y;
  Scalar alpha;
  Ordinal first_row, num_rows;
  int rows_per_team;

  KOKKOS_FUNCTION void add(Offset row, Offset k) const {
    const Ordinal column = A.columns(k);
    const Scalar value = alpha * A.values(k);
    for (std::size_t j = 0; j < X.extent(1); ++j)
      Kokkos::atomic_add(&Y(column, j), value * X(row, j));
  }

  /// Processes a row with one thread, for hosts.
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset end = A.row_offsets(first_row + row + 1);
    for (Offset k = A.row_offsets(first_row + row); k < end; ++k) add(row, k);
  }

  /// Processes a row with the vector lanes of a team member, for GPUs.
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset first = static_cast<Offset>(member.league_rank()) * rows_per_team;
    for (Offset i = member.team_rank(); i < rows_per_team; i += member.team_size()) {
      const Offset row = first + i;
      if (row >= num_rows) return;
      const Offset begin = A.row_offsets(first_row + row);
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(member, A.row_offsets(first_row + row + 1) - begin),
          [&](const Offset k) { add(row, begin + k); });
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void spmm(const ExecutionSpace& exec,
          const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y,
          const SpmmOptions& options) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  const auto pass = Impl::whole_pass(count, A.num_cols, alpha, X, beta, Y);
  if (Y.size() == 0) return;
  const double mean = static_cast<double>(A.num_nonzeros()) / A.num_rows;
  const bool packed =
      Impl::is_pack_aligned(A.columns.data()) && Impl::is_pack_aligned(A.values.data());
  Impl::with_packed<ExecutionSpace>(packed, [&](auto is_packed) {
    Impl::launch_spmm(
        exec, "Tomokkos::spmm::csr",
        Impl::CsrRowReader<Scalar, decltype(is_packed)::value>{
            A.columns.data(), A.values.data(), A.row_offsets.data() + range.begin, count},
        mean, options, pass);
  });
}

template <class ExecutionSpace, class Scalar>
void spmm_columns(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  RowRange columns, Coefficient<Scalar> alpha,
                  const InputMultiVector<ExecutionSpace, Scalar>& X, Coefficient<Scalar> beta,
                  const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(columns, A.num_cols, "columns");
  Impl::require_operands(
      Impl::Operand("X", X, Impl::columns_in(range, A.num_cols), range.size(A.num_cols)),
      Impl::Operand("Y", Y, "rows of A", A.num_rows));
  if (Y.size() == 0) return;
  if (range == RowRange{0, A.num_cols}) {
    spmm<ExecutionSpace, Scalar>(exec, A, all_rows, alpha, X, beta, Y);
    return;
  }
  Kokkos::parallel_for("Tomokkos::spmm::csr::columns", Impl::element_range(exec, Y.size()),
                       Impl::SpmmElement<Scalar, typename ExecutionSpace::memory_space>{
                           A, X, Y, alpha, beta, range.begin, range.end});
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose_atomic(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           RowRange rows, Coefficient<Scalar> alpha,
                           const InputMultiVector<ExecutionSpace, Scalar>& X,
                           Coefficient<Scalar> beta,
                           const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  using Functor = Impl::SpmvTransposeAtomic<ExecutionSpace, Scalar>;
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const Ordinal count = range.size(A.num_rows);
  Impl::require_operands(Impl::Operand("X", X, Impl::rows_in(range, A.num_rows), count),
                         Impl::Operand("Y", Y, "columns of A", A.num_cols));
  Kokkos::parallel_for(
      "Tomokkos::spmv_transpose::csr::atomic::scale", Impl::element_range(exec, Y.size()),
      Impl::ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{as_vector(Y), beta});
  if (count == 0) return;
  constexpr int lanes = Impl::atomic_transpose_lanes;
  constexpr int members = Impl::atomic_transpose_members;
  const Functor functor{A, X, Y, alpha, range.begin, count, members};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("Tomokkos::spmv_transpose::csr::atomic",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count), functor);
  } else {
    Kokkos::parallel_for("Tomokkos::spmv_transpose::csr::atomic",
                         typename Functor::Policy(exec, (count - 1) / members + 1, members, lanes),
                         functor);
  }
}

}  // namespace Tomokkos
