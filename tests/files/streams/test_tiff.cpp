// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Tiff.hpp>

#include <cmath>
#include <limits>

#include "FileTesting.hpp"

#if __has_include(<tiffio.h>)
#include <tiffio.h>
#define TOMOKKOS_TEST_TIFF
#endif

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

#if defined(TOMOKKOS_TEST_TIFF)

std::vector<double> ramp(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = 0.5 * static_cast<double>(k) - 3;
  return values;
}

TEST(Tiff, images_come_back) {
  const TemporaryFolder folder;
  const auto path = folder / "a.tif";
  const std::vector<double> values = ramp(3 * 5 * 4);
  write_tiff<double>(path, values, 3, 5, 4);
  const TiffInfo info = read_tiff_info({path});
  EXPECT_EQ(info.pages, 3u);
  EXPECT_EQ(info.rows, 5u);
  EXPECT_EQ(info.columns, 4u);
  EXPECT_EQ(info.type, "float32");
  EXPECT_TRUE(info.oddities.empty());
  EXPECT_EQ(read_tiff_range({path}, 1, 0, 5), values);
  // Read some rows of all images, first of one file and then of two.
  std::vector<double> some;
  for (const std::size_t page : {0, 1, 2})
    some.insert(some.end(), values.begin() + static_cast<std::ptrdiff_t>(page * 20 + 4),
                values.begin() + static_cast<std::ptrdiff_t>(page * 20 + 12));
  EXPECT_EQ(read_tiff_range({path}, 1, 1, 2), some);
  auto twice = some;
  twice.insert(twice.end(), some.begin(), some.end());
  EXPECT_EQ(read_tiff_range({path, path}, 1, 1, 2), twice);
  EXPECT_EQ(read_tiff_info({path, path}).pages, 6u);
  expect_input_error([&] { read_tiff_range({path}, 1, 4, 2); }, "5 rows", "no row 5");
  // Some pages, and some columns.
  EXPECT_EQ(read_tiff_range({path, path}, 0, 2, 2), [&] {
    std::vector<double> pages(values.begin() + 40, values.end());
    pages.insert(pages.end(), values.begin(), values.begin() + 20);
    return pages;
  }());
  std::vector<double> columns;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % 4 == 1 || i % 4 == 2) columns.push_back(values[i]);
  EXPECT_EQ(read_tiff_range({path}, 2, 1, 2), columns);
  expect_input_error([&] { read_tiff_range({path}, 0, 3, 1); }, "3 images", "no image 3");
}

TEST(Tiff, sixteen_bit_values_are_levels_of_a_window) {
  const TemporaryFolder folder;
  const auto path = folder / "a.tif";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  write_tiff_16<double>(path, std::vector<double>{-1, 0, 1, 2, 3, nan}, 1, 2, 3, {0, 2});
  EXPECT_EQ(read_tiff_info({path}).type, "uint16");
  EXPECT_EQ(read_tiff_range({path}, 1, 0, 2), (std::vector<double>{0, 0, 32768, 65535, 65535, 0}));
}

/// Writes a file with libtiff in any type that it supports.
template <class Stored>
void write_as(const std::filesystem::path& path, const std::vector<Stored>& values,
              std::uint32_t rows, std::uint32_t columns, int format, bool tiled, int samples = 1,
              const char* mode = "w", const char* description = nullptr) {
  TIFF* const file = TIFFOpen(path.c_str(), mode);
  if (description != nullptr) TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, description);
  TIFFSetField(file, TIFFTAG_IMAGEWIDTH, columns);
  TIFFSetField(file, TIFFTAG_IMAGELENGTH, rows);
  TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeof(Stored)));
  TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, format);
  TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, samples);
  TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
  if (tiled) {
    TIFFSetField(file, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(file, TIFFTAG_TILELENGTH, 16);
    for (std::uint32_t top = 0; top < rows; top += 16)
      for (std::uint32_t left = 0; left < columns; left += 16) {
        std::vector<Stored> tile(256);
        for (std::uint32_t i = 0; i < 16; ++i)
          for (std::uint32_t j = 0; j < 16; ++j)
            if (top + i < rows && left + j < columns)
              tile[i * 16 + j] = values[(top + i) * columns + left + j];
        TIFFWriteTile(file, tile.data(), left, top, 0, 0);
      }
  } else {
    TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, 3);
    // libtiff may swap bytes in place, so each line is a copy.
    for (std::uint32_t i = 0; i < rows; ++i) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i * columns) * samples;
      std::vector<Stored> line(begin, begin + static_cast<std::ptrdiff_t>(columns) * samples);
      TIFFWriteScanline(file, line.data(), i, 0);
    }
  }
  TIFFClose(file);
}

template <class Stored>
void expect_type(int format) {
  const TemporaryFolder folder;
  std::vector<Stored> values;
  for (int k = 0; k < 20 * 37; ++k) values.push_back(static_cast<Stored>(k % 101));
  for (const bool big_endian : {false, true})
    for (const bool tiled : {false, true}) {
      write_as(folder / "a.tif", values, 20, 37, format, tiled, 1, big_endian ? "wb" : "wl");
      EXPECT_EQ(read_tiff_range({folder / "a.tif"}, 1, 0, 20),
                std::vector<double>(values.begin(), values.end()));
      EXPECT_EQ(read_tiff_range({folder / "a.tif"}, 1, 15, 3),
                std::vector<double>(values.begin() + 15 * 37, values.begin() + 18 * 37));
    }
}

TEST(Tiff, every_type_is_read_from_strips_and_tiles) {
  expect_type<std::uint8_t>(SAMPLEFORMAT_UINT);
  expect_type<std::int16_t>(SAMPLEFORMAT_INT);
  expect_type<std::uint16_t>(SAMPLEFORMAT_UINT);
  expect_type<std::uint32_t>(SAMPLEFORMAT_UINT);
  expect_type<float>(SAMPLEFORMAT_IEEEFP);
  expect_type<double>(SAMPLEFORMAT_IEEEFP);
}

TEST(Tiff, mixed_types_and_missing_images_of_a_stack_are_odd) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> bytes(48, 7);
  const std::vector<std::uint16_t> words(48, 7);
  const auto path = folder / "a.tif";
  const auto oddities = [&](const char* description) {
    write_as(path, bytes, 6, 8, SAMPLEFORMAT_UINT, false, 1, "w", description);
    // A second image.
    write_as(path, bytes, 6, 8, SAMPLEFORMAT_UINT, false, 1, "a");
    return read_tiff_info({path}).oddities;
  };
  EXPECT_TRUE(oddities("ImageJ=1.53\nimages=2\nslices=2\n").empty());
  EXPECT_TRUE(oddities("ImageJ=1.53\nunit=mm\n").empty());
  EXPECT_TRUE(oddities("written by hand\nimages=181\n").empty());
  const auto truncated = oddities("ImageJ=1.53\nimages=181\nslices=181\n");
  ASSERT_EQ(truncated.size(), 1u);
  EXPECT_NE(truncated.front().find("a.tif has 2 images, but ImageJ wrote images=181"),
            std::string::npos)
      << truncated.front();
  write_as(folder / "b.tif", words, 6, 8, SAMPLEFORMAT_UINT, false);
  write_as(folder / "c.tif", words, 6, 8, SAMPLEFORMAT_INT, false);
  EXPECT_TRUE(read_tiff_info({folder / "b.tif", folder / "b.tif"}).oddities.empty());
  const auto mixed = read_tiff_info({folder / "b.tif", folder / "c.tif", folder / "c.tif"});
  ASSERT_EQ(mixed.oddities.size(), 1u);
  EXPECT_NE(mixed.oddities.front().find("c.tif holds int16, but "), std::string::npos);
}

TEST(Tiff, unreadable_files_are_refused_by_name) {
  const TemporaryFolder folder;
  const auto path = folder / "a.tif";
  const auto read = [&] { read_tiff_range({path}, 1, 0, 4); };
  expect_input_error(read, "a.tif");
  write_bytes(path, "no picture at all");
  expect_input_error(read, "a.tif", "not a readable TIFF file");
  write_as<std::uint8_t>(path, std::vector<std::uint8_t>(48), 4, 4, SAMPLEFORMAT_UINT, false, 3);
  expect_input_error(read, "image 0", "3 values per pixel");
  write_tiff<double>(path, ramp(80), 5, 4, 4);
  write_tiff<double>(folder / "b.tif", ramp(20), 1, 5, 4);
  expect_input_error(
      [&] {
        read_tiff_info({path, folder / "b.tif"});
      },
      "b.tif", "is 5 x 4", "first image is 4 x 4");
  // A truncated file is refused, whatever its length.
  const std::string whole = read_bytes(path);
  for (std::size_t length = 0; length < whole.size(); length += 37) {
    write_bytes(path, whole.substr(0, length));
    EXPECT_THROW(read(), InputError) << length;
  }
}

TEST(Tiff, failed_writes_leave_no_file) {
  const TemporaryFolder folder;
  EXPECT_THROW(write_tiff<float>(folder / "a.tif", std::vector<float>(3), 1, 2, 2),
               DimensionMismatch);
  EXPECT_THROW(write_tiff<float>(folder / "a.tif", {}, 0, 2, 2), OutputError);
  EXPECT_THROW(write_tiff<float>(folder / "none/a.tif", std::vector<float>(4), 1, 2, 2),
               OutputError);
  EXPECT_EQ(folder.count(), 0u);
}

#endif

}  // namespace
