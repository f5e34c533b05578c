// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources of bytes for the readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace Tomokkos::Impl {

/// \brief Sequence of bytes that is read once, from the beginning. Its length is known, or bounded
/// if it is decompressed while it is read.
class ByteSource {
 public:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// \brief Name for messages.
  const std::string& name() const { return name_; }
  /// \brief Length in bytes, or an upper bound.
  std::uint64_t size() const { return size_; }
  /// \brief Number of bytes read so far.
  std::uint64_t position() const { return position_; }
  /// \brief Number of remaining bytes, or an upper bound.
  std::uint64_t remaining() const { return size_ > position_ ? size_ - position_ : 0; }

  /// \brief Reads up to \p bytes bytes; fewer only at the end. Returns their number.
  std::size_t read_up_to(void* buffer, std::size_t bytes);
  /// \brief Reads \p bytes bytes or throws `InputError`; \p what names them in the message.
  void read_exactly(void* buffer, std::size_t bytes, std::string_view what);
  /// \brief Skips \p bytes bytes, or throws `InputError` if there are not enough. Files skip
  /// without reading.
  void skip(std::uint64_t bytes);
  /// \brief Throws `InputError` unless everything has been read.
  void expect_end();
  /// \brief Throws `InputError` with the position \p where.
  [[noreturn]] void fail_at(std::uint64_t where, const std::string& message) const;

 protected:
  virtual std::size_t read_some(void* buffer, std::size_t bytes) = 0;
  /// \brief Skips existing bytes.
  virtual void skip_some(std::uint64_t bytes);

 private:
  std::string name_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

/// \brief Regular file. Throws `InputError` for anything else.
class InputFile final : public ByteSource {
 public:
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile() override;

 protected:
  std::size_t read_some(void* buffer, std::size_t bytes) override;
  void skip_some(std::uint64_t bytes) override;

 private:
  struct Opened {
    int descriptor;
    std::uint64_t size;
  };
  static Opened open(const std::filesystem::path& path);
  InputFile(const std::filesystem::path& path, const Opened& opened);

  int descriptor_;
};

/// \brief Reads a text file line by line and counts the lines.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path);
  explicit LineReader(std::unique_ptr<ByteSource> source);

  /// \brief Reads the next line without its end (LF, CR LF, or CR alone, as on old Macs). Returns
  /// false at the end of the file. The text is valid until the next call.
  bool next(std::string_view& line);
  /// \brief Number of the last line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// \brief Number of bytes in the file after the last line.
  std::uint64_t remaining() const { return source_->remaining() + (filled_ - start_); }
  /// \brief Position `file:line: ` for messages.
  std::string where() const;
  /// \brief Throws `InputError` for the last line.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  // Finds the first c in a part of the buffer; otherwise returns the end of the part.
  std::size_t find(char c, std::size_t begin, std::size_t end) const;
  // Keeps the text from start_ on and fills the rest of the buffer. Returns false at the end of the
  // source.
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t start_ = 0;
  std::size_t filled_ = 0;
  // First LF from start_ on, or filled_. Stored, since a file with CR has none and would be
  // searched repeatedly.
  std::size_t line_feed_ = 0;
  std::uint64_t line_number_ = 0;
};

/// \brief Computes a * b; empty if it exceeds 64 bits.
inline std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a) return std::nullopt;
  return a * b;
}

/// \brief Computes a + b; empty if it exceeds 64 bits.
inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  if (b > UINT64_MAX - a) return std::nullopt;
  return a + b;
}

}  // namespace Tomokkos::Impl
