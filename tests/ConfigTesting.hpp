// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations from text.
#pragma once

#include <Tomokkos_YamlFile.hpp>
#include <memory>
#include <string>

namespace Tomokkos::Testing {

/// \p text as if it stood in `f.yaml` in the folder \p folder.
inline ConfigNode parse(const std::string& text, const std::string& folder = "/data") {
  auto source = std::make_shared<ConfigSource>();
  source->name = "f.yaml";
  source->base_directory = folder;
  return parse_yaml(text, source);
}

}  // namespace Tomokkos::Testing
