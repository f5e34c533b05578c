// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Header of a PLY file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <impl/Tomokkos_MeshText.hpp>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };
enum class PlyEncoding { ascii, little_endian, big_endian };

/// \brief Number of bytes of a binary value.
std::size_t ply_size(PlyType type);
bool is_ply_integer(PlyType type);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  bool is_list = false;
  /// Type of the length before the values of a list.
  PlyType count_type = PlyType::uint8;
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
  /// Line in the header, for messages.
  std::uint64_t line = 0;

  /// Index of a property; -1 if missing.
  int find(std::string_view property) const;
  /// Smallest number of bytes of an item, with empty lists; 2 per value in a text file.
  std::uint64_t least_bytes(PlyEncoding encoding) const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;

  /// Index of an element; -1 if missing.
  int find(std::string_view element) const;
};

/// \brief Reads the header including its last line, `end_header`. Checks only its grammar.
PlyHeader read_ply_header(MeshText& text);

}  // namespace Tomokkos::Impl
