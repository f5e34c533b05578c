// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FigureNode.hpp>

namespace Tomokkos {
namespace {

struct NodeOfValue {
  ConfigNode operator()(std::int64_t value) const { return ConfigNode::integer(value); }
  ConfigNode operator()(double value) const { return ConfigNode::number(value); }
  ConfigNode operator()(const std::string& value) const { return ConfigNode::text(value); }
  ConfigNode operator()(const std::vector<std::int64_t>& values) const {
    return ConfigNode::integers(values);
  }
};

}  // namespace

void set_figures(const std::vector<Figure>& figures, ConfigNode& node) {
  for (const Figure& figure : figures)
    node.set(figure.name, std::visit(NodeOfValue{}, figure.value));
}

}  // namespace Tomokkos
