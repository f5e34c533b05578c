// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <filesystem>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief Reads \p text as one YAML document, in time and memory that grow with its length alone.
/// Aliases are expanded; merge keys (`<<`) are honoured; duplicate keys, several documents,
/// directives other than `%YAML` and `%TAG`, keys that are not scalars, recursive or exploding
/// aliases, more than 16 MB, 500 000 values or 64 levels are refused. An empty document is null.
///
/// \throw ConfigError with the position of what is wrong.
ConfigNode parse_yaml(const std::string& text, std::shared_ptr<const ConfigSource> source);

/// \brief Reads a configuration from a file or a pipe, up to 16 MB. Relative paths in it are
/// relative to its folder.
///
/// \throw ConfigError when it cannot be read, is a device, or is no valid YAML.
ConfigNode read_yaml_file(const std::filesystem::path& file);

/// \brief Applies one `--set key.path=value`: the value is read as YAML, missing maps on the path
/// are made, relative paths in it are relative to the working directory. A text that reads as
/// nothing is refused, unless it is empty, `~` or `null`.
///
/// \throw ConfigError naming the `--set`.
void apply_setting(ConfigNode& root, std::string_view setting);

}  // namespace Tomokkos
