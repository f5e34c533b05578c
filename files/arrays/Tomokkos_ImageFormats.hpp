// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File formats of images and scans. One list says what each can do; programs ask nothing else.
#pragma once

#include <Tomokkos_ArrayFile.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Png.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Contents of one file of a format.
enum class ImageContent {
  array,   ///< an array of any shape
  images,  ///< images of one size, one after the other: a stack or a volume
  picture  ///< a single image in grey levels
};

/// \brief Row-major values to write, in the precision of the run.
struct ImageValues {
  std::variant<std::span<const float>, std::span<const double>> values;
  std::vector<std::size_t> shape;
};

/// \brief Reader of a format. An empty member says that it cannot do this.
struct ImageReader {
  std::string_view name = {};  ///< in messages: `.tif`; empty: the format is not read
  /// Opens the array, by its name if a file holds several.
  std::unique_ptr<ArrayFile> (*open)(const std::filesystem::path&, const std::string& name,
                                     const ReadOptions&) = nullptr;
  /// Describes a file for `tomokkos info`.
  void (*describe)(const std::string& file, Description& result) = nullptr;
  bool has_names = false;  ///< a file holds several arrays by name
  bool (*recognises)(const std::filesystem::path&) = nullptr;  ///< files with other extensions
};

/// \brief Writer of a format. An empty member says that it cannot do this.
struct ImageWriter {
  void (*write)(const std::filesystem::path&, const ImageValues&, const PngWindow&) = nullptr;
  const OutputKind* kind = nullptr;
  bool (*is_available)() = nullptr;     ///< false in a build without the library
  std::string_view needs = {};          ///< names the library: `tiff needs libtiff`
  std::string_view levels = {};         ///< says how the range of the values becomes grey levels
  const SliceFormat* slices = nullptr;  ///< writes a volume slice by slice
  std::string_view not_by_slices = {};  ///< reason why not, for messages
};

/// \brief File format of images or scans.
struct ImageFormat {
  std::string_view name;                     ///< in `output.image`; empty: is not written
  std::vector<std::string_view> extensions;  ///< in lower case; written files have the first one
  ImageContent content;
  ImageReader reader;
  ImageWriter writer;

  std::string_view extension() const { return extensions.front(); }
};

/// \brief All formats, in the order of messages.
const std::vector<ImageFormat>& image_formats();

/// \brief Format in which \p file is read, by its extension or its first bytes; nullptr: none.
const ImageFormat* image_format_of(const std::filesystem::path& file);

/// \brief True if \p file is of a format whose files hold several arrays by name.
bool holds_names(const std::filesystem::path& file);

/// \brief Lists the texts of formats, without empty ones: `png, npy or tiff`.
///
/// \param last text before the last one: ` or `
std::string list_formats(std::string_view last,
                         const std::function<std::string_view(const ImageFormat&)>& text);

}  // namespace Tomokkos
