// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_CsrRows.hpp>
#include <Tomokkos_KaczmarzLevels.hpp>
#include <Tomokkos_ResidentTeams.hpp>
#include <memory>

namespace Tomokkos {

/// \brief The levels of a sweep (`KaczmarzLevels`) where its kernels need them, and the squared
/// norms of the rows. Of one matrix and one order; serves one execution-space instance at a time.
template <class ExecutionSpace>
struct KaczmarzSchedule {
  using memory_space = typename ExecutionSpace::memory_space;

  KaczmarzLevels levels;  ///< on the host
  Kokkos::View<const Ordinal*, memory_space> rows;
  Kokkos::View<const Offset*, memory_space> offsets;
  Kokkos::View<const double*, memory_space> squared_norms;  ///< of all rows of the matrix
  std::shared_ptr<Impl::ResidentTeams<ExecutionSpace>> teams;

  /// \brief Bytes of device memory, with those of the norms.
  std::size_t memory_bytes() const {
    return rows.extent(0) * sizeof(Ordinal) + offsets.extent(0) * sizeof(Offset) +
           squared_norms.extent(0) * sizeof(double) + (teams ? teams->bytes() : 0);
  }
};

/// \brief How the levels of a sweep follow each other. All ways give the same bits.
enum class KaczmarzVariant {
  automatic,  ///< `one_launch` where levels are narrow or the threads are those of a host
  per_level,  ///< a launch per level
  one_launch  ///< all levels in one launch, whose threads wait for each other between two; where
              ///< the backend has no such launches, `per_level`
};

/// \brief The coefficients of a sweep.
template <class Scalar>
struct KaczmarzCoefficients {
  Scalar relaxation = 1;
  Scalar minimum = -Kokkos::Experimental::infinity<Scalar>::value;
  Scalar maximum = Kokkos::Experimental::infinity<Scalar>::value;
};

/// \brief `|a_i|^2` of every row of \p A, summed in double as `csr_kaczmarz_sweep_levels` sums a
/// row. Reads the values once; allocates `8 num_rows` bytes, no fence.
template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> csr_row_squared_norms(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief The schedule of \p order (rows in order of visit; empty: 0, 1, ...) on \p A.
///
/// \param squared_norms of the rows of A
///
/// Complete on return. Cost: the columns go to the host in pieces of at most 64 MiB (on a host they
/// are there), where one thread passes over them twice (`KaczmarzLevelBuilder`): with 7e8 entries
/// some seconds. Memory besides the result: 4 bytes a column and 12 to 20 bytes a visit on the
/// host, the piece on both sides. Throws `Error` naming an index that is no row, and where there
/// are no norms of the rows of A.
template <class ExecutionSpace, class Scalar>
KaczmarzSchedule<ExecutionSpace> make_csr_kaczmarz_schedule(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms);

/// \brief One Kaczmarz sweep by the levels of \p schedule: `x += relaxation (b_i - a_i x) / |a_i|^2
/// a_i`, then x clamped to `[minimum, maximum]` on the columns of the row, visit after visit.
///
/// Rows of a level at once: on a host a thread per row, on a GPU a warp. A row sums its products in
/// double by 32 partial sums, entry e in sum e mod 32, which are then added in halves; so the bits
/// are those of one row after the other, the same for any number of threads and on every backend
/// with fused multiply-add. Rows whose norm is 0 are passed over.
///
/// One launch, or one per level; no fence. No allocation but that of `ResidentTeams` in the first
/// sweep. Reads each visited row twice, the second time from a cache. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void csr_kaczmarz_sweep_levels(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const KaczmarzSchedule<ExecutionSpace>& schedule,
                               const KaczmarzCoefficients<Scalar>& coefficients,
                               const InputVector<ExecutionSpace, Scalar>& b,
                               const OutputVector<ExecutionSpace, Scalar>& x,
                               KaczmarzVariant way = KaczmarzVariant::automatic);

/// \brief The largest number of rows among \p block_rows consecutive ones (0, ..., block_rows - 1,
/// and so on) that have an entry in a column, for each column of \p A.
///
/// Complete on return; cost and memory on the host as `make_csr_kaczmarz_schedule`.
template <class ExecutionSpace, class Scalar>
Vector<Ordinal, typename ExecutionSpace::memory_space> csr_largest_block_counts(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    Ordinal block_rows);

}  // namespace Tomokkos
