// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Abilities of sources of rows, whose members are described at `RowSource`; matrices in files, and
// rows of block-circulant matrices.
#pragma once

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <filesystem>
#include <string>
#include <utility>

namespace Tomokkos {

/// \brief Abilities of a source of rows, known before the matrix is built.
struct RowTraits {
  bool is_read = false;       ///< the entries come from a file
  bool is_circulant = false;  ///< only the first row of blocks is read or traced
  bool is_traced = false;     ///< rows are rays, which products with computed entries can trace
  bool has_views = false;     ///< rows may be views of one detector, one view after the other
  bool in_any_order = false;  ///< rows and columns can be built in any order, without a second
                              ///< matrix
  bool counts_first = false;  ///< all rows are counted before any is left out or built
  const char* rows = "rows";  ///< name of the rows in messages; the next member names the columns
  const char* columns = "columns";
  bool is_polar = false;  ///< columns are polar voxels (`polar_volume`)
};

/// \brief Rows of a matrix in a file: see `read_matrix`. Every call reads the file;
/// `RankMatrixFile` reads only some rows.
struct FileRows {
  static constexpr RowTraits traits{.is_read = true, .has_views = true};

  std::filesystem::path file{};
  MatrixGrids lie{};  ///< grids of columns and rows, as far as known

  std::string name() const { return file.string(); }
  std::string describe() const;
  std::int64_t num_rows() const { return read_matrix<float>(file).num_rows; }
  std::int64_t num_cols() const { return read_matrix<float>(file).num_cols; }
  MatrixGrids grids() const { return lie; }

  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(file);
    if (rows.is_all()) return copy_to<typename ExecutionSpace::memory_space>(exec, A);
    return csr_row_range<ExecutionSpace, Scalar>(exec, A, rows);
  }
};

/// \brief Size of a block-circulant matrix.
struct CirculantSize {
  Ordinal block_rows = 0, block_cols = 0, blocks = 1;
  Offset stored = 0;  ///< entries of the first row of blocks; 0: not counted yet

  double rows() const { return static_cast<double>(block_rows) * blocks; }
  double columns() const { return static_cast<double>(block_cols) * blocks; }
  double nonzeros() const { return static_cast<double>(stored) * blocks; }
};

namespace Impl {

/// Expands rows of the matrix from its first row of blocks. \p build_blocks(exec, rows) builds a
/// range of rows of these blocks.
template <class ExecutionSpace, class Scalar, class BuildBlocks>
MatrixOn<ExecutionSpace, Scalar> expanded_rows(const ExecutionSpace& exec, RowRange rows,
                                               Ordinal blocks, const BuildBlocks& build_blocks) {
  if (rows.is_all())
    return csr_from_block_circulant<ExecutionSpace, Scalar>(exec, build_blocks(all_rows),
                                                            CirculantOrder::rotations);
  const RowRange part{rows.begin / blocks, (rows.end + blocks - 1) / blocks};
  const Ordinal before = part.begin * blocks;
  return csr_row_range<ExecutionSpace, Scalar>(
      exec,
      csr_from_block_circulant<ExecutionSpace, Scalar>(exec, build_blocks(part),
                                                       CirculantOrder::rotations),
      {rows.begin - before, rows.end - before});
}

}  // namespace Impl

/// \brief Rows of the block-circulant matrix whose first row of blocks is in a file. Every call
/// reads the file.
struct CirculantFileRows : FileRows {
  static constexpr RowTraits traits{.is_read = true, .is_circulant = true};

  Ordinal blocks = 1;

  std::int64_t num_rows() const { return std::int64_t{read<float>().second.block_rows} * blocks; }
  std::int64_t num_cols() const { return std::int64_t{read<float>().second.block_cols} * blocks; }
  /// \brief Returns the first row of blocks as CSR, and its size.
  ///
  /// \throws InputError when the number of blocks does not divide the columns, and for the errors
  /// of `read_matrix`
  template <class Scalar>
  std::pair<HostCsrMatrix<Scalar>, CirculantSize> read() const;

  template <class ExecutionSpace, class Scalar>
  auto build_blocks(const ExecutionSpace& exec, RowRange rows = all_rows) const {
    return block_circulant_from_block_row<ExecutionSpace, Scalar>(
        exec, csr_row_range<ExecutionSpace, Scalar>(exec, read<Scalar>().first, rows), blocks);
  }
  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    return Impl::expanded_rows<ExecutionSpace, Scalar>(exec, rows, blocks, [&](RowRange part) {
      return build_blocks<ExecutionSpace, Scalar>(exec, part);
    });
  }
};

}  // namespace Tomokkos
