// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <cstdint>
#include <impl/Tomokkos_TransposeBanded_impl.hpp>
#include <impl/Tomokkos_TransposeClaims_impl.hpp>
#include <impl/Tomokkos_TransposeMerge_impl.hpp>
#include <impl/Tomokkos_TransposeScan_impl.hpp>
#include <impl/Tomokkos_TransposeSplit_impl.hpp>

namespace Tomokkos {

namespace Impl {

/// \brief Calls `visit(work)` with the implementation of the chosen variant, which uses \p pieces.
template <class ExecutionSpace, class Value, class Visit>
void visit_transposition(const TransposeSource<Value>& A, const TransposeTarget<Value>& T,
                         const TransposeOptions& chosen, MemoryPieces& pieces, const Visit& visit) {
  if (chosen.variant == TransposeVariant::multisplit)
    return visit(TransposeMultisplit<ExecutionSpace, Value>::over(A, T, chosen, pieces));
  if constexpr (is_host_space<ExecutionSpace>) {
    switch (chosen.variant) {
      case TransposeVariant::banded:
        return visit(TransposeBanded<Value>::over(A, T, chosen, pieces));
      case TransposeVariant::scan_trans:
        return visit(TransposeScan<Value>::over(A, T, chosen, pieces));
      case TransposeVariant::merge_trans:
        return visit(TransposeMerge<Value>::over(A, T, chosen, pieces));
      default:
        break;
    }
  } else {
    if (chosen.variant == TransposeVariant::claims)
      return visit(TransposeClaimsWork<Value>::over(A, T, chosen, pieces));
  }
  throw Refused("this backend does not have the requested variant of the transposition");
}

template <class ExecutionSpace, class Value>
std::size_t workspace_bytes(const MatrixShape& shape, const TransposeOptions& chosen) {
  MemoryPieces pieces;
  visit_transposition<ExecutionSpace, Value>(
      {shape.rows, shape.columns, shape.nonzeros, nullptr, nullptr, nullptr}, {}, chosen, pieces,
      [](const auto&) {});
  return pieces.bytes();
}

template <class ExecutionSpace, class Value>
void run_transposition(const ExecutionSpace& exec, const TransposeSource<Value>& A,
                       const TransposeTarget<Value>& T, const TransposeOptions& chosen,
                       char* workspace) {
  if (A.nonzeros == 0) {
    const Kokkos::View<Offset*, typename ExecutionSpace::memory_space> offsets(
        T.row_offsets, static_cast<std::size_t>(A.num_cols) + 1);
    Kokkos::deep_copy(exec, offsets, Offset(0));
    return;
  }
  MemoryPieces pieces(workspace);
  visit_transposition<ExecutionSpace>(A, T, chosen, pieces,
                                      [&](const auto& work) { work.run(exec); });
}

template <class ExecutionSpace, class Value>
Vector<char, typename ExecutionSpace::memory_space> allocate_workspace(
    const ExecutionSpace& exec, const MatrixShape& shape, const TransposeOptions& chosen) {
  const std::size_t bytes = workspace_bytes<ExecutionSpace, Value>(shape, chosen);
  if (bytes == 0) return {};
  return allocate<Vector<char, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::transpose::workspace", bytes);
}

/// \brief Allocates the result and the workspace, and transposes. Fences.
template <class ExecutionSpace, class Value>
CsrArrays<Value, typename ExecutionSpace::memory_space> transposed_arrays(
    const ExecutionSpace& exec, const TransposeSource<Value>& A, const TransposeOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ScopedRegion region("Tomokkos::transpose");
  TransposeOptions chosen =
      choose_transposition(device_traits(exec), A.shape(), entry_bytes<Value>, options);
  CsrArrays<Value, MemorySpace> arrays;
  arrays.row_offsets = allocate_row_offsets<MemorySpace>(exec, A.num_cols);
  arrays.columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::CsrMatrix::columns", A.nonzeros);
  if constexpr (has_value<Value>)
    arrays.values = allocate_values<Value, MemorySpace>(exec, A.nonzeros);
  Vector<char, MemorySpace> workspace;
  try {
    workspace = allocate_workspace<ExecutionSpace, Value>(exec, A.shape(), chosen);
  } catch (const MemoryError&) {
    if (is_host_space<ExecutionSpace> || options.variant != TransposeVariant::automatic) throw;
    chosen.variant = TransposeVariant::claims;
    workspace = allocate_workspace<ExecutionSpace, Value>(exec, A.shape(), chosen);
  }
  run_transposition(exec, A,
                    TransposeTarget<Value>{arrays.row_offsets.data(),
                                           {arrays.columns.data(), arrays.values.data()}},
                    chosen, workspace.data());
  fence(exec, "transpose: the matrix is complete");
  return arrays;
}

template <class Scalar, class MemorySpace>
TransposeSource<Scalar> transpose_source(const CsrMatrix<Scalar, MemorySpace>& A) {
  return {A.num_rows,           A.num_cols,       A.num_nonzeros(),
          A.row_offsets.data(), A.columns.data(), A.values.data()};
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options) {
  return Impl::transposed_arrays(exec, Impl::transpose_source(A), options)
      .matrix(A.num_cols, A.num_rows);
}

template <class ExecutionSpace>
CsrPattern<typename ExecutionSpace::memory_space> transpose_pattern(
    const ExecutionSpace& exec, const CsrPattern<typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options) {
  const auto arrays = Impl::transposed_arrays(
      exec,
      Impl::TransposeSource<Impl::NoValue>{A.num_rows, A.num_cols, A.num_nonzeros(),
                                           A.row_offsets.data(), A.columns.data(), nullptr},
      options);
  return {A.num_cols, A.num_rows, arrays.row_offsets, arrays.columns};
}

template <class ExecutionSpace>
std::size_t transpose_workspace_bytes(const ExecutionSpace& exec, const MatrixShape& shape,
                                      std::size_t value_bytes, const TransposeOptions& options) {
  const TransposeOptions chosen =
      choose_transposition(device_traits(exec), shape, sizeof(Ordinal) + value_bytes, options);
  switch (value_bytes) {
    case 0:
      return Impl::workspace_bytes<ExecutionSpace, Impl::NoValue>(shape, chosen);
    case sizeof(float):
      return Impl::workspace_bytes<ExecutionSpace, float>(shape, chosen);
    case sizeof(double):
      return Impl::workspace_bytes<ExecutionSpace, double>(shape, chosen);
    default:
      throw Refused(Impl::text("values must have 0, 4 or 8 bytes, not {}", value_bytes));
  }
}

template <class ExecutionSpace, class Scalar>
void transpose_into(const ExecutionSpace& exec,
                    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    const OutputVector<ExecutionSpace, Offset>& row_offsets,
                    const OutputVector<ExecutionSpace, Ordinal>& columns,
                    const OutputVector<ExecutionSpace, Scalar>& values,
                    const OutputVector<ExecutionSpace, char>& workspace,
                    const TransposeOptions& options) {
  const Impl::ScopedRegion region("Tomokkos::transpose");
  const auto source = Impl::transpose_source(A);
  const TransposeOptions chosen =
      choose_transposition(device_traits(exec), source.shape(), Impl::entry_bytes<Scalar>, options);
  require_equal("row offsets of the transpose", static_cast<long long>(row_offsets.extent(0)),
                "columns of A + 1", static_cast<long long>(A.num_cols) + 1);
  require_equal("columns of the transpose", static_cast<long long>(columns.extent(0)),
                "nonzeros of A", A.num_nonzeros());
  require_equal("values of the transpose", static_cast<long long>(values.extent(0)),
                "nonzeros of A", A.num_nonzeros());
  const std::size_t needed = Impl::workspace_bytes<ExecutionSpace, Scalar>(source.shape(), chosen);
  require(workspace.extent(0) >= needed, "the workspace of the transposition has " +
                                             describe_bytes(workspace.extent(0)) + ", but needs " +
                                             describe_bytes(needed));
  require(reinterpret_cast<std::uintptr_t>(workspace.data()) % Impl::MemoryPieces::boundary == 0,
          "the workspace of the transposition must be aligned to 64 bytes");
  Impl::run_transposition(
      exec, source,
      Impl::TransposeTarget<Scalar>{row_offsets.data(), {columns.data(), values.data()}}, chosen,
      workspace.data());
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                       \
  template CsrPattern<SPACE::memory_space> transpose_pattern<SPACE>(                      \
      const SPACE&, const CsrPattern<SPACE::memory_space>&, const TransposeOptions&);     \
  template std::size_t transpose_workspace_bytes<SPACE>(const SPACE&, const MatrixShape&, \
                                                        std::size_t, const TransposeOptions&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template CsrMatrix<SCALAR, SPACE::memory_space> transpose<SPACE, SCALAR>(                  \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const TransposeOptions&); \
  template void transpose_into<SPACE, SCALAR>(                                               \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                           \
      const VectorView<Offset, SPACE::memory_space>&,                                        \
      const VectorView<Ordinal, SPACE::memory_space>&,                                       \
      const VectorView<SCALAR, SPACE::memory_space>&,                                        \
      const VectorView<char, SPACE::memory_space>&, const TransposeOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
