// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that belong together, by the numbers in their names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Files in the order of the numbers in their names, and what the names say about them.
struct FileSeries {
  std::vector<std::filesystem::path> files;
  /// Constant step of a number in the names, in seconds for times hhmmss; empty: there is none.
  std::optional<double> step;
  bool has_numbers = false;  ///< true if a number distinguishes the names
  /// Oddities that do not suit one series: a gap in its numbers, names of another pattern.
  std::vector<std::string> oddities;

  /// \brief Returns number, first name, last name and step: `181, a_1.tif to a_181.tif, step 1`.
  std::string describe() const;
};

/// \brief Sorts \p files by their names, in which numbers are compared as numbers: a_9 is before
/// a_10, angle_-3.5 before angle_2.25. Names without numbers are sorted as texts.
///
/// A sign belongs to a number after `_`, `=` or `(`, or if other names do without it: `tilt-3`
/// beside `tilt0`. A point belongs to it unless the parts after the points count: 1.9 before 1.10.
FileSeries sorted_series(std::vector<std::filesystem::path> files);

/// \brief Finds the files that \p file stands for: the file itself, or with `*` in its name all
/// matching files of its folder, sorted by `sorted_series`.
///
/// \throws InputError if there is none
FileSeries matching_series(const std::filesystem::path& file);

/// \brief Returns only the files of `matching_series`.
std::vector<std::filesystem::path> matching_files(const std::filesystem::path& file);

/// \brief Extension of \p file in lower case: `.tif` for `SCAN.TIF`.
std::string lower_extension(const std::filesystem::path& file);

/// \brief True if the name of \p file contains `*`.
bool is_pattern(const std::filesystem::path& file);

}  // namespace Tomokkos
