// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <png.h>

#include <Tomokkos_Png.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

struct Image {
  std::size_t rows = 0;
  std::size_t columns = 0;
  int bits = 0;
  int color_type = 0;
  std::vector<unsigned char> bytes;
};

/// Reads a file with libpng, which verifies the checksums.
Image read_png(const std::filesystem::path& path) {
  Image image;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return image;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png)) == 0) {
    png_init_io(png, file);
    png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
    image.rows = png_get_image_height(png, info);
    image.columns = png_get_image_width(png, info);
    image.bits = png_get_bit_depth(png, info);
    image.color_type = png_get_color_type(png, info);
    const std::size_t length = png_get_rowbytes(png, info);
    for (std::size_t i = 0; i < image.rows; ++i) {
      const png_bytep row = png_get_rows(png, info)[i];
      image.bytes.insert(image.bytes.end(), row, row + length);
    }
  } else {
    ADD_FAILURE() << "not a PNG file";
  }
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(file);
  return image;
}

template <class Scalar>
class PngGrey : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PngGrey, Scalars);

TYPED_TEST(PngGrey, window_is_mapped_to_greys) {
  const TemporaryFolder folder;
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const std::vector<TypeParam> data{-1, 0, 1, 2, 3, 5, infinity, -infinity, nan, TypeParam(1.5)};
  write_png<TypeParam>(folder / "a.png", data, 2, 5, {-1, 3});
  const Image image = read_png(folder / "a.png");
  EXPECT_EQ(image.rows, 2u);
  EXPECT_EQ(image.columns, 5u);
  EXPECT_EQ(image.bits, 8);
  EXPECT_EQ(image.color_type, PNG_COLOR_TYPE_GRAY);
  // 63.75, 127.5, 191.25, 159.375 rounded to nearest.
  EXPECT_EQ(image.bytes, (std::vector<unsigned char>{0, 64, 128, 191, 255, 255, 255, 0, 0, 159}));
}

TYPED_TEST(PngGrey, sixteen_bits_keep_finer_steps) {
  const TemporaryFolder folder;
  const std::vector<TypeParam> data{0, TypeParam(0.25), 1};
  write_png<TypeParam>(folder / "a.png", data, 1, 3, {0, 1}, PngDepth::bits_16);
  const Image image = read_png(folder / "a.png");
  EXPECT_EQ(image.bits, 16);
  // 16383.75 is 0x4000.
  EXPECT_EQ(image.bytes, (std::vector<unsigned char>{0, 0, 0x40, 0x00, 0xff, 0xff}));
}

TEST(Png, degenerate_windows_give_defined_greys) {
  const TemporaryFolder folder;
  const std::vector<double> data{1, 2, 3, NAN};
  write_png<double>(folder / "a.png", data, 2, 2, {2, 2});
  EXPECT_EQ(read_png(folder / "a.png").bytes, (std::vector<unsigned char>{0, 0, 255, 0}));
  write_png<double>(folder / "a.png", data, 2, 2, {3, 1});
  EXPECT_EQ(read_png(folder / "a.png").bytes, (std::vector<unsigned char>{255, 128, 0, 0}));
  const double largest = std::numeric_limits<double>::max();
  const std::vector<double> wide{-largest, 0, largest};
  write_png<double>(folder / "a.png", wide, 1, 3, {-largest, largest});
  EXPECT_EQ(read_png(folder / "a.png").bytes, (std::vector<unsigned char>{0, 128, 255}));
}

TEST(Png, colours_come_back) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> data(3 * 5 * 7);
  for (std::size_t k = 0; k < data.size(); ++k) data[k] = static_cast<std::uint8_t>(7 * k);
  write_png_rgb(folder / "a.png", data, 5, 7);
  const Image image = read_png(folder / "a.png");
  EXPECT_EQ(image.color_type, PNG_COLOR_TYPE_RGB);
  EXPECT_EQ(image.columns, 7u);
  EXPECT_EQ(image.bytes, data);
}

TEST(Png, invalid_images_and_windows_are_refused) {
  const TemporaryFolder folder;
  const std::vector<float> data(6);
  EXPECT_THROW(write_png<float>(folder / "a.png", data, 2, 2, {}), DimensionMismatch);
  EXPECT_THROW(write_png<float>(folder / "a.png", {}, 0, 5, {}), OutputError);
  EXPECT_THROW(write_png<float>(folder / "a.png", data, 2, 3, {0, NAN}), OutputError);
  EXPECT_THROW(write_png_rgb(folder / "a.png", {}, 5, 0), OutputError);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(Png, wide_images_are_written) {
  // The width exceeds one million pixels, the default limit of libpng.
  const TemporaryFolder folder;
  const std::vector<float> data(1100000, 1.0f);
  write_png<float>(folder / "a.png", data, 1, data.size(), {});
  EXPECT_GT(std::filesystem::file_size(folder / "a.png"), 100u);
}

}  // namespace
