// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ReadPair.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <utility>

namespace Tomokkos {

namespace {

Ordinal read_count(const ConfigReader& reader, std::string_view key, Ordinal fallback) {
  return static_cast<Ordinal>(reader.integer(key, fallback, 1, max_ordinal));
}

constexpr const char* axes = "[around the axis, along it]";

void read_layers(const ConfigReader& reader, std::vector<CrystalLayer>& layers) {
  const ConfigNode* node = reader.find("layers");
  if (node == nullptr) return;
  const std::string path = reader.path_of("layers");
  if (!node->is_list() || node->items().empty())
    fail_at(*node, path, "expected a list of {radius, length}, found " + node->describe());
  layers.clear();
  for (std::size_t k = 0; k < node->items().size(); ++k) {
    const ConfigReader layer(node->items()[k], path + "[" + std::to_string(k) + "]",
                             {"radius", "length"});
    layer.require_key("radius", "from the axis to the entrance faces of the crystals");
    layer.require_key("length", "of the crystals, away from the axis");
    layers.push_back({layer.number("radius", 0.0, NumberRange::positive()),
                      layer.number("length", 0.0, NumberRange::positive())});
  }
}

template <class Numbers, class MakeNode>
ConfigNode list_of(const Numbers& numbers, const MakeNode& make_node) {
  ConfigNode list = ConfigNode::list();
  for (const auto& number : numbers) list.push_back(make_node(number));
  return list;
}

}  // namespace

ScannerConfig read_scanner(const ConfigReader& parent) {
  ScannerConfig result;
  if (parent.find("scanner")->is_scalar()) {
    result.kind = parent.choice("scanner", result.kind);
    if (result.kind == ScannerKind::ring)
      parent.fail("scanner", "a ring needs its measures: {modules, crystals, ...}");
    result.scanner = make_scanner(result.kind);
    return result;
  }
  const ConfigReader reader = parent.section(
      "scanner", {"kind", "modules", "first_module", "rings", "ring_pitch", "crystals",
                  "crystal_pitch", "crystal_size", "layers", "rays", "field_of_view"});
  result.kind = reader.choice("kind", result.kind);
  RingScanner& scanner = result.scanner;
  scanner = make_scanner(result.kind);
  if (result.kind == ScannerKind::ring) {
    reader.require_key("modules", "their number around the axis");
    reader.require_key("crystals", "of a layer of a module, [around the axis, along it]");
    reader.require_key("crystal_pitch", "between the middles of crystals");
    reader.require_key("crystal_size", "[around the axis, along it]");
    reader.require_key("layers", "a list of {radius, length}");
  }
  scanner.modules = read_count(reader, "modules", scanner.modules);
  if (const ConfigNode* angle = reader.find("first_module")) {
    result.first_module = read_angle(*angle, reader.path_of("first_module"));
    scanner.first_module = result.first_module.angle;
  }
  scanner.rings = read_count(reader, "rings", scanner.rings);
  if (scanner.rings > 1 && scanner.ring_pitch == 0)
    reader.require_key("ring_pitch", "between the middles of neighbouring rings");
  if (scanner.rings == 1) reader.refuse_key("ring_pitch", "has no effect on one ring");
  scanner.ring_pitch = reader.number("ring_pitch", scanner.ring_pitch, NumberRange::not_negative());
  read_pair(reader, "crystals", axes, scanner.crystals,
            [](const ConfigNode& node, const std::string& path) {
              return static_cast<Ordinal>(integer_of(node, path, 1, max_ordinal));
            });
  const auto positive = [](const ConfigNode& node, const std::string& path) {
    return number_of(node, path, NumberRange::positive());
  };
  read_pair(reader, "crystal_pitch", axes, scanner.crystal_pitch, positive);
  read_pair(reader, "crystal_size", axes, scanner.crystal_size, positive);
  read_layers(reader, scanner.layers);
  scanner.rays = read_count(reader, "rays", scanner.rays);
  const auto radius = reader.optional_number("field_of_view", NumberRange::positive());
  if (radius) scanner.field_of_view = radius;
  try {
    check(scanner);
  } catch (const Error& error) {
    parent.fail("scanner", error.what());
  }
  return result;
}

ConfigNode to_node(const ScannerConfig& config) {
  const RingScanner& scanner = config.scanner;
  const auto count = [](Ordinal value) { return ConfigNode::integer(value); };
  const auto length = [](double value) { return ConfigNode::number(value); };
  ConfigNode node = ConfigNode::map();
  node.set("kind", ConfigNode::text(std::string(to_string(config.kind))));
  node.set("modules", count(scanner.modules));
  node.set("first_module", ConfigNode::plain(config.first_module.text));
  node.set("rings", count(scanner.rings));
  if (scanner.rings > 1) node.set("ring_pitch", length(scanner.ring_pitch));
  node.set("crystals", list_of(scanner.crystals, count));
  node.set("crystal_pitch", list_of(scanner.crystal_pitch, length));
  node.set("crystal_size", list_of(scanner.crystal_size, length));
  node.set("layers", list_of(scanner.layers, [&](const CrystalLayer& layer) {
             ConfigNode entry = ConfigNode::map(true);
             entry.set("radius", length(layer.radius));
             entry.set("length", length(layer.length));
             return entry;
           }));
  node.set("rays", count(scanner.rays));
  if (scanner.field_of_view) node.set("field_of_view", length(*scanner.field_of_view));
  return node;
}

}  // namespace Tomokkos
