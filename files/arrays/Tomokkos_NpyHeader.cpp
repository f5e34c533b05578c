// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <array>
#include <bit>
#include <charconv>
#include <impl/Tomokkos_NpyFormat.hpp>
#include <string_view>

namespace Tomokkos::Impl {
namespace {

using Kind = NpyHeader::Kind;

constexpr std::string_view magic("\x93NUMPY", 6);
// NumPy also refuses longer headers.
constexpr std::uint64_t longest_header = 1 << 16;
constexpr std::size_t highest_rank = 64;

/// Parser of the Python dictionary in the header, with three keys in any order.
class DictionaryParser {
 public:
  DictionaryParser(const ByteSource& source, std::uint64_t offset, std::string_view text)
      : source_(source), offset_(offset), text_(text) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string("a key");
      expect(':');
      if (key == "descr" && !has_descr) {
        has_descr = true;
        parse_descr(header);
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = parse_bool();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = parse_shape();
      } else {
        fail("unexpected key '" + key + "' in the header");
      }
      if (accept(',')) continue;
      expect('}');
      break;
    }
    if (!has_descr || !has_order || !has_shape) {
      fail("the header lacks one of descr, fortran_order, shape");
    }
    skip_blanks();
    if (at_ < text_.size()) fail("the header has text after its closing brace");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    source_.fail_at(offset_ + at_, message);
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(std::string("the header needs a '") + c + "' here");
  }

  std::string parse_string(const char* what) {
    skip_blanks();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(std::string("the header needs ") + what + " here");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string of the header does not end");
    std::string result(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return result;
  }

  bool parse_bool() {
    skip_blanks();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    fail("fortran_order is neither True nor False");
  }

  std::vector<std::uint64_t> parse_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::uint64_t extent = 0;
      const char* const begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc()) fail("the shape holds something that is not a length");
      at_ += static_cast<std::size_t>(end - begin);
      accept('L');  // Python 2 wrote long integers with this suffix.
      shape.push_back(extent);
      if (shape.size() > highest_rank) fail("the shape has too many dimensions");
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return shape;
  }

  void parse_descr(NpyHeader& header) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '[') {
      fail("structured arrays are not supported: store each field as a separate array");
    }
    header.descr = parse_string("the type");
    const std::string_view descr = header.descr;
    if (descr.find('O') != std::string_view::npos) {
      fail("the array holds Python objects, not numbers");
    }
    if (descr.size() < 3) fail("unknown type '" + header.descr + "'");
    const char order = descr[0];
    if (order != '<' && order != '>' && order != '|' && order != '=') {
      fail("unknown byte order in the type '" + header.descr + "'");
    }
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), bytes);
    const bool whole = error == std::errc() && end == descr.data() + descr.size();
    const bool integer_size = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    bool known = whole;
    switch (descr[1]) {
      case 'b':
        header.kind = Kind::boolean;
        known = known && bytes == 1;
        break;
      case 'i':
        header.kind = Kind::signed_integer;
        known = known && integer_size;
        break;
      case 'u':
        header.kind = Kind::unsigned_integer;
        known = known && integer_size;
        break;
      case 'f':
        header.kind = Kind::floating;
        known = known && (bytes == 2 || bytes == 4 || bytes == 8);
        break;
      case 'S':
        header.kind = Kind::bytes;
        // With 0 bytes per value, any number of values would fit into any file.
        known = known && bytes > 0;
        break;
      case 'U':
        header.kind = Kind::unicode;
        known = known && bytes > 0 && bytes <= UINT64_MAX / 4;
        bytes *= 4;
        break;
      default:
        known = false;
    }
    if (!known) {
      fail("the type '" + header.descr +
           "' is not supported; supported are f2, f4, f8, i1 ... i8, u1 ... u8 and b1");
    }
    header.item_bytes = static_cast<std::size_t>(bytes);
    constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
    header.swapped = (order == '<' || order == '>') && order != native;
  }

  const ByteSource& source_;
  std::uint64_t offset_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(ByteSource& source) {
  std::array<char, 8> start{};
  source.read_exactly(start.data(), start.size(), "the first bytes of a NumPy array");
  if (std::string_view(start.data(), magic.size()) != magic) {
    source.fail_at(0, "this is not a NumPy array (they begin with \\x93NUMPY)");
  }
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3 || start[7] != 0) {
    source.fail_at(
        6,
        Impl::text("version {}.{} of the format is not supported; supported are 1.0, 2.0 and 3.0",
                   version, static_cast<unsigned char>(start[7])));
  }
  std::array<unsigned char, 4> length_bytes{};
  source.read_exactly(length_bytes.data(), version == 1 ? 2 : 4, "the length of the header");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes.size(); ++i) {
    length |= static_cast<std::uint64_t>(length_bytes[i]) << (8 * i);
  }
  const std::uint64_t offset = source.position();
  if (length > source.remaining() || length > longest_header) {
    source.fail_at(8, Impl::text("the header should have {} bytes, but {} follow", length,
                                 source.remaining()));
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  source.read_exactly(text.data(), text.size(), "the header");
  NpyHeader header = DictionaryParser(source, offset, text).parse();

  bool empty = false;
  std::uint64_t count = 1;
  for (std::uint64_t extent : header.shape) {
    empty = empty || extent == 0;
    const auto product = checked_multiply(count, extent == 0 ? 1 : extent);
    if (!product || *product > INT64_MAX / 8) {
      source.fail_at(offset, "the shape has more entries than any file can hold");
    }
    count = *product;
  }
  header.count = empty ? 0 : count;
  const auto bytes = checked_multiply(header.count, header.item_bytes);
  if (!bytes || *bytes != source.remaining()) {
    source.fail_at(
        source.position(),
        Impl::text("{} values of type {} need {} bytes, but {} follow", header.count, header.descr,
                   bytes ? std::to_string(*bytes) : std::string("more than 2^64"),
                   source.remaining()));
  }
  return header;
}

std::string read_npy_text(ByteSource& source, const NpyHeader& header) {
  if (!header.is_text() || header.count != 1 || header.item_bytes > 4096) {
    source.fail_at(0, "the array should be a single short text, but its type is " + header.descr);
  }
  std::string raw(header.item_bytes, '\0');
  source.read_exactly(raw.data(), raw.size(), "the text");
  source.expect_end();
  std::string text;
  // Unicode uses four bytes per character. All expected names are ASCII.
  const std::size_t step = header.kind == Kind::unicode ? 4 : 1;
  const std::size_t offset = (step == 4 && header.swapped) ? 3 : 0;
  for (std::size_t i = offset; i < raw.size(); i += step) {
    if (raw[i] != '\0') text += raw[i];
  }
  return text;
}

std::string npy_header_text(const std::string& descr, const std::vector<std::size_t>& shape) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ' ';
    text += std::to_string(shape[i]);
    if (i + 1 < shape.size() || shape.size() == 1) text += ',';
  }
  text += "), }";
  // NumPy leaves space so that the first extent can grow to 21 digits in place.
  if (!shape.empty()) text.append(21 - std::to_string(shape[0]).size(), ' ');
  constexpr std::size_t prefix = 10;
  text.append(64 - (prefix + text.size() + 1) % 64, ' ');
  text += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace Tomokkos::Impl
