// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckpointIdentity.hpp>
#include <Tomokkos_ConfigDifference.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <memory>
#include <utility>

namespace Tomokkos {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& message) {
  throw InputError(file.string() + ": " + message);
}

}  // namespace

std::string describe_matrix(Ordinal rows, Ordinal columns, Offset nonzeros,
                            std::uint64_t fingerprint) {
  return std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(nonzeros) +
         " nonzeros, " + hexadecimal(fingerprint);
}

std::string describe_weights(const std::vector<double>& weights) {
  std::string text;
  for (const double weight : weights)
    text += (text.empty() ? "" : ", ") + ConfigNode::number(weight).scalar();
  return "[" + text + "]";
}

std::string text_of(const CheckpointTexts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

ConfigNode configuration_of(const std::filesystem::path& file, const CheckpointTexts& texts) {
  auto source = std::make_shared<ConfigSource>();
  source->name = file.string() + "(state.yaml)";
  try {
    return parse_yaml(text_of(texts, "configuration"), source);
  } catch (const ConfigError& error) {
    throw InputError(error.what());
  }
}

void require_same_configuration(const std::filesystem::path& file, const CheckpointTexts& saved,
                                const CheckpointTexts& run) {
  const auto then = [&](const char* name) { return text_of(saved, name); };
  const auto today = [&](const char* name) { return text_of(run, name); };
  if (const auto other = first_difference(
          configuration_of(file, saved), configuration_of(file, run), keys_outside(Identity::bits)))
    refuse(file, "the checkpoint has another configuration: " + other->key + " was " +
                     other->first + " and is now " + other->second);
  if (then("ranks") != today("ranks"))
    refuse(file, "the checkpoint is from a run with " + then("ranks") +
                     " processes, this run has " + today("ranks") +
                     " and would sum in another order");
  if (then("threads") != today("threads"))
    refuse(file, "the checkpoint is from a run with " + then("threads") +
                     " threads, this run has " + today("threads") +
                     " and would sum in another order; set run.threads (or run.deterministic from "
                     "the first iteration on)");
}

void require_same_ranks(const std::filesystem::path& file, const CheckpointTexts& saved,
                        const CheckpointTexts& run) {
  for (const std::string key : {"weights", "image"})
    if (const std::string then = text_of(saved, "rank_" + key), today = text_of(run, "rank_" + key);
        then != today)
      refuse(file, "run.ranks." + key + " was " + then + " and is now " + today +
                       ", which changes the order of sums");
}

void require_same_matrix(const std::filesystem::path& file, const CheckpointTexts& saved,
                         const CheckpointTexts& run) {
  const std::string then = text_of(saved, "matrix"), today = text_of(run, "matrix");
  if (then != today)
    refuse(file,
           "the checkpoint has another matrix: " + then + "; the matrix of this run is " + today);
}

void require_same_data(const std::filesystem::path& file, const CheckpointTexts& saved,
                       const CheckpointTexts& run) {
  for (const auto& [name, what] : {std::pair<std::string, std::string>{"data", "the data"},
                                   {"multiplicative", "solver.multiplicative"},
                                   {"background", "solver.background"}})
    if (text_of(saved, name) != text_of(run, name))
      refuse(file, "the checkpoint has other values: those of " + what + " differ");
}

}  // namespace Tomokkos
