// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace Tomokkos {

/// \brief True if this library was built with libpng. Without it the functions below throw
/// `OutputError`.
bool can_write_png();

/// \brief Values that are shown as black and white.
struct PngWindow {
  double low = 0;
  double high = 1;
};

enum class PngDepth { bits_8, bits_16 };

/// \brief Writes a rows x columns array, row-major with row 0 at the top, as a grey image.
///
/// A value v becomes round(max (v - low) / (high - low)), clamped to 0 ... max, with max = 255 or
/// 65535. NaN is black. If low equals high, values up to low are black and values above are white.
/// A window with high < low shows the negative.
///
/// \throws DimensionMismatch if \p data has another length
/// \throws OutputError if the image is empty or exceeds the format (2^31 - 1 per side), if the
/// window is not finite, or like `AtomicFile`
template <class Scalar>
void write_png(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t rows,
               std::size_t columns, const PngWindow& window, PngDepth depth = PngDepth::bits_8);

/// \brief Writes a rows x columns colour image with three bytes (red, green, blue) per pixel.
void write_png_rgb(const std::filesystem::path& path, std::span<const std::uint8_t> data,
                   std::size_t rows, std::size_t columns);

/// \brief Kind of the files that `write_png` writes and may replace.
extern const OutputKind png_output;

}  // namespace Tomokkos
