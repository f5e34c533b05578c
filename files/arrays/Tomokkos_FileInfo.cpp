// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileInfo.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Hdf5Listing.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_Tiff.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace Tomokkos {

namespace {

void add_range(std::span<const double> values, Description& result) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double sum = 0;
  std::uint64_t finite = 0;
  for (const double value : values) {
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
  result.set("not_finite", values.size() - finite);
}

/// Describes the scan that a run would read, if there is one.
void add_scan(const std::string& file, Description& result) {
  Hdf5ScanInfo info;
  try {
    info = read_hdf5_scan_info(file);
  } catch (const InputError& error) {
    result.set("scan", error.what());
    return;
  }
  Description scan = Description::map();
  scan.set("layout", !info.paths.image_key.empty()         ? "NXtomo"
                     : info.paths.data == "/exchange/data" ? "DXchange"
                                                           : "data without an image_key");
  scan.set("dataset", info.paths.data);
  scan.set("views", info.views);
  scan.set("slices", info.rows);
  scan.set("detectors", info.columns);
  scan.set("flat_frames", info.white_frames);
  scan.set("dark_frames", info.dark_frames);
  if (info.left_out > 0) scan.set("invalid_frames", info.left_out);
  if (!info.paths.image_key.empty()) scan.set("image_key", info.paths.image_key);
  scan.set("angles", info.has_theta ? info.paths.theta : "none");
  result.set("scan", std::move(scan));
}

}  // namespace

void add_array_info(const std::string& file, Description& result) {
  const NpyInfo info = read_npy_info(file);
  result.set("format", "npy");
  result.set("shape", info.shape);
  result.set("type", info.type);
  ReadOptions options;
  options.allow_non_finite = true;
  add_range(read_npy<double>(file, options).data, result);
}

void add_hdf5_info(const std::string& file, Description& result) {
  constexpr std::size_t most_items = 500;
  const std::vector<Hdf5Item> items = list_hdf5(file, most_items);
  result.set("format", "hdf5");
  add_scan(file, result);
  Description datasets = Description::list(false);
  for (const Hdf5Item& item : items) {
    Description entry = Description::map(true);
    entry.set("path", item.path);
    if (!item.link.empty()) entry.set("link_to", item.link);
    if (!item.type.empty()) {
      entry.set("shape", item.shape);
      entry.set("type", item.type);
    }
    for (const auto& [name, value] : item.attributes) entry.set("@" + name, value);
    datasets.add(std::move(entry));
  }
  result.set("datasets", std::move(datasets));
  if (items.size() == most_items) result.set("not_listed", "further datasets");
}

void add_tiff_info(const std::string& file, Description& result) {
  // Images that are read to give their range: half a gigabyte in double.
  constexpr std::size_t most_values = std::size_t{1} << 26;
  const std::vector<std::filesystem::path> files = matching_files(file);
  const TiffInfo info = read_tiff_info(files);
  result.set("format", "tiff");
  result.set("files", files.size());
  result.set("images", info.pages);
  result.set("rows", info.rows);
  result.set("columns", info.columns);
  result.set("type", info.type);
  if (info.pages * info.rows * info.columns <= most_values)
    add_range(read_tiff_range(files, 0, 0, info.pages), result);
}

bool is_archive_of_arrays(const std::string& file) {
  const std::vector<std::string> names = npz_array_names(file);
  return std::find(names.begin(), names.end(), "format") == names.end();
}

void add_archive_info(const std::string& file, Description& result) {
  result.set("format", "npz");
  Description arrays = Description::list(false);
  ReadOptions options;
  options.allow_non_finite = true;
  for (const std::string& name : npz_array_names(file)) {
    Description entry = Description::map(true);
    entry.set("name", name);
    try {
      const HostArray<double> array = read_npz_array<double>(file, name, options);
      entry.set("shape", array.shape);
      add_range(array.data, entry);
    } catch (const InputError& error) {
      entry.set("not_read", error.what());
    }
    arrays.add(std::move(entry));
  }
  result.set("arrays", std::move(arrays));
}

}  // namespace Tomokkos
