// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Search for the parts of a scan in an HDF5 file.
#pragma once

// Only for sources of this library that are compiled with HDF5; empty for all others.
#if defined(TOMOKKOS_HAVE_HDF5)

#include <Tomokkos_Hdf5Scan.hpp>
#include <impl/Tomokkos_Hdf5File.hpp>
#include <string>

namespace Tomokkos::Impl {

/// Finds the data that \p layout names, or those of the only scan of the file, and the parts around
/// them. The data exist and have two or three dimensions.
///
/// \throws InputError with the paths that were looked for
Hdf5ScanPaths find_hdf5_scan(const Hdf5File& file, const Hdf5Layout& layout);

/// Finds the list of what each of \p frames frames of \p data is, and the `image_key_control`
/// beside it.
///
/// \throws InputError if there are only lists of another length
void find_image_key(const Hdf5File& file, const std::string& data, hsize_t frames,
                    const std::string& image_key, Hdf5ScanPaths& paths);

/// Kinds of frames. The values are those of `image_key`.
enum class FrameKind { view = 0, flat = 1, dark = 2, invalid = 3 };

/// Frames of a dataset by what they show.
struct FrameKinds {
  hsize_t frames = 0;
  std::vector<FrameKind> kinds;  ///< of each frame; empty: all are views

  std::size_t count(FrameKind kind) const;
  /// Frames of one kind, as runs of consecutive ones.
  std::vector<Hdf5Frames> runs(FrameKind kind) const;
};

/// Reads what each of \p frames frames is. Without a key all are views.
FrameKinds read_frame_kinds(const Hdf5File& file, const Hdf5ScanPaths& paths, hsize_t frames);

/// Dataset of two or three axes, in any order: frames, rows and columns.
class FrameData {
 public:
  FrameData(const Hdf5File& file, std::string path, const AxisOrder& order);
  /// Dataset of two axes that is a single frame: rows and columns.
  static FrameData one_frame(const Hdf5File& file, std::string path);

  const std::string& name() const { return name_; }
  /// Lengths of the axes in the order of the file.
  const std::vector<std::size_t>& shape() const { return shape_; }
  const AxisOrder& order() const { return order_; }
  /// Frames are called views. Two dimensions have one row.
  ScanShape lengths() const { return scan_shape(order_, shape_); }

  /// Reads \p rows rows of some of the frames, from \p first on: frames x rows x columns.
  template <class T>
  std::vector<T> read(const Hdf5File& file, const std::vector<Hdf5Frames>& parts, std::size_t first,
                      std::size_t rows, bool allow_non_finite) const {
    std::vector<hsize_t> start(shape_.size(), 0), count(shape_.begin(), shape_.end());
    if (const auto axis = position_of(ScanAxis::rows, order_)) {
      start[*axis] = first;
      count[*axis] = rows;
    }
    // The rows of a single frame are read like frames.
    const auto axis = position_of(ScanAxis::views, order_);
    return file.read_frames<T>(name_, dataset_, axis.value_or(0),
                               axis ? parts : std::vector<Hdf5Frames>{{first, rows}}, start, count,
                               allow_non_finite,
                               [&](std::vector<T>&& box, const std::vector<std::size_t>& shape) {
                                 return to_scan_order(std::move(box), shape, order_);
                               });
  }

 private:
  std::string name_;
  std::vector<std::size_t> shape_;
  AxisOrder order_;
  Hdf5Handle dataset_{H5I_INVALID_HID, H5Dclose};
};

/// Path of the data of the only NXtomo scan in the file; empty if it has none.
///
/// \throws InputError for several scans
std::string find_nxtomo_data(const Hdf5File& file, const AxisOrder& order);

}  // namespace Tomokkos::Impl

#endif
