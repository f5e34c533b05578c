// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <impl/Tomokkos_PlyHeader.hpp>
#include <utility>

namespace Tomokkos::Impl {
namespace {

PlyType take_type(std::string_view& line, const MeshText& text) {
  using enum PlyType;
  static constexpr std::array<std::pair<std::string_view, PlyType>, 16> names{
      {{"char", int8},
       {"int8", int8},
       {"uchar", uint8},
       {"uint8", uint8},
       {"short", int16},
       {"int16", int16},
       {"ushort", uint16},
       {"uint16", uint16},
       {"int", int32},
       {"int32", int32},
       {"uint", uint32},
       {"uint32", uint32},
       {"float", float32},
       {"float32", float32},
       {"double", float64},
       {"float64", float64}}};
  const std::string_view word = next_mesh_word(line);
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& name) { return name.first == word; });
  if (found == names.end())
    text.fail("unknown type " + quote_mesh_word(word) +
              "; supported are char, uchar, short, ushort, int, uint, float, double and int8 ... "
              "float64");
  return found->second;
}

void read_format(std::string_view line, const MeshText& text, PlyHeader& header) {
  const std::string_view word = next_mesh_word(line);
  if (word == "ascii") {
    header.encoding = PlyEncoding::ascii;
  } else if (word == "binary_little_endian") {
    header.encoding = PlyEncoding::little_endian;
  } else if (word == "binary_big_endian") {
    header.encoding = PlyEncoding::big_endian;
  } else {
    text.fail("unknown format " + quote_mesh_word(word) +
              "; supported are ascii, binary_little_endian, binary_big_endian");
  }
  const std::string_view version = next_mesh_word(line);
  if (version != "1.0") text.fail("only version 1.0 is supported, not " + quote_mesh_word(version));
  text.expect_line_end(line);
}

void read_element(std::string_view line, MeshText& text, PlyHeader& header) {
  PlyElement element;
  element.name = next_mesh_word(line);
  if (element.name.empty()) text.fail("the element has no name");
  if (header.find(element.name) >= 0)
    text.fail("the element " + quote_mesh_word(element.name) + " is declared twice");
  const std::int64_t count = text.next_integer(line, "number of items");
  if (count < 0) text.fail("the number of items is negative");
  element.count = static_cast<std::uint64_t>(count);
  element.line = text.line_number();
  text.expect_line_end(line);
  header.elements.push_back(std::move(element));
}

void read_property(std::string_view line, const MeshText& text, PlyHeader& header) {
  if (header.elements.empty()) text.fail("a property precedes the first element");
  PlyProperty property;
  std::string_view rest = line;
  if (next_mesh_word(rest) == "list") {
    line = rest;
    property.is_list = true;
    property.count_type = take_type(line, text);
    if (!is_ply_integer(property.count_type))
      text.fail("the length of a list must have an integer type");
  }
  property.type = take_type(line, text);
  property.name = next_mesh_word(line);
  if (property.name.empty()) text.fail("the property has no name");
  PlyElement& element = header.elements.back();
  if (element.find(property.name) >= 0)
    text.fail("the property " + quote_mesh_word(property.name) + " is declared twice");
  text.expect_line_end(line);
  element.properties.push_back(std::move(property));
}

}  // namespace

std::size_t ply_size(PlyType type) {
  static constexpr std::array<std::size_t, 8> sizes{1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

bool is_ply_integer(PlyType type) { return type != PlyType::float32 && type != PlyType::float64; }

int PlyElement::find(std::string_view property) const {
  for (std::size_t k = 0; k < properties.size(); ++k) {
    if (properties[k].name == property) return static_cast<int>(k);
  }
  return -1;
}

std::uint64_t PlyElement::least_bytes(PlyEncoding encoding) const {
  std::uint64_t bytes = 0;
  for (const PlyProperty& property : properties) {
    const std::size_t binary = ply_size(property.is_list ? property.count_type : property.type);
    bytes += encoding == PlyEncoding::ascii ? 2 : binary;
  }
  return bytes;
}

int PlyHeader::find(std::string_view element) const {
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (elements[k].name == element) return static_cast<int>(k);
  }
  return -1;
}

PlyHeader read_ply_header(MeshText& text) {
  PlyHeader header;
  std::string_view line;
  if (!text.next(line)) text.fail("the file is empty");
  if (next_mesh_word(line) != "ply") text.fail("a PLY file must begin with the line ply");
  text.expect_line_end(line);
  bool has_format = false;
  while (text.next(line)) {
    const std::string_view word = next_mesh_word(line);
    if (word == "end_header") {
      if (!has_format) text.fail("the header has no line with the format");
      text.expect_line_end(line);
      return header;
    }
    if (word == "format") {
      if (has_format) text.fail("the format is given twice");
      has_format = true;
      read_format(line, text, header);
    } else if (word == "element") {
      read_element(line, text, header);
    } else if (word == "property") {
      read_property(line, text, header);
    } else if (!word.empty() && word != "comment" && word != "obj_info") {
      text.fail("unknown " + quote_mesh_word(word) +
                " in the header; supported are format, element, property, comment, obj_info, "
                "end_header");
    }
  }
  text.fail("the file ends within its header, before end_header");
}

}  // namespace Tomokkos::Impl
