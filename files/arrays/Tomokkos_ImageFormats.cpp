// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FileInfo.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Hdf5Listing.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Tiff.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

using Path = std::filesystem::path;

/// Calls \p write with the values, and pages, rows and columns.
template <class Write>
void write_pages(const ImageValues& image, const Write& write) {
  std::visit(
      [&](auto values) {
        const std::size_t rows = image.shape[image.shape.size() - 2], columns = image.shape.back();
        write(values, values.size() / std::max<std::size_t>(1, rows * columns), rows, columns);
      },
      image.values);
}

void write_picture(const Path& path, const ImageValues& image, const PngWindow& levels) {
  write_pages(image, [&](auto values, std::size_t, std::size_t rows, std::size_t columns) {
    write_png(path, values, rows, columns, levels);
  });
}
void write_npy_array(const Path& path, const ImageValues& image, const PngWindow&) {
  std::visit([&](auto values) { write_npy(path, values, image.shape); }, image.values);
}
void write_tiff_pages(const Path& path, const ImageValues& image, const PngWindow&) {
  write_pages(image, [&](auto values, auto... sizes) { write_tiff(path, values, sizes...); });
}
void write_tiff_levels(const Path& path, const ImageValues& image, const PngWindow& levels) {
  write_pages(image,
              [&](auto values, auto... sizes) { write_tiff_16(path, values, sizes..., levels); });
}
void write_hdf5_array(const Path& path, const ImageValues& image, const PngWindow&) {
  std::visit([&](auto values) { write_hdf5(path, values, image.shape); }, image.values);
}

}  // namespace

const std::vector<ImageFormat>& image_formats() {
  using Content = ImageContent;
  static const std::vector<ImageFormat> formats{
      {"png",
       {".png"},
       Content::picture,
       {},
       {write_picture, &png_output, can_write_png, "png needs libpng"}},
      {"npy",
       {".npy"},
       Content::array,
       {".npy", open_npy_array, add_array_info},
       {write_npy_array, &npy_output, nullptr, "", "", &npy_slices}},
      {"", {".npz"}, Content::array, {".npz", open_npz_array, nullptr, true}, {}},
      {"tiff",
       {".tif", ".tiff"},
       Content::images,
       {".tif", open_tiff_images, add_tiff_info},
       {write_tiff_pages, &tiff_output, can_use_tiff, "tiff needs libtiff", "", &tiff_slices}},
      {"tiff16",
       {".tif"},
       Content::images,
       {},
       {write_tiff_levels, &tiff_output, can_use_tiff, "tiff needs libtiff",
        "values stored as 0 and 65535", nullptr, "tiff16 needs the range of all slices; use tiff"}},
      {"hdf5",
       {".h5"},
       Content::array,
       {"HDF5", nullptr, add_hdf5_info, true, is_hdf5_file},
       {write_hdf5_array, &hdf5_output, can_write_hdf5, "hdf5 needs HDF5 and zlib", "",
        &hdf5_slices}}};
  return formats;
}

const ImageFormat* image_format_of(const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  for (const ImageFormat& format : image_formats())
    if (!format.reader.name.empty() &&
        (std::find(format.extensions.begin(), format.extensions.end(), extension) !=
             format.extensions.end() ||
         (format.reader.recognises != nullptr && format.reader.recognises(file))))
      return &format;
  return nullptr;
}

bool holds_names(const std::filesystem::path& file) {
  const ImageFormat* format = image_format_of(file);
  return format != nullptr && format->reader.has_names;
}

std::string list_formats(std::string_view last,
                         const std::function<std::string_view(const ImageFormat&)>& text) {
  std::vector<std::string_view> texts;
  for (const ImageFormat& format : image_formats())
    if (!text(format).empty()) texts.push_back(text(format));
  std::string list;
  for (std::size_t i = 0; i < texts.size(); ++i)
    list.append(i == 0 ? "" : i + 1 < texts.size() ? ", " : last).append(texts[i]);
  return list;
}

}  // namespace Tomokkos
