// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_StreamedArrays.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <cstdint>
#include <string>

namespace Tomokkos {

/// \brief Options of `prepare_rows`.
template <class ExecutionSpace>
struct RowsOptions {
  /// Set: entries are kept in host memory, in CSR or ray tiles.
  StreamedArrays<ExecutionSpace>* streamed = nullptr;
  /// Set: receives the `csr_fingerprint` of the rows.
  std::uint64_t* fingerprint = nullptr;
};

/// \brief Reason why the entries of the matrix of \p task cannot be streamed from host memory;
/// empty if they can.
std::string obstacle_to_streaming(const SystemTask& task);

/// \brief Builds rows of a scan or a scanner, in an order that follows from its grids, and prepares
/// their operator.
///
/// \param order the rows, in their order; contains all columns
/// \param natural_offsets `row_offsets` of all rows
/// \throws ConfigError for a format that cannot be streamed; the errors of `build_in_order`,
/// `make_direct_tiles` and `prepare_operator`
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_rows(
    const ExecutionSpace& exec, const SystemTask& task,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& natural_offsets,
    const RowsOptions<ExecutionSpace>& options = {});

/// \brief Prepares the operator of rows in CSR, as `prepare_operator` does, also with entries in
/// host memory: in CSR, always with a stored transpose if the solver uses one.
///
/// \throws ConfigError with `obstacle_to_streaming`; MemoryError; the errors of `prepare_operator`
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_csr_rows(
    const ExecutionSpace& exec, const SystemTask& task,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowsOptions<ExecutionSpace>& options = {});

}  // namespace Tomokkos
