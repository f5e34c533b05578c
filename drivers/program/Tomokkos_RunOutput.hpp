// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Png.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Output folder of a run. Files are written completely or not at all. The folder is created
/// with the first file.
///
/// A file that cannot be written does not end the run: the reason is printed to standard error, the
/// other files are written, and `finish` returns a failure. A file that the run has read is never
/// replaced.
class RunOutput {
 public:
  static constexpr std::size_t most_pictures = 16;

  /// \param writes false for ranks other than the first: nothing is checked or written
  explicit RunOutput(const OutputSection& config, bool writes = true)
      : config_(config), writes_(writes) {
    if (writes) return;
    config_.image.clear();
    config_.solution.clear();
  }

  /// \brief Checks that files can be written. Leaves no files or folders behind.
  ///
  /// \throws OutputError if the folder cannot be created or written
  void check() const;

  /// \brief Sets the grey levels of the following images: those of the configuration, otherwise the
  /// range of \p phantom, otherwise (if it is empty) percentiles of each image.
  void set_window(std::span<const double> phantom);

  /// \brief Writes `<name>` in all configured formats. A stack (three
  /// dimensions) is one array with a picture per slice (`<name>_slice_000.png`), or only a picture
  /// of the middle slice if it has more than `most_pictures` slices.
  template <class Scalar>
  void write_image(const std::string& name, std::span<const Scalar> values,
                   const std::vector<std::size_t>& shape);

  /// \brief Writes the pictures of slices of a volume of \p shape, from \p first on: those that
  /// `write_image` writes of a stack. Grey levels are those of each slice.
  template <class Scalar>
  void write_pictures_of_slab(const std::string& name, std::span<const Scalar> values,
                              const std::array<std::size_t, 3>& shape, std::size_t first);

  /// \brief Creates the folder.
  ///
  /// \throws OutputError
  void make_folder() const;

  /// \brief Writes the same files as `write_image`, with the range of the values as grey levels.
  template <class Scalar>
  void write_sinogram(const std::string& name, std::span<const Scalar> values,
                      const std::vector<std::size_t>& shape);

  /// \brief Writes `<name>` only in configured formats of this content, which is no picture.
  template <class Scalar>
  void write_as(ImageContent content, const std::string& name, std::span<const Scalar> values,
                const std::vector<std::size_t>& shape);

  /// \brief Writes only pictures, if configured, with the range of the values as grey levels.
  template <class Scalar>
  void write_projection(const std::string& name, std::span<const Scalar> values, std::size_t rows,
                        std::size_t columns);

  /// \brief Writes \p columns columns to `<name>.npy` and `<name>.mtx`, as configured. In \p values
  /// columns follow each other; in the files they are side by side.
  template <class Scalar>
  void write_columns(const std::string& name, std::span<const Scalar> values, std::size_t columns);

  /// \param report text in YAML
  void write_report(const std::string& report);

  /// \brief Writes \p file by calling \p write. May be called repeatedly for the same file. Returns
  /// false after a failure, which it has reported.
  bool write_by(const std::filesystem::path& file, const std::function<void()>& write);

  /// \brief Adds a file that the run has written by other means to `files`.
  void add_file(const std::filesystem::path& file);

  /// \brief Writes \p file in the folder by calling \p write with its path, as `write_by` does.
  bool write_file(const std::string& file,
                  const std::function<void(const std::filesystem::path&)>& write);

  /// \brief Grey levels by file name, and their source.
  const Description& windows() const { return windows_; }
  const std::vector<std::filesystem::path>& files() const { return files_; }

  /// \brief Finishes the output: warns of results of earlier runs in the folder. Returns \p status,
  /// or `exit_failed` if a file could not be written.
  ///
  /// \param reports_earlier false for a quiet or resumed run, which does not warn
  int finish(int status, bool reports_earlier) const;

 private:
  /// Grey levels of pictures, and their source.
  struct Levels {
    PngWindow window;
    std::string source;
    Description description() const;
  };
  template <class Scalar>
  Levels levels_of(std::span<const Scalar> image) const;
  template <class Scalar>
  void write(const std::string& name, std::span<const Scalar> values,
             const std::vector<std::size_t>& shape, const Levels& levels);
  template <class Scalar>
  void write_picture(const std::string& name, std::span<const Scalar> values, std::size_t rows,
                     std::size_t columns, const Levels& levels);

  OutputSection config_;
  bool writes_;
  std::optional<PngWindow> phantom_window_;
  Description windows_ = Description::map();
  std::vector<std::filesystem::path> files_;
  std::set<std::filesystem::path> failed_;
};

}  // namespace Tomokkos
