// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayFile.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_Tiff.hpp>
#include <utility>

namespace Tomokkos {

namespace {

class NpyFile final : public ArrayFile {
 public:
  NpyFile(std::filesystem::path file, const ReadOptions& options)
      : file_(std::move(file)), options_(options) {}
  std::vector<std::size_t> shape() override { return read_npy_info(file_).shape; }
  std::vector<double> read(std::size_t axis, std::size_t first, std::size_t count) override {
    return read_npy_range<double>(file_, axis, first, count, options_).data;
  }
  bool reads_whole_file(std::size_t axis) override { return axis + 1 == shape().size(); }

 private:
  std::filesystem::path file_;
  ReadOptions options_;
};

/// Array that is read completely.
class WholeArray final : public ArrayFile {
 public:
  explicit WholeArray(HostArray<double> array) : array_(std::move(array)) {}
  std::vector<std::size_t> shape() override { return array_.shape; }
  std::vector<double> read(std::size_t axis, std::size_t first, std::size_t count) override {
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < array_.shape.size(); ++d) inner *= array_.shape[d];
    std::vector<double> part;
    for (std::size_t at = first * inner; at < array_.data.size(); at += array_.shape[axis] * inner)
      part.insert(part.end(), array_.data.begin() + static_cast<std::ptrdiff_t>(at),
                  array_.data.begin() + static_cast<std::ptrdiff_t>(at + count * inner));
    return part;
  }
  bool reads_whole_file(std::size_t) override { return false; }

 private:
  HostArray<double> array_;
};

/// Images of a detector, one for each view, or a single image that is a sinogram.
class TiffFiles final : public ArrayFile {
 public:
  explicit TiffFiles(const std::filesystem::path& file)
      : series_(matching_series(file)), info_(read_tiff_info(series_.files)) {}
  std::vector<std::size_t> shape() override {
    if (info_.pages == 1) return {info_.rows, info_.columns};
    return {info_.pages, info_.rows, info_.columns};
  }
  std::vector<double> read(std::size_t axis, std::size_t first, std::size_t count) override {
    return read_tiff_range(series_.files, axis + (info_.pages == 1 ? 1 : 0), first, count);
  }
  bool reads_whole_file(std::size_t axis) override { return axis > 0; }
  const FileSeries* series() override { return &series_; }
  std::vector<std::string> oddities() override { return info_.oddities; }

 private:
  FileSeries series_;
  TiffInfo info_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_npy_array(const std::filesystem::path& file, const std::string&,
                                          const ReadOptions& options) {
  return std::make_unique<NpyFile>(file, options);
}

std::unique_ptr<ArrayFile> open_npz_array(const std::filesystem::path& file,
                                          const std::string& name, const ReadOptions& options) {
  const std::string array =
      choose_npz_array(file, name, "", "choose one by problem.sinogram.dataset");
  return std::make_unique<WholeArray>(read_npz_array<double>(file, array, options));
}

std::unique_ptr<ArrayFile> open_tiff_images(const std::filesystem::path& file, const std::string&,
                                            const ReadOptions&) {
  return std::make_unique<TiffFiles>(file);
}

std::unique_ptr<ArrayFile> open_array_file(const std::filesystem::path& file,
                                           const std::string& name, const ReadOptions& options) {
  const ImageFormat* format = image_format_of(file);
  const auto open = format != nullptr ? format->reader.open : nullptr;
  return (open != nullptr ? open : open_npy_array)(file, name, options);
}

}  // namespace Tomokkos
