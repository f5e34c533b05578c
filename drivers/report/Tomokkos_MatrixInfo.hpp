// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the description of a matrix by `tomokkos info`: block-circulant matrices, pairs of rows,
// the stored rays of a symmetric scan, and estimates for a run.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <string>

namespace Tomokkos {

/// \brief Describes `bytes(sizeof(Scalar))` for every scalar, by the name of the scalar.
template <class Bytes>
Description bytes_by_scalar(const Bytes& bytes) {
  Description description = Description::map(true);
#define TOMOKKOS_ADD(SCALAR) description.set(scalar_name<SCALAR>(), bytes(sizeof(SCALAR)));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  return description;
}

/// \brief Adds shape, reuse and bytes of the block-circulant matrix whose first block row is \p
/// row. Adds nothing if the number of blocks is not known.
///
/// \param given number of blocks; 0: read from \p file
/// \throws ConfigError if the number of blocks does not divide the columns or differs from that in
/// the file
template <class Scalar>
void add_row_of_blocks(const std::string& file, Ordinal given, const HostCsrMatrix<Scalar>& row,
                       Description& result);

/// \brief Adds the description of the block-circulant matrix of \p task without expanding it.
template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const SystemTask& task, Description& result);

/// \brief Options of the description of pairs of rows.
struct PairBlockedQuestions {
  bool collisions = false;  ///< counts collisions, which converts the matrix twice
};

/// \brief Entry in the list of bytes.
struct PairBlockedEntry {
  std::string name = "pair_blocked";
  std::size_t beside = 0;  ///< bytes stored in addition to the pairs
};

/// \brief Adds to \p result the description `pair_blocked` of \p A in pairs of rows: pairs, widths
/// of the three sub-matrices, fill. Adds its bytes on \p exec to \p bytes, by the name of the
/// scalar. Adds nothing if the format cannot store \p A.
///
/// `collisions` contains the number of additions that lanes of a group in lock step would lose
/// without atomics, with columns ascending and spread (`count_collisions`), and the number of
/// groups without collisions. Throws the errors of `pair_blocked_from_csr`.
template <class ExecutionSpace, class Scalar>
void add_pair_blocked(const ExecutionSpace& exec,
                      const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                      const PairBlockedQuestions& questions, const PairBlockedEntry& entry,
                      Description& result, Description& bytes);

/// \brief Adds to \p result `scsr`, the description of the stored rays of a scan: their number,
/// their nonzeros, and the ratio of the bytes of the whole matrix in CSR to theirs; or the reason
/// why the scan is refused. Adds to \p bytes the bytes of one copy with its maps, alone, with a
/// stored transpose, and in pairs of rows. Adds nothing if \p input is not a scan.
///
/// \param statistics statistics of the whole matrix
template <class ExecutionSpace, class Scalar>
void add_stored_rays(const ExecutionSpace& exec, const RunInput& input,
                     const RowStatistics& statistics, const PairBlockedQuestions& questions,
                     Description& result, Description& bytes);

/// \brief Describes a run whose matrix is built from the geometry of a scan in \p estimates: for
/// each format that the configuration \p root allows, the bytes of the matrix and of the run, and
/// whether they fit. Builds only some rows.
///
/// \return the approximate number of entries that building the matrix would store; 0 without
/// estimates
template <class ExecutionSpace, class Scalar>
double add_estimates(const ExecutionSpace& exec, const ConfigNode& root, const RunConfig& config,
                     const RunInput& input, Description& estimates);

}  // namespace Tomokkos
