// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_ReportFile.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>

namespace Tomokkos {

namespace {

namespace fs = std::filesystem;

/// Copies the node at \p path, if it exists, as \p key.
void copy(const ConfigNode& from, const std::string& path, const std::string& key,
          Description& description) {
  if (const ConfigNode* found = from.at(path)) description.set(key, description_of(*found));
}

std::string text_at(const ConfigNode& root, const std::string& path) {
  const ConfigNode* node = root.at(path);
  return node != nullptr && node->is_scalar() ? node->scalar() : "";
}

/// Largest of the last recorded residuals of the slices. Empty: none recorded.
std::optional<double> last_residual(const std::vector<SolveResult>& results) {
  std::optional<double> largest;
  for (const SolveResult& result : results)
    for (auto record = result.history.rbegin(); record != result.history.rend(); ++record) {
      if (!record->relative_residual) continue;
      largest = std::max(largest.value_or(0.0), *record->relative_residual);
      break;
    }
  return largest;
}

}  // namespace

bool is_report(const ConfigNode& document) {
  if (!document.is_map()) return false;
  const ConfigNode* configuration = document.find("configuration");
  return configuration != nullptr && configuration->is_map() &&
         document.find("version") != nullptr && document.find("problem") == nullptr;
}

const OutputKind report_output{"the report of a run", [](const std::filesystem::path& file) {
                                 // The configuration comes first and may be long.
                                 const std::string head = Impl::first_bytes(file, 1U << 20);
                                 return head.starts_with("configuration:") &&
                                        head.find("\nversion:") != std::string::npos;
                               }};

std::vector<std::string> files_of_report(const std::filesystem::path& report) {
  std::vector<std::string> names;
  try {
    const ConfigNode root = read_yaml_file(report);
    if (const ConfigNode* files = root.find("files"))
      for (const ConfigNode& file : files->items())
        if (file.is_scalar()) names.push_back(file.scalar());
  } catch (const Error&) {
  }
  return names;
}

void require_other_folder(const std::string& file, const ConfigNode& root,
                          const fs::path& results) {
  const ConfigNode* directory = root.at("output.directory");
  const auto* source = directory != nullptr ? directory->position.source.get() : nullptr;
  if (source == nullptr || source->name == file)
    throw ConfigError(file +
                      ": is the report of a run, whose results must not be overwritten; give "
                      "--output with a folder for this run");
  std::error_code error;
  const fs::path resolved = fs::canonical(file, error);
  for (const fs::path& report : {fs::absolute(file), resolved})
    if (fs::equivalent(results, report.parent_path(), error))
      throw ConfigError("output.directory: " + results.string() + " is the folder of the report " +
                        file + " and contains the results of its run; give another folder");
}

void add_report_info(const ConfigNode& report, Description& description) {
  description.set("format", "report");
  copy(report, "configuration.problem.type", "problem", description);
  copy(report, "configuration.solver.type", "solver", description);
  for (const char* key : {"backend", "device", "threads"}) copy(report, key, key, description);
  copy(report, "configuration.run.scalar", "scalar", description);
  for (const char* key : {"version", "git"}) copy(report, key, key, description);
  Description matrix = Description::map(true);
  for (const char* key : {"rows", "columns", "nonzeros"})
    copy(report, "matrix." + std::string(key), key, matrix);
  if (!matrix.items().empty()) description.set("matrix", std::move(matrix));
  copy(report, "operator.format", "operator", description);
  for (const char* key : {"data", "mesh", "result", "resumed"}) copy(report, key, key, description);
  Description seconds = Description::map(true);
  for (const char* key : {"iterations", "total"})
    copy(report, "seconds." + std::string(key), key, seconds);
  if (!seconds.items().empty()) description.set("seconds", std::move(seconds));
  for (const char* key : {"peak_memory", "files"}) copy(report, key, key, description);
}

void add_checkpoint_info(const std::string& file, Description& description) {
  // The checkpoint must be read in the precision of its run.
  const CheckpointTexts texts = read_checkpoint_texts(file);
  const ConfigNode configuration = configuration_of(file, texts);
  const std::string scalar = text_at(configuration, "run.scalar") == "double" ? "double" : "float";
  visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
    const Checkpoint<Scalar> checkpoint = read_checkpoint<Scalar>(file);
    description.set("format", "checkpoint");
    description.set("version", text_of(texts, "version"));
    copy(configuration, "solver.type", "solver", description);
    description.set("iteration", checkpoint.progress.iteration);
    copy(configuration, "solver.iterations", "iterations", description);
    description.set("shape", read_npz_array<Scalar>(file, "image").shape);
    description.set("scalar", scalar);
    const std::vector<SolveResult>& results = checkpoint.progress.results;
    description.set("slices", results.size());
    description.set("active_slices", std::count(checkpoint.progress.active.begin(),
                                                checkpoint.progress.active.end(), true));
    if (const auto residual = last_residual(results))
      description.set("relative_residual", *residual);
    Description keys = Description::map();
    for (const char* key : {"matrix", "data", "multiplicative", "background"})
      if (const std::string text = text_of(texts, key); !text.empty()) keys.set(key, text);
    for (const char* key : {"threads", "ranks"})
      keys.set(key, as_number(ConfigNode::text(text_of(texts, key))).value_or(0));
    description.set("identity", std::move(keys));
  });
}

}  // namespace Tomokkos
