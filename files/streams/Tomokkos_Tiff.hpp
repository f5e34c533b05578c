// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Png.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief True if this library was built with libtiff. Without it the functions below throw
/// `InputError` or `OutputError`.
bool can_use_tiff();

/// \brief Properties of the grey images in TIFF files, all of the same size.
struct TiffInfo {
  std::size_t pages = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string type;                  ///< type of the first image: `uint16`
  std::vector<std::string> oddities; /**< what does not suit one scan: images of another type, fewer
                                          images than ImageJ says; without repetitions */
};

/// \brief Inspects all images of \p files, one file after the other.
///
/// \throws InputError with file and image for a damaged file, for colours, for a type other than
/// integers or float of 8 to 64 bits, and for images of different sizes
TiffInfo read_tiff_info(const std::vector<std::filesystem::path>& files);

/// \brief Reads \p count entries from \p first on along \p axis of the array pages x rows x
/// columns, and all along the other axes. Images, strips and tiles without these entries are not
/// decoded.
///
/// \param axis 0: pages, 1: rows, 2: columns
/// \throws InputError like `read_tiff_info`, and if there are no such entries
/// \throws MemoryError with the number of bytes if the entries do not fit in memory
std::vector<double> read_tiff_range(const std::vector<std::filesystem::path>& files,
                                    std::size_t axis, std::size_t first, std::size_t count);

/// \brief Writes rows x columns images as the pages of one file: float, uncompressed, BigTIFF
/// beyond 4 GB. The file is assembled in memory.
///
/// \throws DimensionMismatch if the length of \p data does not match
/// \throws OutputError like `AtomicFile`
/// \throws MemoryError if the file does not fit in memory
template <class Scalar>
void write_tiff(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t pages,
                std::size_t rows, std::size_t columns);

/// \brief Writes images as 16-bit integers: v becomes round(65535 (v - low) / (high - low)),
/// clamped; NaN becomes 0. Otherwise like `write_tiff`.
template <class Scalar>
void write_tiff_16(const std::filesystem::path& path, std::span<const Scalar> data,
                   std::size_t pages, std::size_t rows, std::size_t columns,
                   const PngWindow& window);

/// \brief Kind of the TIFF files that are written and may be replaced.
extern const OutputKind tiff_output;

}  // namespace Tomokkos
