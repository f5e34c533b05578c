// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <filesystem>
#include <optional>

namespace Tomokkos {

/// \brief A matrix in a file of which each rank wants some rows, in the order of the run: of csr4
/// files it reads these and short gaps between them, of others all. Entries are checked as they are
/// read: faults in rows that no rank reads are not found.
template <class Scalar>
class RankMatrixFile {
 public:
  using HostMap = IndexMap<Kokkos::HostSpace>;

  /// \brief Reads row offsets, or all of a file that has no others. Throws `InputError`,
  /// `MemoryError`.
  ///
  /// \param most_in_block entries of csr4 that are read at a time, beside the rows that are kept; a
  /// longer row is read whole
  explicit RankMatrixFile(const std::filesystem::path& path, Offset most_in_block = 1 << 22);

  Ordinal num_rows() const;
  Ordinal num_cols() const;
  /// \brief Of all rows, in natural order.
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets() const;

  /// \brief The rows of \p rows, columns numbered by \p columns; nothing: as they are. The entries
  /// are those of `csr_mapped` of the whole.
  ///
  /// To be called once: what has been read is given up. Throws `InputError`; `MemoryError` with the
  /// bytes before they are taken.
  ///
  /// Cost, csr4: one pass from the first of the rows to the last; what lies between two of them is
  /// passed over, less than 128 KiB are read and dropped. What a rank has of ordered subsets, and
  /// of tiles of rays, is nearly a run of natural rows; of a Hilbert curve it is a run in each of
  /// many views. Rows that are moved are there twice for a moment, on the host.
  HostCsrMatrix<Scalar> read(const HostMap& rows, const std::optional<HostMap>& columns);

 private:
  HostCsrMatrix<Scalar> read_in_natural_order(const HostMap& rows);

  std::filesystem::path path_;
  Offset most_in_block_;
  std::optional<Csr4Reader> reader_;
  HostCsrMatrix<Scalar> whole_;  // of other formats
};

}  // namespace Tomokkos
