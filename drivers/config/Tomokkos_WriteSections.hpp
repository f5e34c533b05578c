// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of single values to YAML, for the files that write the sections of a configuration.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <filesystem>
#include <optional>
#include <string>

namespace Tomokkos::Impl {

template <class Enum>
ConfigNode name_of(Enum value) {
  return ConfigNode::text(std::string(to_string(value)));
}

inline ConfigNode file_node(const std::filesystem::path& path) {
  return ConfigNode::text(path.string());
}

template <class Value>
ConfigNode number_or_null(const std::optional<Value>& value) {
  return value ? ConfigNode::number(static_cast<double>(*value)) : ConfigNode();
}

inline ConfigNode constant_or_file(const ConstantOrFile& value) {
  return value.file.empty() ? ConfigNode::number(value.value) : file_node(value.file);
}

}  // namespace Tomokkos::Impl
