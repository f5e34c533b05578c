// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans in HDF5 files for tests. This header is empty without HDF5.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#define TOMOKKOS_TEST_HDF5

namespace Tomokkos::Testing {

using Shape = std::vector<hsize_t>;

/// Writes a small scan, one dataset at a time, so that each can be made invalid.
class ScanWriter {
 public:
  explicit ScanWriter(const std::filesystem::path& path, const char* group = "/exchange")
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        group_(H5Gcreate2(file_, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) {}
  /// Adds to an open file, and closes it at the end.
  explicit ScanWriter(hid_t file) : file_(file), group_(H5Gopen2(file, "/exchange", H5P_DEFAULT)) {}
  ~ScanWriter() {
    H5Gclose(group_);
    H5Fclose(file_);
  }
  ScanWriter(const ScanWriter&) = delete;
  ScanWriter& operator=(const ScanWriter&) = delete;

  void put(const char* name, const Shape& shape, const std::vector<double>& values,
           hid_t type = H5T_IEEE_F32LE) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t data = H5Dcreate2(group_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) {
      H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    }
    H5Dclose(data);
    H5Sclose(space);
  }
  /// Writes a dataset in chunks, by default of one view each. Only \p written views are written.
  void put_chunks(const char* name, const Shape& shape, hsize_t written,
                  const std::vector<double>& values, Shape chunk = {}, bool compressed = true) {
    const int rank = static_cast<int>(shape.size());
    const hid_t space = H5Screate_simple(rank, shape.data(), nullptr);
    const hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    Shape part = shape;
    part[0] = 1;
    H5Pset_chunk(layout, rank, chunk.empty() ? part.data() : chunk.data());
    if (compressed) H5Pset_deflate(layout, 6);
    const hid_t data =
        H5Dcreate2(group_, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    part[0] = written;
    const Shape start(shape.size(), 0);
    if (written > 0) {
      const hid_t memory = H5Screate_simple(rank, part.data(), nullptr);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr);
      H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values.data());
      H5Sclose(memory);
    }
    H5Dclose(data);
    H5Pclose(layout);
    H5Sclose(space);
  }
  /// Writes a virtual dataset made of consecutive parts of equal length, each `/exchange/data` of a
  /// file.
  void put_virtual(const char* name, const Shape& shape, const std::vector<std::string>& files) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    Shape part = shape, start(shape.size(), 0);
    part[0] /= files.size();
    const hid_t source = H5Screate_simple(static_cast<int>(part.size()), part.data(), nullptr);
    for (const std::string& file : files) {
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr);
      H5Pset_virtual(list, space, file.c_str(), "/exchange/data", source);
      start[0] += part[0];
    }
    H5Sclose(source);
    H5Dclose(H5Dcreate2(group_, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
  }
  /// Writes the values to an external raw file in the same folder.
  void put_external(const char* name, const Shape& shape, const std::string& file) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t bytes = 4;
    for (const hsize_t extent : shape) bytes *= extent;
    H5Pset_external(list, file.c_str(), 0, bytes);
    H5Dclose(H5Dcreate2(group_, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
  }
  void put_link(const char* name, const std::string& file) {
    H5Lcreate_external(file.c_str(), "/exchange/data", group_, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  /// Writes the attribute `units` of a dataset.
  void put_units(const char* name, const std::string& text, bool variable) {
    const hid_t data = H5Dopen2(group_, name, H5P_DEFAULT);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, variable ? H5T_VARIABLE : text.size() + 1);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(data, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    const char* characters = text.c_str();
    H5Awrite(attribute, type, variable ? static_cast<const void*>(&characters) : characters);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(data);
  }
  void put_text(const char* name) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(group_, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(type);
  }

 private:
  hid_t file_;
  hid_t group_;
};

/// Writes a file of any layout. Groups are created on the way.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        links_(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(links_, 1);
  }
  ~Hdf5Writer() {
    H5Pclose(links_);
    H5Fclose(file_);
  }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void put(const char* path, const Shape& shape, const std::vector<double>& values,
           hid_t type = H5T_IEEE_F32LE) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t data = H5Dcreate2(file_, path, type, space, links_, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
  }
  void put_text(const char* path, const std::string& text) {
    const hid_t type = text_type(text), space = H5Screate(H5S_SCALAR);
    const hid_t data = H5Dcreate2(file_, path, type, space, links_, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str());
    H5Dclose(data);
    H5Sclose(space);
    H5Tclose(type);
  }
  /// Writes a text attribute of a dataset or group.
  void put_attribute(const char* path, const char* name, const std::string& text) {
    const hid_t type = text_type(text), space = H5Screate(H5S_SCALAR);
    const hid_t object = H5Oopen(file_, path, H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text.c_str());
    H5Aclose(attribute);
    H5Oclose(object);
    H5Sclose(space);
    H5Tclose(type);
  }
  /// Writes one chunk of a filter that is not installed.
  void put_filtered(const char* path, const Shape& shape, H5Z_filter_t filter) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, static_cast<int>(shape.size()), shape.data());
    H5Pset_filter(list, filter, H5Z_FLAG_OPTIONAL, 0, nullptr);
    const hid_t data = H5Dcreate2(file_, path, H5T_IEEE_F32LE, space, links_, list, H5P_DEFAULT);
    const Shape first(shape.size(), 0);
    const char bytes[] = "compressed";
    H5Dwrite_chunk(data, H5P_DEFAULT, 0, first.data(), sizeof bytes, bytes);
    H5Dclose(data);
    H5Pclose(list);
    H5Sclose(space);
  }
  void soft_link(const char* path, const char* target) {
    H5Lcreate_soft(target, file_, path, links_, H5P_DEFAULT);
  }
  void hard_link(const char* path, const char* target) {
    H5Lcreate_hard(file_, target, file_, path, links_, H5P_DEFAULT);
  }
  void link_to_file(const char* path, const std::string& file, const char* target) {
    H5Lcreate_external(file.c_str(), target, file_, path, links_, H5P_DEFAULT);
  }

 private:
  static hid_t text_type(const std::string& text) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size() + 1);
    return type;
  }
  hid_t file_;
  hid_t links_;
};

}  // namespace Tomokkos::Testing

#endif
