// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace Tomokkos {

/// \brief True where this library was built with libpng. Without it the functions below throw
/// `OutputError`.
bool can_write_png();

/// \brief The values that are shown black and white.
struct PngWindow {
  double low = 0;
  double high = 1;
};

enum class PngDepth { bits_8, bits_16 };

/// \brief Writes a rows x columns array, row-major, row 0 at the top, as a grey image.
///
/// A value v becomes round(max (v - low) / (high - low)), clamped to 0 ... max, max = 255 or 65535.
/// NaN is black. When low equals high, values up to low are black and values above it white; a
/// window with high < low shows the negative. Throws `DimensionMismatch` when \p data has another
/// length, `OutputError` when the image is empty or beyond the format (2^31 - 1 a side), when the
/// window is not finite, or as `AtomicFile` does.
template <class Scalar>
void write_png(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t rows,
               std::size_t columns, const PngWindow& window, PngDepth depth = PngDepth::bits_8);

/// \brief Writes a rows x columns colour image: three bytes (red, green, blue) per pixel.
void write_png_rgb(const std::filesystem::path& path, std::span<const std::uint8_t> data,
                   std::size_t rows, std::size_t columns);

}  // namespace Tomokkos
