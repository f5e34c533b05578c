// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_Tiff.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#if defined(TOMOKKOS_HAVE_TIFF)
#include <tiffio.h>

#include <memory>
#endif

namespace Tomokkos {

const OutputKind tiff_output{"a TIFF file", [](const std::filesystem::path& file) {
                               const std::string head = Impl::first_bytes(file, 4);
                               using namespace std::string_view_literals;
                               return head == "II*\0"sv || head == "II+\0"sv || head == "MM\0*"sv ||
                                      head == "MM\0+"sv;
                             }};

#if defined(TOMOKKOS_HAVE_TIFF)

namespace {

/// Last error message of the library in this thread.
std::string& last_error() {
  thread_local std::string text;
  return text;
}

void keep_complaint(const char*, const char* format, va_list arguments) {
  char text[256];
  std::vsnprintf(text, sizeof text, format, arguments);
  last_error() = text;
}

/// Suppresses the error output of the library, since our messages explain the cause.
class CapturedTiffErrors {
 public:
  CapturedTiffErrors()
      : error_(TIFFSetErrorHandler(keep_complaint)), warning_(TIFFSetWarningHandler(nullptr)) {
    last_error().clear();
  }
  ~CapturedTiffErrors() {
    TIFFSetErrorHandler(error_);
    TIFFSetWarningHandler(warning_);
  }
  CapturedTiffErrors(const CapturedTiffErrors&) = delete;
  CapturedTiffErrors& operator=(const CapturedTiffErrors&) = delete;

 private:
  TIFFErrorHandler error_, warning_;
};

using Tiff = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

std::string reason() { return last_error().empty() ? "" : " (" + last_error() + ")"; }

/// Properties of the current image of an open file.
struct Image {
  std::uint32_t rows = 0, columns = 0;
  std::uint16_t bits = 8, format = SAMPLEFORMAT_UINT;

  std::size_t bytes() const { return bits / 8; }
  /// Type of the values, with the name that NumPy shows.
  std::string type() const {
    const char* const kind = format == SAMPLEFORMAT_IEEEFP ? "float"
                             : format == SAMPLEFORMAT_INT  ? "int"
                                                           : "uint";
    return kind + std::to_string(bits);
  }
};

class TiffFile {
 public:
  explicit TiffFile(const std::filesystem::path& file)
      : name_(file.string()), tiff_(nullptr, &TIFFClose) {
    const Impl::InputFile readable(file);  // explains why a file cannot be opened
    tiff_.reset(TIFFOpen(file.c_str(), "r"));
    if (!tiff_) throw InputError(name_ + ": not a readable TIFF file" + reason());
    const char* text = nullptr;
    if (TIFFGetField(tiff_.get(), TIFFTAG_IMAGEDESCRIPTION, &text) == 1 && text != nullptr)
      imagej_images_ = stated_images(text);
  }

  const std::string& name() const { return name_; }
  /// Number of images so far.
  std::size_t pages() const { return page_ + 1; }
  /// Number of images according to ImageJ, which writes beyond 4 GB the values of all images, but
  /// the directory of the first one only. 0: not stated.
  std::size_t imagej_images() const { return imagej_images_; }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(name_ + ": image " + std::to_string(page_) + " (the first is 0): " + message);
  }

  /// Advances to the next image; false after the last.
  bool next() {
    last_error().clear();
    if (TIFFReadDirectory(tiff_.get()) == 0) {
      if (!last_error().empty()) fail("the part after it is damaged" + reason());
      return false;
    }
    ++page_;
    return true;
  }

  Image image() const {
    TIFF* const tiff = tiff_.get();
    Image result;
    std::uint16_t samples = 1;
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &result.rows);
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &result.columns);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &result.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &result.format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    if (result.format == SAMPLEFORMAT_VOID) result.format = SAMPLEFORMAT_UINT;
    if (samples != 1) fail("has " + std::to_string(samples) + " values per pixel; expected one");
    if (result.rows == 0 || result.columns == 0) fail("is empty");
    const bool is_float = result.format == SAMPLEFORMAT_IEEEFP;
    const bool is_whole = result.format == SAMPLEFORMAT_UINT || result.format == SAMPLEFORMAT_INT;
    const bool known_bits = result.bits == 32 || result.bits == 64 ||
                            (is_whole && (result.bits == 8 || result.bits == 16));
    if (!(is_float || is_whole) || !known_bits)
      fail(
          "has an unsupported type; supported are integers of 8, 16, 32 or 64 bits, and float of "
          "32 or "
          "64");
    return result;
  }

  /// Reads rows \p first to first + count of the image to \p out, one after the other.
  void read(const Image& image, std::size_t first, std::size_t count, double* out) const {
    if (TIFFIsTiled(tiff_.get()))
      read_tiles(image, first, count, out);
    else
      read_strips(image, first, count, out);
  }

 private:
  std::vector<unsigned char> buffer_of(tmsize_t bytes, std::size_t least) const {
    if (bytes <= 0 || static_cast<std::size_t>(bytes) < least) fail("is damaged" + reason());
    Impl::require_memory(static_cast<std::uint64_t>(bytes), name_ + ": a part of an image needs");
    return std::vector<unsigned char>(static_cast<std::size_t>(bytes));
  }

  void read_strips(const Image& image, std::size_t first, std::size_t count, double* out) const {
    std::uint32_t of_strip = image.rows;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ROWSPERSTRIP, &of_strip);
    of_strip = std::clamp<std::uint32_t>(of_strip, 1, image.rows);
    const std::size_t row_bytes = image.columns * image.bytes();
    std::vector<unsigned char> strip = buffer_of(TIFFStripSize(tiff_.get()), row_bytes);
    for (std::size_t row = first; row < first + count;) {
      const std::size_t begin = row / of_strip * of_strip;
      const std::size_t end = std::min<std::size_t>(begin + of_strip, image.rows);
      const std::size_t last = std::min(end, first + count);
      const tmsize_t got = TIFFReadEncodedStrip(
          tiff_.get(), TIFFComputeStrip(tiff_.get(), static_cast<std::uint32_t>(row), 0),
          strip.data(), static_cast<tmsize_t>(strip.size()));
      if (got < 0 || static_cast<std::size_t>(got) < (last - begin) * row_bytes)
        fail("row " + std::to_string(row) + " cannot be read" + reason());
      for (; row < last; ++row)
        convert(image, strip.data() + (row - begin) * row_bytes, image.columns,
                out + (row - first) * image.columns);
    }
  }

  void read_tiles(const Image& image, std::size_t first, std::size_t count, double* out) const {
    std::uint32_t width = 0, length = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &length);
    if (width == 0 || length == 0) fail("is damaged: its tiles have no size");
    std::vector<unsigned char> tile =
        buffer_of(TIFFTileSize(tiff_.get()), std::size_t{width} * length * image.bytes());
    for (std::size_t top = first / length * length; top < first + count; top += length)
      for (std::size_t left = 0; left < image.columns; left += width) {
        if (TIFFReadTile(tiff_.get(), tile.data(), static_cast<std::uint32_t>(left),
                         static_cast<std::uint32_t>(top), 0, 0) < 0)
          fail("the tile at row " + std::to_string(top) + " cannot be read" + reason());
        const std::size_t columns = std::min<std::size_t>(width, image.columns - left);
        for (std::size_t row = std::max(top, first);
             row < std::min({top + length, first + count, std::size_t{image.rows}}); ++row)
          convert(image, tile.data() + (row - top) * width * image.bytes(), columns,
                  out + (row - first) * image.columns + left);
      }
  }

  template <class Stored>
  static void convert_as(const unsigned char* values, std::size_t count, double* out) {
    for (std::size_t k = 0; k < count; ++k) {
      Stored value;
      std::memcpy(&value, values + k * sizeof(Stored), sizeof(Stored));
      out[k] = static_cast<double>(value);
    }
  }

  static void convert(const Image& image, const unsigned char* values, std::size_t count,
                      double* out) {
    const bool is_signed = image.format == SAMPLEFORMAT_INT;
    const auto as = [&](auto stored) { convert_as<decltype(stored)>(values, count, out); };
    if (image.format == SAMPLEFORMAT_IEEEFP) return image.bits == 32 ? as(float{}) : as(double{});
    switch (image.bits) {
      case 8:
        return is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
      case 16:
        return is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
      case 32:
        return is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
      default:
        return is_signed ? as(std::int64_t{}) : as(std::uint64_t{});
    }
  }

  /// Number in the line `images=` of a description by ImageJ; 0 if there is none.
  static std::size_t stated_images(const std::string& text) {
    if (!text.starts_with("ImageJ=")) return 0;
    const std::string key = "\nimages=";
    const std::size_t at = text.find(key);
    return at == std::string::npos ? 0
                                   : static_cast<std::size_t>(std::strtoull(
                                         text.c_str() + at + key.size(), nullptr, 10));
  }

  std::string name_;
  Tiff tiff_;
  std::size_t page_ = 0, imagej_images_ = 0;
};

/// Calls `visit(file, image)` for each image, and `finish(file)` after the last one of each file.
/// All images must have the same size.
template <class Visit, class Finish>
void for_each_image(const std::vector<std::filesystem::path>& files, const Visit& visit,
                    const Finish& finish) {
  const CapturedTiffErrors silence;
  Image first;
  for (const std::filesystem::path& name : files) {
    TiffFile file(name);
    do {
      const Image image = file.image();
      if (first.rows == 0) first = image;
      if (image.rows != first.rows || image.columns != first.columns)
        file.fail(Impl::text("is {} x {}, but the first image is {} x {}", image.rows,
                             image.columns, first.rows, first.columns));
      visit(file, image);
    } while (file.next());
    finish(file);
  }
}

template <class Visit>
void for_each_image(const std::vector<std::filesystem::path>& files, const Visit& visit) {
  for_each_image(files, visit, [](const TiffFile&) {});
}

/// File in memory for the output of the library.
struct Memory {
  std::vector<unsigned char> bytes;
  std::uint64_t at = 0;
};

tmsize_t read_memory(thandle_t handle, void* out, tmsize_t count) {
  auto& memory = *static_cast<Memory*>(handle);
  const std::uint64_t left =
      memory.bytes.size() - std::min<std::uint64_t>(memory.at, memory.bytes.size());
  const auto taken = std::min(static_cast<std::uint64_t>(count), left);
  std::memcpy(out, memory.bytes.data() + memory.at, taken);
  memory.at += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t write_memory(thandle_t handle, void* values, tmsize_t count) {
  auto& memory = *static_cast<Memory*>(handle);
  const auto end = memory.at + static_cast<std::uint64_t>(count);
  try {
    if (memory.bytes.size() < end) memory.bytes.resize(end);
  } catch (const std::bad_alloc&) {
    return 0;
  }
  std::memcpy(memory.bytes.data() + memory.at, values, static_cast<std::size_t>(count));
  memory.at = end;
  return count;
}

toff_t seek_memory(thandle_t handle, toff_t offset, int from) {
  auto& memory = *static_cast<Memory*>(handle);
  memory.at = offset + (from == SEEK_CUR ? memory.at : from == SEEK_END ? memory.bytes.size() : 0);
  return memory.at;
}

int close_memory(thandle_t) { return 0; }
toff_t size_of_memory(thandle_t handle) { return static_cast<Memory*>(handle)->bytes.size(); }

[[noreturn]] void fail_to_write(const std::filesystem::path& path, const std::string& why) {
  throw OutputError("cannot write '" + path.string() + "': " + why);
}

/// \param value_of converts an entry to the stored number
template <class Stored, class Scalar, class Value>
void write_pages(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t pages,
                 std::size_t rows, std::size_t columns, const Value& value_of) {
  constexpr std::size_t limit = 2147483647;
  if (pages == 0 || rows == 0 || columns == 0 || rows > limit || columns > limit || pages > 65535)
    fail_to_write(path,
                  Impl::text("{} images of {} x {} pixels are not possible", pages, rows, columns));
  require_equal("length of the data", static_cast<long long>(data.size()),
                "images times rows times columns", static_cast<long long>(pages * rows * columns));
  const std::uint64_t bytes = data.size() * sizeof(Stored);
  Impl::require_memory(bytes + 4096 * pages, path.string() + ": the file needs");
  const CapturedTiffErrors silence;
  Memory memory;
  memory.bytes.reserve(bytes + 4096);
  const Tiff tiff(
      TIFFClientOpen(path.c_str(), bytes > 4'000'000'000 ? "w8" : "w", &memory, read_memory,
                     write_memory, seek_memory, close_memory, size_of_memory, nullptr, nullptr),
      &TIFFClose);
  if (!tiff) fail_to_write(path, "the TIFF library rejects it" + reason());
  const std::size_t of_strip = std::max<std::size_t>(1, (1U << 16) / (columns * sizeof(Stored)));
  std::vector<Stored> line(columns);
  for (std::size_t page = 0; page < pages; ++page) {
    TIFF* const file = tiff.get();
    TIFFSetField(file, TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(columns));
    TIFFSetField(file, TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows));
    TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeof(Stored)));
    TIFFSetField(file, TIFFTAG_SAMPLEFORMAT,
                 std::is_floating_point_v<Stored> ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(std::min(of_strip, rows)));
    if (pages > 1) {
      TIFFSetField(file, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
      TIFFSetField(file, TIFFTAG_PAGENUMBER, static_cast<int>(page), static_cast<int>(pages));
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const Scalar* const values = data.data() + (page * rows + i) * columns;
      std::transform(values, values + columns, line.begin(), value_of);
      if (TIFFWriteScanline(file, line.data(), static_cast<std::uint32_t>(i), 0) < 0)
        fail_to_write(path, "the TIFF library rejects it" + reason());
    }
    if (TIFFWriteDirectory(file) == 0)
      fail_to_write(path, "the TIFF library rejects it" + reason());
  }
  TIFFFlush(tiff.get());
  AtomicFile file(path, tiff_output);
  file.write(memory.bytes.data(), memory.bytes.size());
  file.commit();
}

}  // namespace

bool can_use_tiff() { return true; }

TiffInfo read_tiff_info(const std::vector<std::filesystem::path>& files) {
  TiffInfo info;
  const auto add = [&](const std::string& oddity) {
    if (info.oddities.size() < 3) info.oddities.push_back(oddity);
  };
  bool has_types = false, has_short_stack = false;
  const auto check_count = [&](const TiffFile& file) {
    const std::size_t stated = file.imagej_images();
    if (stated == 0 || stated == file.pages() || std::exchange(has_short_stack, true)) return;
    add(file.name() + " has " + std::to_string(file.pages()) +
        " images, but ImageJ wrote images=" + std::to_string(stated) +
        " into it; beyond 4 GB only ImageJ finds "
        "all of them: save one file for each view");
  };
  for_each_image(
      files,
      [&](const TiffFile& file, const Image& image) {
        if (info.pages == 0) {
          info.rows = image.rows;
          info.columns = image.columns;
          info.type = image.type();
        }
        if (image.type() != info.type && !std::exchange(has_types, true))
          add(file.name() + " holds " + image.type() + ", but " + files.front().string() +
              " begins with " + info.type);
        ++info.pages;
      },
      check_count);
  return info;
}

std::vector<double> read_tiff_range(const std::vector<std::filesystem::path>& files,
                                    std::size_t axis, std::size_t first, std::size_t count) {
  const TiffInfo info = read_tiff_info(files);
  std::array<std::size_t, 3> shape{info.pages, info.rows, info.columns};
  if (first + count > shape.at(axis)) {
    constexpr std::array<const char*, 3> names{"image", "row", "column"};
    throw InputError(files.front().string() + ": has " + std::to_string(shape[axis]) + " " +
                     names[axis] + "s, so there is no " + names[axis] + " " +
                     std::to_string(first + count - 1) + " (counted from 0)");
  }
  const std::size_t length = info.rows * info.columns;
  shape[axis] = count;
  const std::size_t part = shape[1] * shape[2];
  Impl::require_memory(shape[0] * part * sizeof(double),
                       files.front().string() + ": its images need");
  std::vector<double> values(shape[0] * part);
  std::vector<double> whole(axis == 2 ? length : 0);
  double* out = values.data();
  std::size_t page = 0;
  for_each_image(files, [&](const TiffFile& file, const Image& image) {
    const std::size_t at = page++;
    if (axis == 0 && (at < first || at >= first + count)) return;
    if (axis == 2) {
      file.read(image, 0, info.rows, whole.data());
      for (std::size_t row = 0; row < info.rows; ++row)
        std::copy_n(whole.data() + row * info.columns + first, count, out + row * count);
    } else {
      file.read(image, axis == 1 ? first : 0, shape[1], out);
    }
    out += part;
  });
  return values;
}

template <class Scalar>
void write_tiff(const std::filesystem::path& path, std::span<const Scalar> data, std::size_t pages,
                std::size_t rows, std::size_t columns) {
  write_pages<float>(path, data, pages, rows, columns,
                     [](Scalar value) { return static_cast<float>(value); });
}

template <class Scalar>
void write_tiff_16(const std::filesystem::path& path, std::span<const Scalar> data,
                   std::size_t pages, std::size_t rows, std::size_t columns,
                   const PngWindow& window) {
  const double scale = window.high > window.low ? 65535 / (window.high - window.low) : 0;
  write_pages<std::uint16_t>(path, data, pages, rows, columns, [&](Scalar value) {
    const double level = scale * (static_cast<double>(value) - window.low);
    return static_cast<std::uint16_t>(level > 0 ? std::lround(std::min(level, 65535.0)) : 0);
  });
}

#else

namespace {

[[noreturn]] void fail_without(const std::string& file) {
  throw InputError(file + ": cannot be read: this library was built without libtiff");
}

}  // namespace

bool can_use_tiff() { return false; }

TiffInfo read_tiff_info(const std::vector<std::filesystem::path>& files) {
  fail_without(files.front().string());
}

std::vector<double> read_tiff_range(const std::vector<std::filesystem::path>& files, std::size_t,
                                    std::size_t, std::size_t) {
  fail_without(files.front().string());
}

template <class Scalar>
void write_tiff(const std::filesystem::path& path, std::span<const Scalar>, std::size_t,
                std::size_t, std::size_t) {
  throw OutputError("cannot write '" + path.string() + "': this library was built without libtiff");
}

template <class Scalar>
void write_tiff_16(const std::filesystem::path& path, std::span<const Scalar> data,
                   std::size_t pages, std::size_t rows, std::size_t columns, const PngWindow&) {
  write_tiff(path, data, pages, rows, columns);
}

#endif

#define TOMOKKOS_INSTANTIATE(SCALAR)                                                         \
  template void write_tiff<SCALAR>(const std::filesystem::path&, std::span<const SCALAR>,    \
                                   std::size_t, std::size_t, std::size_t);                   \
  template void write_tiff_16<SCALAR>(const std::filesystem::path&, std::span<const SCALAR>, \
                                      std::size_t, std::size_t, std::size_t, const PngWindow&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
