// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <Tomokkos_Tiff.hpp>
#include <optional>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr std::array<std::size_t, 3> shape{5, 3, 4};

std::vector<const SliceFormat*> formats() {
  std::vector<const SliceFormat*> result;
  for (const ImageFormat& format : image_formats())
    if (format.writer.slices && (!format.writer.is_available || format.writer.is_available()))
      result.push_back(format.writer.slices);
  return result;
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.25F * static_cast<float>(i) - 2;
  return values;
}

std::vector<float> read_back(const std::filesystem::path& path, const SliceFormat& format) {
  if (&format == &npy_slices) return read_npy<float>(path).data;
  std::vector<double> values;
  if (&format == &tiff_slices)
    values = read_tiff_range({path}, 1, 0, shape[1]);
  else
    values = read_hdf5_scan_rows<double>(path, 0, shape[1], {}, {"/image"}).data;
  return {values.begin(), values.end()};
}

TEST(SliceFile, slices_are_written_by_several_processes) {
  const std::vector<float> values = ramp(60);
  const auto slices = [&](std::size_t first, std::size_t count) {
    return std::span<const float>(values).subspan(12 * first, 12 * count);
  };
  for (const SliceFormat* each : formats()) {
    const SliceFormat& format = *each;
    const TemporaryFolder folder;
    const auto path = folder / "a.any";
    {
      SliceFile<float> file(path, format, shape);
      file.write(0, slices(0, 2));
      // Another process would destroy the slices.
      EXPECT_THROW(SliceFile<float>(path, format, shape), OutputError);
      EXPECT_THROW(SliceFile<float>(path, format, shape, 2), OutputError);
    }
    EXPECT_EQ(folder.count(), 1u);
    SliceFile<float> file(path, format, shape, 2);
    file.write(4, slices(4, 1));
    file.write(2, slices(2, 2));
    EXPECT_FALSE(std::filesystem::exists(path));
    file.commit();
    EXPECT_EQ(read_back(path, format), values);
    EXPECT_EQ(folder.count(), 1u);
  }
}

TEST(SliceFile, a_fingerprint_tells_whether_a_slice_is_as_it_was_written) {
  for (const SliceFormat* each : formats()) {
    const SliceFormat& format = *each;
    const TemporaryFolder folder;
    const auto path = folder / "a.any", partial = folder / "a.any.partial";
    const std::vector<float> values = ramp(36);
    const std::vector<double> written = SliceFile<float>(path, format, shape).write(0, values);
    ASSERT_EQ(written.size(), 3u);
    EXPECT_NE(written[0], written[1]);
    const auto found = [&] {
      const SliceFile<float> file(path, format, shape, 3);
      return std::vector<double>{file.fingerprint(0), file.fingerprint(1), file.fingerprint(2)};
    };
    EXPECT_EQ(found(), written);
    // The last value of the second slice.
    std::string bytes = read_bytes(partial);
    const std::string value(reinterpret_cast<const char*>(&values[23]), sizeof(float));
    bytes[bytes.find(value)] ^= 1;
    write_bytes(partial, bytes);
    EXPECT_EQ(found()[0], written[0]);
    EXPECT_NE(found()[1], written[1]);
    EXPECT_EQ(found()[2], written[2]);
    const SliceFile<float> file(path, format, shape, 3);
    std::filesystem::resize_file(partial, 100);
    expect_input_error([&] { file.fingerprint(2); }, "slice 2 cannot be read: the file ends");
  }
}

TEST(SliceFile, only_a_file_with_the_slices_is_continued) {
  for (const SliceFormat* each : formats()) {
    const SliceFormat& format = *each;
    const TemporaryFolder folder;
    const auto path = folder / "a.any", partial = folder / "a.any.partial";
    const auto reopen = [&](const auto& of_shape, std::size_t done) {
      SliceFile<float>(path, format, of_shape, done);
    };
    expect_input_error([&] { reopen(shape, 1); }, "a.any.partial", "No such file");
    // Nothing remains of a file without slices.
    { const SliceFile<float> empty(path, format, shape); }
    EXPECT_EQ(folder.count(), 0u);
    SliceFile<float>(path, format, shape).write(0, ramp(24));
    if (&format != &hdf5_slices)  // where all slices have their place from the beginning
      expect_input_error([&] { reopen(shape, 3); }, "fewer than the 3 complete slices");
    if (&format != &tiff_slices) {
      const std::array<std::size_t, 3> other{5, 4, 3};
      expect_input_error([&] { reopen(other, 2); }, "not a file of 5 slices of 4 x 3 in float");
      expect_input_error([&] { SliceFile<double>(path, format, shape, 2); }, "in double");
    }
    write_bytes(partial, std::string(4000, 'x'));
    expect_input_error([&] { reopen(shape, 2); }, "not a file of 5 slices of 3 x 4");
    EXPECT_EQ(folder.count(), 1u);
  }
}

}  // namespace
