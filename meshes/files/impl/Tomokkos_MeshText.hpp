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

/// \brief Passes over blanks and tabs.
void skip_mesh_blanks(std::string_view& text);

/// \brief The next word of \p text, which is shortened by it; empty at its end.
std::string_view next_mesh_word(std::string_view& text);

/// \brief A word of a file for a message: short and printable.
std::string quote_mesh_word(std::string_view word);

/// \brief Lines of a text format and what is found in them.
class MeshText {
 public:
  explicit MeshText(const std::filesystem::path& path) : lines_(path) {}

  /// \brief The next line without its end and, in the first one, without a byte order mark.
  bool next(std::string_view& line);

  /// \brief The next line that is not blank, without what follows a \p comment character.
  bool next_content(std::string_view& line, char comment);

  /// \brief A number that is finite; \p what it is, for messages.
  double next_coordinate(std::string_view& line, const char* what);

  /// \brief Any number, also one that is not finite: what is passed over.
  void pass_number(std::string_view& line, const char* what);

  /// \brief A whole number.
  std::int64_t next_integer(std::string_view& line, const char* what);

  /// \brief Fails unless \p line is at its end.
  void expect_line_end(std::string_view line) const;

  /// \brief Bytes after the last line.
  std::uint64_t remaining() const { return lines_.remaining(); }
  std::uint64_t line_number() const { return lines_.line_number(); }
  std::string where() const { return lines_.where(); }
  [[noreturn]] void fail(const std::string& message) const { lines_.fail(message); }

 private:
  double next_number(std::string_view& line, const char* what);

  LineReader lines_;
};

}  // namespace Tomokkos::Impl
