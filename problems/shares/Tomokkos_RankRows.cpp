// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <algorithm>
#include <utility>
#include <vector>

namespace Tomokkos {
namespace {

using HostMap = IndexMap<Kokkos::HostSpace>;
using HostOffsets = Kokkos::View<const Offset*, Kokkos::HostSpace>;

/// Maximum number of entries of 8 bytes between two rows that are read and discarded: operating
/// systems read ahead this much anyway.
constexpr Offset most_dropped = 1 << 14;

/// Returns ranges of natural rows that contain all of \p rows, and some rows between them.
std::vector<RowRange> blocks_around(const HostMap& rows, const HostOffsets& offsets,
                                    Offset most_in_block) {
  std::vector<RowRange> blocks;
  for (Ordinal row = 0; row < rows.natural_size(); ++row) {
    if (rows.from_natural(row) == not_mapped) continue;
    if (!blocks.empty() && offsets(row) - offsets(blocks.back().end) <= most_dropped &&
        offsets(row + 1) - offsets(blocks.back().begin) <= most_in_block)
      blocks.back().end = row + 1;
    else
      blocks.push_back({row, row + 1});
  }
  return blocks;
}

Offset count_entries(const HostMap& rows, const HostOffsets& offsets) {
  Offset count = 0;
  for (Ordinal p = 0; p < rows.size(); ++p) {
    const Ordinal row = rows.to_natural(p);
    count += offsets(row + 1) - offsets(row);
  }
  return count;
}

/// Returns the map of the same order among these rows only.
template <class ExecutionSpace>
HostMap map_among_themselves(const ExecutionSpace& exec, const HostMap& rows) {
  std::vector<Ordinal> order(static_cast<std::size_t>(rows.size()));
  Ordinal place = 0;
  for (Ordinal row = 0; row < rows.natural_size(); ++row)
    if (const Ordinal p = rows.from_natural(row); p != not_mapped)
      order[static_cast<std::size_t>(p)] = place++;
  return make_index_map(exec, rows.size(), order);
}

}  // namespace

RankRows share_rows(const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                    const RowSubsets& subsets, const std::vector<double>& weights, int rank) {
  const auto all = static_cast<Ordinal>(row_offsets.extent(0)) - 1;
  RankRows result;
  Ordinal begin = 0;
  for (int i = 0; i < subsets.count(); ++i) {
    const std::vector<Ordinal> begins =
        partition_rows(row_offsets, subsets[i].resolved(all), weights);
    const auto own = static_cast<std::size_t>(rank);
    result.ranges.push_back({begins[own], begins[own + 1]});
    result.subset_begins.push_back(begin);
    begin += begins[own + 1] - begins[own];
  }
  return result;
}

template <class Scalar>
RankMatrixFile<Scalar>::RankMatrixFile(const std::filesystem::path& path, Offset most_in_block)
    : path_(path), most_in_block_(most_in_block) {
  if (matrix_file_format(path) == MatrixFileFormat::csr4)
    reader_.emplace(path);
  else
    whole_ = read_matrix<Scalar>(path);
}

template <class Scalar>
Ordinal RankMatrixFile<Scalar>::num_rows() const {
  return reader_ ? reader_->num_rows() : whole_.num_rows;
}

template <class Scalar>
Ordinal RankMatrixFile<Scalar>::num_cols() const {
  return reader_ ? reader_->num_cols() : whole_.num_cols;
}

template <class Scalar>
HostOffsets RankMatrixFile<Scalar>::row_offsets() const {
  return reader_ ? reader_->row_offsets() : whole_.row_offsets;
}

/// Reads the rows of a rank in the order of a csr4 file.
template <class Scalar>
HostCsrMatrix<Scalar> RankMatrixFile<Scalar>::read_in_natural_order(const HostMap& rows) {
  const auto nonzeros = static_cast<std::size_t>(count_entries(rows, row_offsets()));
  const auto offsets = Impl::allocate_without_instance<Kokkos::View<Offset*, Kokkos::HostSpace>>(
      "Tomokkos::CsrMatrix::row_offsets", static_cast<std::size_t>(rows.size()) + 1);
  const auto columns = Impl::allocate_without_instance<Kokkos::View<Ordinal*, Kokkos::HostSpace>>(
      "Tomokkos::CsrMatrix::columns", nonzeros);
  const auto values = Impl::allocate_without_instance<Kokkos::View<Scalar*, Kokkos::HostSpace>>(
      "Tomokkos::CsrMatrix::values", nonzeros);
  std::size_t filled = 0;
  offsets(0) = 0;
  for (const RowRange& range : blocks_around(rows, row_offsets(), most_in_block_)) {
    const auto block = reader_->template read_rows<Scalar>(range);
    for (Ordinal i = 0; i < block.num_rows; ++i) {
      if (rows.from_natural(range.begin + i) == not_mapped) continue;
      const Offset begin = block.row_offsets(i), length = block.row_offsets(i + 1) - begin;
      const Offset to = offsets(filled);
      std::copy_n(block.columns.data() + begin, length, columns.data() + to);
      std::copy_n(block.values.data() + begin, length, values.data() + to);
      offsets(++filled) = to + length;
    }
  }
  return {rows.size(), num_cols(), offsets, columns, values};
}

template <class Scalar>
HostCsrMatrix<Scalar> RankMatrixFile<Scalar>::read(const HostMap& rows,
                                                   const std::optional<HostMap>& columns) {
  using Host = TOMOKKOS_HOST_SPACE;  // files are read by hosts
  const Host exec;
  const bool moves =
      columns || !std::is_sorted(rows.to_natural.data(), rows.to_natural.data() + rows.size());
  Impl::MemoryNeed need;
  for (int copies = reader_ && moves ? 2 : 1; copies > 0; --copies)
    need.add_csr(static_cast<std::uint64_t>(rows.size()),
                 static_cast<std::uint64_t>(count_entries(rows, row_offsets())), sizeof(Scalar));
  need.require_available("reading the rows of a rank from " + path_.string());
  const Ordinal all_columns = num_cols();
  const auto map_columns = [&] { return columns ? *columns : identity_map(exec, all_columns); };
  if (!reader_)
    return csr_mapped<Host, Scalar>(exec, std::exchange(whole_, {}), rows, map_columns());
  const HostCsrMatrix<Scalar> own = read_in_natural_order(rows);
  reader_.reset();
  if (!moves) return own;
  return csr_mapped<Host, Scalar>(exec, own, map_among_themselves(exec, rows), map_columns());
}

#define TOMOKKOS_INSTANTIATE(Scalar) template class RankMatrixFile<Scalar>;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
