// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace Tomokkos {

/// \brief The PET scanner that a csr4 file describes. Carried along, not interpreted.
struct Csr4Scanner {
  /// Five numbers per layer of crystals.
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

/// \brief What a csr4 file holds.
template <class Scalar>
struct Csr4Matrix {
  HostCsrMatrix<Scalar> matrix;
  Csr4Scanner scanner;
};

/// \brief Reads a system matrix in the csr4 format of PET codes: packed, host byte order, `PCSR`,
/// u8 version 4, u8 flags, u16, u32 rows, u32 columns, u64 nnz, u32 S, S bytes of scanner,
/// u64[rows] end offsets, nnz x {u32 column, float value}.
///
/// Columns are sorted within each row. Throws `InputError` `file: byte N: ...` for another magic
/// word or version, matrices reduced by mirror symmetries (named), a length other than the one
/// that the header asks for (before any allocation), offsets that fall or exceed nnz, columns
/// outside the matrix, a column twice in a row (unless the options say `sum`), values that are
/// not finite (unless allowed), rows or columns beyond 2^31 - 1; `MemoryError` with the file and
/// the bytes when the matrix does not fit in memory, before anything is allocated.
template <class Scalar>
Csr4Matrix<Scalar> read_csr4(const std::filesystem::path& path, const ReadOptions& options = {});

/// \brief Writes \p A in the csr4 format; values are rounded to single precision.
///
/// Throws `OutputError` when a value exceeds single precision or the scanner's numbers of gaps do
/// not fit its sizes, before anything is written; else see `AtomicFile`.
template <class Scalar>
void write_csr4(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                const Csr4Scanner& scanner = {});

}  // namespace Tomokkos
