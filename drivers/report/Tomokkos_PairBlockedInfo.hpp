// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reports and `tomokkos info` say of pairs of rows, and of one ray of each orbit of a scan.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <string>

namespace Tomokkos {

/// \brief The places of the three sub-matrices of a `PairBlockedMatrix`, as reports have them.
Description sub_matrices_description(Ordinal mixed_begin, Ordinal mixed_end, Ordinal width);

/// \brief What is asked of pairs of rows.
struct PairBlockedQuestions {
  bool collisions = false;  ///< converts the matrix, twice, and counts
};

/// \brief An entry of the list of bytes.
struct PairBlockedEntry {
  std::string name = "pair_blocked";
  std::size_t beside = 0;  ///< what stands beside the pairs
};

/// \brief Adds to \p result what \p A would be in pairs of rows, `pair_blocked`: pairs, places of the
/// three sub-matrices, fill; and to \p bytes what it takes as \p exec has it, by the name of the
/// scalar. What is no matrix for this format has neither.
///
/// `collisions`: additions that lanes of a group in lock step would lose without atomics, with
/// columns ascending and spread (`count_collisions`), and of how many groups none. Throws what
/// `pair_blocked_from_csr` throws.
template <class ExecutionSpace, class Scalar>
void add_pair_blocked(const ExecutionSpace& exec,
                      const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                      const PairBlockedQuestions& questions, const PairBlockedEntry& entry,
                      Description& result, Description& bytes);

/// \brief Adds to \p result `scsr`, the stored rays of the scan of \p input: how many rays and
/// nonzeros, and how many times their bytes the whole matrix takes in CSR; or why there are none.
/// Adds to \p bytes what one copy takes, with its maps, alone and with a stored transpose, and in
/// pairs of rows. Nothing for what is no scan.
///
/// \param statistics of the whole matrix
template <class ExecutionSpace, class Scalar>
void add_stored_rays(const ExecutionSpace& exec, const RunInput& input,
                     const RowStatistics& statistics, const PairBlockedQuestions& questions,
                     Description& result, Description& bytes);

}  // namespace Tomokkos
