// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MeshConfig.hpp>
#include <charconv>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace {

// Reads a fraction of two whole numbers, or a number.
std::optional<double> as_share(const ConfigNode& node) {
  if (!node.is_scalar() || node.is_quoted()) return std::nullopt;
  const std::string& text = node.scalar();
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return as_number(node);
  long long parts[2];
  const char* begins[2] = {text.data(), text.data() + slash + 1};
  const char* ends[2] = {text.data() + slash, text.data() + text.size()};
  for (int i = 0; i < 2; ++i) {
    const auto [end, error] = std::from_chars(begins[i], ends[i], parts[i]);
    if (error != std::errc() || end != ends[i]) return std::nullopt;
  }
  if (parts[1] == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(parts[0]) / static_cast<double>(parts[1]);
}

/// Reads a vertex, numbered from 1 in the file and from 0 in the result, and its position if given.
Ordinal read_pin(const ConfigNode& item, const std::string& path,
                 std::optional<std::array<double, 2>>& position) {
  const auto vertex_of = [](const ConfigNode& node, const std::string& name) {
    const long long vertex = integer_of(node, name, 1, std::numeric_limits<Ordinal>::max());
    return static_cast<Ordinal>(vertex - 1);
  };
  if (!item.is_map()) return vertex_of(item, path);
  const ConfigReader reader(item, path, {"vertex", "position"});
  reader.require_key("vertex", "the number of a vertex, from 1");
  if (const ConfigNode* place = reader.find("position")) {
    const std::string name = reader.path_of("position");
    if (!place->is_list() || place->items().size() != 2)
      fail_at(*place, name, "expected [u, v], found " + place->describe());
    position = {number_of(place->items()[0], name), number_of(place->items()[1], name)};
  }
  return vertex_of(*reader.find("vertex"), reader.path_of("vertex"));
}

}  // namespace

bool is_mesh_file(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension == ".obj" || extension == ".off" || extension == ".ply";
}

std::optional<double> read_locked_share(const ConfigNode& node, const std::string& path) {
  const auto share = as_share(node);
  if (share && !(*share > 0 && *share <= 1))
    fail_at(node, path,
            node.scalar() +
                " is out of range; expected a share of the vertices, greater than 0 and at most 1");
  return share;
}

LocksConfig read_locks(const ConfigNode& node, const std::string& path) {
  LocksConfig result;
  result.position = node.position;
  if (const auto share = read_locked_share(node, path)) {
    result.share = *share;
    result.text = node.scalar();
    return result;
  }
  const std::string expected =
      "expected a share of the vertices (1/10, 0.1), border, or a .npy or .txt file of vertex "
      "numbers; found " +
      node.describe();
  if (!node.is_scalar()) fail_at(node, path, expected);
  result.rule = node.scalar() == "border" ? LockRule::border : LockRule::file;
  if (result.rule == LockRule::border) return result;
  result.file = file_of(node, path);
  if (result.file.extension() != ".npy" && result.file.extension() != ".txt")
    fail_at(node, path, expected);
  return result;
}

std::optional<PinsConfig> read_pins(const ConfigNode& node, const std::string& path) {
  if (node.is_scalar() && node.scalar() == "auto") return std::nullopt;
  const auto fail = [&](const std::string& message) { fail_at(node, path, message); };
  if (!node.is_list() || node.items().size() != 2)
    fail(
        "expected two vertices, [1, 2] or [{vertex: 1, position: [0, 0]}, {vertex: 2, position: "
        "[1, 0]}], or auto; found " +
        (node.is_list() ? "a list of " + std::to_string(node.items().size()) : node.describe()));
  PinsConfig result;
  result.position = node.position;
  std::array<std::optional<std::array<double, 2>>, 2> positions;
  for (std::size_t pin = 0; pin < 2; ++pin)
    result.vertices[pin] =
        read_pin(node.items()[pin], path + "[" + std::to_string(pin) + "]", positions[pin]);
  if (result.vertices[0] == result.vertices[1])
    fail("vertex " + std::to_string(result.vertices[0] + 1) +
         " is named twice; a chart needs two different pins");
  if (positions[0].has_value() != positions[1].has_value())
    fail("only one of the two has a position; give both or none");
  if (!positions[0]) return result;
  if (*positions[0] == *positions[1])
    fail("both have the same position, which would shrink the chart to a point");
  result.positions = {*positions[0], *positions[1]};
  return result;
}

ConfigNode locks_node(const LocksConfig& locks) {
  switch (locks.rule) {
    case LockRule::share:
      return ConfigNode::plain(locks.text);
    case LockRule::border:
      return ConfigNode::text("border");
    case LockRule::file:
      return ConfigNode::text(locks.file.string());
  }
  return {};
}

ConfigNode pins_node(const std::optional<PinsConfig>& pins) {
  if (!pins) return ConfigNode::text("auto");
  ConfigNode node = ConfigNode::list();
  for (std::size_t pin = 0; pin < 2; ++pin) {
    ConfigNode vertex = ConfigNode::integer(pins->vertices[pin] + 1LL);
    if (!pins->positions) {
      node.push_back(std::move(vertex));
      continue;
    }
    ConfigNode entry = ConfigNode::map();
    entry.set("vertex", std::move(vertex));
    entry.set("position", ConfigNode::numbers((*pins->positions)[pin]));
    node.push_back(std::move(entry));
  }
  return node;
}

}  // namespace Tomokkos
