// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the readers get their bytes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace Tomokkos::Impl {

/// \brief A sequence of bytes that is read once, from the front. Its length is known, or, where it
/// is unpacked while it is read, bounded.
class ByteSource {
 public:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// \brief The name for messages.
  const std::string& name() const { return name_; }
  /// \brief Length in bytes, or a bound of it.
  std::uint64_t size() const { return size_; }
  /// \brief Bytes read so far.
  std::uint64_t position() const { return position_; }
  /// \brief Bytes that are left, or a bound of them.
  std::uint64_t remaining() const { return size_ > position_ ? size_ - position_ : 0; }

  /// \brief Reads up to \p bytes bytes; less only at the end.
  std::size_t read_up_to(void* buffer, std::size_t bytes);
  /// \brief Reads \p bytes bytes of \p what or throws `InputError`.
  void read_exactly(void* buffer, std::size_t bytes, std::string_view what);
  /// \brief Passes over \p bytes bytes, or throws `InputError` when there are not so many. A file
  /// does not read them.
  void skip(std::uint64_t bytes);
  /// \brief Throws `InputError` unless everything was read.
  void expect_end();
  /// \brief Throws `InputError` for the byte \p where.
  [[noreturn]] void fail_at(std::uint64_t where, const std::string& message) const;

 protected:
  virtual std::size_t read_some(void* buffer, std::size_t bytes) = 0;
  /// \brief Passes over bytes that are there.
  virtual void skip_some(std::uint64_t bytes);

 private:
  std::string name_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

/// \brief A regular file. Throws `InputError` for anything else.
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

/// \brief True when this process has opened the file behind \p path, under whatever name, as an
/// `InputFile`.
bool has_been_read(const std::filesystem::path& path);

/// \brief The lines of a text file, with their numbers.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& path);
  explicit LineReader(std::unique_ptr<ByteSource> source);

  /// \brief The next line without its end (LF, CR LF, or CR alone, as old Macs wrote it); false
  /// when there is none. The text is valid until the next call.
  bool next(std::string_view& line);
  /// \brief Number of the last line, from 1.
  std::uint64_t line_number() const { return line_number_; }
  /// \brief Bytes of the file after the last line.
  std::uint64_t remaining() const { return source_->remaining() + (filled_ - start_); }
  /// \brief `file:line: `
  std::string where() const;
  /// \brief Throws `InputError` for the last line.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  // The first c in a part of the buffer, or its end.
  std::size_t find(char c, std::size_t begin, std::size_t end) const;
  // Keeps what begins at start_ and fills the rest of the buffer; false at the end of the source.
  bool refill();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> buffer_;
  std::size_t start_ = 0;
  std::size_t filled_ = 0;
  // The first LF from start_ on, or filled_; looked for once, since a file with CR has none.
  std::size_t line_feed_ = 0;
  std::uint64_t line_number_ = 0;
};

/// \brief a * b, or nothing when it exceeds 64 bits.
inline std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a) return std::nullopt;
  return a * b;
}

/// \brief a + b, or nothing when it exceeds 64 bits.
inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  if (b > UINT64_MAX - a) return std::nullopt;
  return a + b;
}

}  // namespace Tomokkos::Impl
