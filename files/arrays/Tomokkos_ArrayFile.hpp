// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in NumPy files, archives and TIFF images, read in part.
#pragma once

#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Array of numbers in a file, or in many images.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual std::vector<std::size_t> shape() = 0;
  /// \brief Reads \p count entries from \p first on along \p axis, and all along the other axes.
  virtual std::vector<double> read(std::size_t axis, std::size_t first, std::size_t count) = 0;
  /// \brief True if one entry along \p axis takes as long to read as all of them.
  virtual bool reads_whole_file(std::size_t axis) = 0;
  /// \brief The files of images; nullptr for an array in a single file.
  virtual const FileSeries* series() { return nullptr; }
  /// \brief Oddities of the images that do not suit one array: see `TiffInfo`.
  virtual std::vector<std::string> oddities() { return {}; }
};

/// \brief Opens a file of any format of `image_formats`, or the images that a name with `*` stands
/// for: pages x rows x columns, or the rows x columns of a single image.
///
/// \param name array of an archive; empty: the only one
/// \throws InputError if a file or the array is missing
std::unique_ptr<ArrayFile> open_array_file(const std::filesystem::path& file,
                                           const std::string& name, const ReadOptions& options);

// The readers of the formats.
std::unique_ptr<ArrayFile> open_npy_array(const std::filesystem::path& file, const std::string&,
                                          const ReadOptions& options);
std::unique_ptr<ArrayFile> open_npz_array(const std::filesystem::path& file,
                                          const std::string& name, const ReadOptions& options);
std::unique_ptr<ArrayFile> open_tiff_images(const std::filesystem::path& file, const std::string&,
                                            const ReadOptions&);

}  // namespace Tomokkos
