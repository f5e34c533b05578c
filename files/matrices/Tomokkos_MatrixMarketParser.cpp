// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <impl/Tomokkos_CompressedFile.hpp>
#include <impl/Tomokkos_MatrixMarketParser.hpp>
#include <limits>
#include <locale>
#include <sstream>

namespace Tomokkos::Impl {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

void skip_blanks(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_blank(text[count])) ++count;
  text.remove_prefix(count);
}

/// Removes and returns the next word; empty at the end of the line.
std::string_view next_word(std::string_view& text) {
  skip_blanks(text);
  std::size_t length = 0;
  while (length < text.size() && !is_blank(text[length])) ++length;
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Prepares a word of a file for a message: short and printable.
std::string quote(std::string_view word) {
  std::string result = "'";
  for (char c : word.substr(0, 40)) result += (c >= ' ' && c < 127) ? c : '?';
  return result + (word.size() > 40 ? "...'" : "'");
}

enum class Range { inside, beyond, vanishes };

/// Distinguishes two cases that `from_chars` reports as out of range: numbers beyond the largest
/// finite one, and numbers that are rounded to zero.
template <class Scalar>
Range range_of(std::string_view word, Scalar& value) {
  std::istringstream stream{std::string(word)};
  stream.imbue(std::locale::classic());
  stream >> value;
  if (stream.fail() || std::abs(value) >= Scalar(1)) return Range::beyond;
  return value == Scalar(0) ? Range::vanishes : Range::inside;
}

}  // namespace

template <class Scalar>
MatrixMarketParser<Scalar>::MatrixMarketParser(const std::filesystem::path& path,
                                               bool allow_non_finite)
    : lines_(open_matrix_text(path)), allow_non_finite_(allow_non_finite) {
  read_banner();
  read_sizes();
}

template <class Scalar>
void MatrixMarketParser<Scalar>::read_banner() {
  std::string_view line;
  if (!lines_.next(line)) throw InputError(lines_.where() + "the file is empty");
  const std::string banner = lower_case(next_word(line));
  if (banner != "%%matrixmarket" && banner != "%matrixmarket") {
    lines_.fail("a Matrix Market file begins with %%MatrixMarket, but this one with " +
                quote(banner));
  }
  const std::string object = lower_case(next_word(line));
  const std::string format = lower_case(next_word(line));
  const std::string field = lower_case(next_word(line));
  const std::string symmetry = lower_case(next_word(line));
  if (symmetry.empty()) {
    lines_.fail(
        "the banner needs four words after %%MatrixMarket: object, format, field, "
        "symmetry");
  }
  expect_line_end(line);

  if (object != "matrix" && object != "vector") {
    lines_.fail("unknown object " + quote(object) + "; supported are matrix, vector");
  }
  header_.is_vector = object == "vector";
  if (format != "coordinate" && format != "array") {
    lines_.fail("unknown format " + quote(format) + "; supported are coordinate, array");
  }
  header_.is_array = format == "array";
  if (field == "complex") {
    lines_.fail(
        "complex values are not supported: matrices and vectors must be real; write the "
        "real part with the field real");
  } else if (field == "real" || field == "double") {
    header_.field = Field::real;
  } else if (field == "integer" || field == "unsigned-integer") {
    header_.field = Field::integer;
  } else if (field == "pattern") {
    header_.field = Field::pattern;
  } else {
    lines_.fail("unknown field " + quote(field) + "; supported are real, integer, pattern");
  }
  if (header_.is_array && header_.field == Field::pattern) {
    lines_.fail("an array holds every value, so it cannot be a pattern");
  }
  if (symmetry == "general") {
    header_.symmetry = Symmetry::general;
  } else if (symmetry == "symmetric" || symmetry == "hermitian") {
    // Real values are their own conjugates.
    header_.symmetry = Symmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    header_.symmetry = Symmetry::skew_symmetric;
  } else {
    lines_.fail("unknown symmetry " + quote(symmetry) +
                "; supported are general, symmetric, skew-symmetric, hermitian");
  }
  if (header_.is_vector && header_.symmetry != Symmetry::general) {
    lines_.fail("a vector cannot be " + symmetry);
  }
  if (header_.field == Field::pattern && header_.symmetry == Symmetry::skew_symmetric) {
    lines_.fail("a pattern has no signs, so it cannot be skew-symmetric");
  }
}

template <class Scalar>
void MatrixMarketParser<Scalar>::read_sizes() {
  std::string_view line;
  if (!next_content(line)) lines_.fail("the file ends before the line with the sizes");
  const auto take_size = [&](const char* what, std::int64_t limit) {
    const std::string_view word = next_word(line);
    if (word.empty()) lines_.fail(std::string("the number of ") + what + " is missing");
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (error == std::errc::result_out_of_range || (error == std::errc() && size > limit)) {
      lines_.fail(Impl::text("the number of {}, {}, exceeds {}", what, quote(word), limit));
    }
    if (error != std::errc() || end != word.data() + word.size()) {
      lines_.fail(std::string("the number of ") + what + " is not a whole number: " + quote(word));
    }
    if (size < 0) {
      lines_.fail(std::string("the number of ") + what + " is negative: " + quote(word));
    }
    return size;
  };
  constexpr std::int64_t largest = std::numeric_limits<Ordinal>::max();
  header_.num_rows = static_cast<Ordinal>(take_size("rows", largest));
  header_.num_cols = header_.is_vector ? 1 : static_cast<Ordinal>(take_size("columns", largest));
  const std::uint64_t rows = static_cast<std::uint64_t>(header_.num_rows);
  const std::uint64_t cols = static_cast<std::uint64_t>(header_.num_cols);
  if (header_.symmetry != Symmetry::general && rows != cols) {
    lines_.fail(Impl::text(
        "a symmetric matrix must be square, but this one has {} rows and {} columns", rows, cols));
  }
  // The shortest entry is "1 1 1\n", minus the parts that are not written.
  std::uint64_t entry_bytes = 2;
  if (header_.is_array) {
    header_.num_entries = rows * cols;
    if (header_.symmetry == Symmetry::symmetric) header_.num_entries = (rows * rows + rows) / 2;
    if (header_.symmetry == Symmetry::skew_symmetric) {
      header_.num_entries = (rows * rows - rows) / 2;
      array_row_ = 1;
    }
  } else {
    header_.num_entries =
        static_cast<std::uint64_t>(take_size("entries", std::numeric_limits<std::int64_t>::max()));
    entry_bytes = (header_.is_vector ? 2u : 4u) + (header_.field == Field::pattern ? 0u : 2u);
  }
  expect_line_end(line);
  // The last line may have no line end.
  const std::uint64_t possible = (lines_.remaining() + 1) / entry_bytes;
  if (header_.num_entries > possible) {
    lines_.fail(
        Impl::text("the header gives {} entries, but the {} bytes that follow can hold at most {}",
                   header_.num_entries, lines_.remaining(), possible));
  }
}

template <class Scalar>
bool MatrixMarketParser<Scalar>::next_content(std::string_view& line) {
  while (lines_.next(line)) {
    skip_blanks(line);
    if (!line.empty() && line.front() != '%') return true;
  }
  return false;
}

template <class Scalar>
bool MatrixMarketParser<Scalar>::next(Entry& entry) {
  std::string_view line;
  const bool found = next_content(line);
  if (entries_read_ == header_.num_entries) {
    if (found) {
      lines_.fail(Impl::text("unexpected text after the last of the {} entries: {}",
                             header_.num_entries, quote(line)));
    }
    return false;
  }
  if (!found) {
    lines_.fail(
        Impl::text("the file ends after {} of {} entries", entries_read_, header_.num_entries));
  }
  if (header_.is_array) {
    read_array_value(line, entry);
  } else {
    read_coordinate(line, entry);
  }
  ++entries_read_;
  return true;
}

template <class Scalar>
void MatrixMarketParser<Scalar>::read_coordinate(std::string_view line, Entry& entry) {
  entry.row = parse_index(line, header_.num_rows, "row");
  entry.column = header_.is_vector ? 0 : parse_index(line, header_.num_cols, "column");
  entry.value = header_.field == Field::pattern ? Scalar(1) : parse_value(line);
  expect_line_end(line);
  if (header_.symmetry != Symmetry::general) check_symmetry(entry);
}

template <class Scalar>
void MatrixMarketParser<Scalar>::read_array_value(std::string_view line, Entry& entry) {
  entry.row = array_row_;
  entry.column = array_column_;
  entry.value = parse_value(line);
  expect_line_end(line);
  if (++array_row_ < header_.num_rows) return;
  ++array_column_;
  array_row_ = 0;
  if (header_.symmetry == Symmetry::symmetric) array_row_ = array_column_;
  if (header_.symmetry == Symmetry::skew_symmetric) array_row_ = array_column_ + 1;
}

template <class Scalar>
void MatrixMarketParser<Scalar>::check_symmetry(const Entry& entry) {
  if (entry.row == entry.column) {
    if (header_.symmetry == Symmetry::skew_symmetric && entry.value != Scalar(0)) {
      lines_.fail("the diagonal of a skew-symmetric matrix must be zero");
    }
    return;
  }
  const bool below = entry.row > entry.column;
  std::uint64_t& same_side = below ? below_line_ : above_line_;
  const std::uint64_t other_side = below ? above_line_ : below_line_;
  if (other_side != 0) {
    // A file with both halves is meant as general: expanding it would double every value.
    lines_.fail(Impl::text(
        "a symmetric file must hold only one side of the diagonal, but line {} lies on the other",
        other_side));
  }
  if (same_side == 0) same_side = lines_.line_number();
}

template <class Scalar>
Ordinal MatrixMarketParser<Scalar>::parse_index(std::string_view& line, Ordinal limit,
                                                const char* what) {
  skip_blanks(line);
  const char* const stop = line.data() + line.size();
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(line.data(), stop, index);
  const bool whole = end == stop || is_blank(*end);
  if (error == std::errc() && whole && index >= 1 && index <= limit) {
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return static_cast<Ordinal>(index - 1);
  }
  const std::string_view word = next_word(line);
  if (word.empty()) lines_.fail(std::string("the ") + what + " index is missing");
  if (!whole || error == std::errc::invalid_argument) {
    lines_.fail(std::string("the ") + what + " index is not a whole number: " + quote(word));
  }
  lines_.fail(Impl::text("the {} index {} is not in 1 ... {}", what, quote(word), limit));
}

template <class Scalar>
Scalar MatrixMarketParser<Scalar>::parse_value(std::string_view& line) {
  skip_blanks(line);
  const char* begin = line.data();
  const char* const stop = begin + line.size();
  // from_chars does not accept a plus sign.
  if (stop - begin > 1 && *begin == '+' && begin[1] != '-') ++begin;
  Scalar value = 0;
  const auto [end, error] = std::from_chars(begin, stop, value);
  const std::string_view word = next_word(line);
  if (word.empty()) lines_.fail("the value is missing");
  if (error == std::errc::invalid_argument || end != word.data() + word.size()) {
    lines_.fail("the value is not a number: " + quote(word));
  }
  if (error == std::errc::result_out_of_range) {
    const Range range = range_of(word, value);
    if (range == Range::beyond)
      lines_.fail("the value " + quote(word) + " exceeds the range of " + scalar_name<Scalar>());
    if (range == Range::vanishes)
      lines_.fail("the value " + quote(word) +
                  " is not zero, but closer to it than any number of " + scalar_name<Scalar>() +
                  "; write 0, or scale the matrix");
  }
  if (!std::isfinite(value) && !allow_non_finite_) {
    lines_.fail("the value " + quote(word) + " is not finite");
  }
  if (header_.field == Field::integer &&
      !std::all_of(begin, end, [](char c) { return c == '-' || (c >= '0' && c <= '9'); })) {
    lines_.fail("the value of an integer matrix is not a whole number: " + quote(word));
  }
  return value;
}

template <class Scalar>
void MatrixMarketParser<Scalar>::expect_line_end(std::string_view line) {
  skip_blanks(line);
  if (!line.empty()) lines_.fail("unexpected " + quote(line) + " at the end of the line");
}

#define TOMOKKOS_INSTANTIATE(Scalar) template class MatrixMarketParser<Scalar>;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Impl
