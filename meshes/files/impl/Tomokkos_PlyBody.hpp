// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a PLY file one by one, whether they are text or binary.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <impl/Tomokkos_MeshText.hpp>
#include <impl/Tomokkos_PlyHeader.hpp>
#include <memory>
#include <string>

namespace Tomokkos::Impl {

/// \brief Values as words; every item of an element is one line.
class PlyTextBody {
 public:
  explicit PlyTextBody(MeshText& text) : text_(text) {}

  void begin_item(const PlyElement& element, std::uint64_t index) {
    do {
      if (!text_.next(line_))
        text_.fail(Impl::text("the file ends after {} of {} items of the element {}", index,
                              element.count, element.name));
      skip_mesh_blanks(line_);
    } while (line_.empty());
  }
  double real(PlyType, const char* what) { return text_.take_coordinate(line_, what); }
  std::int64_t integer(PlyType, const char* what) { return text_.take_integer(line_, what); }
  void pass(PlyType) { text_.pass_number(line_, "value"); }
  void end_item() { text_.expect_line_end(line_); }
  void end_file() {
    while (text_.next(line_)) {
      skip_mesh_blanks(line_);
      if (!line_.empty())
        text_.fail("there is more after the last item: " + quote_mesh_word(line_));
    }
  }
  std::uint64_t remaining() const { return text_.remaining() + 1; }
  [[noreturn]] void fail(const std::string& message) const { text_.fail(message); }

 private:
  MeshText& text_;
  std::string_view line_;
};

/// \brief Values as bytes.
class PlyBinaryBody {
 public:
  PlyBinaryBody(const std::filesystem::path& path, std::uint64_t begin, PlyEncoding encoding)
      : file_(path),
        swapped_((encoding == PlyEncoding::big_endian) ==
                 (std::endian::native == std::endian::little)) {
    file_.skip(begin);
  }

  void begin_item(const PlyElement& element, std::uint64_t) { element_ = &element; }
  double real(PlyType type, const char* what) {
    last_ = position();
    const double value = load(type);
    if (!(value - value == 0)) fail(std::string("the ") + what + " is not finite");
    return value;
  }
  std::int64_t integer(PlyType type, const char*) {
    last_ = position();
    return static_cast<std::int64_t>(load(type));
  }
  void pass(PlyType type) { take(ply_size(type)); }
  void end_item() {}
  void end_file() {
    if (start_ == filled_) file_.expect_end();
    if (start_ != filled_) file_.fail_at(position(), "there are bytes after the last item");
  }
  std::uint64_t remaining() const { return file_.remaining() + (filled_ - start_); }
  /// \brief For the last number.
  [[noreturn]] void fail(const std::string& message) const { file_.fail_at(last_, message); }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

  std::uint64_t position() const { return file_.position() - (filled_ - start_); }

  const unsigned char* take(std::size_t bytes) {
    if (filled_ - start_ < bytes) {
      std::memmove(buffer_.get(), buffer_.get() + start_, filled_ - start_);
      filled_ -= start_;
      start_ = 0;
      filled_ += file_.read_up_to(buffer_.get() + filled_, buffer_bytes - filled_);
      if (filled_ < bytes)
        file_.fail_at(file_.position(), "the file ends within the element " + element_->name);
    }
    const unsigned char* result = buffer_.get() + start_;
    start_ += bytes;
    return result;
  }

  template <class T>
  T load_as() {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), take(sizeof(T)), sizeof(T));
    if (swapped_) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }

  /// Every type fits a double.
  double load(PlyType type) {
    switch (type) {
      case PlyType::int8:
        return load_as<std::int8_t>();
      case PlyType::uint8:
        return load_as<std::uint8_t>();
      case PlyType::int16:
        return load_as<std::int16_t>();
      case PlyType::uint16:
        return load_as<std::uint16_t>();
      case PlyType::int32:
        return load_as<std::int32_t>();
      case PlyType::uint32:
        return load_as<std::uint32_t>();
      case PlyType::float32:
        return load_as<float>();
      case PlyType::float64:
        return load_as<double>();
    }
    return 0;
  }

  InputFile file_;
  std::unique_ptr<unsigned char[]> buffer_ = std::make_unique<unsigned char[]>(buffer_bytes);
  std::size_t start_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t last_ = 0;
  bool swapped_;
  const PlyElement* element_ = nullptr;
};

}  // namespace Tomokkos::Impl
