// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Hdf5Listing.hpp>

#include "FileTesting.hpp"
#include "Hdf5Testing.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(Hdf5Listing, files_are_known_by_their_signature_or_extension) {
  const TemporaryFolder folder;
  for (const char* name : {"a.h5", "a.hdf5", "a.HDF", "a.nxs", "a.nx", "a.hspy"})
    EXPECT_TRUE(is_hdf5_file(folder / name)) << name;
  for (const char* name : {"a.npy", "a.tif", "scan_*.tif", "a", "a.h5.gz"})
    EXPECT_FALSE(is_hdf5_file(folder / name)) << name;
  const std::string signature("\x89HDF\r\n\x1a\n", 8);
  write_bytes(folder / "a.dat", signature + "rest");
  EXPECT_TRUE(is_hdf5_file(folder / "a.dat"));
  // The signature may follow a block of another use.
  write_bytes(folder / "a.dat", std::string(1024, ' ') + signature);
  EXPECT_TRUE(is_hdf5_file(folder / "a.dat"));
  write_bytes(folder / "a.dat", std::string(700, ' ') + signature);
  EXPECT_FALSE(is_hdf5_file(folder / "a.dat"));
  write_bytes(folder / "a.dat", "\x89HDF");
  EXPECT_FALSE(is_hdf5_file(folder / "a.dat"));
  EXPECT_FALSE(is_hdf5_file(folder.path()));
}

#if defined(TOMOKKOS_TEST_HDF5)

TEST(Hdf5Listing, datasets_are_listed_with_shape_type_and_attributes) {
  const TemporaryFolder folder;
  {
    Hdf5Writer file(folder / "a.h5");
    file.put("/entry/detector/data", {2, 3}, {1, 2, 3, 4, 5, 6}, H5T_STD_U16LE);
    file.put("/entry/angle", {2}, {0, 90}, H5T_IEEE_F64BE);
    file.put_attribute("/entry/angle", "units", "deg");
    file.put_text("/entry/title", "tooth");
    file.soft_link("/entry/signal", "detector/data");
    file.soft_link("/entry/group", "/entry/detector");
    file.soft_link("/entry/lost", "/nowhere");
    file.link_to_file("/entry/other", "other.h5", "/a/b");
  }
  const std::vector<Hdf5Item> items = list_hdf5(folder / "a.h5");
  const auto find = [&](const std::string& path) {
    for (const Hdf5Item& item : items)
      if (item.path == path) return item;
    ADD_FAILURE() << path;
    return Hdf5Item();
  };
  EXPECT_EQ(items.size(), 6U);  // groups and links to groups are not listed
  EXPECT_EQ(find("/entry/detector/data").shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(find("/entry/detector/data").type, "uint16");
  EXPECT_TRUE(find("/entry/detector/data").link.empty());
  EXPECT_EQ(find("/entry/angle").type, "float64, big-endian");
  ASSERT_EQ(find("/entry/angle").attributes.size(), 1U);
  EXPECT_EQ(find("/entry/angle").attributes[0],
            std::pair(std::string("units"), std::string("deg")));
  EXPECT_EQ(find("/entry/title").type, "text");
  EXPECT_TRUE(find("/entry/title").shape.empty());
  EXPECT_EQ(find("/entry/signal").link, "detector/data");
  EXPECT_EQ(find("/entry/signal").type, "uint16");
  EXPECT_EQ(find("/entry/lost").link, "/nowhere");
  EXPECT_EQ(find("/entry/lost").type, "");
  EXPECT_EQ(find("/entry/other").link, "other.h5:/a/b");
  EXPECT_EQ(list_hdf5(folder / "a.h5", 2).size(), 2U);
}

TEST(Hdf5Listing, images_of_the_program_are_listed) {
  const TemporaryFolder folder;
  write_hdf5<float>(folder / "a.h5", std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  const std::vector<Hdf5Item> items = list_hdf5(folder / "a.h5");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].path, "/image");
  EXPECT_EQ(items[0].type, "float32");
}

TEST(Hdf5Listing, damaged_files_are_refused) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.h5", "not HDF5");
  expect_input_error([&] { list_hdf5(folder / "a.h5"); }, "a.h5", "not a readable HDF5 file");
}

#endif

}  // namespace
