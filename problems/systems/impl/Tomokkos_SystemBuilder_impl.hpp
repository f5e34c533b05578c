// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The five ways to the operator of a run. All rows are built here, or those of a rank or a part.
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_StreamedArrays.hpp>

namespace Tomokkos::Impl {

/// \brief Offsets of rows, on the host.
using HostOffsets = Kokkos::View<const Offset*, Kokkos::HostSpace>;

/// \brief Rows of one rank.
struct RowShare {
  int rank;
  const std::vector<double>& weights;  ///< shares of the ranks in the nonzeros
  /// Offsets of the rows of a scan or a scanner, or of the first row of blocks of a cone beam, in
  /// natural order. Empty for other sources.
  const HostOffsets& unit_offsets;
};

/// \brief Describes the ranks for the report, of which this one holds \p own rows in \p
/// memory_bytes bytes. Collective.
Description describe_ranks(const RankGroup& ranks, const std::string& transport,
                           const RanksWish& wish, const std::vector<double>& weights,
                           const RowStatistics& own, std::size_t memory_bytes);

/// \brief Options of a product in CSR by \p variant.
SpmvOptions spmv_options(const SolverNeeds& needs, const OperatorWish& wish, SpmvVariant variant);

/// \brief Reason why the entries of the matrix of \p task cannot be streamed from host memory;
/// empty if they can.
std::string obstacle_to_streaming(const SystemTask& task);

/// \brief Completes an operator that is already in the format of \p task: allocates its workspace
/// and reports the order actually used. This may differ from the configured order: entries are not
/// interleaved for products with a single lane.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> prepare_built_operator(
    const ExecutionSpace& exec, const SystemTask& task, BuiltOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics);

/// \brief Builds the matrix of a task and prepares its products. The observer hears of each phase.
template <class ExecutionSpace, class Scalar>
struct SystemBuilder {
  using memory_space = typename ExecutionSpace::memory_space;
  using System = BuiltSystem<ExecutionSpace, Scalar>;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using Offsets = Kokkos::View<const Offset*, memory_space>;

  const ExecutionSpace& exec;
  const SystemTask& task;
  const BuildObserver& observer;
  const RowShare* share = nullptr;                     ///< rows of a rank; null: all rows
  bool is_part = false;                                ///< the rows are those of a rank or a part
  StreamedArrays<ExecutionSpace>* streamed = nullptr;  ///< set: holds the entries in host memory
  MatrixOrder<memory_space> order = {};                ///< of the rows that are built
  std::optional<RowSubsets> subsets = {};
  std::vector<Ordinal> subset_begins = {};

  /// \brief Builds in the way that `task.wish` says.
  System build();

  // The ways, without the order and the subsets of the result.
  System stored_rows();
  System block_row();
  System orbits();
  System computed();

  /// \brief Builds the rows of a scan or a scanner in `order`, in ray tiles or from CSR.
  ///
  /// \param natural_offsets `row_offsets` of all rows
  System traced_rows(const Offsets& natural_offsets);
  /// \brief Converts rows in CSR; with entries in host memory to CSR with a stored transpose.
  System convert(const Matrix& A, const MatrixGrids& grids = {});
  /// \brief Reads the rows in `order` from \p file.
  HostCsrMatrix<Scalar> read(RankMatrixFile<Scalar>& file) const;

 private:
  System convert_streamed(const Matrix& A);
  /// Tells the observer of a matrix. Its fingerprint is computed only if it is asked for.
  template <class Fingerprint>
  void built(const RowStatistics& matrix, std::size_t bytes, const std::string& how,
             const Fingerprint& fingerprint) const {
    observer.matrix_built({matrix.rows, matrix.columns, matrix.nonzeros, bytes, how,
                           observer.wants_fingerprint ? fingerprint() : 0});
  }
  const RowSubsets& divide_rows(Ordinal all);
  std::vector<RowRange> keep_rows(const HostOffsets& offsets, Ordinal natural_size);
  void order_by_visits();
  Offsets keep_traced_rows();
  Matrix read_share();
  std::vector<char> mask_of_rank();
};

}  // namespace Tomokkos::Impl
