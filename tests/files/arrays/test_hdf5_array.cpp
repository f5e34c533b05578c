// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Hdf5Scan.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const Hdf5Layout layout{"/image"};

TEST(Hdf5Array, values_come_back) {
  if (!can_write_hdf5()) GTEST_SKIP() << "skipped: built without HDF5";
  const TemporaryFolder folder;
  std::vector<double> values(4 * 3 * 2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / static_cast<double>(i + 1);
  write_hdf5<double>(folder / "a.h5", values, {4, 3, 2});
  const auto all = read_hdf5_scan_rows<double>(folder / "a.h5", 0, 3, {}, layout);
  EXPECT_EQ(all.views, 4u);
  EXPECT_EQ(all.columns, 2u);
  EXPECT_EQ(all.data, values);
  const std::vector<float> rounded(values.begin(), values.end());
  write_hdf5<float>(folder / "b.h5", rounded, {4, 6});
  EXPECT_EQ(read_hdf5_scan_slice<float>(folder / "b.h5", 0, {}, layout).data, rounded);
  // Equal arrays have equal files.
  write_hdf5<float>(folder / "c.h5", rounded, {4, 6});
  EXPECT_EQ(read_bytes(folder / "b.h5"), read_bytes(folder / "c.h5"));
  EXPECT_THROW(write_hdf5<float>(folder / "d.h5", rounded, {4, 5}), DimensionMismatch);
  EXPECT_THROW(write_hdf5<float>(folder / "none/d.h5", rounded, {4, 6}), OutputError);
  EXPECT_EQ(folder.count(), 3u);
}

}  // namespace
