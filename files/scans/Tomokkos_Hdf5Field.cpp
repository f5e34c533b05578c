// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Field.hpp>
#include <algorithm>
#include <array>

#if defined(TOMOKKOS_HAVE_HDF5)

#include <impl/Tomokkos_FindHdf5Scan.hpp>

namespace Tomokkos {

namespace {

using Impl::Hdf5File;
using Impl::Hdf5Frames;

/// Path of a field that is not named: of DXchange, of NXtomo, or the only numbers of the file.
std::string find_field(const Hdf5File& file, FieldKind kind) {
  constexpr std::size_t most_links = 4096, most_named = 16;
  const std::string exchange =
      kind == FieldKind::flat ? "/exchange/data_white" : "/exchange/data_dark";
  if (file.has(exchange)) return exchange;
  if (std::string data = Impl::find_nxtomo_data(file, {}); !data.empty()) return data;
  std::vector<std::string> found;
  for (const Hdf5File::Link& link : file.links(most_links)) {
    if (!link.is_hard || !file.holds_numbers(link.path)) continue;
    const std::size_t rank = file.shape(link.path)->size();
    if (rank >= 1 && rank <= 3) found.push_back(link.path);
  }
  if (found.size() == 1) return found.front();
  std::string all;
  for (std::size_t i = 0; i < std::min(found.size(), most_named); ++i)
    all += (i == 0 ? "" : ", ") + found[i];
  throw InputError(file.path() + ": " +
                   (found.empty() ? "holds no numbers"
                                  : "holds several datasets; name that of the field, {file: " +
                                        file.path() + ", dataset: PATH}; available: " + all));
}

/// Frames of \p name that show a field: those that an `image_key` names, otherwise all.
std::vector<Hdf5Frames> frames_of_field(const Hdf5File& file, const std::string& name,
                                        hsize_t frames, FieldKind kind) {
  Hdf5ScanPaths paths;
  Impl::find_image_key(file, name, frames, "auto", paths);
  if (paths.image_key.empty()) return {{0, frames}};
  const bool is_flat = kind == FieldKind::flat;
  std::vector<Hdf5Frames> runs = Impl::read_frame_kinds(file, paths, frames)
                                     .runs(is_flat ? Impl::FrameKind::flat : Impl::FrameKind::dark);
  if (runs.empty())
    file.fail(name,
              Impl::text("has no {} frames: {} calls none of its {} frames {}",
                         is_flat ? "flat" : "dark", paths.image_key, frames, is_flat ? 1 : 2));
  return runs;
}

}  // namespace

Hdf5Field read_hdf5_field(const std::filesystem::path& path, const std::string& dataset,
                          FieldKind kind, const FieldRows& rows, FieldAverage average) {
  const Hdf5File file(path);
  const std::string name = dataset == "auto"          ? find_field(file, kind)
                           : dataset.starts_with('/') ? dataset
                                                      : "/" + dataset;
  const auto shape = file.shape(name);
  const int rank =
      shape && shape->size() < 3 && !shape->empty() ? static_cast<int>(shape->size()) : 3;
  std::array<hsize_t, 3> extents{};
  const Impl::Hdf5Handle opened = file.open(name, rank, extents.data());
  const bool is_shared = rank == 1;  // one row for all
  const bool is_one_frame = rank == 2 && rows.scan_rows > 1;
  const bool has_rows = rank == 3 || is_one_frame;
  const bool fits = extents[static_cast<std::size_t>(rank) - 1] == rows.columns && extents[0] > 0 &&
                    (!has_rows || extents[rank == 3 ? 1 : 0] == rows.scan_rows) &&
                    (has_rows || is_shared || rows.scan_rows == 1);
  if (!fits) {
    std::string found;
    for (int d = 0; d < rank; ++d)
      found += (d == 0 ? "" : " x ") + std::to_string(extents[static_cast<std::size_t>(d)]);
    file.fail(name, Impl::text("is {}; expected frames x {} x {}{}, or {} values for all rows, to "
                               "match the views of the scan",
                               found, rows.scan_rows, rows.columns,
                               rows.scan_rows == 1
                                   ? Impl::text(", frames x {}", rows.columns)
                                   : Impl::text(", {} x {}", rows.scan_rows, rows.columns),
                               rows.columns));
  }
  std::vector<hsize_t> start(static_cast<std::size_t>(rank), 0);
  std::vector<hsize_t> count(extents.begin(), extents.begin() + rank);
  std::vector<Hdf5Frames> parts{{0, extents[0]}};
  Hdf5Field field;
  field.frames = 1;
  if (rank == 3) {
    start[1] = rows.first;
    count[1] = rows.count;
  }
  if (is_one_frame) {
    parts = {{rows.first, rows.count}};
  } else if (!is_shared) {
    parts = frames_of_field(file, name, extents[0], kind);
    field.frames = 0;
    for (const Hdf5Frames& part : parts) field.frames += static_cast<std::size_t>(part.count);
  }
  field.values = file.read_frames<double>(
      name, opened, 0, parts, start, count, true,
      [](std::vector<double>&& box, const auto&) { return std::move(box); });
  if (is_shared) {
    const std::vector<double> row = field.values;
    for (std::size_t i = 1; i < rows.count; ++i)
      field.values.insert(field.values.end(), row.begin(), row.end());
  } else if (!is_one_frame) {
    field.values = average_frames(field.values, rows.count * rows.columns, average);
  }
  return field;
}

}  // namespace Tomokkos

#else

namespace Tomokkos {

Hdf5Field read_hdf5_field(const std::filesystem::path& path, const std::string&, FieldKind,
                          const FieldRows&, FieldAverage) {
  throw InputError(path.string() + ": cannot be read: this library was built without HDF5");
}

}  // namespace Tomokkos

#endif
