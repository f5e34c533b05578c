// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a matrix needs beside itself, asked before it is there.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief What else than one copy of the matrix must fit into memory beside it.
enum class MatrixUse {
  products,  ///< the vectors, and what the solver's transposed products keep: a copy, or windows
  matrix,    ///< nothing
  tiles      ///< the vectors; the matrix itself is in ray tiles, and in CSR a block of its rows
};

/// \brief About how many bytes the vectors of a run take beside a matrix of this size, with the
/// maps of its order. Of several ranks those of one that holds so many \p rows, with a split image
/// unless `run.ranks.image` is `replicated`.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const RunConfig& config, double rows, double columns, MatrixUse use);

/// \brief Bytes of the largest block of rows, of a matrix with \p nonzeros, from which ray tiles
/// are made where \p available bytes can be taken.
template <class Scalar>
constexpr double tile_block_bytes(double nonzeros, double available) {
  constexpr double entry = sizeof(Ordinal) + sizeof(Scalar);
  const double part = nonzeros * entry < available / 16 ? nonzeros * entry : available / 16;
  return part < 2147483648.0 * entry ? part : 2147483648.0 * entry;
}

/// \brief True when the matrix of \p config comes from a geometry in its order at once.
bool is_built_in_order(const RunConfig& config);

/// \brief Throws `MemoryError` with the bytes and what would need less when a matrix that is built
/// in any order does not fit into the memory that is left: from its rows and columns alone, or from
/// nonzeros. One process counts those of a scan here; where they have been \p counted, these are
/// looked at.
///
/// \param counted nonzeros of all rows and columns, also of those that masks leave out
/// \param available bytes; nothing: what there is
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const RunConfig& config,
                             const RunInput& input, MatrixUse use,
                             std::optional<Offset> counted = {},
                             std::optional<std::uint64_t> available = {});

/// \brief Where the rows of such a matrix begin, in natural order. They are counted once, for the
/// memory that they take and for where their entries lie.
///
/// \throw MemoryError as `require_memory_to_build`.
template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> counted_offsets(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, MatrixUse use,
    std::optional<std::uint64_t> available = {});

/// \brief Throws as `require_memory_to_build` for a matrix that has been read, beside the arrays
/// that hold it.
template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const RunConfig& config,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> available = {});

}  // namespace Tomokkos
