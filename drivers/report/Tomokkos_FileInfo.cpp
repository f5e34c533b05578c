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

void add_array_info(const std::string& file, ConfigNode& node) {
  const NpyInfo info = read_npy_info(file);
  node.set("format", ConfigNode::text("npy"));
  node.set("shape", ConfigNode::integers(info.shape));
  node.set("scalar",
           ConfigNode::text(info.precision == FilePrecision::float32 ? "float" : "double"));
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
    node.set("min", ConfigNode::number(low));
    node.set("mean", ConfigNode::number(sum / static_cast<double>(finite)));
    node.set("max", ConfigNode::number(high));
  }
  node.set("not_finite", ConfigNode::integer(array.data.size() - finite));
}

void add_scan_info(const std::string& file, ConfigNode& node) {
  const Hdf5ScanInfo info = read_hdf5_scan_info(file);
  node.set("format", ConfigNode::text("hdf5 (DXchange)"));
  node.set("views", ConfigNode::integer(info.views));
  node.set("slices", ConfigNode::integer(info.rows));
  node.set("detectors", ConfigNode::integer(info.columns));
  node.set("flat", ConfigNode::boolean(info.has_white));
  node.set("dark", ConfigNode::boolean(info.has_dark));
  node.set("theta", ConfigNode::boolean(info.has_theta));
}

}  // namespace Tomokkos
