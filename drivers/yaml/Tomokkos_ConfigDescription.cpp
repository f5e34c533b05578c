// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_ConfigReader.hpp>

namespace Tomokkos {
namespace {

struct NodeOfValue {
  ConfigNode operator()(std::monostate) const { return {}; }
  ConfigNode operator()(bool value) const { return ConfigNode::boolean(value); }
  ConfigNode operator()(std::int64_t value) const { return ConfigNode::integer(value); }
  ConfigNode operator()(double value) const { return ConfigNode::number(value); }
  ConfigNode operator()(const std::string& value) const { return ConfigNode::text(value); }
};

Description value_of(const ConfigNode& scalar) {
  const std::string& text = scalar.scalar();
  if (scalar.is_quoted()) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = as_number(scalar)) return *number;
  return text;
}

}  // namespace

ConfigNode to_node(const Description& description) {
  if (description.kind() == Description::Kind::value)
    return std::visit(NodeOfValue{}, description.value());
  if (description.kind() == Description::Kind::list) {
    ConfigNode list = ConfigNode::list(description.is_on_one_line());
    for (const Description& item : description.items()) list.push_back(to_node(item));
    return list;
  }
  ConfigNode map = ConfigNode::map(description.is_on_one_line());
  for (std::size_t i = 0; i < description.items().size(); ++i)
    map.set(description.names()[i], to_node(description.items()[i]));
  return map;
}

Description description_of(const ConfigNode& node) {
  if (node.is_scalar()) return value_of(node);
  if (node.is_list()) {
    Description list = Description::list(node.is_flow());
    for (const ConfigNode& item : node.items()) list.add(description_of(item));
    return list;
  }
  if (node.is_null()) return {};
  Description map = Description::map(node.is_flow());
  for (const auto& entry : node.entries()) map.set(entry.key, description_of(entry.value));
  return map;
}

}  // namespace Tomokkos
