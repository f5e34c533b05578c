// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers that read configurations from text, and their input.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "Complaint.hpp"
#include "ProjectRoot.hpp"

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

/// Lines of a text file.
inline std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Parts of \p text between separators.
inline std::vector<std::string> parts_of(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + separator.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

/// Settings or words in a field of a table, separated by semicolons between spaces.
inline std::vector<std::string> list_of(const std::string& field) {
  return field.empty() ? std::vector<std::string>{} : parts_of(field, " ; ");
}

/// Rows of a table. Fields are separated by tabs; lines that begin with # are comments.
inline std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& table) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines_of(table))
    if (!line.starts_with('#')) rows.push_back(parts_of(line, "\t"));
  return rows;
}

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Folder of the tests of configurations.
inline const std::filesystem::path config_tests = project_root() / "tests/drivers/config";

/// Text of a valid configuration that tests change.
inline std::string configuration(const std::string& name) {
  return joined(lines_of(config_tests / "refused" / (name + ".yaml")));
}

}  // namespace Testing
}  // namespace Tomokkos
