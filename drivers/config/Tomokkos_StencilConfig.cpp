// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <limits>

namespace Tomokkos {

StencilRows read_stencil(const ConfigReader& parent) {
  const ConfigReader reader = parent.section("stencil", {"points", "size", "unknowns"});
  StencilRows result;
  result.points =
      static_cast<int>(reader.integer("points", 27, 0, std::numeric_limits<int>::max()));
  if (result.points != 7 && result.points != 27) reader.fail("points", "allowed: 7, 27");
  reader.require_key("size", "points along a side, or [nx, ny, nz]");
  const ConfigNode& size = *reader.find("size");
  const std::string path = reader.path_of("size");
  if (size.is_list()) {
    if (size.items().size() != 3) fail_at(size, path, "expected one number, or [nx, ny, nz]");
    for (std::size_t i = 0; i < 3; ++i)
      result.size[i] = static_cast<Ordinal>(integer_of(size.items()[i], path, 1, max_ordinal));
  } else {
    result.size.fill(static_cast<Ordinal>(integer_of(size, path, 1, max_ordinal)));
  }
  result.unknowns = static_cast<int>(reader.integer("unknowns", 1, 1, 64));
  const Offset plane = static_cast<Offset>(result.size[0]) * result.size[1];
  if (plane > max_ordinal / result.unknowns / result.size[2])
    fail_at(size, path, "has more points than a 32-bit index counts");
  return result;
}

ConfigNode to_node(const StencilRows& stencil) {
  ConfigNode node = ConfigNode::map();
  node.set("points", ConfigNode::integer(stencil.points));
  node.set("size", ConfigNode::integers(stencil.size));
  node.set("unknowns", ConfigNode::integer(stencil.unknowns));
  return node;
}

}  // namespace Tomokkos
