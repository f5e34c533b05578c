// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowBlocks.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

namespace Tomokkos {

/// \brief The rows of a system matrix in the order of a run, any block of them whenever it is
/// wanted. Of rows that \p order leaves out nothing is known; it keeps all columns.
///
/// \p config and \p input must outlive it.
template <class ExecutionSpace, class Scalar>
class GeometryRows {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Block = CsrMatrix<Scalar, memory_space>;

  GeometryRows(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
               const MatrixOrder<memory_space>& order,
               const Kokkos::View<const Offset*, memory_space>& natural_offsets)
      : config_(config), input_(input), natural_offsets_(natural_offsets) {
    const bool scanner = config.problem.scanner.has_value();
    const auto rows = static_cast<Ordinal>(natural_offsets.extent(0)) - 1;
    num_cols_ = static_cast<Ordinal>(scanner ? config.problem.scanner_volume().num_voxels()
                                             : input.volume.num_pixels());
    rows_ = order.rows ? *order.rows : identity_map(exec, rows);
    columns_ = order.columns ? *order.columns : identity_map(exec, num_cols_);
    sorted_ = !order.columns;
    offsets_ =
        mapped_offsets(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), natural_offsets_),
                       Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows_.to_natural));
  }

  Ordinal num_rows() const { return rows_.size(); }
  Ordinal num_cols() const { return num_cols_; }
  Offset num_nonzeros() const { return offsets_(static_cast<std::size_t>(num_rows())); }
  /// Where the rows begin.
  const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets() const { return offsets_; }
  /// As `row_statistics` of the whole.
  RowStatistics statistics() const {
    RowStatistics result{num_rows(), num_cols(), num_nonzeros()};
    if (num_rows() == 0) return result;
    result.mean = static_cast<double>(num_nonzeros()) / num_rows();
    result.shortest = num_nonzeros();
    const auto centre = static_cast<Offset>(result.mean);
    Offset squares = 0;
    for (Ordinal row = 0; row < num_rows(); ++row) {
      const Offset length = offsets_(row + 1) - offsets_(row);
      result.shortest = std::min(result.shortest, length);
      result.longest = std::max(result.longest, length);
      result.empty_rows += length == 0 ? 1 : 0;
      squares += (length - centre) * (length - centre);
    }
    const double shift = result.mean - static_cast<double>(centre);
    result.sigma =
        std::sqrt(std::max(0.0, static_cast<double>(squares) / num_rows() - shift * shift));
    return result;
  }

  /// Blocks of at most so many bytes in CSR.
  std::vector<RowRange> blocks(double bytes) const {
    const double entries = bytes / static_cast<double>(sizeof(Ordinal) + sizeof(Scalar));
    return blocks_of_rows(offsets_, std::max<Offset>(1, static_cast<Offset>(entries)));
  }
  std::uint64_t bytes_of(RowRange rows) const {
    return system_matrix_bytes<Scalar>(rows.end - rows.begin,
                                       offsets_(rows.end) - offsets_(rows.begin));
  }

  Block build(const ExecutionSpace& exec, RowRange rows) const {
    const ProblemSection& problem = config_.problem;
    if (!problem.scanner)
      return fill_mapped_system_matrix<ExecutionSpace, Scalar>(exec, input_.volume, input_.scan,
                                                               problem.projector, natural_offsets_,
                                                               rows_, columns_, rows);
    if (sorted_)
      return fill_scanner_matrix<ExecutionSpace, Scalar>(
          exec, problem.scanner_volume(), problem.scanner->scanner, natural_offsets_, rows_, rows);
    return fill_mapped_scanner_matrix<ExecutionSpace, Scalar>(
        exec, problem.scanner_volume(), problem.scanner->scanner, natural_offsets_, rows_, columns_,
        rows);
  }

 private:
  const RunConfig& config_;
  const RunInput& input_;
  Kokkos::View<const Offset*, memory_space> natural_offsets_;
  Kokkos::View<const Offset*, Kokkos::HostSpace> offsets_;
  IndexMap<memory_space> rows_, columns_;
  bool sorted_ = false;
  Ordinal num_cols_ = 0;
};

}  // namespace Tomokkos
