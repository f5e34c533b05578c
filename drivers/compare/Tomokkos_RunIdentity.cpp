// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunIdentity.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

namespace Tomokkos {

namespace {

/// True for a key whose texts are names within a file, which may begin with `/` as well.
bool is_name_in_file(const std::string& key) { return key.ends_with(".dataset"); }

/// Copies \p node without \p machine_keys and sections that hold nothing else.
ConfigNode portable(const ConfigNode& node, const std::string& path,
                    const ConfigKeys& machine_keys) {
  if (node.is_map()) {
    ConfigNode map = ConfigNode::map(node.is_flow());
    for (const auto& entry : node.entries()) {
      const std::string key = path.empty() ? entry.key : path + "." + entry.key;
      if (machine_keys.contains(key)) continue;
      ConfigNode value = portable(entry.value, key, machine_keys);
      const bool is_empty = value.is_map() && value.entries().empty();
      if (!is_empty) map.set(entry.key, std::move(value));
    }
    return map;
  }
  if (node.is_list()) {
    ConfigNode list = ConfigNode::list(node.is_flow());
    for (const ConfigNode& item : node.items()) list.push_back(portable(item, path, machine_keys));
    return list;
  }
  if (node.is_scalar() && node.scalar().starts_with('/') && !is_name_in_file(path))
    return ConfigNode::text("(file)");
  return node;
}

std::string describe(const RunInputFile& file) {
  return file.name + " (" + std::to_string(file.bytes) + " bytes, contents " + file.hash + ")";
}

}  // namespace

ConfigNode portable_configuration(const ConfigNode& configuration) {
  return portable(configuration, "", keys_outside(Identity::run));
}

RunIdentity identity_of(const RunConfig& config) {
  RunIdentity identity{portable_configuration(to_node(config)), {}};
  for (const auto& file : input_files(config)) {
    if (file == config.file) continue;
    // The run reports a file that is missing or a folder by its key.
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    identity.inputs.push_back({file.filename().string(), std::filesystem::file_size(file, error),
                               fingerprint_of_file(file)});
  }
  return identity;
}

void add_identity(const RunIdentity& identity, ConfigNode& document) {
  ConfigNode inputs = ConfigNode::list(false);
  for (const RunInputFile& input : identity.inputs) {
    ConfigNode node = ConfigNode::map(true);
    node.set("name", ConfigNode::text(input.name));
    node.set("bytes", ConfigNode::integer(static_cast<long long>(input.bytes)));
    node.set("hash", ConfigNode::text(input.hash));
    inputs.push_back(std::move(node));
  }
  document.set("inputs", std::move(inputs));
  document.set("configuration", identity.configuration);
}

RunIdentity read_identity(const ConfigReader& document) {
  RunIdentity identity;
  document.require_key("configuration", "the document is not complete");
  identity.configuration = *document.find("configuration");
  const ConfigNode* inputs = document.find("inputs");
  if (inputs == nullptr) return identity;
  if (!inputs->is_list()) document.fail("inputs", "expected a list, found " + inputs->describe());
  for (const ConfigNode& node : inputs->items()) {
    const ConfigReader input(node, document.path_of("inputs"), {"name", "bytes", "hash"});
    identity.inputs.push_back({input.string("name"),
                               static_cast<std::uintmax_t>(input.integer("bytes", 0, 0, 1LL << 62)),
                               input.string("hash")});
  }
  return identity;
}

std::optional<ConfigDifference> first_difference(const RunIdentity& a, const RunIdentity& b,
                                                 const ConfigKeys& ignored) {
  if (auto difference = first_difference(a.configuration, b.configuration, ignored))
    return difference;
  for (std::size_t i = 0; i < std::max(a.inputs.size(), b.inputs.size()); ++i) {
    const RunInputFile* first = i < a.inputs.size() ? &a.inputs[i] : nullptr;
    const RunInputFile* second = i < b.inputs.size() ? &b.inputs[i] : nullptr;
    if (first != nullptr && second != nullptr && first->bytes == second->bytes &&
        first->hash == second->hash)
      continue;
    return ConfigDifference{"input file " + std::to_string(i + 1),
                            first != nullptr ? describe(*first) : "nothing",
                            second != nullptr ? describe(*second) : "nothing"};
  }
  return std::nullopt;
}

void require_same_command(const std::string& command, const RunRanks& ranks) {
  const std::string first = ranks.from_first(command);
  ranks.together([&] {
    if (command != first)
      throw ConfigError("the ranks were given different commands: " + first + " on rank 0 and " +
                        command + " on rank " + std::to_string(ranks.rank()) +
                        "; start all ranks with the same command");
  });
}

void require_same_on_ranks(const RunConfig& config, const RunRanks& ranks) {
  if (ranks.size() == 1) return;
  const RunIdentity own = ranks.together([&] { return identity_of(config); });
  ConfigNode document = ConfigNode::map();
  add_identity(own, document);
  const std::string text = ranks.from_first(to_yaml(document));
  ranks.together([&] {
    auto source = std::make_shared<ConfigSource>();
    source->name = "the configuration of rank 0";
    const ConfigNode root = parse_yaml(text, source);
    const RunIdentity first = read_identity(ConfigReader(root, "", {"inputs", "configuration"}));
    if (const auto difference = first_difference(first, own))
      throw ConfigError("the ranks were given different runs: " + difference->key + " is " +
                        difference->first + " on rank 0 and " + difference->second + " on rank " +
                        std::to_string(ranks.rank()) +
                        "; start all ranks with the same configuration and the same files");
  });
}

}  // namespace Tomokkos
