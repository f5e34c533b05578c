// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <string>

#if defined(TOMOKKOS_HAVE_HDF5)

#include <impl/Tomokkos_Hdf5Storage.hpp>

namespace Tomokkos {
namespace {

using Handle = Impl::Hdf5Handle;

constexpr const char* dataset_name = "image";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw OutputError("cannot write '" + path.string() + "': " + what);
}

/// Creates the dataset. Its place in the file is reserved at once, and nothing is written there.
Handle create_dataset(hid_t file, const std::vector<std::size_t>& shape, hid_t type) {
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                     H5Sclose);
  const Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!space.valid() || !list.valid() || H5Pset_alloc_time(list.id(), H5D_ALLOC_TIME_EARLY) < 0 ||
      H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER) < 0 ||
      // Equal images have equal files.
      H5Pset_obj_track_times(list.id(), false) < 0)
    return {H5I_INVALID_HID, H5Dclose};
  return {H5Dcreate2(file, dataset_name, type, space.id(), H5P_DEFAULT, list.id(), H5P_DEFAULT),
          H5Dclose};
}

hid_t type_of(std::size_t value_bytes) {
  return value_bytes == sizeof(float) ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

/// Position of the first value; 0 if the dataset has none.
std::uint64_t position_of(const Handle& dataset) {
  const haddr_t position = dataset.valid() ? H5Dget_offset(dataset.id()) : HADDR_UNDEF;
  return position == HADDR_UNDEF ? 0 : position;
}

}  // namespace

bool can_write_hdf5() { return true; }

const OutputKind hdf5_output{
    "an HDF5 file with the dataset image", [](const std::filesystem::path& path) {
      const Impl::Hdf5Access access;
      const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
      return file.valid() && H5Lexists(file.id(), dataset_name, H5P_DEFAULT) > 0;
    }};

template <class Scalar>
void write_hdf5(const std::filesystem::path& path, std::span<const Scalar> data,
                const std::vector<std::size_t>& shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  require_equal("values of " + path.string(), static_cast<long long>(data.size()), "its shape",
                static_cast<long long>(size));
  AtomicFile destination(path, hdf5_output);
  Impl::require_memory(2 * data.size_bytes(), path.string() + ": writing it needs");
  std::vector<char> bytes;
  {
    const Impl::Hdf5Access access;
    const Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // A file in memory, which grows by a megabyte and is not stored.
    if (!list.valid() || H5Pset_fapl_core(list.id(), std::size_t{1} << 20, false) < 0)
      fail(path, "the HDF5 library cannot assemble a file in memory");
    const Handle file(H5Fcreate("image.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list.id()), H5Fclose);
    const Handle dataset = create_dataset(file.id(), shape, type_of(sizeof(Scalar)));
    if (!dataset.valid() ||
        H5Dwrite(dataset.id(), type_of(sizeof(Scalar)), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 data.data()) < 0 ||
        H5Fflush(file.id(), H5F_SCOPE_LOCAL) < 0)
      fail(path, "the HDF5 library cannot assemble the file");
    const ssize_t length = H5Fget_file_image(file.id(), nullptr, 0);
    bytes.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    if (length <= 0 || H5Fget_file_image(file.id(), bytes.data(), bytes.size()) != length)
      fail(path, "the HDF5 library cannot assemble the file");
  }
  destination.write(bytes.data(), bytes.size());
  destination.commit();
}

namespace {

/// Creates a file whose dataset has a place for its values, without gaps, but no values yet.
std::uint64_t create_slices(const std::filesystem::path& path, const SliceExtents& shape,
                            std::size_t value_bytes) {
  const Impl::Hdf5Access access;
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const std::uint64_t position =
      position_of(create_dataset(file, {shape.begin(), shape.end()}, type_of(value_bytes)));
  // The library writes the file when it is closed.
  if (file < 0 || H5Fclose(file) < 0 || position == 0)
    fail(path, "the HDF5 library cannot create the file");
  return position;
}

std::uint64_t find_slices(const std::filesystem::path& path, const SliceExtents& shape,
                          std::size_t value_bytes) {
  const Impl::Hdf5Access access;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.valid()) return 0;
  const Handle dataset(H5Dopen2(file.id(), dataset_name, H5P_DEFAULT), H5Dclose);
  if (!dataset.valid()) return 0;
  const Handle type(H5Dget_type(dataset.id()), H5Tclose);
  const std::optional<Impl::Hdf5Extents> found = Impl::hdf5_extents(dataset.id());
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  if (!found || found->extents != extents || !type.valid() ||
      H5Tequal(type.id(), type_of(value_bytes)) <= 0)
    return 0;
  return position_of(dataset);
}

}  // namespace

#else

namespace Tomokkos {
namespace {
[[noreturn]] void fail(const std::filesystem::path& path) {
  throw OutputError("cannot write '" + path.string() + "': this library was built without HDF5");
}
}  // namespace

bool can_write_hdf5() { return false; }

const OutputKind hdf5_output{"an HDF5 file with the dataset image",
                             [](const std::filesystem::path&) { return false; }};

template <class Scalar>
void write_hdf5(const std::filesystem::path& path, std::span<const Scalar>,
                const std::vector<std::size_t>&) {
  fail(path);
}

namespace {
std::uint64_t create_slices(const std::filesystem::path& path, const SliceExtents&, std::size_t) {
  fail(path);
}
constexpr auto find_slices = create_slices;
}  // namespace

#endif

namespace {

SliceLayout layout_of_hdf5(const SliceExtents& shape, std::size_t value_bytes) {
  const std::uint64_t bytes = shape[1] * shape[2] * value_bytes;
  return {"", bytes, bytes};
}

// The library does not open a file that another run is writing.
const OutputKind partial_output{"an HDF5 file", [](const std::filesystem::path& file) {
                                  return Impl::first_bytes(file, 8) == "\x89HDF\r\n\x1a\n";
                                }};

}  // namespace

const SliceFormat hdf5_slices{.kind = hdf5_output,
                              .partial = partial_output,
                              .layout = layout_of_hdf5,
                              .create = create_slices,
                              .find = find_slices};

#define TOMOKKOS_INSTANTIATE(Scalar)                                              \
  template void write_hdf5(const std::filesystem::path&, std::span<const Scalar>, \
                           const std::vector<std::size_t>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
