// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_OutputGuard.hpp>
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

/// \brief PET scanner described in a csr4 file. Readers pass it on without interpreting it.
struct Csr4Scanner {
  /// Per layer: width, height and depth of the crystals, radius of the layer, attenuation.
  std::vector<std::array<float, 5>> layers{{}};
  std::uint32_t blocks = 0;
  std::uint32_t block_size = 0;
  /// `block_size - 1` gaps within a block; empty for a block size of 0.
  std::vector<float> block_gaps{};
  std::uint32_t rings = 0;
  /// `rings - 1` gaps between rings; empty without rings.
  std::vector<float> ring_gaps{};
  std::array<float, 3> voxel_size{};
  /// nx, ny, nz with voxel = x + y nx + z nx ny.
  std::array<std::uint32_t, 3> grid{};

  friend bool operator==(const Csr4Scanner&, const Csr4Scanner&) = default;
};

/// \brief Describes \p scanner and \p volume for a csr4 file, as far as this format allows.
///
/// A block of the file is a module. A ring of the file is one ring of crystals, so that a ring of
/// modules gives several. Attenuations are 0.
///
/// \pre \p scanner passes `check`
Csr4Scanner describe_scanner(const RingScanner& scanner, const VolumeGeometry3D& volume);

/// \brief Contents of a csr4 file.
template <class Scalar>
struct Csr4Matrix {
  HostCsrMatrix<Scalar> matrix;
  Csr4Scanner scanner;
};

/// \brief Reads a system matrix in the csr4 format of PET codes by blocks of rows.
///
/// The format is packed and in host byte order: `PCSR`, u8 version 4, u8 flags, u16, u32 rows, u32
/// columns, u64 nnz, u32 S, S bytes of scanner, u64[rows] end offsets, nnz x {u32 column, float
/// value}.
///
/// The file may be larger than the memory: only the row offsets and one block are held.
class Csr4Reader {
 public:
  /// \brief Opens a file and reads everything except the entries.
  ///
  /// \throws InputError `file: byte N: ...` for another magic word or version, matrices reduced by
  /// mirror symmetries (named), a length that differs from the header (before any allocation),
  /// offsets that decrease or exceed nnz, and rows or columns beyond 2^31 - 1
  /// \throws MemoryError with the file and the bytes if the row offsets do not fit in memory
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

  /// \brief Reads the rows \p rows; row 0 of the result is row `rows.begin`. Columns are sorted
  /// within each row.
  ///
  /// Rows are read in ascending order, each at most once. Rows between two blocks are skipped
  /// without reading them.
  ///
  /// \throws Error for rows before the last ones read
  /// \throws InputError `file: byte N: ...` for columns outside the matrix, repeated columns in a
  /// row (unless the options say `sum`) and values that are not finite (unless allowed)
  /// \throws MemoryError with the file and the bytes if the block does not fit in memory, before it
  /// is allocated
  template <class Scalar>
  HostCsrMatrix<Scalar> read_rows(RowRange rows, const ReadOptions& options = {});

 private:
  std::unique_ptr<Impl::ByteSource> source_;
  Csr4Scanner scanner_;
  Ordinal num_cols_ = 0;
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets_;
  std::uint64_t first_entry_ = 0;  // position of the first entry in bytes
  Ordinal next_row_ = 0;
};

/// \brief Writes a csr4 file by blocks of rows. The file appears only with `commit`: see
/// `AtomicFile`.
class Csr4Writer {
 public:
  /// \brief Creates a file and writes everything except the entries.
  ///
  /// \param row_offsets offsets of the whole matrix; must not change during the lifetime of the
  /// object
  /// \throws OutputError if the scanner's numbers of gaps do not match its sizes, before anything
  /// is written
  /// \throws Error for decreasing offsets, before anything is written
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

  /// \brief Writes \p block, which holds the rows after those written so far. Values are rounded to
  /// single precision.
  ///
  /// \throws DimensionMismatch if the shape or the row lengths differ from those that the
  /// constructor was given
  /// \throws OutputError if a value exceeds the range of single precision
  template <class Scalar>
  void write_rows(const HostCsrMatrix<Scalar>& block);

  /// \brief Completes the file. Throws `DimensionMismatch` if rows are missing.
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

/// \brief Kind of the csr4 files that are written and may be replaced.
extern const OutputKind csr4_output;

}  // namespace Tomokkos
