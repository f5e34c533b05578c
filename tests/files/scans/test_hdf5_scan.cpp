// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Hdf5Scan.hpp>
#include <cmath>
#include <cstdio>
#include <limits>

#include "FileTesting.hpp"
#include "Hdf5Testing.hpp"
#include "NeedsHdf5.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

#if defined(TOMOKKOS_TEST_HDF5)

std::vector<double> numbers(std::size_t count, double first) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = first + static_cast<double>(k);
  return values;
}

/// Writes a scan with 3 views, 2 rows and 4 columns.
/// \param except name of a dataset to leave out
void write_scan(const std::filesystem::path& path, const std::string& except = "") {
  ScanWriter scan(path);
  if (except != "data") scan.put("data", {3, 2, 4}, numbers(24, 0), H5T_STD_U16BE);
  if (except != "data_white") scan.put("data_white", {2, 2, 4}, numbers(16, 100));
  if (except != "data_dark") scan.put("data_dark", {1, 2, 4}, numbers(8, -1));
  if (except != "theta") scan.put("theta", {3}, {0, 60, 120}, H5T_IEEE_F64LE);
}

template <class Scalar>
class Hdf5ScanTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Hdf5ScanTest, Scalars);

TYPED_TEST(Hdf5ScanTest, slices_are_read) {
  const TemporaryFolder folder;
  write_scan(folder / "a.h5");
  const auto info = read_hdf5_scan_info(folder / "a.h5");
  EXPECT_EQ(info.views, 3u);
  EXPECT_EQ(info.rows, 2u);
  EXPECT_EQ(info.columns, 4u);
  EXPECT_TRUE(info.has_white && info.has_dark && info.has_theta);
  const auto slice = read_hdf5_scan_slice<TypeParam>(folder / "a.h5", 1);
  EXPECT_EQ(slice.views, 3u);
  EXPECT_EQ(slice.columns, 4u);
  EXPECT_EQ(slice.data, (std::vector<TypeParam>{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23}));
  // Mean of the frames 104 ... and 112 ...
  EXPECT_EQ(slice.white, (std::vector<TypeParam>{108, 109, 110, 111}));
  EXPECT_EQ(slice.dark, (std::vector<TypeParam>{3, 4, 5, 6}));
  EXPECT_EQ(slice.theta, (std::vector<double>{0, 60, 120}));
}

TEST(Hdf5Scan, rows_are_read_together) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  write_scan(path);
  const auto rows = read_hdf5_scan_rows<double>(path, 0, 2);
  EXPECT_EQ(rows.rows, 2u);
  EXPECT_EQ(rows.data, numbers(24, 0));
  for (const std::size_t row : {0, 1}) {
    const auto one = read_hdf5_scan_slice<double>(path, row);
    const auto part = [&](const std::vector<double>& values) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(4 * row);
      return std::vector<double>(begin, begin + 4);
    };
    EXPECT_EQ(part(rows.data), part(numbers(24, 0)));
    EXPECT_EQ(part(rows.white), one.white);
    EXPECT_EQ(part(rows.dark), one.dark);
  }
  expect_input_error([&] { read_hdf5_scan_rows<double>(path, 1, 2); }, "no row 2");
}

TEST(Hdf5Scan, a_single_row_may_have_fields_with_or_without_an_axis_of_rows) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  for (const bool has_rows : {false, true}) {
    {
      ScanWriter scan(path);
      scan.put("data", {3, 4}, numbers(12, 0));
      scan.put("data_white", has_rows ? Shape{2, 1, 4} : Shape{2, 4}, numbers(8, 100));
    }
    EXPECT_EQ(read_hdf5_scan_info(path).white_frames, 2u);
    const auto slice = read_hdf5_scan_slice<double>(path, 0);
    EXPECT_EQ(slice.data, numbers(12, 0));
    EXPECT_EQ(slice.white, (std::vector<double>{102, 103, 104, 105}));
  }
}

TEST(Hdf5Scan, a_field_of_rows_and_columns_is_one_frame_and_one_without_frames_is_none) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  {
    ScanWriter scan(path);
    scan.put("data", {3, 2, 4}, numbers(24, 0));
    scan.put("data_white", {2, 4}, numbers(8, 100));
    scan.put("data_dark", {0, 2, 4}, {});
  }
  const auto slice = read_hdf5_scan_slice<double>(path, 1);
  EXPECT_EQ(slice.info.white_frames, 1u);
  EXPECT_EQ(slice.white, numbers(4, 104));
  EXPECT_EQ(read_hdf5_scan_rows<double>(path, 0, 2).white, numbers(8, 100));
  EXPECT_FALSE(slice.info.has_dark);
  {
    ScanWriter scan(path);
    scan.put("data", {3, 2, 4}, numbers(24, 0));
    scan.put("data_white", {3, 4}, numbers(12, 100));
  }
  expect_input_error([&] { read_hdf5_scan_slice<double>(path, 1); }, "data_white",
                     "3 frames of 1 x 4, but the data have 2 x 4");
}

TEST(Hdf5Scan, parts_that_are_not_needed_may_hold_anything) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  for (const std::string wrong : {"data_white", "data_dark", "theta"}) {
    {
      ScanWriter scan(path);
      scan.put("data", {3, 2, 4}, numbers(24, 0));
      scan.put(wrong.c_str(), {5}, numbers(5, 0));
      scan.put_units(wrong.c_str(), "mrad", false);
    }
    Hdf5Layout layout;
    layout.needs_white = wrong != "data_white";
    layout.needs_dark = wrong != "data_dark";
    layout.needs_angles = wrong != "theta";
    const auto slice = read_hdf5_scan_slice<double>(path, 1, {}, layout);
    EXPECT_EQ(slice.views, 3u);
    EXPECT_TRUE(slice.white.empty() && slice.dark.empty() && slice.theta.empty());
    EXPECT_EQ(read_hdf5_scan_info(path, layout).angles, 0u);
    expect_input_error([&] { read_hdf5_scan_slice<double>(path, 1); }, wrong);
  }
}

TEST(Hdf5Scan, units_of_angles_are_read) {
  const TemporaryFolder folder;
  const auto read = [&] { return read_hdf5_scan_slice<float>(folder / "a.h5", 0); };
  const auto write = [&](const std::string& units, bool variable) {
    ScanWriter scan(folder / "a.h5");
    scan.put("data", {3, 2, 4}, numbers(24, 0));
    scan.put("theta", {3}, {0, 1, 2}, H5T_IEEE_F64LE);
    if (!units.empty()) scan.put_units("theta", units, variable);
  };
  write("", false);
  EXPECT_FALSE(read().theta_has_unit);
  EXPECT_EQ(read().theta_unit, AngleUnit::degrees);
  for (const bool variable : {false, true}) {
    write(" Radians ", variable);
    EXPECT_TRUE(read().theta_has_unit);
    EXPECT_EQ(read().theta_unit, AngleUnit::radians);
    write("deg", variable);
    EXPECT_TRUE(read().theta_has_unit);
    EXPECT_EQ(read().theta_unit, AngleUnit::degrees);
  }
  write("mm", false);
  EXPECT_NE(message_of<InputError>(read).find("\"mm\"; expected degrees or radians"),
            std::string::npos);
}

TEST(Hdf5Scan, errors_suggest_that_data_may_be_transposed) {
  const TemporaryFolder folder;
  {
    ScanWriter scan(folder / "a.h5");
    scan.put("data", {3, 2, 4}, numbers(24, 0), H5T_STD_U16BE);
    scan.put("theta", {4}, {0, 45, 90, 135}, H5T_IEEE_F64LE);
  }
  EXPECT_NE(message_of<InputError>([&] {
              read_hdf5_scan_slice<float>(folder / "a.h5", 0);
            }).find("the data may be transposed"),
            std::string::npos);
}

TEST(Hdf5Scan, white_dark_and_angles_may_be_missing) {
  const TemporaryFolder folder;
  for (const std::string absent : {"data_white", "data_dark", "theta"}) {
    write_scan(folder / "a.h5", absent);
    const auto slice = read_hdf5_scan_slice<float>(folder / "a.h5", 0);
    EXPECT_EQ(slice.white.empty(), absent == "data_white");
    EXPECT_EQ(slice.dark.empty(), absent == "data_dark");
    EXPECT_EQ(slice.theta.empty(), absent == "theta");
  }
}

TEST(Hdf5Scan, data_are_read_from_the_dataset_of_the_layout) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  {
    ScanWriter scan(path, "/entry");
    scan.put("data", {3, 2, 4}, numbers(24, 0));
    scan.put("sinogram", {3, 4}, numbers(12, 5));
    scan.put("theta", {3}, {0, 60, 120}, H5T_IEEE_F64LE);
  }
  const auto info = read_hdf5_scan_info(path, {"/entry/data"});
  EXPECT_EQ(info.rows, 2u);
  EXPECT_TRUE(info.has_theta && !info.has_white);
  EXPECT_EQ(read_hdf5_scan_slice<double>(path, 1, {}, {"entry/data"}).data,
            (std::vector<double>{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23}));
  // A dataset with two dimensions has a single row.
  const auto one = read_hdf5_scan_slice<double>(path, 0, {}, {"/entry/sinogram"});
  EXPECT_EQ(one.views, 3u);
  EXPECT_EQ(one.columns, 4u);
  EXPECT_EQ(one.data, numbers(12, 5));
  EXPECT_EQ(one.theta, (std::vector<double>{0, 60, 120}));
  expect_input_error([&] { read_hdf5_scan_slice<double>(path, 1, {}, {"/entry/sinogram"}); },
                     "1 rows", "no row 1");
  for (const char* wrong : {"/entry/datum", "/other/data", "/exchange/data"})
    expect_input_error([&] { read_hdf5_scan_info(path, {wrong}); }, "is missing",
                       "the file holds /entry/data, /entry/sinogram");
  expect_input_error([&] { read_hdf5_scan_info(path, {"/entry/theta"}); }, "1 dimensions");
}

TEST(Hdf5Scan, errors_name_the_dataset) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto read = [&] { read_hdf5_scan_slice<float>(path, 1); };
  write_scan(path);
  expect_input_error([&] { read_hdf5_scan_slice<float>(path, 2); }, "a.h5", "/exchange/data",
                     "2 rows", "no row 2");
  write_scan(path, "data");
  expect_input_error(read, "dataset /exchange/data: is missing");
  const auto with = [&](const std::string& name, const Shape& shape,
                        const std::vector<double>& values) {
    write_scan(path, name);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t data = H5Dcreate2(file, ("/exchange/" + name).c_str(), H5T_IEEE_F64LE, space,
                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) {
      H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Dclose(data);
    H5Sclose(space);
    H5Fclose(file);
  };
  with("data", {12}, numbers(12, 0));
  expect_input_error(read, "/exchange/data:", "1 dimensions instead of 3");
  with("data", {0, 2, 4}, {});
  expect_input_error(read, "/exchange/data:", "empty");
  with("data_white", {2, 2, 5}, numbers(20, 0));
  expect_input_error(read, "/exchange/data_white:", "2 frames of 2 x 5", "2 x 4");
  with("theta", {4}, numbers(4, 0));
  expect_input_error(read, "/exchange/theta:", "4 angles", "3 views");
  with("theta", {3}, {0, 1, NAN});
  expect_input_error(read, "/exchange/theta:", "value 2", "not finite");
  auto values = numbers(24, 0);
  values[5] = NAN;
  with("data", {3, 2, 4}, values);
  expect_input_error(read, "/exchange/data:", "value 1", "not finite");
  values[5] = 1e300;
  with("data", {3, 2, 4}, values);
  expect_input_error(read, "/exchange/data:", "not finite in float precision");
  EXPECT_EQ(read_hdf5_scan_slice<double>(path, 1).data[1], 1e300);
  {
    ScanWriter scan(path);
    scan.put_text("data");
  }
  expect_input_error(read, "/exchange/data:", "does not hold numbers");
  {
    ScanWriter scan(path);
    // The dataset declares a shape but stores nothing before the first write.
    scan.put("data", {1u << 20, 1u << 10, 1u << 20}, {});
  }
  expect_input_error(read, "/exchange/data:", "more values than a file");
}

TEST(Hdf5Scan, incompletely_written_datasets_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto read = [&] { read_hdf5_scan_slice<float>(path, 1); };
  for (const std::string name : {"data", "data_white", "data_dark"}) {
    const auto write = [&](hsize_t written) {
      write_scan(path, name);
      const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      ScanWriter(file).put_chunks(name.c_str(), {3, 2, 4}, written, numbers(24, 5));
    };
    write(3);
    EXPECT_NO_THROW(read()) << name;
    write(2);
    expect_input_error(read, "a.h5: dataset /exchange/" + name + ": was written in part");
    write(0);
    expect_input_error(read, "a.h5: dataset /exchange/" + name + ": was never written");
  }
  // The check also covers datasets without chunks.
  write_scan(path, "data");
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ScanWriter(file).put("data", {3, 2, 4}, {});
  expect_input_error(read, "/exchange/data: was never written");
}

// Covers compressed and uncompressed chunks, and chunks that extend beyond the data. An interrupted
// acquisition may already hold as many bytes as all of its values need.
TEST(Hdf5Scan, completeness_is_judged_by_the_number_of_chunks) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const Shape shape{30, 5, 70};
  std::vector<double> values;
  for (int k = 0; k < 30 * 5 * 70; ++k) values.push_back(k % 7);
  for (const Shape& chunk : {Shape{1, 5, 70}, {30, 5, 70}, {7, 5, 64}, {8, 3, 50}, {1, 5, 64}})
    for (const bool compressed : {false, true})
      for (const hsize_t written : {30, 22}) {
        ScanWriter(path).put_chunks("data", shape, written, values, chunk, compressed);
        const std::string what = std::to_string(chunk[0]) + " x " + std::to_string(chunk[1]) +
                                 " x " + std::to_string(chunk[2]);
        if (written < shape[0] && shape[0] - written >= chunk[0]) {
          expect_input_error([&] { read_hdf5_scan_slice<float>(path, 2); }, "in part only");
          continue;
        }
        if (written < shape[0]) continue;  // the last chunks exist and hold zeros
        const auto slice = read_hdf5_scan_slice<double>(path, 2);
        for (std::size_t v = 0; v < 30; ++v)
          for (std::size_t j = 0; j < 70; ++j)
            ASSERT_EQ(slice.data[v * 70 + j], values[(v * 5 + 2) * 70 + j]) << what;
      }
}

TEST(Hdf5Scan, data_in_other_files_must_be_complete) {
  const TemporaryFolder folder;
  const auto path = folder / "master.h5";
  const auto part = [&](const std::string& name, double first) {
    // The part has more values than a master file of a few kB could hold.
    ScanWriter(folder / name).put("data", {50, 8, 700}, numbers(50 * 8 * 700, first));
  };
  const auto read = [&] { return read_hdf5_scan_slice<double>(path, 1); };
  part("one.h5", 0);
  part("two.h5", 1e6);
  ScanWriter(path).put_virtual("data", {100, 8, 700}, {"one.h5", "two.h5"});
  EXPECT_EQ(read().data[0], 700);
  EXPECT_EQ(read().data[50 * 700], 1e6 + 700);
  ScanWriter(folder / "two.h5").put_chunks("data", {50, 8, 700}, 20, numbers(50 * 8 * 700, 0));
  expect_input_error(read, "/exchange/data: its source two.h5:/exchange/data was written in part");
  ScanWriter(folder / "two.h5").put("white", {1}, {0});
  expect_input_error(read, "its source two.h5:/exchange/data is missing");
  std::filesystem::remove(folder / "two.h5");
  expect_input_error(read, "its source two.h5:/exchange/data is missing");

  ScanWriter(path).put_link("data", "one.h5");
  EXPECT_EQ(read().data[0], 700);
  // The other file may be one that the user must not read, or a pipe that never ends.
  ScanWriter(path).put_external("data", {50, 8, 70}, folder / "raw");
  expect_input_error(read, "stores its values as raw bytes in another file");
}

TEST(Hdf5Scan, damaged_files_are_refused_without_output_on_stderr) {
  const TemporaryFolder folder;
  write_scan(folder / "a.h5");
  const std::string bytes = read_bytes(folder / "a.h5");
  const auto read = [](const auto& path) { read_hdf5_scan_slice<float>(path, 1); };
  ::testing::internal::CaptureStderr();
  // Opening a file takes milliseconds, so not every length is tested.
  expect_every_truncation_refused(folder / "b.h5", bytes, read, 17);
  write_bytes(folder / "c.h5", "not HDF5");
  expect_input_error([&] { read(folder / "c.h5"); }, "c.h5", "HDF5");
  expect_input_error([&] { read(folder / "absent.h5"); }, "No such file");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

/// Bytes of little-endian words, which is how the library stores them.
std::string words(const std::vector<std::uint32_t>& values) {
  std::string bytes;
  for (const std::uint32_t value : values) bytes += bytes_of(value);
  return bytes;
}

/// Replaces the only occurrence of \p before.
std::string with_change(std::string bytes, const std::string& before, const std::string& after) {
  const std::size_t place = bytes.find(before);
  EXPECT_NE(place, std::string::npos);
  EXPECT_EQ(bytes.find(before, place + 1), std::string::npos);
  return bytes.replace(place, after.size(), after);
}

// HDF5 trusts the message that describes the layout. If the message is damaged, HDF5 reads memory
// or bytes of other objects as values.
TEST(Hdf5Scan, layouts_that_contradict_their_shape_are_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto read = [&] { read_hdf5_scan_slice<float>(path, 1); };
  for (const bool compressed : {true, false}) {
    ScanWriter(path).put_chunks("data", {4, 2, 5}, 4, numbers(40, 1), {2, 1, 5}, compressed);
    EXPECT_NO_THROW(read());
    const std::string bytes = read_bytes(path);
    const std::string chunk = words({2, 1, 5, 4});
    for (const std::uint32_t rows : {0u, 2u, 3u, 4u, 16u, 100u, 16777217u}) {
      SCOPED_TRACE(rows);
      write_bytes(path, with_change(bytes, chunk, words({2, rows, 5, 4})));
      expect_input_error(read, "a.h5: dataset /exchange/data: ");
      if (rows == 2) expect_input_error(read, "it has 4 chunks, but its shape requires 2");
      if (rows >= 3)
        expect_input_error(
            read, "a chunk has " + std::to_string(rows) + " values along dimension 1", "at most 2");
    }
    // A type of 4 bytes is stored as class and version, three bytes of flags, its size, and the
    // positions of its bits.
    const std::string number = words({0x001f2011, 4, 0x00200000});
    for (const std::uint32_t size : {8u, 16u, 31234u}) {
      SCOPED_TRACE(size);
      write_bytes(path, with_change(bytes, number, words({0x001f2011, size, 0x00200000})));
      expect_input_error(read, "a.h5: dataset /exchange/data: cannot be read: damaged");
    }
    expect_input_error(read, "a value has 31234 bytes");
  }
  { ScanWriter(path).put("data", {4, 2, 5}, numbers(40, 1)); }
  const std::string bytes = read_bytes(path);
  const std::string extents = words({4, 0, 2, 0, 5, 0, 4, 0, 2, 0, 5, 0});
  for (const std::uint32_t views : {5u, 8u, 12u}) {
    write_bytes(path, with_change(bytes, extents, words({views, 0, 2, 0, 5, 0, views, 0})));
    expect_input_error(read, "a.h5: dataset /exchange/data: ", "damaged: 160 bytes are stored",
                       std::to_string(views) + " x 2 x 5 values of 4 bytes");
  }
  // The message has version 3 and a contiguous layout with address and length. Turn it into a
  // compact layout without bytes.
  const std::size_t length = bytes.find(words({160, 0}));
  ASSERT_NE(length, std::string::npos);
  ASSERT_EQ(bytes.substr(length - 10, 2), std::string("\3\1"));
  std::string compact = bytes;
  compact.replace(length - 9, 3, std::string(3, '\0'));
  write_bytes(path, compact);
  expect_input_error(read, "/exchange/data: cannot be read: damaged: 0 bytes are stored");
}

TEST(Hdf5Scan, real_scans_are_read) {
  TOMOKKOS_NEEDS_HDF5();
  const auto path = test_data_path("tomography/tooth.h5");
  const auto info = read_hdf5_scan_info(path);
  EXPECT_EQ(info.views, 181u);
  EXPECT_EQ(info.rows, 2u);
  EXPECT_EQ(info.columns, 640u);
  // The figures come from another program that reads the file.
  const auto slice = read_hdf5_scan_slice<float>(path, 1);
  EXPECT_EQ(slice.data.back(), 27192.0f);
  double sum = 0;
  for (const float value : slice.data) sum += value;
  EXPECT_EQ(sum, 2376525167.25);
  EXPECT_NEAR(slice.white[320], 28284.775, 0.01);
  EXPECT_NEAR(slice.dark[0], 111.4, 1e-4);
  EXPECT_NEAR(slice.theta.back(), 179.00552486187846, 1e-12);
}

#else

TEST(Hdf5Scan, is_refused_in_a_build_without_hdf5) {
  expect_input_error([] { read_hdf5_scan_info("a.h5"); }, "built without HDF5");
}

#endif

TEST(TransmissionToLineIntegrals, is_the_negative_logarithm_of_the_transmission) {
  // white - dark = 8 and 4.
  const std::vector<double> data{3, 3, 9, 2, 5, 6};
  const auto lines = transmission_to_line_integrals<double>(data, {9, 6}, {1, 2});
  EXPECT_EQ(lines.clamped, 1u);
  EXPECT_EQ(lines.missing, 0u);
  EXPECT_NEAR(lines.values[0], std::log(4.0), 1e-15);
  EXPECT_NEAR(lines.values[1], std::log(4.0), 1e-15);
  EXPECT_EQ(lines.values[2], 0.0);
  EXPECT_FALSE(std::signbit(lines.values[2]));
  // The value does not exceed the dark field, so the transmission is taken as one millionth.
  EXPECT_NEAR(lines.values[3], std::log(1e6), 1e-12);
  EXPECT_NEAR(lines.values[4], std::log(2.0), 1e-15);
}

TEST(TransmissionToLineIntegrals, less_light_never_gives_a_smaller_line_integral) {
  const std::vector<double> counts{-5, 0, 1e-6, 1e-3, 0.1, 10, 1000, 9000, 11000};
  std::vector<double> lines;
  for (const double count : counts)
    lines.push_back(transmission_to_line_integrals<double>({count}, {1e4}, {}).values[0]);
  EXPECT_TRUE(std::is_sorted(lines.rbegin(), lines.rend()));
  EXPECT_EQ(lines[0], -std::log(1e-6));
  EXPECT_EQ(transmission_to_line_integrals<double>({0, 1e-6, 1e-3, 1000}, {1e4}, {}).clamped, 3u);
}

TEST(TransmissionToLineIntegrals, dead_elements_are_missing_and_the_dark_field_is_optional) {
  const auto dead = transmission_to_line_integrals<float>({5, 5}, {1, 10}, {1, 0});
  EXPECT_EQ(dead.missing, 1u);
  EXPECT_EQ(dead.clamped, 0u);
  EXPECT_TRUE(std::isnan(dead.values[0]));
  EXPECT_FLOAT_EQ(dead.values[1], std::log(2.0f));
  const auto unknown = transmission_to_line_integrals<float>({NAN, 5}, {10, NAN}, {});
  EXPECT_EQ(unknown.missing, 2u);
  const auto plain = transmission_to_line_integrals<float>({5, 0}, {10, 10}, {}, 0.5);
  EXPECT_FLOAT_EQ(plain.values[0], std::log(2.0f));
  EXPECT_FLOAT_EQ(plain.values[1], std::log(2.0f));
  EXPECT_EQ(plain.clamped, 1u);
  EXPECT_THROW(transmission_to_line_integrals<float>({1, 2, 3}, {1, 2}, {}), DimensionMismatch);
  EXPECT_THROW(transmission_to_line_integrals<float>({1, 2}, {1, 2}, {1}), DimensionMismatch);
  EXPECT_THROW(transmission_to_line_integrals<float>({1, 2}, {}, {}), DimensionMismatch);
}

}  // namespace
