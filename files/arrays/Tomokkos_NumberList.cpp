// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_NumberList.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace Tomokkos {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

void trim(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
}

/// Splits a line without blanks at its ends. A missing field between commas is empty.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    std::size_t length = 0;
    while (length < line.size() && !is_blank(line[length]) && line[length] != ',') ++length;
    fields.push_back(line.substr(0, length));
    line.remove_prefix(length);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty()) return fields;
    if (line.front() == ',') line.remove_prefix(1);
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    // A comma may end a line that is continued by the next.
    if (line.empty()) return fields;
  }
}

/// Reads a number; empty if \p text is none.
std::optional<double> number_of(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc() ? value : HUGE_VAL;
}

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c < 127 ? c : '?';
  return result + (text.size() > 40 ? "...'" : "'");
}

/// Number of fields if all lines so far have as many and the first numbers the lines.
struct NumberedTable {
  std::size_t lines = 0, fields = 0;
  bool is_possible = true;

  void add(const std::vector<double>& line) {
    if (lines == 0) fields = line.size();
    is_possible =
        is_possible && line.size() == fields && fields > 1 &&
        (line[0] == static_cast<double>(lines) || line[0] == static_cast<double>(lines + 1));
    ++lines;
  }
  bool is_found() const { return is_possible && lines > 2; }
};

}  // namespace

bool is_number_list(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  return extension == ".txt" || extension == ".csv";
}

std::vector<double> read_number_list(const std::filesystem::path& path) {
  Impl::LineReader lines(path);
  bool may_be_header = lower_extension(path) == ".csv";
  std::vector<double> numbers, of_line;
  NumberedTable table;
  std::string_view line;
  while (lines.next(line)) {
    if (lines.line_number() == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    line = line.substr(0, line.find('#'));
    trim(line);
    if (line.empty()) continue;
    if (may_be_header) {
      may_be_header = false;
      const std::size_t columns =
          1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
      const char first = line.front() == '"' && line.size() > 1 ? line[1] : line.front();
      const bool is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') ||
                           first == '_' || static_cast<unsigned char>(first) >= 128;
      if (is_name && columns > 1)
        lines.fail(Impl::text("the header names {} columns; give a file of one column", columns));
      if (is_name && !number_of(line)) continue;
    }
    of_line.clear();
    for (const std::string_view field : fields_of(line)) {
      if (field.empty()) lines.fail("a number is missing before a comma");
      const auto value = number_of(field);
      if (!value) lines.fail(quoted(field) + " is not a number");
      if (!std::isfinite(*value)) lines.fail(quoted(field) + " is not finite");
      of_line.push_back(*value);
    }
    table.add(of_line);
    numbers.insert(numbers.end(), of_line.begin(), of_line.end());
  }
  if (numbers.empty()) throw InputError(path.string() + ": contains no number");
  if (table.is_found())
    throw InputError(
        Impl::text("{}: is a table of {} columns whose first numbers the lines; give a file of one "
                   "column",
                   path.string(), table.fields));
  return numbers;
}

}  // namespace Tomokkos
