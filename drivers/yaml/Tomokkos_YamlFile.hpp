// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief Reads \p text as one YAML document, in time and memory proportional to its length.
/// Expands aliases and supports merge keys (`<<`). Refuses duplicate keys, several documents,
/// directives other than `%YAML` and `%TAG`, keys that are not scalars, recursive or exploding
/// aliases, and more than 16 MB, 500 000 values or 64 levels. An empty document is null.
///
/// \throws ConfigError with the position of the error
ConfigNode parse_yaml(const std::string& text, std::shared_ptr<const ConfigSource> source);

/// \brief Reads a configuration of at most 16 MB from a file or a pipe. Its relative paths are
/// resolved against its folder.
///
/// \throws ConfigError if it cannot be read, is a device, or is not valid YAML
ConfigNode read_yaml_file(const std::filesystem::path& file);

/// \brief Applies one `--set key.path=value`. Reads the value as YAML, creates missing maps on the
/// path, and resolves relative paths against the working directory. Refuses a text that is read as
/// an empty value, unless it is empty, `~` or `null`.
///
/// \throws ConfigError with the text of the `--set`
void apply_setting(ConfigNode& root, std::string_view setting);

/// \brief Writes \p node as a YAML document, in the order of its entries.
std::string to_yaml(const ConfigNode& node);
/// \brief Writes \p node with a comment above each key whose dotted path is in \p comments.
std::string to_yaml(const ConfigNode& node, const std::map<std::string, std::string>& comments);

}  // namespace Tomokkos
