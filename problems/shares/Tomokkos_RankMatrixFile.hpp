// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <filesystem>
#include <optional>

namespace Tomokkos {

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
