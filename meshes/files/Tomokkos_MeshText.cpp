// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <cmath>
#include <impl/Tomokkos_MeshText.hpp>
#include <locale>
#include <sstream>

namespace Tomokkos::Impl {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Distinguishes two cases that from_chars reports as out of range: too large and too small
/// numbers.
double beyond_range(std::string_view word) {
  double value = 0;
  std::istringstream stream{std::string(word)};
  stream.imbue(std::locale::classic());
  stream >> value;
  return std::abs(value) >= 1 ? HUGE_VAL : value;
}

}  // namespace

void skip_mesh_blanks(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_blank(text[count])) ++count;
  text.remove_prefix(count);
}

std::string_view next_mesh_word(std::string_view& text) {
  skip_mesh_blanks(text);
  std::size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::string quote_mesh_word(std::string_view word) {
  std::string result = "'";
  for (const char c : word.substr(0, 40)) result += (c >= ' ' && c < 127) ? c : '?';
  return result + (word.size() > 40 ? "...'" : "'");
}

bool MeshText::next(std::string_view& line) {
  if (!lines_.next(line)) return false;
  if (lines_.line_number() == 1 && line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
  return true;
}

bool MeshText::next_content(std::string_view& line, char comment) {
  while (next(line)) {
    line = line.substr(0, line.find(comment));
    skip_mesh_blanks(line);
    if (!line.empty()) return true;
  }
  return false;
}

double MeshText::next_number(std::string_view& line, const char* what) {
  const std::string_view word = next_mesh_word(line);
  if (word.empty()) fail(std::string("the ") + what + " is missing");
  const char* begin = word.data();
  const char* const stop = begin + word.size();
  // from_chars does not accept a plus sign.
  if (stop - begin > 1 && *begin == '+' && begin[1] != '-') ++begin;
  double value = 0;
  const auto [end, error] = std::from_chars(begin, stop, value);
  if (error == std::errc::invalid_argument || end != stop)
    fail(std::string("the ") + what + " is not a number: " + quote_mesh_word(word));
  if (error == std::errc::result_out_of_range) value = beyond_range(word);
  return value;
}

double MeshText::next_coordinate(std::string_view& line, const char* what) {
  std::string_view rest = line;
  const double value = next_number(line, what);
  if (!std::isfinite(value))
    fail(std::string("the ") + what + " " + quote_mesh_word(next_mesh_word(rest)) +
         " is not finite or exceeds the range of 64 bits");
  return value;
}

void MeshText::pass_number(std::string_view& line, const char* what) { next_number(line, what); }

std::int64_t MeshText::next_integer(std::string_view& line, const char* what) {
  const std::string_view word = next_mesh_word(line);
  if (word.empty()) fail(std::string("the ") + what + " is missing");
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range)
    fail(std::string("the ") + what + " " + quote_mesh_word(word) + " exceeds 64 bits");
  if (error != std::errc() || end != word.data() + word.size())
    fail(std::string("the ") + what + " is not a whole number: " + quote_mesh_word(word));
  return value;
}

void MeshText::expect_line_end(std::string_view line) const {
  skip_mesh_blanks(line);
  if (!line.empty()) fail("unexpected " + quote_mesh_word(line) + " at the end of the line");
}

}  // namespace Tomokkos::Impl
