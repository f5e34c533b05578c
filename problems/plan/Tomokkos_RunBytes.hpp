// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a run, phase by phase, from numbers alone. Memory checks, `info` and plans read them
// here.
#pragma once

#include <Tomokkos_Device.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Purpose of a matrix, which determines the memory that is needed besides it.
enum class MatrixUse {
  products,  ///< the vectors, and a copy or windows for the transposed products of the solver
  matrix,    ///< nothing else
  tiles      ///< the vectors; the matrix is in ray tiles, with one block of rows in CSR
};

/// \brief Use of the matrix in a run with \p wish.
inline MatrixUse use_in_run(const SystemTask& task, const OperatorWish& wish) {
  return builds_tiles_directly(task, wish) ? MatrixUse::tiles : MatrixUse::products;
}

/// \brief Numbers of a matrix, on this rank.
struct MatrixNumbers {
  double rays = 0, pixels = 0;  ///< rows and columns that masks keep
  double nonzeros = 0;
  double offsets = 0;      ///< row offsets, without those of a stored transpose
  double all_rays = 0;     ///< rows of the scan, with those of other ranks and masked ones
  double all_pixels = 0;   ///< columns of the scan
  double stored_rays = 0;  ///< rows of the matrix in `scsr`; 0: the scan is not symmetric
  /// Bytes of one copy in a format whose size depends on the pattern; 0: unknown.
  double format_bytes = 0;
  double transposed_bytes = 0;  ///< those of the transpose; 0: the same
  /// Slices whose vectors count. A matrix is checked with those of one slice before it is built;
  /// the stack is checked when the matrix is in memory.
  double slices = 1;
  Ordinal patterns = 1;  ///< sets of missing rays that differ between the slices
};

/// \brief Size of a matrix as far as some of its rows tell it.
struct MatrixSample {
  double nonzeros = 0;  ///< approximate number of nonzeros of the whole matrix
  double sampled = 0;   ///< nonzeros of the rows that were built
  /// Sizes of these rows in each format that depends on the pattern. Empty: not counted.
  std::vector<FormatSize> sizes;
};

/// \brief Part of the matrix that masks keep. Where all rows are counted first, masks apply later.
struct KeptShares {
  Ordinal rows, columns;
  double of_rows, of_nonzeros;  ///< fractions

  explicit KeptShares(const SystemTask& task);
};

/// \brief Numbers of a matrix of \p nonzeros nonzeros that is built from a geometry, with one
/// slice.
MatrixNumbers numbers_of(const SystemTask& task, MatrixUse use, double nonzeros);

/// \brief Number of rows of the matrix in `scsr`; 0 if the scan lacks the symmetries of the square.
double stored_rays_of(const SystemTask& task);

/// \brief Bytes that a run needs in one phase, in addition to what the process held before.
struct PhaseBytes {
  const char* phase;  ///< `count`, `build`, `transpose`, `convert`, `slabs`, `solve`, `write`
  PlaceBytes bytes;
  bool as_there_is_room = false;  ///< the phase takes less where memory is short
};

/// \brief Bytes of a run. On a host backend all of them are those of the device.
struct RunBytes {
  double matrix = 0;  ///< with its stored transpose if the run makes one
  std::vector<PhaseBytes> phases;

  /// \brief The most bytes of any phase, for each place.
  PlaceBytes peak() const;
  /// \brief The bytes of the device that a run needs at least.
  double least() const;
};

/// \brief Bytes of a run of \p task whose operator is built with \p wish.
RunBytes bytes_of_run(const SystemTask& task, const OperatorWish& wish, const MachineFacts& machine,
                      MatrixUse use, const MatrixNumbers& numbers);

/// \brief Bytes of a run with a block-circulant matrix of this size: stored as its row of blocks,
/// or expanded.
///
/// \param slices slices whose vectors count
RunBytes bytes_of_circulant_run(const SystemTask& task, const OperatorWish& wish,
                                const MachineFacts& machine, const CirculantSize& size,
                                MatrixUse use, double slices);

/// \brief Bytes of a CSR matrix.
double csr_bytes(std::size_t scalar_bytes, double rows, double nonzeros);

/// \brief Bytes of a `WindowedPlan` on a GPU for a matrix with these segments and blocks.
double bytes_of_windows(std::size_t scalar_bytes, double columns, const RayTilesCount& tiles);

/// \brief True if the bytes in the format of \p wish follow from the sizes of sampled rows.
bool needs_sizes(const OperatorWish& wish);

/// \brief Sets the bytes in such a format by those of sampled rows. Returns false if the sample
/// does not tell them.
bool set_format_bytes(const SystemTask& task, const MachineFacts& machine,
                      const MatrixSample& sample, MatrixNumbers& numbers);

/// \brief Bytes of the workspace of products for each slice: copies and images of its vectors.
double bytes_of_products(const SystemTask& task, const OperatorWish& wish,
                         const MachineFacts& machine, const MatrixNumbers& numbers);

/// \brief Bytes of the vectors of one slice, and of the maps of the order. With several ranks: the
/// bytes of a rank with \p rows rows.
double vector_bytes(const SystemTask& task, const OperatorWish& wish, const MachineFacts& machine,
                    double rows, double columns);

/// \brief Bytes of the vectors of all slices of a stack, with which places of rows are chosen.
double bytes_of_stacked_vectors(const SystemTask& task, const MachineFacts& machine, double rows,
                                double columns);

/// \brief Bytes per nonzero of rows on a device or a host, and of rows that are streamed, in the
/// end and while they are built.
struct PartBytes {
  double stored, to_build, streamed, streamed_to_build;
};

/// \brief Bytes per nonzero of the rows of \p task in parts.
///
/// \param measured bytes of an operator of some rows; empty: estimated
PartBytes bytes_of_parts(const SystemTask& task, std::size_t scalar_bytes,
                         std::optional<double> measured = {});

/// \brief Bytes of the largest block of rows for building ray tiles of a matrix with \p nonzeros
/// nonzeros in \p available bytes.
double tile_block_bytes(double nonzeros, std::size_t scalar_bytes, double available);

/// \brief Bytes for each nonzero in the format of \p wish, with the padding that is usual for
/// scans; 0 if they depend on the matrix.
double bytes_of_entry(const OperatorWish& wish, const MachineFacts& machine);

/// \brief True if the run keeps a transposed copy of the matrix.
bool keeps_transpose(const SystemTask& task, const OperatorWish& wish, MatrixUse use);

/// \brief True if windows of columns determine the peak of memory.
bool makes_windows(const SystemTask& task, const OperatorWish& wish, MatrixUse use);

/// \brief True if products of a scan with computed entries may use its symmetry: the images of the
/// slices (`ComputedOrbits`) fit besides everything else that the run needs.
bool images_fit(const SystemTask& task, const MachineFacts& machine);

}  // namespace Tomokkos
