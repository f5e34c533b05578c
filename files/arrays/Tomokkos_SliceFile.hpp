// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of many images of one size, written a few images at a time.
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Slices x rows x columns.
using SliceExtents = std::array<std::size_t, 3>;

/// \brief Places of the slices in a file.
struct SliceLayout {
  std::string head = {};          ///< bytes before the first slice; empty: a library writes them
  std::uint64_t slice_bytes = 0;  ///< from one slice to the next
  std::uint64_t used_bytes = 0;   ///< those of a slice without what fills it up
  /// Bytes before the values of a slice, which are then in float; empty: there are none.
  std::function<std::string(std::size_t slice)> slice_head = {};
};

/// \brief Format of a `SliceFile`.
struct SliceFormat {
  const OutputKind& kind;
  const OutputKind& partial;  ///< of a file that is not complete, which another run may write
  SliceLayout (*layout)(const SliceExtents& shape, std::size_t value_bytes);
  std::size_t most_slices = std::numeric_limits<std::size_t>::max();
  /// For a library that writes the head: creates the file, or finds it again. Returns the position
  /// of the first value, 0 in a file of another shape or precision.
  std::uint64_t (*create)(const std::filesystem::path&, const SliceExtents&, std::size_t) = nullptr;
  std::uint64_t (*find)(const std::filesystem::path&, const SliceExtents&, std::size_t) = nullptr;
};

extern const SliceFormat npy_slices;   ///< one array in the precision of the values
extern const SliceFormat tiff_slices;  ///< one page for each slice, in float; BigTIFF beyond 4 GB
extern const SliceFormat hdf5_slices;  ///< the dataset `image`, in the precision of the values

/// \brief File of slices x rows x columns values that is written slice by slice and appears when it
/// is complete.
///
/// The values go to `<destination>.partial`. Every slice has a fixed place in it, so a later
/// process can continue a file whose first slices have been written. `commit` renames it. Without
/// `commit` it stays, unless no slice has been written. It is locked as long as the object exists.
///
/// A link that has its name is replaced, and the file behind the link stays.
///
/// \throws InputError if the file has been read, or another kind of file has its name
/// \throws OutputError with the reason given by the system
template <class Scalar>
class SliceFile {
 public:
  /// \brief Creates the partial file, or opens the one that an earlier process has begun.
  ///
  /// \param done slices that the earlier process has written; 0: creates the file
  /// \throws InputError if the file to continue is missing, of another shape or too short;
  /// OutputError, also if another process writes the file, and for HDF5 without its library
  SliceFile(std::filesystem::path destination, const SliceFormat& format, const SliceExtents& shape,
            std::size_t done = 0);
  ~SliceFile();
  SliceFile(const SliceFile&) = delete;
  SliceFile& operator=(const SliceFile&) = delete;

  /// \brief Extension of the file until it is complete, after that of its destination.
  static constexpr const char* partial_extension = ".partial";

  /// \brief Writes slices from \p first on, and waits until they are on the disk.
  ///
  /// \return a fingerprint of the bytes of each slice in the file; `fingerprint` reads it back
  std::vector<double> write(std::size_t first, std::span<const Scalar> values);

  /// \brief Reads a slice of an earlier process and returns its fingerprint.
  ///
  /// \throws InputError if it cannot be read
  double fingerprint(std::size_t slice) const;

  /// \brief Renames the complete file to its destination.
  void commit();

  const std::filesystem::path& destination() const { return destination_; }
  /// \brief Name of the file until it is complete.
  const std::filesystem::path& partial() const { return partial_; }

 private:
  void create();
  void reopen(std::size_t done);
  void lock();
  void require_own_name() const;
  void close();
  void put(std::uint64_t position, const void* data, std::size_t bytes);
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path destination_, partial_;
  const SliceFormat& format_;
  SliceExtents shape_;
  SliceLayout layout_;
  std::uint64_t first_slice_ = 0;  // position of the first slice
  bool is_kept_ = true;            // stays without `commit`
  int descriptor_ = -1;
};

}  // namespace Tomokkos
