// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Lists slices for a message: `slice 3`, `slices 3, 4, 9`.
inline std::string list_of(const std::vector<std::size_t>& slices) {
  constexpr std::size_t most_listed = 10;
  std::string text = slices.size() > 1 ? "slices " : "slice ";
  for (std::size_t i = 0; i < std::min(slices.size(), most_listed); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(slices[i]);
  return text + (slices.size() > most_listed ? ", ..." : "");
}

/// Files of the volume. Partial until they are committed.
template <class Scalar>
class VolumeFiles {
 public:
  /// Creates the files, or continues those of an earlier run after \p done slices.
  void open(const OutputSection& output, const std::array<std::size_t, 3>& shape, int done) {
    for (const ImageFormat& format : image_formats())
      if (output.writes(format) && format.writer.slices != nullptr)
        files_.push_back(std::make_unique<SliceFile<Scalar>>(
            output.directory / ("reconstruction" + std::string(format.extension())),
            *format.writer.slices, shape, static_cast<std::size_t>(done)));
  }
  /// Checks that the files hold the slices that the earlier run has written. Cost: reads these
  /// slices, which is little beside the time that it took to solve them.
  void check(const VolumeProgress& volume) {
    for (const auto& file : files_) {
      const std::string extension = file->destination().extension();
      const auto written = volume.written.find(extension);
      if (written == volume.written.end())
        throw InputError(file->partial().string() +
                         ": the earlier run has not written this file; leave its format out of "
                         "output.image");
      const std::vector<double>& known = fingerprints_[extension] = written->second;
      std::vector<std::size_t> changed;
      for (std::size_t slice = 0; slice < known.size(); ++slice)
        if (file->fingerprint(slice) != known[slice]) changed.push_back(slice);
      if (!changed.empty())
        throw InputError(file->partial().string() + ": " + list_of(changed) +
                         (changed.size() > 1 ? " are" : " is") +
                         " not as the earlier run has written; restore the file, or run with "
                         "--overwrite to start again");
    }
  }
  void write(std::size_t first, std::span<const Scalar> images) {
    for (const auto& file : files_) {
      const std::vector<double> written = file->write(first, images);
      auto& all = fingerprints_[file->destination().extension()];
      all.insert(all.end(), written.begin(), written.end());
    }
  }
  /// Fingerprints of the slices in each file, by its extension.
  const std::map<std::string, std::vector<double>>& fingerprints() const { return fingerprints_; }
  /// Gives the files their names. Returns false if one could not be renamed.
  bool commit(RunOutput& output) const {
    bool are_complete = true;
    for (const auto& file : files_)
      are_complete &= output.write_by(file->destination(), [&] { file->commit(); });
    return are_complete;
  }
  /// Lists the incomplete files as files of the run.
  void list(RunOutput& output) const {
    for (const auto& file : files_) output.add_file(file->partial());
  }

 private:
  std::vector<std::unique_ptr<SliceFile<Scalar>>> files_;
  std::map<std::string, std::vector<double>> fingerprints_;
};

}  // namespace Tomokkos::Impl
