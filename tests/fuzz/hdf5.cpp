// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <hdf5.h>

#include <Tomokkos_Hdf5Listing.hpp>
#include <Tomokkos_Hdf5Scan.hpp>

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

bool run(const std::string& bytes) {
  const ScratchFile file("a.h5", bytes);
  accepts([&] { read_hdf5_scan_slice<float>(file.path(), 1); });
  accepts([&] { list_hdf5(file.path()); });
  return accepts([&] {
    const Hdf5ScanInfo info = read_hdf5_scan_info(file.path());
    const auto slice = read_hdf5_scan_slice<double>(file.path(), 0);
    check(slice.views == info.views && slice.data.size() == slice.views * slice.columns,
          "a slice has the values of its shape");
    for (const auto* values : {&slice.data, &slice.white, &slice.dark, &slice.theta})
      check_finite(*values);
    check(slice.white.empty() || slice.white.size() == slice.columns,
          "there is one flat value for each element");
    check(slice.theta.empty() || slice.theta.size() == slice.views,
          "there is one angle for each view");
  });
}

void put(hid_t file, const char* name, std::vector<hsize_t> shape, bool in_chunks) {
  const int rank = static_cast<int>(shape.size());
  const hid_t space = H5Screate_simple(rank, shape.data(), nullptr);
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  std::size_t size = 1;
  for (const hsize_t extent : shape) size *= extent;
  if (in_chunks) {
    shape[0] = 1;
    H5Pset_chunk(list, rank, shape.data());
    H5Pset_deflate(list, 6);
  }
  const hid_t data = H5Dcreate2(file, name, H5T_STD_U16LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  std::vector<int> values(size);
  for (std::size_t k = 0; k < size; ++k) values[k] = static_cast<int>(k);
  H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Pclose(list);
  H5Sclose(space);
}

std::vector<std::string> seeds() {
  std::vector<std::string> result;
  for (const bool in_chunks : {false, true})
    result.push_back(bytes_written("seed.h5", [&](const std::filesystem::path& path) {
      const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
      H5Gclose(H5Gcreate2(file, "/exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      put(file, "/exchange/data", {3, 2, 4}, in_chunks);
      put(file, "/exchange/data_white", {2, 2, 4}, in_chunks);
      put(file, "/exchange/theta", {3}, false);
      H5Fclose(file);
    }));
  result.push_back(bytes_written("seed.h5", [&](const std::filesystem::path& path) {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "/entry", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put(file, "/entry/frames", {4, 2, 4}, false);
    put(file, "/entry/image_key", {4}, false);  // 0 1 2 3
    put(file, "/entry/rotation_angle", {4}, false);
    H5Lcreate_soft("/entry/frames", file, "/data", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
  }));
  return result;
}

TOMOKKOS_FUZZ_TARGET(hdf5, run, seeds);

}  // namespace
