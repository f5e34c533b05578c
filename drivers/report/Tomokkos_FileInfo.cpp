// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileInfo.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace Tomokkos {

void add_array_info(const std::string& file, Description& result) {
  const NpyInfo info = read_npy_info(file);
  result.set("format", "npy");
  result.set("shape", info.shape);
  result.set("type", info.type);
  ReadOptions options;
  options.allow_non_finite = true;
  const HostArray<double> array = read_npy<double>(file, options);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0;
  std::uint64_t finite = 0;
  for (const double value : array.data) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++finite;
  }
  if (finite > 0) {
    result.set("min", low);
    result.set("mean", sum / static_cast<double>(finite));
    result.set("max", high);
  }
  result.set("not_finite", array.data.size() - finite);
}

void add_scan_info(const std::string& file, Description& result) {
  const Hdf5ScanInfo info = read_hdf5_scan_info(file);
  result.set("format", "hdf5 (DXchange)");
  result.set("views", info.views);
  result.set("slices", info.rows);
  result.set("detectors", info.columns);
  result.set("flat", info.has_white);
  result.set("dark", info.has_dark);
  result.set("theta", info.has_theta);
}

}  // namespace Tomokkos
