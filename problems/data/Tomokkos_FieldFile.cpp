// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayFile.hpp>
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FieldFile.hpp>
#include <Tomokkos_Hdf5Listing.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Npz.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

namespace {

/// Name of the array of an archive that holds a field: the given one, the only one, or the one of a
/// usual name.
std::string array_of_field(const FieldSource& source) {
  return choose_npz_array(
      source.file, source.dataset == "auto" ? "" : source.dataset,
      source.kind == FieldKind::flat ? "flat" : "dark",
      "name that of the field, {file: " + source.file.string() + ", dataset: NAME}; available");
}

}  // namespace

std::vector<double> FieldFile::row(const FieldSource& source, const FieldRows& rows) {
  if (values_.empty() || (!is_shared_ && (rows.first < first_ || rows.first >= first_ + count_)))
    read(source, rows);
  const std::size_t at = is_shared_ ? 0 : (rows.first - first_) * rows.columns;
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, begin + static_cast<std::ptrdiff_t>(rows.columns)};
}

void FieldFile::read(const FieldSource& source, const FieldRows& rows) {
  first_ = rows.first;
  count_ = rows.count;
  is_shared_ = false;
  if (is_hdf5_file(source.file)) {
    Hdf5Field field =
        read_hdf5_field(source.file, source.dataset, source.kind, rows, source.average);
    values_ = std::move(field.values);
    frames_ = field.frames;
  } else {
    read_array(source, rows);
  }
  const auto infinite =
      std::find_if(values_.begin(), values_.end(), [](double value) { return std::isinf(value); });
  if (infinite != values_.end())
    throw InputError(
        source.file.string() + ": the field of element " +
        std::to_string(static_cast<std::size_t>(infinite - values_.begin()) % rows.columns) +
        " (counted from 0) is infinite; use NaN for a value that was not measured");
}

void FieldFile::read_array(const FieldSource& source, const FieldRows& rows) {
  const ImageFormat* format = image_format_of(source.file);
  const bool is_image = format != nullptr && format->content == ImageContent::images;
  const auto array =
      open_array_file(source.file, holds_names(source.file) ? array_of_field(source) : "",
                      {.allow_non_finite = true});
  const std::vector<std::size_t> shape = array->shape();
  const bool has_rows = shape.size() == 3 || (is_image && shape.size() == 2);
  const std::size_t row_axis = shape.size() == 3 ? 1 : 0;
  std::size_t values = 1;
  for (const std::size_t length : shape) values *= length;
  const bool fits = !shape.empty() && shape.size() <= 3 && shape.back() == rows.columns &&
                    values > 0 && (!has_rows || is_image || shape[1] == rows.scan_rows);
  if (!fits) {
    const std::string columns = std::to_string(rows.columns);
    throw InputError(source.file.string() + ": expected " + columns + " values, or frames x " +
                     columns + ", or frames x " + std::to_string(rows.scan_rows) + " x " + columns +
                     ", to match the detectors of the sinogram and its rows; found " +
                     shape_text(shape));
  }
  if (shape.size() == 2 && !has_rows && rows.scan_rows > 1 && shape[0] == rows.scan_rows)
    throw InputError(source.file.string() + ": " + std::to_string(shape[0]) + " x " +
                     std::to_string(rows.columns) +
                     " is one frame of all rows, or as many frames of one row; save array[None] "
                     "for the first, array.mean(0) for the second");
  is_shared_ = !has_rows;
  const std::vector<double> frames =
      has_rows ? array->read(row_axis, first_, count_) : array->read(0, 0, shape[0]);
  const std::size_t length = (has_rows ? count_ : 1) * rows.columns;
  frames_ = frames.size() / length;
  values_ = average_frames(frames, length, source.average);
}

}  // namespace Tomokkos
