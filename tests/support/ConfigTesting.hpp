// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers that read configurations from text, and their input.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <memory>
#include <string>
#include <vector>

namespace Tomokkos {

inline RunInput read_input(const RunConfig& config) {
  return read_input(config.problem, config.run, config.input_use());
}

/// Task of building the operator of a run.
inline SystemTask system_task(const RunConfig& config, const RunInput& input) {
  return system_task(config.matrix_operator, config.needs(), input);
}

namespace Testing {

/// Parses \p text as if it were the file `f.yaml` in the folder \p folder.
inline ConfigNode parse(const std::string& text, const std::string& folder = "/data") {
  auto source = std::make_shared<ConfigSource>();
  source->name = "f.yaml";
  source->base_directory = folder;
  return parse_yaml(text, source);
}

/// Reads the configuration \p text with \p settings.
inline RunConfig configured(const std::string& text, const std::vector<std::string>& settings,
                            ConfigUse use = ConfigUse::run) {
  ConfigNode root = parse(text);
  for (const std::string& setting : settings) apply_setting(root, setting);
  return read_run_config(root, use, "f");
}

/// Returns the error message of a configuration, or "(accepted)".
inline std::string refusal_of(const std::string& text, const std::vector<std::string>& settings) {
  try {
    configured(text, settings);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "(accepted)";
}

/// Settings that make a configuration invalid, and the parts that the message must contain.
struct Refusal {
  std::vector<std::string> settings;
  const char* message;
};

}  // namespace Testing
}  // namespace Tomokkos
