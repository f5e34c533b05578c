// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_RingScanner.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace Tomokkos {

namespace Impl {
class ByteSource;
class ByteSink;
}  // namespace Impl

/// \brief The PET scanner that a csr4 file describes. Carried along by readers, not interpreted.
struct Csr4Scanner {
  /// Width, height and depth of the crystals of a layer, radius of the layer, attenuation.
  std::vector<std::array<float, 5>> layers{{}};
  std::uint32_t blocks = 0;
  std::uint32_t block_size = 0;
  /// `block_size - 1` gaps within a block; none for a block size of 0.
  std::vector<float> block_gaps;
  std::uint32_t rings = 0;
  /// `rings - 1` gaps between rings; none without rings.
  std::vector<float> ring_gaps;
  std::array<float, 3> voxel_size{};
  /// nx, ny, nz: voxel = x + y nx + z nx ny.
  std::array<std::uint32_t, 3> grid{};

  friend bool operator==(const Csr4Scanner&, const Csr4Scanner&) = default;
};

/// \brief The description of \p scanner, as far as the format has words for it: its rings are rings
/// of crystals, its blocks modules. Attenuations are 0.
Csr4Scanner describe_scanner(const RingScanner& scanner, const VolumeGeometry3D& volume);

/// \brief What a csr4 file holds.
template <class Scalar>
struct Csr4Matrix {
  HostCsrMatrix<Scalar> matrix;
  Csr4Scanner scanner;
};

/// \brief A system matrix in the csr4 format of PET codes that is read by blocks of rows: packed,
/// host byte order, `PCSR`, u8 version 4, u8 flags, u16, u32 rows, u32 columns, u64 nnz, u32 S, S
/// bytes of scanner, u64[rows] end offsets, nnz x {u32 column, float value}.
///
/// The file may be larger than the memory: only the row offsets and a block are held.
class Csr4Reader {
 public:
  /// \brief Reads everything but the entries.
  ///
  /// Throws `InputError` `file: byte N: ...` for another magic word or version, matrices reduced by
  /// mirror symmetries (named), a length other than the one that the header asks for (before any
  /// allocation), offsets that fall or exceed nnz, rows or columns beyond 2^31 - 1; `MemoryError`
  /// with the file and the bytes when the row offsets do not fit in memory.
  explicit Csr4Reader(const std::filesystem::path& path);
  explicit Csr4Reader(std::unique_ptr<Impl::ByteSource> source);
  Csr4Reader(Csr4Reader&&) noexcept;
  Csr4Reader& operator=(Csr4Reader&&) noexcept;
  ~Csr4Reader();

  Ordinal num_rows() const { return static_cast<Ordinal>(row_offsets_.extent(0)) - 1; }
  Ordinal num_cols() const { return num_cols_; }
  Offset num_nonzeros() const { return row_offsets_(num_rows()); }
  const Csr4Scanner& scanner() const { return scanner_; }
  const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets() const { return row_offsets_; }

  /// \brief The rows of \p rows; row 0 of the result is row `rows.begin`. Rows are read in their
  /// order, each at most once; what lies between two blocks is passed over, not read.
  ///
  /// Columns are sorted within each row. Throws `Error` for rows before those that were read last,
  /// `InputError` `file: byte N: ...` for columns outside the matrix, a column twice in a row
  /// (unless the options say `sum`) and values that are not finite (unless allowed); `MemoryError`
  /// with the file and the bytes when the block does not fit in memory, before it is allocated.
  template <class Scalar>
  HostCsrMatrix<Scalar> read_rows(RowRange rows, const ReadOptions& options = {});

 private:
  std::unique_ptr<Impl::ByteSource> source_;
  Csr4Scanner scanner_;
  Ordinal num_cols_ = 0;
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets_;
  std::uint64_t first_entry_ = 0;  // its byte
  Ordinal next_row_ = 0;
};

/// \brief Writes a csr4 file by blocks of rows.
///
/// Nothing appears before `commit`: see `AtomicFile`.
class Csr4Writer {
 public:
  /// \brief Writes everything but the entries.
  ///
  /// \param row_offsets of the whole matrix; it must stay as it is while the object lives
  ///
  /// Throws `OutputError` when the scanner's numbers of gaps do not fit its sizes, `Error` for
  /// offsets that fall, before anything is written.
  Csr4Writer(const std::filesystem::path& path, Ordinal num_cols,
             const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
             const Csr4Scanner& scanner = {});
  Csr4Writer(std::unique_ptr<Impl::ByteSink> sink, std::string name, Ordinal num_cols,
             const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
             const Csr4Scanner& scanner = {});
  Csr4Writer(Csr4Writer&&) noexcept;
  Csr4Writer& operator=(Csr4Writer&&) noexcept;
  ~Csr4Writer();

  Ordinal num_rows() const { return static_cast<Ordinal>(row_offsets_.extent(0)) - 1; }

  /// \brief The next rows; values are rounded to single precision.
  ///
  /// Throws `DimensionMismatch` when shape or row lengths are not those that were announced,
  /// `OutputError` when a value exceeds single precision.
  template <class Scalar>
  void write_rows(const HostCsrMatrix<Scalar>& block);

  /// \brief Makes the file appear. Throws `DimensionMismatch` when rows are missing.
  void commit();

 private:
  void write_header(const Csr4Scanner& scanner);

  std::unique_ptr<Impl::ByteSink> sink_;
  Ordinal num_cols_;
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets_;
  std::string name_;
  Ordinal next_row_ = 0;
};

/// \brief Reads a whole matrix; see `Csr4Reader`.
template <class Scalar>
Csr4Matrix<Scalar> read_csr4(const std::filesystem::path& path, const ReadOptions& options = {});

/// \brief Writes \p A in the csr4 format; see `Csr4Writer`.
template <class Scalar>
void write_csr4(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                const Csr4Scanner& scanner = {});

}  // namespace Tomokkos
