// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowBlocks.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <algorithm>
#include <vector>

namespace Tomokkos {

/// \brief Returns the result of `row_statistics` for a matrix with these row offsets.
inline RowStatistics row_statistics_of(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets, Ordinal num_cols) {
  HostCsrMatrix<float> pattern;  // without columns and values, which are not read
  pattern.num_rows = static_cast<Ordinal>(offsets.extent(0)) - 1;
  pattern.num_cols = num_cols;
  pattern.row_offsets = offsets;
  pattern.values = Kokkos::View<const float*, Kokkos::HostSpace>(
      nullptr, static_cast<std::size_t>(offsets(offsets.extent(0) - 1)));
  return row_statistics(TOMOKKOS_HOST_SPACE(), pattern);
}

/// \brief Rows of a system matrix in the order of a run; any block of them can be built at any
/// time. The order may leave out rows, but keeps all columns.
///
/// The source must outlive this object.
template <class ExecutionSpace, class Scalar>
class OrderedRows {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Block = CsrMatrix<Scalar, memory_space>;

  /// \param natural_offsets `row_offsets` of all rows of \p source
  OrderedRows(const ExecutionSpace& exec, const RowSource& source,
              const MatrixOrder<memory_space>& order,
              const Kokkos::View<const Offset*, memory_space>& natural_offsets)
      : source_(source), natural_offsets_(natural_offsets), order_(order) {
    // Build identity maps once, not for each block.
    if (!order_.rows)
      order_.rows = identity_map(exec, static_cast<Ordinal>(natural_offsets.extent(0)) - 1);
    if (!order_.columns) order_.columns = identity_map(exec, Tomokkos::num_cols(source));
    offsets_ = mapped_offsets(
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), natural_offsets_),
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order_.rows->to_natural));
  }

  Ordinal num_rows() const { return order_.rows->size(); }
  Ordinal num_cols() const { return order_.columns->size(); }
  Offset num_nonzeros() const { return offsets_(static_cast<std::size_t>(num_rows())); }
  /// Row offsets in the order of the run.
  const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets() const { return offsets_; }
  /// Returns the same result as `row_statistics` of the whole matrix.
  RowStatistics statistics() const { return row_statistics_of(offsets_, num_cols()); }

  /// Ranges of rows of at most `bytes` bytes each in CSR.
  std::vector<RowRange> blocks(double bytes) const {
    const double entries = bytes / static_cast<double>(sizeof(Ordinal) + sizeof(Scalar));
    return blocks_of_rows(offsets_, std::max<Offset>(1, static_cast<Offset>(entries)));
  }
  std::uint64_t bytes_of(RowRange rows) const {
    return system_matrix_bytes<Scalar>(rows.end - rows.begin,
                                       offsets_(rows.end) - offsets_(rows.begin));
  }

  Block build(const ExecutionSpace& exec, RowRange rows) const {
    return build_ordered_rows<ExecutionSpace, Scalar>(exec, source_, natural_offsets_, order_,
                                                      rows);
  }

 private:
  const RowSource& source_;
  Kokkos::View<const Offset*, memory_space> natural_offsets_;
  MatrixOrder<memory_space> order_;
  Kokkos::View<const Offset*, Kokkos::HostSpace> offsets_;
};

}  // namespace Tomokkos
