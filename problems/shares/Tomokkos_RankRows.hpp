// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distribution of the rows of a matrix over ranks, and the part of a file that each reads.
#pragma once

#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Views.hpp>
#include <filesystem>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Rows of one rank: a contiguous range of every ordered subset, one after the other. With
/// one subset, this is a contiguous range of all rows.
struct RankRows {
  std::vector<RowRange> ranges;        ///< one range per subset, by position in the order of the
                                       ///< run
  std::vector<Ordinal> subset_begins;  ///< first row of each subset among these rows
};

/// \brief Returns the rows of rank \p rank. The number of ranks is the number of \p weights; the
/// nonzeros of every subset are distributed in the ratio of the weights.
///
/// \param row_offsets offsets of all rows, in the order of the run
RankRows share_rows(const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                    const RowSubsets& subsets, const std::vector<double>& weights, int rank);

/// \brief Returns \p map, or the identity of \p natural_size indices if it is empty, restricted to
/// the positions in \p ranges, one range after the other.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> restrict_map(
    const ExecutionSpace& exec,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, Ordinal natural_size,
    const std::vector<RowRange>& ranges) {
  std::vector<Ordinal> order;
  if (map) {
    const auto natural = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), map->to_natural);
    for (const RowRange& range : ranges)
      order.insert(order.end(), natural.data() + range.begin, natural.data() + range.end);
  } else {
    for (const RowRange& range : ranges)
      for (Ordinal i = range.begin; i < range.end; ++i) order.push_back(i);
  }
  return make_index_map(exec, map ? map->natural_size() : natural_size, order);
}

/// \brief Matrix in a file, from which each rank reads its own rows in the order of the run.
///
/// A rank reads only these rows, and short gaps between them, from a csr4 file. It reads the whole
/// matrix from any other file. Entries are checked when they are read, so an error in a row that no
/// rank reads is not found.
template <class Scalar>
class RankMatrixFile {
 public:
  using HostMap = IndexMap<Kokkos::HostSpace>;

  /// \brief Reads the row offsets, or the whole matrix from a file that has no separate offsets.
  ///
  /// \param most_in_block maximum number of entries of csr4 read at a time, in addition to the rows
  /// that are kept; a longer row is read as a whole
  /// \throws InputError
  /// \throws MemoryError
  explicit RankMatrixFile(const std::filesystem::path& path, Offset most_in_block = 1 << 22);

  Ordinal num_rows() const;
  Ordinal num_cols() const;
  /// \brief Returns the offsets of all rows, in natural order.
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets() const;

  /// \brief Reads the rows that \p rows maps. The result is that of `csr_mapped` with the whole
  /// matrix.
  ///
  /// Call it only once: it releases the data that have been read.
  ///
  /// Cost for csr4: one pass from the first to the last of the rows. Gaps of up to 128 KiB between
  /// rows are read and discarded, longer ones are skipped. With ordered subsets and tiles of rays,
  /// the rows of a rank are nearly a contiguous range of the file. With a Hilbert curve they are a
  /// range in each of many views. Reordered rows or columns are temporarily stored twice on the
  /// host.
  ///
  /// \param columns map of the columns; empty: columns keep their natural numbers
  /// \throws InputError
  /// \throws MemoryError with the bytes needed, before they are allocated
  HostCsrMatrix<Scalar> read(const HostMap& rows, const std::optional<HostMap>& columns);

 private:
  HostCsrMatrix<Scalar> read_in_natural_order(const HostMap& rows);

  std::filesystem::path path_;
  Offset most_in_block_;
  std::optional<Csr4Reader> reader_;
  HostCsrMatrix<Scalar> whole_;  // used for other formats
};

}  // namespace Tomokkos
