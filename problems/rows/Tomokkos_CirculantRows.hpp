// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources of block-circulant matrices, whose first row of blocks is read or traced.
#pragma once

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_RowTraits.hpp>
#include <string>
#include <utility>

namespace Tomokkos {

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
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> expanded_rows(
    const ExecutionSpace& exec, RowRange rows, Ordinal blocks, const BuildBlocks& build_blocks) {
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

/// \brief Rows of a cone-beam scan in polar voxels: see `build_cone_beam_matrix`. The members are
/// described at `RowSource`.
struct ConeBeamRows {
  static constexpr RowTraits traits{.is_circulant = true, .is_polar = true};

  PolarVolume volume{};
  ConeBeamScan scan{};

  std::string name() const { return "of the cone beam"; }
  std::string describe() const {
    return "scan: cone beam, " + std::to_string(scan.views) + " views x " +
           std::to_string(scan.detectors[1]) + " x " + std::to_string(scan.detectors[0]) +
           " detectors";
  }
  std::int64_t num_rows() const { return scan.num_rows(); }
  std::int64_t num_cols() const { return PolarGrid(volume).num_voxels(); }
  /// \brief Returns the expected number of entries of the first row of blocks.
  double expected_nonzeros() const {
    // A ray crosses each ring twice, and half of the sectors.
    return static_cast<double>(scan.num_elements()) * (2.0 * volume.rings + 0.5 * volume.rotations);
  }
  CirculantSize circulant_size() const {
    return {static_cast<Ordinal>(scan.num_elements()), PolarGrid(volume).block_cols(), scan.views};
  }

  template <class ExecutionSpace, class Scalar>
  auto build_blocks(const ExecutionSpace& exec, RowRange elements = all_rows) const {
    return build_cone_beam_matrix<ExecutionSpace, Scalar>(exec, volume, scan, elements);
  }
  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    return Impl::expanded_rows<ExecutionSpace, Scalar>(
        exec, rows, scan.views,
        [&](RowRange elements) { return build_blocks<ExecutionSpace, Scalar>(exec, elements); });
  }
};

/// \brief Rows of the block-circulant matrix whose first row of blocks is in a file. The members
/// are described at `RowSource`. Every call reads the file.
struct CirculantFileRows : FileRows {
  static constexpr RowTraits traits{true, true, false, false};

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
