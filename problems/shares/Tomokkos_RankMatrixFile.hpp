// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <filesystem>
#include <optional>

namespace Tomokkos {

/// \brief Matrix in a file from which each rank reads its rows, in the order of the run. From csr4
/// files it reads only these rows and short gaps between them, from other files the whole matrix.
/// Entries are checked when they are read: errors in rows that no rank reads are not found.
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

  /// \brief Reads the rows in \p rows, with columns numbered by \p columns; empty: natural columns.
  /// The entries are those of `csr_mapped` of the whole matrix.
  ///
  /// Call it only once: it releases the data that have been read.
  ///
  /// Cost for csr4: one pass from the first to the last of the rows. Gaps between rows are skipped;
  /// gaps of less than 128 KiB are read and discarded. The rows of a rank in ordered subsets, and
  /// in tiles of rays, are nearly a contiguous range of natural rows; for a Hilbert curve they are
  /// a range in each of many views. If rows are reordered, they are temporarily stored twice on the
  /// host.
  ///
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
