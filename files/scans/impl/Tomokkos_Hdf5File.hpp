// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Only for sources of this library that are compiled with HDF5; empty for all others.
#if defined(TOMOKKOS_HAVE_HDF5)

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <cmath>
#include <filesystem>
#include <impl/Tomokkos_Hdf5Storage.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Group that holds the object \p path: `/` for `/data`.
std::string hdf5_group_of(const std::string& path);

/// Path of \p name in \p group.
std::string hdf5_path_in(const std::string& group, const std::string& name);

/// Consecutive frames of a dataset: its first dimension.
struct Hdf5Frames {
  hsize_t first, count;
};

/// HDF5 file, open for reading by one thread. Only one file may be open in a thread.
class Hdf5File {
 public:
  /// \throws InputError
  explicit Hdf5File(const std::filesystem::path& path);

  struct Link {
    std::string path;
    bool is_hard = true;  ///< not a soft link, nor one to another file
  };

  /// True if a link of that name exists. Checks the groups first: looking up a path through a
  /// missing group is an error.
  bool has(const std::string& name) const;

  /// Shape of an existing dataset; empty for a single value; nothing for any other object and for
  /// broken links.
  std::optional<std::vector<hsize_t>> shape(const std::string& name) const;
  /// Length of a list: of a dataset of the shape n, or n x 1, as some programs write it. Empty for
  /// another shape.
  std::optional<hsize_t> list_length(const std::string& name) const;

  /// True if the object is a dataset of numbers.
  bool holds_numbers(const std::string& name) const;

  /// Text of a dataset or of an attribute of an object; nothing if it does not exist or is not a
  /// single short text.
  std::optional<std::string> text_dataset(const std::string& name) const;
  std::optional<std::string> text_attribute(const std::string& name, const char* attribute) const;
  bool has_attribute(const std::string& name, const char* attribute) const;

  /// Names in a group, in alphabetical order; at most the first thousand.
  std::vector<std::string> children(const std::string& group) const;

  /// Path of the object that soft links in \p name lead to. Links to other files are not followed.
  std::string target(const std::string& name) const;

  /// Target of the link \p name, for a person to read; empty for a hard link.
  std::string link_text(const std::string& name) const;

  /// True if \p name is a link to another file.
  bool leads_out(const std::string& name) const;

  bool is_group(const std::string& name) const;

  /// True if \p name is a link to a file that is missing or not a regular file, such as a pipe,
  /// which would block the reader.
  bool leads_nowhere(const std::string& name) const;

  /// All links of the file; at most \p most. Soft links and links to other files are not followed.
  std::vector<Link> links(std::size_t most) const;

  /// Number that identifies the dataset \p name: equal for all of its names.
  std::string identity(const std::string& name) const;

  /// The first few datasets of the file that have two or three dimensions, separated by commas.
  std::string datasets() const;

  [[noreturn]] void fail(const std::string& name, const std::string& message) const;

  /// Opens a dataset of numbers with \p rank dimensions and reads its shape.
  Hdf5Handle open(const std::string& name, int rank, hsize_t* extents) const;

  /// Reads boxes of a dataset that differ along one axis, row-major, one after the other, as
  /// numbers of type \p T.
  ///
  /// \param axis axis of the frames of \p parts
  /// \param start, extents box in the other dimensions
  /// \param arrange called with the values and the shape of each part; returns its values in the
  /// wanted order
  template <class T, class Arrange>
  std::vector<T> read_frames(const std::string& name, const Hdf5Handle& dataset, std::size_t axis,
                             const std::vector<Hdf5Frames>& parts,
                             const std::vector<hsize_t>& start, const std::vector<hsize_t>& extents,
                             bool allow_non_finite, const Arrange& arrange) const;

  /// Reads a list: see `list_length`.
  std::vector<double> read_list(const std::string& name, bool allow_non_finite) const;

  const std::string& path() const { return path_; }
  hid_t id() const { return file_.id(); }

 private:
  bool has_link(const std::string& name) const;
  Hdf5Handle open_object(const std::string& name) const;

  Hdf5Access access_;
  std::string path_;
  Hdf5Handle file_;
};

template <class T, class Arrange>
std::vector<T> Hdf5File::read_frames(const std::string& name, const Hdf5Handle& dataset,
                                     std::size_t axis, const std::vector<Hdf5Frames>& parts,
                                     const std::vector<hsize_t>& start,
                                     const std::vector<hsize_t>& extents, bool allow_non_finite,
                                     const Arrange& arrange) const {
  // Compressed data shrink at most by a factor of a thousand. For datasets with values in other
  // files there is no bound.
  const std::uint64_t bytes = hdf5_file_bytes(dataset.id());
  const bool is_bounded = !is_virtual_hdf5(dataset.id());
  hsize_t count = 0;
  for (const Hdf5Frames& part : parts) count += part.count;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto product = d == axis ? count : checked_multiply(count, extents[d]);
    if (!product || (is_bounded && *product / 1032 > bytes))
      fail(name, text("has more values than a file of {} bytes can hold", bytes));
    count = *product;
  }
  if (count == 0) return {};
  if (const std::string gap = hdf5_missing_part(dataset.id(), path_); !gap.empty()) fail(name, gap);
  require_memory(count * sizeof(T), path_ + ": dataset " + name + " needs");
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<T> values;
  for (const Hdf5Frames& part : parts) {
    std::vector<hsize_t> from = start, length = extents;
    from[axis] = part.first;
    length[axis] = part.count;
    std::size_t part_values = 1;
    for (const hsize_t extent : length) part_values *= static_cast<std::size_t>(extent);
    std::vector<T> box(part_values);
    const Hdf5Handle memory(
        H5Screate_simple(static_cast<int>(length.size()), length.data(), nullptr), H5Sclose);
    if (!space.valid() || !memory.valid() ||
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, from.data(), nullptr, length.data(),
                            nullptr) < 0 ||
        H5Dread(dataset.id(), native_hdf5_type<T>(), memory.id(), space.id(), H5P_DEFAULT,
                box.data()) < 0) {
      const std::string filter = hdf5_missing_filter(dataset.id(), path_);
      fail(name, "cannot be read: " + (filter.empty() ? "damaged" : filter));
    }
    box = arrange(std::move(box), std::vector<std::size_t>(length.begin(), length.end()));
    if (parts.size() == 1)
      values = std::move(box);
    else
      values.insert(values.end(), box.begin(), box.end());
  }
  for (std::size_t k = 0; k < values.size() && !allow_non_finite; ++k) {
    if (std::isfinite(values[k])) continue;
    fail(name, "value " + std::to_string(k) +
                   " of the part that is read (counted from 0) is not finite in " +
                   scalar_name<T>() + " precision");
  }
  return values;
}

}  // namespace Tomokkos::Impl

#endif
