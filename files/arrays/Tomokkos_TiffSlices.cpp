// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TIFF files whose pages are written one by one: a page is its directory, followed by its pixels.
#include <Tomokkos_SliceFile.hpp>
#include <Tomokkos_Tiff.hpp>
#include <bit>

namespace Tomokkos {

namespace {

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Numbers are written in the byte order of the machine, which the first two bytes name.
constexpr std::uint16_t byte_order = std::endian::native == std::endian::little ? 0x4949 : 0x4d4d;
constexpr std::size_t page_entries = 12;

constexpr std::uint64_t rounded_to_16(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

std::uint64_t page_head_bytes(bool is_big) {
  return rounded_to_16(is_big ? 16 + page_entries * 20 : 6 + page_entries * 12);
}

std::string file_head(bool is_big) {
  std::string bytes;
  append(bytes, byte_order);
  if (is_big) {
    append(bytes, std::uint16_t{43});
    append(bytes, std::uint16_t{8});
    append(bytes, std::uint16_t{0});
    append(bytes, std::uint64_t{16});
  } else {
    append(bytes, std::uint16_t{42});
    append(bytes, std::uint32_t{16});
  }
  bytes.resize(16, '\0');
  return bytes;
}

/// Directory of the page that begins at \p begin, whose pixels follow it as one strip.
///
/// \param next position of the next page; 0: there is none
std::string page_head(const SliceExtents& shape, bool is_big, std::uint64_t begin,
                      std::uint64_t next) {
  std::string bytes;
  const auto number = [&](std::uint64_t value) {
    if (is_big) return append(bytes, value);
    append(bytes, static_cast<std::uint32_t>(value));
  };
  const auto entry = [&](int tag, std::uint64_t value, bool is_position = false) {
    constexpr int type_long = 4, type_long8 = 16;
    append(bytes, static_cast<std::uint16_t>(tag));
    append(bytes, static_cast<std::uint16_t>(is_position && is_big ? type_long8 : type_long));
    number(1);
    number(value);
  };
  if (is_big)
    append(bytes, std::uint64_t{page_entries});
  else
    append(bytes, static_cast<std::uint16_t>(page_entries));
  entry(254, 2);                                          // NewSubfileType: a page
  entry(256, shape[2]);                                   // ImageWidth
  entry(257, shape[1]);                                   // ImageLength
  entry(258, 8 * sizeof(float));                          // BitsPerSample
  entry(259, 1);                                          // Compression: none
  entry(262, 1);                                          // PhotometricInterpretation: grey
  entry(273, begin + page_head_bytes(is_big), true);      // StripOffsets
  entry(277, 1);                                          // SamplesPerPixel
  entry(278, shape[1]);                                   // RowsPerStrip
  entry(279, shape[1] * shape[2] * sizeof(float), true);  // StripByteCounts
  entry(284, 1);                                          // PlanarConfiguration
  entry(339, 3);                                          // SampleFormat: floating point
  number(next);
  bytes.resize(page_head_bytes(is_big), '\0');
  return bytes;
}

SliceLayout layout_of_tiff(const SliceExtents& shape, std::size_t) {
  const std::uint64_t pixel_bytes = shape[1] * shape[2] * sizeof(float);
  const bool is_big = shape[0] * (pixel_bytes + 512) > 4'000'000'000;
  const std::uint64_t used = page_head_bytes(is_big) + pixel_bytes, bytes = rounded_to_16(used);
  const std::string head = file_head(is_big);
  return {head, bytes, used, [=, first = head.size()](std::size_t slice) {
            const std::uint64_t begin = first + slice * bytes;
            return page_head(shape, is_big, begin, slice + 1 < shape[0] ? begin + bytes : 0);
          }};
}

}  // namespace

// Many readers number the pages by 16 bits.
const SliceFormat tiff_slices{tiff_output, tiff_output, layout_of_tiff, 65535};

}  // namespace Tomokkos
