// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files library built without libpng, libtiff, zlib, libzip, HDF5 and libarchive. A format that
// needs one of them is refused with its name, and all other formats work.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_Png.hpp>
#include <Tomokkos_Tiff.hpp>
#include <span>
#include <string>
#include <vector>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class Refusal, class Action>
void expect_refused(const Action& action, const std::string& library) {
  try {
    action();
    ADD_FAILURE() << library << ": not refused";
  } catch (const Refusal& error) {
    EXPECT_NE(std::string(error.what()).find("built without " + library), std::string::npos)
        << error.what();
  }
}

TEST(WithoutLibraries, formats_are_refused_with_the_name_of_the_library) {
  const TemporaryFolder folder;
  const std::vector<double> values{1, 2, 3, 4};
  EXPECT_FALSE(can_write_png());
  EXPECT_FALSE(can_write_npz());
  EXPECT_FALSE(can_use_tiff());
  EXPECT_FALSE(can_write_hdf5());
  expect_refused<OutputError>([&] { write_tiff<double>(folder / "a.tif", values, 1, 2, 2); },
                              "libtiff");
  expect_refused<InputError>([&] { read_tiff_info({folder / "a.tif"}); }, "libtiff");
  expect_refused<OutputError>(
      [&] {
        write_png<double>(folder / "a.png", values, 2, 2, PngWindow{0, 1});
      },
      "libpng");
  expect_refused<OutputError>(
      [&] {
        write_npz(folder / "a.npz", {{"a", {4}, std::span<const double>(values)}});
      },
      "libzip");
  expect_refused<OutputError>([&] { write_hdf5<double>(folder / "a.h5", values, {2, 2}); }, "HDF5");
  for (const char* name : {"a.npz", "a.mtx.gz", "a.tar.gz", "a.h5"})
    write_bytes(folder / name, "anything");
  expect_refused<InputError>([&] { read_npz_array<double>(folder / "a.npz", "a"); }, "libzip");
  expect_refused<InputError>([&] { read_matrix<double>(folder / "a.mtx.gz"); }, "zlib");
  expect_refused<InputError>([&] { read_matrix<double>(folder / "a.tar.gz"); }, "libarchive");
  expect_refused<InputError>([&] { read_hdf5_scan_info(folder / "a.h5"); }, "HDF5");
  EXPECT_EQ(folder.count(), 4u);
}

TEST(WithoutLibraries, other_formats_work) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3.5\n");
  const auto A = read_matrix<double>(folder / "a.mtx");
  EXPECT_EQ(A.num_nonzeros(), 1);
  EXPECT_EQ(A.values(0), 3.5);
}

}  // namespace
