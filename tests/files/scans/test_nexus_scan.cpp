// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans in the layout of NXtomo, and fields in files of their own.
#include <Tomokkos_Hdf5Field.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <cmath>

#include "FileTesting.hpp"
#include "Hdf5Testing.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

#if defined(TOMOKKOS_TEST_HDF5)

using Values = std::vector<double>;

constexpr std::size_t rows = 2, columns = 3;

/// Frame \p f holds 100 f + 10 row + column.
Values frames(std::size_t count) {
  Values values;
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        values.push_back(100.0 * static_cast<double>(f) + 10.0 * static_cast<double>(r) +
                         static_cast<double>(c));
  return values;
}

/// Values of row \p row of the frames in \p list.
Values row_of_frames(const Values& list, std::size_t row) {
  Values values;
  for (const double f : list)
    for (std::size_t c = 0; c < columns; ++c)
      values.push_back(100 * f + 10.0 * static_cast<double>(row) + static_cast<double>(c));
  return values;
}

const Values key{2, 1, 1, 0, 0, 3, 0, 1};
const Values angle{NAN, 0, 0, 10, 20, 99, 30, 180};

/// Places of the parts of a scan; an empty one is left out.
struct Places {
  std::string data = "/entry/instrument/detector/data";
  std::string image_key = "/entry/instrument/detector/image_key";
  std::string angle = "/entry/sample/rotation_angle";
};

void write_scan(Hdf5Writer& file, const Places& places, const Values& keys = key) {
  file.put(places.data.c_str(), {8, rows, columns}, frames(8), H5T_STD_U16LE);
  if (!places.image_key.empty())
    file.put(places.image_key.c_str(), {keys.size()}, keys, H5T_STD_I64LE);
  if (places.angle.empty()) return;
  file.put(places.angle.c_str(), {8}, angle, H5T_IEEE_F64LE);
  file.put_attribute(places.angle.c_str(), "units", "degree");
}

void expect_scan(const Hdf5ScanRows<double>& scan, std::size_t row) {
  EXPECT_EQ(scan.views, 3U);
  EXPECT_EQ(scan.data, row_of_frames({3, 4, 6}, row));
  ASSERT_EQ(scan.white.size(), columns);
  for (std::size_t c = 0; c < columns; ++c)
    EXPECT_NEAR(scan.white[c], row_of_frames({10.0 / 3}, row)[c], 1e-12 * 400);
  EXPECT_EQ(scan.dark, row_of_frames({0}, row));
  EXPECT_EQ(scan.theta, (Values{10, 20, 30}));
  EXPECT_TRUE(scan.theta_has_unit);
  EXPECT_EQ(scan.info.white_frames, 3U);
  EXPECT_EQ(scan.info.dark_frames, 1U);
  EXPECT_EQ(scan.info.left_out, 1U);
}

TEST(NexusScan, views_fields_and_angles_are_told_apart_by_the_image_key) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    Hdf5Writer file(path);
    write_scan(file, {});
  }
  for (const std::size_t row : {0, 1}) {
    SCOPED_TRACE(row);
    expect_scan(read_hdf5_scan_slice<double>(path, row), row);
    expect_scan(read_hdf5_scan_slice<double>(path, row, {}, {Places().data}), row);
  }
  const auto both = read_hdf5_scan_rows<double>(path, 0, 2);
  EXPECT_EQ(both.data.size(), 3 * rows * columns);
  EXPECT_EQ(both.data[rows * columns], 400);
  const auto info = read_hdf5_scan_info(path);
  EXPECT_EQ(info.views, 3U);
  EXPECT_EQ(info.paths.image_key, Places().image_key);
  EXPECT_EQ(info.paths.theta, Places().angle);
  // The median of the flat frames 1, 2 and 7.
  EXPECT_EQ(read_hdf5_scan_slice<double>(path, 1, {}, {}, FieldAverage::median).white,
            row_of_frames({2}, 1));
}

TEST(NexusScan, lists_may_have_a_second_axis_of_one_value) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  for (const Places& places : {Places(), Places{"/entry/data/data", "/entry/data/image_key",
                                                "/entry/data/rotation_angle"}}) {
    {
      Hdf5Writer file(path);
      write_scan(file, {places.data, "", ""});
      file.put(places.image_key.c_str(), {8, 1}, key, H5T_STD_I64LE);
      file.put(places.angle.c_str(), {8, 1}, angle, H5T_IEEE_F64LE);
      file.put_attribute(places.angle.c_str(), "units", "degree");
    }
    expect_scan(read_hdf5_scan_slice<double>(path, 1), 1);
    expect_scan(read_hdf5_scan_slice<double>(path, 1, {}, {places.data, places.image_key}), 1);
    EXPECT_EQ(read_hdf5_scan_info(path).angles, 3U);
  }
  {
    Hdf5Writer file(path);
    write_scan(file, {Places().data, "", ""});
    file.put(Places().image_key.c_str(), {8, 2}, Values(16, 0), H5T_STD_I64LE);
  }
  expect_input_error(
      [&] {
        read_hdf5_scan_slice<double>(path, 1, {}, {Places().data, Places().image_key});
      },
      "image_key: has 2 dimensions instead of 1");
}

TEST(NexusScan, parts_are_found_in_the_usual_layouts) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto expect_found = [&](const Hdf5Layout& layout) {
    expect_scan(read_hdf5_scan_slice<double>(path, 0, {}, layout), 0);
  };
  {
    SCOPED_TRACE("soft links in the group data");
    Hdf5Writer file(path);
    write_scan(file, {});
    file.soft_link("/entry/data/data", "/entry/instrument/detector/data");
  }
  expect_found({});
  expect_found({"/entry/data/data"});
  {
    SCOPED_TRACE("relative and chained soft links, to a group");
    Hdf5Writer file(path);
    write_scan(file, {});
    file.soft_link("/entry/detector", "instrument/detector");
    file.soft_link("/frames/all", "/entry/detector/data");
  }
  expect_found({"/frames/all"});
  {
    SCOPED_TRACE("an entry within the entry, and hard links");
    Hdf5Writer file(path);
    write_scan(file, {"/entry1/tomo_entry/instrument/detector/data",
                      "/entry1/tomo_entry/instrument/detector/image_key",
                      "/entry1/tomo_entry/sample/rotation_angle"});
    file.hard_link("/entry1/tomo_entry/data/data", "/entry1/tomo_entry/instrument/detector/data");
    file.hard_link("/entry1/tomo_entry/data/rotation_angle",
                   "/entry1/tomo_entry/sample/rotation_angle");
  }
  expect_found({});
  expect_found({"/entry1/tomo_entry/data/data"});
  {
    SCOPED_TRACE("the attribute target");
    Hdf5Writer file(path);
    write_scan(file, {"/frames/all", "/entry/instrument/camera/image_key",
                      "/entry/sample/rotation_angle"});
    file.put_attribute("/frames/all", "target", "/entry/instrument/camera/data");
  }
  expect_found({"/frames/all"});
  {
    SCOPED_TRACE("all in the group of the data, with image_key_control");
    Hdf5Writer file(path);
    write_scan(file,
               {"/entry/data/data", "/entry/data/image_key_control", "/entry/data/rotation_angle"});
  }
  expect_found({});
  {
    SCOPED_TRACE("an unusual place that is named");
    Hdf5Writer file(path);
    write_scan(file, {"/a/frames", "/b/kinds", "/a/rotation_angle"});
  }
  expect_found({"/a/frames", "/b/kinds"});
}

TEST(NexusScan, data_in_another_file_are_found_by_the_key_beside_the_link) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    Hdf5Writer file(folder / "raw.h5");
    file.put("/data", {8, rows, columns}, frames(8), H5T_STD_U16LE);
  }
  {
    Hdf5Writer file(path);
    file.link_to_file("/entry/instrument/detector/data", "raw.h5", "/data");
    file.put(Places().image_key.c_str(), {8}, key, H5T_STD_I32LE);
    file.put(Places().angle.c_str(), {8}, angle, H5T_IEEE_F64LE);
    file.put_attribute(Places().angle.c_str(), "unit", "deg.");
  }
  expect_scan(read_hdf5_scan_slice<double>(path, 1), 1);
}

TEST(NexusScan, alignment_frames_are_left_out) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    Hdf5Writer file(path);
    // image_key calls the last frame a view.
    write_scan(file, {}, {2, 1, 1, 0, 0, 3, 0, 0});
    file.put("/entry/instrument/detector/image_key_control", {8}, {2, 1, 1, 0, 0, 3, 0, -1},
             H5T_STD_I32LE);
  }
  const auto scan = read_hdf5_scan_slice<double>(path, 0);
  EXPECT_EQ(scan.data, row_of_frames({3, 4, 6}, 0));
  EXPECT_EQ(scan.info.left_out, 2U);
  EXPECT_EQ(scan.theta, (Values{10, 20, 30}));
}

TEST(NexusScan, without_a_key_all_frames_are_views) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    Hdf5Writer file(path);
    file.put("/entry/instrument/detector/data", {8, rows, columns}, frames(8));
    file.put_text("/entry/definition", "NXtomo");
    // An angle for each frame of something else.
    file.put("/entry/sample/rotation_angle", {5}, {1, 2, 3, 4, 5}, H5T_IEEE_F64LE);
  }
  const auto scan = read_hdf5_scan_slice<double>(path, 0);
  EXPECT_EQ(scan.views, 8U);
  EXPECT_TRUE(scan.white.empty() && scan.theta.empty());
  EXPECT_NE(scan.info.paths.sought_theta.find(
                "found /entry/sample/rotation_angle, which has 5 values for 8 frames"),
            std::string::npos)
      << scan.info.paths.sought_theta;
  {
    Hdf5Writer file(path);
    write_scan(file, {});
  }
  EXPECT_EQ(read_hdf5_scan_info(path, {"auto", "none"}).views, 8U);
}

TEST(NexusScan, fields_may_be_datasets_beside_the_data) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    // The first version of NXtomo.
    Hdf5Writer file(path);
    file.put_text("/entry/definition", "NXtomo");
    file.put("/entry/instrument/sample/data", {4, rows, columns}, frames(4));
    file.put("/entry/instrument/bright_field/data", {2, rows, columns}, frames(2));
    file.put("/entry/instrument/dark_field/data", {1, rows, columns}, frames(1));
    file.put("/entry/sample/rotation_angle", {4}, {0, 1, 2, 3}, H5T_IEEE_F64LE);
    // One row: frames x columns.
    file.put("/flat/data", {4, columns}, Values(4 * columns, 5));
    file.put("/flat/data_white", {2, columns}, {1, 2, 3, 5, 6, 7});
  }
  const auto scan = read_hdf5_scan_slice<double>(path, 1);
  EXPECT_EQ(scan.white, row_of_frames({0.5}, 1));
  EXPECT_EQ(scan.dark, row_of_frames({0}, 1));
  EXPECT_EQ(scan.theta, (Values{0, 1, 2, 3}));
  EXPECT_EQ(read_hdf5_scan_slice<double>(path, 0, {}, {"/flat/data"}).white, (Values{3, 4, 5}));
}

TEST(NexusScan, axes_may_have_another_order) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    Hdf5Writer file(path);
    // rows x frames x columns
    Values values;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t f = 0; f < 8; ++f)
        for (std::size_t c = 0; c < columns; ++c)
          values.push_back(frames(8)[(f * rows + r) * columns + c]);
    file.put("/entry/data/data", {rows, 8, columns}, values, H5T_STD_U16LE);
    file.put("/entry/data/image_key", {8}, key, H5T_STD_I32LE);
    file.put("/entry/data/rotation_angle", {8}, angle, H5T_IEEE_F64LE);
    file.put_attribute("/entry/data/rotation_angle", "units", "deg");
  }
  const Hdf5Layout layout{.order = {ScanAxis::rows, ScanAxis::views, ScanAxis::detectors}};
  for (const std::size_t row : {0, 1})
    expect_scan(read_hdf5_scan_slice<double>(path, row, {}, layout), row);
  EXPECT_EQ(read_hdf5_scan_info(path, layout).shape, (std::vector<std::size_t>{rows, 3, columns}));
}

TEST(NexusScan, angles_may_be_those_of_the_views_alone) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  Places places;
  places.angle = "";
  {
    Hdf5Writer file(path);
    write_scan(file, places);
    file.put("/entry/sample/rotation_angle", {3}, {1, 2, 3}, H5T_IEEE_F64LE);
  }
  EXPECT_EQ(read_hdf5_scan_slice<double>(path, 0).theta, (Values{1, 2, 3}));
  {
    Hdf5Writer file(path);
    write_scan(file, places);
    file.put("/entry/sample/rotation_angle", {5}, {1, 2, 3, 4, 5}, H5T_IEEE_F64LE);
  }
  expect_input_error([&] { read_hdf5_scan_slice<double>(path, 0); }, "/entry/sample/rotation_angle",
                     "5 angles", "3 views in 8 frames");
}

TEST(NexusScan, lists_that_do_not_fit_are_refused_with_both_names) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  const auto read = [&] { read_hdf5_scan_slice<double>(path, 0); };
  const auto with_key = [&](const Values& keys) {
    Hdf5Writer file(path);
    write_scan(file, {}, keys);
  };
  with_key({0, 0, 0});
  expect_input_error(read, "dataset /entry/instrument/detector/image_key: has 3 values",
                     "/entry/instrument/detector/data has 8 frames");
  // The key of a copy of the frames.
  {
    Hdf5Writer file(path);
    write_scan(file, {"/entry/data/data", Places().image_key, ""}, {0, 0, 0});
  }
  expect_input_error([&] { read_hdf5_scan_slice<double>(path, 0, {}, {"/entry/data/data"}); },
                     "image_key: has 3 values", "/entry/data/data has 8 frames");
  EXPECT_EQ(read_hdf5_scan_slice<double>(path, 0, {}, {"/entry/data/data", "none"}).views, 8U);
  with_key({0, 0, 0, 7, 0, 0, 0, 0});
  expect_input_error(read, "image_key: value 3", "is 7", "expected 0 (view), 1 (flat)");
  with_key({1, 1, 1, 1, 1, 2, 2, 2});
  expect_input_error(read, "image_key: calls none of the 8 frames a view");
  expect_input_error(
      [&] {
        read_hdf5_scan_slice<double>(path, 0, {}, {"auto", "/entry/key"});
      },
      "dataset /entry/key: is missing");
}

TEST(NexusScan, several_scans_must_be_named) {
  const TemporaryFolder folder;
  const auto path = folder / "a.nxs";
  {
    Hdf5Writer file(path);
    for (const std::string entry : {"/entry0000", "/entry0001"}) {
      write_scan(file, {entry + "/instrument/detector/data",
                        entry + "/instrument/detector/image_key", entry + "/rotation_angle"});
      // Statistics of each frame are not frames.
      file.put((entry + "/instrument/detector/statistics").c_str(), {8, 2}, Values(16, 1));
    }
  }
  expect_input_error([&] { read_hdf5_scan_info(path); }, "holds several scans",
                     "/entry0000/instrument/detector/data, /entry0001/instrument/detector/data");
  const auto info = read_hdf5_scan_info(path, {"/entry0001/instrument/detector/data"});
  EXPECT_EQ(info.paths.theta, "/entry0001/rotation_angle");
}

TEST(NexusScan, a_file_without_a_scan_is_refused_with_its_datasets) {
  const TemporaryFolder folder;
  {
    Hdf5Writer file(folder / "a.nxs");
    file.put("/entry/frames", {8, rows, columns}, frames(8));
  }
  expect_input_error([&] { read_hdf5_scan_info(folder / "a.nxs"); }, "dataset /exchange/data",
                     "no NXtomo scan, which has a dataset image_key",
                     "the file holds /entry/frames");
}

TEST(NexusScan, an_unknown_filter_is_named) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  const auto read = [&] { read_hdf5_scan_slice<double>(path, 0, {}, {"/data"}); };
  { Hdf5Writer(path).put_filtered("/data", {4, rows, columns}, 32000); }
  expect_input_error(read, "dataset /data: cannot be read", "the filter lzf, number 32000",
                     "h5repack -f GZIP=4");
  { Hdf5Writer(path).put_filtered("/data", {4, rows, columns}, 499); }
  expect_input_error(read, "the filter number 499, which is not installed");
}

TEST(NexusScan, fields_may_be_in_a_file_of_their_own) {
  const TemporaryFolder folder;
  const auto path = folder / "fields.h5";
  const auto read = [&](const std::string& dataset, FieldKind kind, FieldAverage how,
                        std::size_t first = 0, std::size_t count = rows) {
    return read_hdf5_field(path, dataset, kind, {rows, columns, first, count}, how);
  };
  const auto flat = FieldKind::flat;
  const auto mean = FieldAverage::mean;
  {
    Hdf5Writer file(path);
    file.put("/a/flats", {4, rows, columns}, frames(4));
    file.put("/a/one", {rows, columns}, frames(1));
    file.put("/a/shared", {columns}, {7, 8, 9});
    file.put("/a/wrong", {4, rows, columns + 1}, Values(4 * rows * (columns + 1), 1));
  }
  EXPECT_EQ(read("/a/flats", flat, mean, 1, 1).values, row_of_frames({1.5}, 1));
  EXPECT_EQ(read("/a/flats", flat, mean).values.size(), rows * columns);
  EXPECT_EQ(read("/a/flats", flat, mean).frames, 4U);
  EXPECT_EQ(read("/a/one", flat, mean, 1, 1).values, row_of_frames({0}, 1));
  EXPECT_EQ(read("/a/shared", flat, mean).values, (Values{7, 8, 9, 7, 8, 9}));
  // Two dimensions are frames for a scan of one row.
  EXPECT_EQ(read_hdf5_field(path, "/a/one", flat, {1, columns, 0, 1}, mean).values,
            (Values{5, 6, 7}));
  expect_input_error([&] { read("/a/wrong", flat, mean); }, "dataset /a/wrong: is 4 x 2 x 4",
                     "expected frames x 2 x 3");
  expect_input_error([&] { read("auto", flat, mean); }, "holds several datasets",
                     "/a/flats, /a/one");
  { Hdf5Writer(path).put("/only", {3, rows, columns}, frames(3)); }
  EXPECT_EQ(read("auto", flat, FieldAverage::median, 0, 1).values, row_of_frames({1}, 0));
  // Frames of an NXtomo scan.
  {
    Hdf5Writer file(path);
    write_scan(file, {});
  }
  EXPECT_EQ(read("auto", flat, FieldAverage::median, 0, 1).values, row_of_frames({2}, 0));
  EXPECT_EQ(read("auto", FieldKind::dark, mean, 1, 1).values, row_of_frames({0}, 1));
  {
    Hdf5Writer file(path);
    write_scan(file, {}, {0, 0, 0, 0, 0, 0, 0, 1});
  }
  expect_input_error([&] { read("auto", FieldKind::dark, mean); }, "has no dark frames");
}

#else

TEST(NexusScan, fields_are_refused_in_a_build_without_hdf5) {
  expect_input_error([] { read_hdf5_field("a.h5", "auto", FieldKind::flat, {}); },
                     "built without HDF5");
}

#endif

}  // namespace
