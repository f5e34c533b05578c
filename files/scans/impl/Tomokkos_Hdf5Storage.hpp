// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that all values of an HDF5 dataset exist. The library reads values that were never written
// as fill values, so an interrupted acquisition would look like a dark scan. Layouts that
// contradict the shape of the dataset are also detected: the library trusts them and would read
// memory beyond a buffer, or unrelated bytes of the file, as values.
#pragma once

// Only for sources of this library that are compiled with HDF5; empty for all others.
#if defined(TOMOKKOS_HAVE_HDF5)

#include <hdf5.h>
#include <zlib.h>

#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {

/// Identifier of the library, closed by the destructor.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Use of the library by one thread at a time. Suppresses its error output, since our messages
/// explain the cause.
class Hdf5Access {
 public:
  Hdf5Access() : lock_(library()) {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Access() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5Access(const Hdf5Access&) = delete;
  Hdf5Access& operator=(const Hdf5Access&) = delete;

 private:
  /// The library may be built without protection against several threads.
  static std::mutex& library() {
    static std::mutex mutex;
    return mutex;
  }
  std::lock_guard<std::mutex> lock_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

template <class T>
hid_t native_hdf5_type() {
  if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  return H5T_NATIVE_DOUBLE;
}

/// Bytes of the file that holds \p dataset, which differs from the opened file if a link leads out
/// of it; 0 if there is no bound on the number of values.
inline std::uint64_t hdf5_file_bytes(hid_t dataset) {
  const Hdf5Handle file(H5Iget_file_id(dataset), H5Fclose);
  hsize_t bytes = 0;
  return file.valid() && H5Fget_filesize(file.id(), &bytes) >= 0 ? bytes : 0;
}

inline bool is_virtual_hdf5(hid_t dataset) {
  const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  return list.valid() && H5Pget_layout(list.id()) == H5D_VIRTUAL;
}

std::string hdf5_missing_part(hid_t dataset, const std::filesystem::path& file, int depth = 0);

/// Shape of a dataset, its maximum shape, and the number of bytes of a value.
struct Hdf5Extents {
  std::vector<hsize_t> extents, largest;
  std::uint64_t value_bytes = 0;
  std::uint64_t bytes = 0;  ///< bytes of all values

  /// "4 x 2 x 5 values of 2 bytes"
  std::string text() const {
    std::string result;
    for (const hsize_t extent : extents)
      result += Impl::text("{}{}", result.empty() ? "" : " x ", extent);
    return Impl::text("{} values of {} bytes", result, value_bytes);
  }
};

/// Reads the shape of a dataset; empty if it cannot be read or exceeds 64 bits.
inline std::optional<Hdf5Extents> hdf5_extents(hid_t dataset) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const int rank = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  if (rank < 1 || !type.valid()) return std::nullopt;
  Hdf5Extents result;
  result.extents.resize(static_cast<std::size_t>(rank));
  result.largest = result.extents;
  H5Sget_simple_extent_dims(space.id(), result.extents.data(), result.largest.data());
  result.value_bytes = H5Tget_size(type.id());
  std::optional<std::uint64_t> bytes = result.value_bytes;
  for (const hsize_t extent : result.extents) {
    bytes = checked_multiply(*bytes, extent);
    if (!bytes) return std::nullopt;
  }
  result.bytes = *bytes;
  return result;
}

/// Decompresses the first chunk of a compressed dataset and counts its bytes, which the library
/// does not compare with the shape of the chunk. All chunks have the same shape, so one is
/// sufficient. Chunks with filters other than deflate, shuffle and checksum are left to the
/// library.
inline std::string gap_of_first_chunk(hid_t dataset, hid_t list, std::uint64_t chunk_bytes) {
  std::uint64_t unpacked = chunk_bytes;
  bool is_deflated = false;
  for (int i = 0; i < H5Pget_nfilters(list); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &values,
                                               nullptr, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_DEFLATE)
      is_deflated = true;
    else if (filter == H5Z_FILTER_FLETCHER32)
      unpacked += is_deflated ? 0 : 4;
    else if (filter != H5Z_FILTER_SHUFFLE)
      return "";
  }
  const std::array<hsize_t, H5S_MAX_RANK> first{};
  hsize_t stored = 0;
  if (!is_deflated || H5Dget_chunk_storage_size(dataset, first.data(), &stored) < 0) return "";
  if (stored > hdf5_file_bytes(dataset)) return "cannot be read: damaged";
  std::vector<Bytef> chunk(static_cast<std::size_t>(stored));
  std::uint32_t skipped_filters = 0;
  if (H5Dread_chunk(dataset, H5P_DEFAULT, first.data(), &skipped_filters, chunk.data()) < 0)
    return "cannot be read: damaged";
  if (skipped_filters != 0) return "";
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return "";
  std::vector<Bytef> part(std::size_t{1} << 16);
  std::uint64_t found = 0;
  int status = Z_OK;
  for (std::size_t begin = 0; begin < chunk.size() && status == Z_OK && found <= unpacked;) {
    const std::size_t length = std::min(chunk.size() - begin, std::size_t{1} << 30);
    stream.next_in = chunk.data() + begin;
    stream.avail_in = static_cast<uInt>(length);
    begin += length;
    do {
      stream.next_out = part.data();
      stream.avail_out = static_cast<uInt>(part.size());
      status = inflate(&stream, Z_NO_FLUSH);
      found += part.size() - stream.avail_out;
    } while (status == Z_OK && stream.avail_out == 0 && found <= unpacked);
  }
  inflateEnd(&stream);
  // The library detects all other errors.
  if (status == Z_STREAM_END ? found == unpacked : found <= unpacked) return "";
  return Impl::text(
      "cannot be read: damaged: its first chunk has {}{} bytes, but its shape requires {}",
      status == Z_STREAM_END ? "" : "more than ", found, unpacked);
}

/// Checks a dataset in chunks.
inline std::string gap_of_chunks(hid_t dataset, hid_t list, const Hdf5Extents& shape) {
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = static_cast<int>(shape.extents.size());
  std::vector<hsize_t> chunk(shape.extents);
  hsize_t written = 0;
  // Checked by number of chunks: compressed chunks have fewer bytes than their values, chunks at
  // the border more.
  if (!space.valid() || H5Pget_chunk(list, rank, chunk.data()) != rank ||
      H5Dget_num_chunks(dataset, space.id(), &written) < 0)
    return "cannot be read: damaged";
  hsize_t wanted = 1;
  std::optional<std::uint64_t> chunk_bytes = shape.value_bytes;
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    // The library writes no chunk that is larger than the maximum shape of its dataset.
    if (chunk[d] == 0 || chunk[d] > shape.largest[d])
      return Impl::text(
          "cannot be read: damaged: a chunk has {} values along dimension {} (counted from 0), but "
          "the "
          "dataset at most {}",
          chunk[d], d, shape.largest[d]);
    wanted *= (shape.extents[d] + chunk[d] - 1) / chunk[d];
    if (chunk_bytes) chunk_bytes = checked_multiply(*chunk_bytes, chunk[d]);
  }
  if (written == 0 && wanted > 0) return "was never written";
  if (written < wanted) return "was written in part only: some of its chunks are missing";
  if (written > wanted)
    return Impl::text("cannot be read: damaged: it has {} chunks, but its shape requires {}",
                      written, wanted);
  if (!chunk_bytes || written == 0) return chunk_bytes ? "" : "cannot be read: damaged";
  if (H5Pget_nfilters(list) > 0) return gap_of_first_chunk(dataset, list, *chunk_bytes);
  if (checked_multiply(written, *chunk_bytes) != H5Dget_storage_size(dataset))
    return Impl::text(
        "cannot be read: damaged: its chunks have {} bytes, which is not the size of {} chunks "
        "of their shape",
        H5Dget_storage_size(dataset), written);
  return "";
}

/// Part of a dataset that is composed of others.
struct Hdf5VirtualSource {
  std::string file, dataset;
  std::filesystem::path path;  ///< of the file

  bool is_pattern() const {
    return file.find('%') != std::string::npos || dataset.find('%') != std::string::npos;
  }
  std::string text() const { return "its source " + file + ":" + dataset; }
};

/// Describes the part \p i of a dataset in \p file.
inline Hdf5VirtualSource hdf5_virtual_source(hid_t list, std::size_t i,
                                             const std::filesystem::path& file) {
  const auto text_of = [&](auto get) {
    const ssize_t length = get(list, i, nullptr, std::size_t{0});
    std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
    get(list, i, text.data(), text.size());
    text.pop_back();
    return text;
  };
  Hdf5VirtualSource source;
  source.file = text_of(H5Pget_virtual_filename);
  source.dataset = text_of(H5Pget_virtual_dsetname);
  source.path = source.file == "." ? file : std::filesystem::path(source.file);
  // The library searches in the same order.
  if (source.path.is_relative() && !std::filesystem::exists(source.path))
    source.path = file.parent_path() / source.path;
  return source;
}

/// Way to open an object of the class \p kind that remembers the files of all external links on the
/// way as files that are read.
inline Hdf5Handle noting_hdf5_links(hid_t kind) {
  const H5L_elink_traverse_t note = [](const char* parent, const char*, const char*, const char*,
                                       unsigned*, hid_t, void*) -> herr_t {
    note_read(std::filesystem::path(parent));
    return 0;
  };
  Hdf5Handle list(H5Pcreate(kind), H5Pclose);
  if (list.valid()) H5Pset_elink_cb(list.id(), note, nullptr);
  return list;
}

/// Remembers the file that holds an open object, which a link may have led to, as one that is read.
inline void note_hdf5_source(hid_t object) {
  const ssize_t length = H5Fget_name(object, nullptr, 0);
  std::string name(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
  if (length <= 0 || H5Fget_name(object, name.data(), name.size()) != length) return;
  name.pop_back();
  note_read(std::filesystem::path(name));
}

/// Checks a dataset composed of others: all of them must exist and be complete.
inline std::string gap_of_sources(hid_t list, const std::filesystem::path& file, int depth) {
  std::size_t count = 0;
  if (H5Pget_virtual_count(list, &count) < 0) return "cannot be read: damaged";
  if (count == 0) return "was never written";
  const Hdf5Handle access = noting_hdf5_links(H5P_DATASET_ACCESS);
  for (std::size_t i = 0; i < count; ++i) {
    const Hdf5VirtualSource source = hdf5_virtual_source(list, i, file);
    if (source.is_pattern())
      return source.text() + " is a pattern of names, which is not supported";
    std::error_code error;
    if (!std::filesystem::is_regular_file(source.path, error)) return source.text() + " is missing";
    const Hdf5Handle other(H5Fopen(source.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle dataset(
        other.valid() ? H5Dopen2(other.id(), source.dataset.c_str(), access.id()) : -1, H5Dclose);
    if (!dataset.valid()) return source.text() + " is missing";
    note_hdf5_source(dataset.id());
    if (const std::string gap = hdf5_missing_part(dataset.id(), source.path, depth + 1);
        !gap.empty())
      return source.text() + " " + gap;
  }
  return "";
}

/// Name of a filter that has been registered with The HDF Group and is in common use, for files
/// that do not hold its name.
inline std::string known_hdf5_filter(H5Z_filter_t filter) {
  switch (filter) {
    case H5Z_FILTER_SZIP:
      return "szip";
    case 307:
      return "bzip2";
    case 32000:
      return "lzf";
    case 32001:
      return "blosc";
    case 32004:
      return "lz4";
    case 32008:
      return "bitshuffle";
    case 32013:
      return "zfp";
    case 32015:
      return "zstd";
    case 32017:
      return "sz";
    case 32026:
      return "blosc2";
    default:
      return "";
  }
}

/// Says which filter of \p dataset in \p file, or of a dataset that it is composed of, is not
/// installed, and what helps; empty if all of them are.
inline std::string hdf5_missing_filter(hid_t dataset, const std::filesystem::path& file,
                                       int depth = 0) {
  const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  if (!list.valid()) return "";
  for (int i = 0; i < H5Pget_nfilters(list.id()); ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 64> stored{};
    const H5Z_filter_t filter = H5Pget_filter2(list.id(), static_cast<unsigned>(i), &flags, &values,
                                               nullptr, stored.size() - 1, stored.data(), nullptr);
    if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
    std::string name = known_hdf5_filter(filter);
    if (name.empty()) name = stored.data();
    for (char& character : name)  // the name comes from the file
      if (static_cast<unsigned char>(character) < ' ') character = '?';
    return Impl::text(
        "it is compressed with the filter {}{}, which is not installed; compress it with gzip, "
        "where the filter is installed (h5repack -f GZIP=4 OLD.h5 NEW.h5, or create_dataset(..., "
        "compression=\"gzip\") in h5py)",
        name.empty() ? "" : name + ", ", Impl::text("number {}", static_cast<int>(filter)));
  }
  std::size_t count = 0;
  if (depth >= 4 || H5Pget_layout(list.id()) != H5D_VIRTUAL ||
      H5Pget_virtual_count(list.id(), &count) < 0)
    return "";
  for (std::size_t i = 0; i < count; ++i) {
    const Hdf5VirtualSource source = hdf5_virtual_source(list.id(), i, file);
    std::error_code error;
    if (source.is_pattern() || !std::filesystem::is_regular_file(source.path, error)) continue;
    const Hdf5Handle other(H5Fopen(source.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    const Hdf5Handle part(
        other.valid() ? H5Dopen2(other.id(), source.dataset.c_str(), H5P_DEFAULT) : -1, H5Dclose);
    if (!part.valid()) continue;
    if (const std::string missing = hdf5_missing_filter(part.id(), source.path, depth + 1);
        !missing.empty())
      return source.text() + ": " + missing;
  }
  return "";
}

/// Describes what is wrong with the values of \p dataset in \p file, as the end of a sentence about
/// it; empty if nothing is wrong. Error output of the library should be suppressed by the caller.
inline std::string hdf5_missing_part(hid_t dataset, const std::filesystem::path& file, int depth) {
  const Hdf5Handle list(H5Dget_create_plist(dataset), H5Pclose);
  if (!list.valid()) return "cannot be read: damaged";
  if (H5Pget_external_count(list.id()) > 0)
    return "stores its values as raw bytes in another file, which is not supported";
  const std::optional<Hdf5Extents> shape = hdf5_extents(dataset);
  if (!shape) return "cannot be read: damaged";
  // The widest number in HDF5 is the long double of some machines.
  constexpr std::uint64_t widest = 16;
  if (shape->value_bytes > widest)
    return Impl::text("cannot be read: damaged: a value has {} bytes, but a number at most {}",
                      shape->value_bytes, widest);
  switch (H5Pget_layout(list.id())) {
    case H5D_CHUNKED:
      return gap_of_chunks(dataset, list.id(), *shape);
    case H5D_VIRTUAL:
      return depth < 4 ? gap_of_sources(list.id(), file, depth)
                       : "is composed of other datasets at too many levels";
    default:
      break;
  }
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (H5Dget_space_status(dataset, &status) < 0 || status == H5D_SPACE_STATUS_ERROR)
    return "cannot be read: damaged";
  if (status != H5D_SPACE_STATUS_ALLOCATED) return "was never written";
  const hsize_t stored = H5Dget_storage_size(dataset);
  return stored == shape->bytes
             ? ""
             : Impl::text("cannot be read: damaged: {} bytes are stored, but it has {}", stored,
                          shape->text());
}

}  // namespace Tomokkos::Impl

#endif
