// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the values of an HDF5 dataset lie, and whether all of them are there: what was never
// written would be read as fill values, and an acquisition that was broken off would look like a
// dark scan.
#pragma once

// For the sources of this library that know where HDF5 is; to all others it is empty.
#if defined(TOMOKKOS_HAVE_HDF5)

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// An identifier of the library, closed at the end.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Bytes of the file that holds \p dataset, which is another one than was opened where a link leads
/// out of it; nothing (0) where none says how many values there can be.
inline std::uint64_t hdf5_file_bytes(hid_t dataset) {
  const Hdf5Handle file(H5Iget_file_id(dataset), H5Fclose);
  hsize_t bytes = 0;
  return file.valid() && H5Fget_filesize(file.id(), &bytes) >= 0 ? bytes : 0;
}

inline bool is_virtual_hdf5(hid_t dataset) {
  const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  return list.valid() && H5Pget_layout(list.id()) == H5D_VIRTUAL;
}

std::string hdf5_gap(hid_t dataset, const std::filesystem::path& file, int depth = 0);

/// Of a dataset in chunks.
inline std::string gap_of_chunks(hid_t dataset, hid_t list) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (rank < 1) return "cannot be read: damaged";
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank)), chunk(extents);
  H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  hsize_t written = 0;
  // By their number: compressed ones take fewer bytes than they have values, those at the end more.
  if (H5Pget_chunk(list, rank, chunk.data()) != rank ||
      H5Dget_num_chunks(dataset, space.id(), &written) < 0)
    return "cannot be read: damaged";
  hsize_t wanted = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) wanted *= (extents[d] + chunk[d] - 1) / chunk[d];
  if (written == 0 && wanted > 0) return "was never written";
  return written < wanted ? "was written in part only: some of its chunks are missing" : "";
}

/// Of a dataset that is put together from others, each of which must be there, and whole.
inline std::string gap_of_sources(hid_t list, const std::filesystem::path& file, int depth) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(list, &count) < 0) return "cannot be read: damaged";
  if (count == 0) return "was never written";
  for (std::size_t i = 0; i < count; ++i) {
    const auto text_of = [&](auto get) {
      const ssize_t length = get(list, i, nullptr, std::size_t{0});
      std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
      get(list, i, text.data(), text.size());
      text.pop_back();
      return text;
    };
    const std::string name = text_of(H5Pget_virtual_filename);
    const std::string dataset_name = text_of(H5Pget_virtual_dsetname);
    const std::string source = "its source " + name + ":" + dataset_name;
    if (name.find('%') != std::string::npos || dataset_name.find('%') != std::string::npos)
      return source + " is a pattern of names, which is not read";
    std::filesystem::path path = name == "." ? file : std::filesystem::path(name);
    // As the library looks for it.
    if (path.is_relative() && !std::filesystem::exists(path)) path = file.parent_path() / path;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return source + " is missing";
    const Hdf5Handle other(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle dataset(
        other.valid() ? H5Dopen2(other.id(), dataset_name.c_str(), H5P_DEFAULT) : -1, H5Dclose);
    if (!dataset.valid()) return source + " is missing";
    if (const std::string gap = hdf5_gap(dataset.id(), path, depth + 1); !gap.empty())
      return source + " " + gap;
  }
  return "";
}

/// What is wrong with the values of \p dataset, of \p file, as the end of a sentence about it;
/// empty: nothing. Errors of the library are expected to be silent.
inline std::string hdf5_gap(hid_t dataset, const std::filesystem::path& file, int depth) {
  const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  if (!list.valid()) return "cannot be read: damaged";
  if (H5Pget_external_count(list.id()) > 0)
    return "has its values as raw bytes in another file, which is not read";
  switch (H5Pget_layout(list.id())) {
    case H5D_CHUNKED:
      return gap_of_chunks(dataset, list.id());
    case H5D_VIRTUAL:
      return depth < 4 ? gap_of_sources(list.id(), file, depth)
                       : "is put together from datasets that are put together, too often";
    default:
      break;
  }
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (H5Dget_space_status(dataset, &status) < 0 || status == H5D_SPACE_STATUS_ERROR)
    return "cannot be read: damaged";
  return status == H5D_SPACE_STATUS_ALLOCATED ? "" : "was never written";
}

}  // namespace Tomokkos::Impl

#endif
