// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory checks before a matrix is built.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief Checks that a matrix built from a geometry fits in the available memory. Uses its rows
/// and columns, an estimate of the nonzeros, or \p counted. A single process counts the nonzeros of
/// a scan here if necessary.
///
/// \throws MemoryError with the bytes and alternatives that need less
///
/// \param counted nonzeros of all rows and columns, including those that masks exclude
/// \param available bytes; empty: the available memory
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                             std::optional<Offset> counted = {},
                             std::optional<std::uint64_t> available = {});

/// \brief Row offsets of such a matrix in natural order. The rows are counted once, for the memory
/// check and for the positions of the entries.
///
/// \throws MemoryError as `require_memory_to_build`
template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> counted_offsets(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
    std::optional<std::uint64_t> available = {});

/// \brief Checks that the run fits in memory together with a matrix that has been read.
///
/// \throws MemoryError as `require_memory_to_build`
template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const SystemTask& task,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> available = {});

}  // namespace Tomokkos
