// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_CsrRows.hpp>
#include <Tomokkos_KaczmarzLevels.hpp>
#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_ResidentTeams.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <memory>

namespace Tomokkos {

/// \brief Levels of a sweep (`KaczmarzLevels`) in the memory of its kernels, and the squared norms
/// of the rows.
///
/// It belongs to one matrix and one order, and serves one execution-space instance at a time.
template <class ExecutionSpace>
struct KaczmarzSchedule {
  using memory_space = typename ExecutionSpace::memory_space;

  KaczmarzLevels levels;  ///< on the host
  Kokkos::View<const Ordinal*, memory_space> rows;
  Kokkos::View<const Offset*, memory_space> offsets;
  Kokkos::View<const double*, memory_space> squared_norms;  ///< of all rows of the matrix
  std::shared_ptr<Impl::ResidentTeams<ExecutionSpace>> teams;

  /// \brief Bytes of device memory, including the norms.
  std::size_t memory_bytes() const {
    return rows.extent(0) * sizeof(Ordinal) + offsets.extent(0) * sizeof(Offset) +
           squared_norms.extent(0) * sizeof(double) + (teams ? teams->bytes() : 0);
  }
};

/// \brief Launch method of the levels of a sweep. All methods give the same bits.
enum class KaczmarzVariant {
  automatic,  ///< `one_launch` if levels are narrow or the threads are those of a host
  per_level,  ///< a launch per level
  one_launch  ///< all levels in one launch, whose threads synchronise between levels; `per_level`
              ///< if the backend has no such launches
};

/// \brief Relaxation and bounds of a sweep.
template <class Scalar>
struct KaczmarzCoefficients {
  Scalar relaxation = 1;
  Scalar minimum = -Kokkos::Experimental::infinity<Scalar>::value;
  Scalar maximum = Kokkos::Experimental::infinity<Scalar>::value;
};

/// \brief Computes `|a_i|^2` of every row of \p A, summed in double in the order of
/// `csr_kaczmarz_sweep_levels`. Reads the values once; allocates `8 num_rows` bytes, no fence.
template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> csr_row_squared_norms(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Builds the schedule of \p order for \p A. The result is complete on return.
///
/// Cost: the columns are copied to the host in pieces of at most 64 MiB (a host reads them in
/// place), and one thread passes over them twice (`KaczmarzLevelBuilder`): a few seconds with 7e8
/// entries. Memory besides the result: 4 bytes a column and 12 to 20 bytes a visit on the host, and
/// the piece on both sides.
///
/// \param order rows in the order of visits; empty: 0, 1, ...
/// \param squared_norms squared norms of the rows of A
/// \throws Error naming an index in \p order that is not a row, and if the number of norms is not
///   that of the rows
template <class ExecutionSpace, class Scalar>
KaczmarzSchedule<ExecutionSpace> make_csr_kaczmarz_schedule(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms);

/// \brief Performs one Kaczmarz sweep by the levels of \p schedule:
/// `x += relaxation (b_i - a_i x) / |a_i|^2 a_i`, then clamps x to `[minimum, maximum]` on the
/// columns of the row, visit after visit.
///
/// Rows of a level run concurrently: one thread per row on a host, one warp per row on a GPU. A row
/// sums its products in double in 32 partial sums, entry e in sum e mod 32, which are then added in
/// halves. The bits are therefore those of processing one row after the other, and the same for any
/// number of threads and on every backend with fused multiply-add. Rows with norm 0 are skipped.
///
/// One launch, or one per level; no fence. Allocates only `ResidentTeams` in the first sweep. Reads
/// each visited row twice, the second time from a cache.
///
/// \throws DimensionMismatch
template <class ExecutionSpace, class Scalar>
void csr_kaczmarz_sweep_levels(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const KaczmarzSchedule<ExecutionSpace>& schedule,
                               const KaczmarzCoefficients<Scalar>& coefficients,
                               const InputVector<ExecutionSpace, Scalar>& b,
                               const OutputVector<ExecutionSpace, Scalar>& x,
                               KaczmarzVariant way = KaczmarzVariant::automatic);

/// \brief Counts, for each column of \p A and each block of rows, the rows with an entry in the
/// column, and returns the largest count of each column.
///
/// The result is complete on return; cost and memory on the host are those of
/// `make_csr_kaczmarz_schedule`.
///
/// \param ranks ranks that hold other rows of the same blocks; null: \p A holds all rows. They
/// exchange a count for each column and block, and get the same result.
template <class ExecutionSpace, class Scalar>
Vector<Ordinal, typename ExecutionSpace::memory_space> csr_largest_block_counts(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowSubsets& blocks, const Ranks* ranks = nullptr);

// These functions take rows of any type with the interface of `CsrRows`. The library contains them
// for `CsrRows`, `PairRows` and `SymmetricRows` of both.

/// \brief Computes `csr_row_squared_norms` of \p rows.
template <class ExecutionSpace, class Rows>
Vector<double, typename ExecutionSpace::memory_space> rows_squared_norms(const ExecutionSpace& exec,
                                                                         const Rows& rows);

/// \brief Builds `make_csr_kaczmarz_schedule` for \p rows.
template <class ExecutionSpace, class Rows>
KaczmarzSchedule<ExecutionSpace> make_rows_kaczmarz_schedule(
    const ExecutionSpace& exec, const Rows& rows, const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms);

/// \brief Applies `csr_kaczmarz_sweep_levels` to \p rows. The bits are the same on every run and
/// for any number of threads. Two types of rows give the same bits if their entries are in the same
/// order, otherwise the same up to rounding.
template <class ExecutionSpace, class Rows>
void rows_kaczmarz_sweep_levels(
    const ExecutionSpace& exec, const Rows& rows, const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzCoefficients<typename Rows::scalar_type>& coefficients,
    const InputVector<ExecutionSpace, typename Rows::scalar_type>& b,
    const OutputVector<ExecutionSpace, typename Rows::scalar_type>& x,
    KaczmarzVariant way = KaczmarzVariant::automatic);

/// \brief Computes `csr_largest_block_counts` of \p rows.
template <class ExecutionSpace, class Rows>
Vector<Ordinal, typename ExecutionSpace::memory_space> rows_largest_block_counts(
    const ExecutionSpace& exec, const Rows& rows, const RowSubsets& blocks,
    const Ranks* ranks = nullptr);

}  // namespace Tomokkos
