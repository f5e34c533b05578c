// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Png.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief The folder that a run writes to. Files appear whole or not at all; the folder is made
/// with the first of them.
///
/// A file that cannot be written does not end the run: the reason is told on the standard error,
/// the other files are written, and `finish` makes the run fail in the end. A file that the run has
/// read is never replaced.
class RunOutput {
 public:
  static constexpr std::size_t most_pictures = 16;

  /// \param writes false for a rank that leaves that to another one: nothing is checked or written
  explicit RunOutput(const OutputSection& config, bool writes = true)
      : config_(config), writes_(writes) {
    if (writes) return;
    config_.image.clear();
    config_.solution.clear();
  }

  /// \brief Throws `OutputError` when it is plain that nothing can be written there. Leaves nothing
  /// behind.
  void check() const;

  /// \brief The grey levels of images from now on: those of the configuration, else the range of
  /// the phantom, else (an empty \p phantom) percentiles of each image.
  void set_window(std::span<const double> phantom);

  /// \brief Writes `<name>.npy`, `<name>.tif` and `<name>.png`, as far as they are asked for. A
  /// picture needs a shape of two lengths; a stack, of three, is one array, and a picture per slice
  /// (`<name>_slice_000.png`) or, of more than `most_pictures`, that of its middle.
  template <class Scalar>
  void write_image(const std::string& name, std::span<const Scalar> values,
                   const std::vector<std::size_t>& shape);

  /// \brief The same, and the grey levels are the range of the values.
  template <class Scalar>
  void write_sinogram(const std::string& name, std::span<const Scalar> values,
                      const std::vector<std::size_t>& shape);

  /// \brief Writes `<name>.npy` alone, where that is asked for.
  template <class Scalar>
  void write_array(const std::string& name, std::span<const Scalar> values,
                   const std::vector<std::size_t>& shape);

  /// \brief Writes `<name>.png` alone, where pictures are asked for; the grey levels are the range
  /// of the values.
  template <class Scalar>
  void write_projection(const std::string& name, std::span<const Scalar> values, std::size_t rows,
                        std::size_t columns);

  /// \brief Writes `<name>.npy` and `<name>.mtx`, as far as they are asked for.
  template <class Scalar>
  void write_vector(const std::string& name, std::span<const Scalar> values);

  /// \brief The same for \p columns columns, \p values holding one after the other; in the files
  /// they lie side by side.
  template <class Scalar>
  void write_columns(const std::string& name, std::span<const Scalar> values, std::size_t columns);

  void write_report(const ConfigNode& report);

  /// \brief Writes \p file into the folder by calling \p write, as often as it is asked for.
  void write_by(const std::filesystem::path& file, const std::function<void()>& write);

  /// \brief Writes a file of the folder by calling \p write with its path.
  void write_file(const std::string& file,
                  const std::function<void(const std::filesystem::path&)>& write);

  /// \brief Grey levels by file name, and where they come from.
  const Description& windows() const { return windows_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }

  /// \brief Ends the writing: names results of earlier runs that lie in the folder still, and
  /// returns \p status, or `exit_failed` when a file could not be written.
  ///
  /// \param reports_earlier false for a quiet run, and for one that goes on where an earlier one
  /// ended
  int finish(int status, bool reports_earlier) const;

 private:
  template <class Scalar>
  void write(const std::string& name, std::span<const Scalar> values,
             const std::vector<std::size_t>& shape, const PngWindow& window,
             const std::string& rule);
  template <class Scalar>
  void write_tiff_pages(const std::string& name, std::span<const Scalar> values,
                        const std::vector<std::size_t>& shape);
  template <class Scalar>
  void write_picture(const std::string& name, std::span<const Scalar> values, std::size_t rows,
                     std::size_t columns, const PngWindow& window, const std::string& rule);
  /// Writes a file of the folder by `write(path)`; true when it is there.
  template <class Write>
  bool put(const std::string& file, const Write& write);
  void make_folder() const;
  void report_failure(const std::filesystem::path& file, const std::string& reason);

  OutputSection config_;
  bool writes_;
  bool has_phantom_ = false;
  PngWindow phantom_window_;
  Description windows_ = Description::map();
  std::vector<std::filesystem::path> files_;
  std::set<std::filesystem::path> failed_;
};

}  // namespace Tomokkos
