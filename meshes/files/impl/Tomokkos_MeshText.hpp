// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words and numbers of the text formats of meshes.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace Tomokkos::Impl {

/// \brief Removes blanks and tabs from the beginning of \p text.
void skip_mesh_blanks(std::string_view& text);

/// \brief Removes and returns the next word of \p text; empty at its end.
std::string_view next_mesh_word(std::string_view& text);

/// \brief Prepares a word of a file for a message: short and printable.
std::string quote_mesh_word(std::string_view word);

/// \brief Reader of the lines of a text format, and of the numbers in them.
class MeshText {
 public:
  explicit MeshText(const std::filesystem::path& path) : lines_(path) {}

  /// \brief Reads the next line without its end and, in the first line, without a byte order mark.
  bool next(std::string_view& line);

  /// \brief Reads the next line that is not blank, without a comment that begins with \p comment.
  bool next_content(std::string_view& line, char comment);

  /// \brief Reads a finite number; \p what names it in messages.
  double next_coordinate(std::string_view& line, const char* what);

  /// \brief Skips a number, which may be infinite or NaN.
  void pass_number(std::string_view& line, const char* what);

  /// \brief Reads an integer.
  std::int64_t next_integer(std::string_view& line, const char* what);

  /// \brief Fails unless \p line is at its end.
  void expect_line_end(std::string_view line) const;

  /// \brief Number of bytes after the last line.
  std::uint64_t remaining() const { return lines_.remaining(); }
  std::uint64_t line_number() const { return lines_.line_number(); }
  std::string where() const { return lines_.where(); }
  [[noreturn]] void fail(const std::string& message) const { lines_.fail(message); }

 private:
  double next_number(std::string_view& line, const char* what);

  LineReader lines_;
};

}  // namespace Tomokkos::Impl
