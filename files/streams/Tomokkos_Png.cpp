// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Png.hpp>
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <new>
#include <string>
#include <vector>

#if defined(TOMOKKOS_HAVE_PNG)
#include <png.h>
#endif

namespace Tomokkos {
namespace {

enum class PngColors { grey, rgb };

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw OutputError("cannot write '" + path.string() + "': " + reason);
}

void check_size(const std::filesystem::path& path, std::size_t length, std::size_t rows,
                std::size_t columns, std::size_t channels) {
  constexpr std::size_t limit = 2147483647;  // limit of the format
  if (rows == 0 || columns == 0 || rows > limit || columns > limit) {
    fail(path, Impl::text("an image of {} x {} pixels is not possible", rows, columns));
  }
  require_equal("length of the image's data", static_cast<long long>(length),
                "rows times columns times channels",
                static_cast<long long>(rows * columns * channels));
}

#if defined(TOMOKKOS_HAVE_PNG)

/// Data for the callbacks of the library. They are called from C, so they must not throw.
struct Encoded {
  std::vector<unsigned char> bytes;
  std::string error;
};

void append(png_structp png, png_bytep data, std::size_t length) {
  auto* encoded = static_cast<Encoded*>(png_get_io_ptr(png));
  bool full = false;
  try {
    encoded->bytes.insert(encoded->bytes.end(), data, data + length);
  } catch (const std::bad_alloc&) {
    full = true;
  }
  if (full) png_error(png, "out of memory");
}

void flush(png_structp) {}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  static_cast<Encoded*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

/// Calls the library after setjmp, without objects whose destructors a jump would skip.
bool encode(png_structp png, png_infop info, Encoded& encoded, unsigned char* pixels,
            std::size_t rows, std::size_t columns, int bits, int color_type,
            std::size_t row_bytes) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, &encoded, append, flush);
  png_set_IHDR(png, info, static_cast<png_uint_32>(columns), static_cast<png_uint_32>(rows), bits,
               color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (std::size_t i = 0; i < rows; ++i) png_write_row(png, pixels + i * row_bytes);
  png_write_end(png, info);
  return true;
}

void write(const std::filesystem::path& path, unsigned char* pixels, std::size_t rows,
           std::size_t columns, int bits, PngColors colors) {
  const int color_type = colors == PngColors::grey ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB;
  const std::size_t row_bytes = columns *
                                static_cast<std::size_t>(colors == PngColors::grey ? 1 : 3) *
                                static_cast<std::size_t>(bits / 8);
  Encoded encoded;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoded, on_error, on_warning);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  bool done = false;
  if (info != nullptr) {
    // By default the library rejects images wider or higher than a million pixels.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    done = encode(png, info, encoded, pixels, rows, columns, bits, color_type, row_bytes);
  }
  png_destroy_write_struct(&png, &info);
  if (!done) fail(path, encoded.error.empty() ? "the PNG library cannot start" : encoded.error);
  AtomicFile file(path, png_output);
  file.write(encoded.bytes.data(), encoded.bytes.size());
  file.commit();
}

constexpr bool have_png = true;

#else

constexpr bool have_png = false;

void write(const std::filesystem::path& path, unsigned char*, std::size_t, std::size_t, int,
           PngColors) {
  fail(path, "this library was built without libpng");
}

#endif

}  // namespace

bool can_write_png() { return have_png; }

const OutputKind png_output{"a PNG picture", [](const std::filesystem::path& file) {
                              return Impl::first_bytes(file, 8) == "\x89PNG\r\n\x1a\n";
                            }};

template <class Scalar>
void write_png(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t rows,
               std::size_t columns, const PngWindow& window, PngDepth depth) {
  check_size(path, data.size(), rows, columns, 1);
  if (!std::isfinite(window.low) || !std::isfinite(window.high)) {
    fail(path, Impl::text("the window {} ... {} is not finite", std::to_string(window.low),
                          std::to_string(window.high)));
  }
  const bool wide = depth == PngDepth::bits_16;
  const double top = wide ? 65535.0 : 255.0;
  // Halved, so that the width of the widest window does not overflow.
  const double half_width = 0.5 * window.high - 0.5 * window.low;
  std::vector<unsigned char> pixels(data.size() * (wide ? 2 : 1));
  for (std::size_t k = 0; k < data.size(); ++k) {
    const double value = static_cast<double>(data[k]);
    double grey = 0;
    if (half_width == 0) {
      grey = value > window.low ? top : 0.0;
    } else if (!std::isnan(value)) {
      const double share = (0.5 * value - 0.5 * window.low) / half_width;
      grey = std::floor(top * std::clamp(share, 0.0, 1.0) + 0.5);
    }
    const auto level = static_cast<unsigned>(grey);
    if (wide) {
      pixels[2 * k] = static_cast<unsigned char>(level >> 8);
      pixels[2 * k + 1] = static_cast<unsigned char>(level & 0xff);
    } else {
      pixels[k] = static_cast<unsigned char>(level);
    }
  }
  write(path, pixels.data(), rows, columns, wide ? 16 : 8, PngColors::grey);
}

void write_png_rgb(const std::filesystem::path& path, std::span<const std::uint8_t> data,
                   std::size_t rows, std::size_t columns) {
  check_size(path, data.size(), rows, columns, 3);
  // The library requires non-const rows but only reads them.
  write(path, const_cast<unsigned char*>(data.data()), rows, columns, 8, PngColors::rgb);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                          \
  template void write_png(const std::filesystem::path&, std::span<const Scalar>, std::size_t, \
                          std::size_t, const PngWindow&, PngDepth);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
