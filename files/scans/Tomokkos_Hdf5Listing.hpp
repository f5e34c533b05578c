// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contents of HDF5 files of any layout.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief True for HDF5 files, whatever their extension: a file with the signature of HDF5, and any
/// name that ends in .h5, .hdf5, .hdf, .nxs, .nx or .hspy.
bool is_hdf5_file(const std::filesystem::path& file);

/// \brief Dataset, or link to one.
struct Hdf5Item {
  std::string path;
  std::vector<std::size_t> shape;  ///< empty: a single value
  std::string type;                ///< such as `uint16`, `float32` or `text`
  std::string link;                ///< target of a link; empty: not a link
  /// Names and values, as text. Long values are abbreviated.
  std::vector<std::pair<std::string, std::string>> attributes;
};

/// \brief Lists the datasets of an HDF5 file without reading their values. Links to other files are
/// listed, not followed.
///
/// \param most_items number of datasets after which the list ends
/// \throws InputError for a damaged file, and if the library was built without HDF5
std::vector<Hdf5Item> list_hdf5(const std::filesystem::path& path, std::size_t most_items = 1000);

}  // namespace Tomokkos
