// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Png.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief True where this library was built with libtiff. Without it the functions below throw
/// `InputError` and `OutputError`.
bool can_use_tiff();

/// \brief The grey images of TIFF files, all of one size.
struct TiffInfo {
  std::size_t pages = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool is_integer = false;  ///< whole numbers, as counts are
};

/// \brief True for the endings .tif and .tiff.
bool is_tiff_file(const std::filesystem::path& file);

/// \brief The files that \p file stands for: itself, or of a name with `*` those of its folder that
/// match, in the order of their names. Throws `InputError` where there is none.
std::vector<std::filesystem::path> matching_files(const std::filesystem::path& file);

/// \brief Looks at all images of \p files, one file after the other.
///
/// Throws `InputError` with file and image for a damaged file, for colours, for a type that is
/// neither whole numbers nor float of 8 to 64 bits, and for images of several sizes.
TiffInfo read_tiff_info(const std::vector<std::filesystem::path>& files);

/// \brief Reads the rows from \p first on, \p count of them, of all images: pages x count x
/// columns. Strips and tiles that hold none of them are not decoded. Throws as `read_tiff_info`,
/// and `MemoryError` with the bytes.
std::vector<double> read_tiff_rows(const std::vector<std::filesystem::path>& files,
                                   std::size_t first, std::size_t count);

/// \brief Writes images of rows x columns, one after the other, as the pages of one file: in float,
/// not compressed; beyond 4 GB as BigTIFF. Throws `DimensionMismatch`, `OutputError` as
/// `AtomicFile` does, `MemoryError`: the file is put together in memory.
template <class Scalar>
void write_tiff(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t pages,
                std::size_t rows, std::size_t columns);

/// \brief The same in whole numbers of 16 bits: v becomes round(65535 (v - low) / (high - low)),
/// clamped; NaN becomes 0.
template <class Scalar>
void write_tiff_16(const std::filesystem::path& path, std::span<const Scalar> data,
                   std::size_t pages, std::size_t rows, std::size_t columns,
                   const PngWindow& window);

}  // namespace Tomokkos
