// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each format keeps the promises of its entry in the list.
#include <gtest/gtest.h>

#include <Tomokkos_ImageFormats.hpp>
#include <numeric>
#include <set>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(ImageFormats, files_are_found_by_extension) {
  EXPECT_EQ(image_format_of("scan_*.TIF")->name, "tiff");
  EXPECT_EQ(image_format_of("a.Tiff")->name, "tiff");
  EXPECT_EQ(image_format_of("a.nxs")->name, "hdf5");
  EXPECT_TRUE(holds_names("a.npz"));
  EXPECT_EQ(image_format_of("TIF"), nullptr);
  EXPECT_EQ(image_format_of("a.png"), nullptr);
}

TEST(ImageFormats, texts_are_listed) {
  EXPECT_EQ(list_formats(" or ", [](const ImageFormat& format) { return format.name; }),
            "png, npy, tiff, tiff16 or hdf5");
  EXPECT_EQ(list_formats(" or ", [](const ImageFormat&) { return ""; }), "");
}

TEST(ImageFormats, written_files_are_of_the_kind_and_read_back) {
  std::vector<double> values(2 * 3 * 4);
  std::iota(values.begin(), values.end(), 1.0);
  std::set<std::string_view> names;
  for (const ImageFormat& format : image_formats()) {
    SCOPED_TRACE(std::string(format.name));
    EXPECT_EQ(format.name.empty(), format.writer.write == nullptr);
    EXPECT_EQ(format.writer.needs.empty(), format.writer.is_available == nullptr);
    EXPECT_EQ(format.writer.not_by_slices.empty(), format.writer.slices != nullptr ||
                                                       format.name.empty() ||
                                                       format.content == ImageContent::picture);
    if (format.name.empty() || (format.writer.is_available && !format.writer.is_available()))
      continue;
    EXPECT_TRUE(names.insert(format.name).second);
    const TemporaryFolder folder;
    const std::filesystem::path file = folder / ("a" + std::string(format.extension()));
    const std::vector<std::size_t> shape = format.content == ImageContent::picture
                                               ? std::vector<std::size_t>{6, 4}
                                               : std::vector<std::size_t>{2, 3, 4};
    format.writer.write(file, {std::span<const double>(values), shape}, {1, 24});
    EXPECT_TRUE(format.writer.kind->recognises(file));
    if (format.reader.open == nullptr) continue;
    const auto array = format.reader.open(file, "", {});
    EXPECT_EQ(array->shape(), shape);
    EXPECT_EQ(array->read(0, 0, 2), values);
  }
}

}  // namespace
