// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckpointIdentity.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_WriteYaml.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace Tomokkos {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& message) {
  throw InputError(file.string() + ": " + message);
}

// Keys that may differ: files whose contents are compared, and settings that do not change an
// iteration. Rules of solver.stop must not differ, because they decide when a slice has ended.
const std::set<std::string, std::less<>> free_keys{"run.ranks",
                                                   "run.memory_limit",
                                                   "run.threads",
                                                   "problem.matrix",
                                                   "problem.block_row",
                                                   "problem.rhs",
                                                   "problem.geometry.angles",
                                                   "problem.phantom.file",
                                                   "problem.sinogram.file",
                                                   "problem.sinogram.flat",
                                                   "problem.sinogram.dark",
                                                   "solver.iterations",
                                                   "solver.sweeps",
                                                   "solver.background",
                                                   "solver.multiplicative",
                                                   "problem.mask",
                                                   "problem.ray_mask"};

/// Collects the leaves of a configuration by their path.
void flatten(const ConfigNode& node, const std::string& path,
             std::vector<std::pair<std::string, std::string>>& leaves) {
  if (path == "output" || free_keys.count(path) != 0) return;
  if (node.is_map()) {
    for (const auto& entry : node.entries())
      flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, leaves);
  } else if (node.is_list() && std::any_of(node.items().begin(), node.items().end(),
                                           [](const ConfigNode& item) { return item.is_map(); })) {
    for (std::size_t i = 0; i < node.items().size(); ++i)
      flatten(node.items()[i], path + "[" + std::to_string(i) + "]", leaves);
  } else if (node.is_list()) {
    std::string text;
    for (const ConfigNode& item : node.items())
      text += (text.empty() ? "" : ", ") + (item.is_scalar() ? item.scalar() : to_yaml(item));
    leaves.emplace_back(path, "[" + text + "]");
  } else if (node.is_scalar() && node.scalar() != "none") {  // `none` is the same as absent
    leaves.emplace_back(path, node.scalar());
  }
}

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

template <class Scalar>
std::string fingerprint_of(std::span<const Scalar> values) {
  // FNV-1a over the words of the values and their number.
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  const auto add = [&](std::uint64_t word) {
    sum = (sum ^ word) * 0x100000001b3ULL;
    sum ^= sum >> 32;
  };
  for (const Scalar value : values) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    add(word);
  }
  add(values.size());
  return hexadecimal(sum);
}

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

void require_same_configuration(const std::filesystem::path& file, const CheckpointIdentity& saved,
                                const CheckpointIdentity& run) {
  std::vector<std::pair<std::string, std::string>> before, now;
  flatten(saved.configuration, "", before);
  flatten(run.configuration, "", now);
  const auto value_of = [](const auto& leaves, const std::string& path) {
    const auto known = std::find_if(leaves.begin(), leaves.end(),
                                    [&](const auto& leaf) { return leaf.first == path; });
    return known == leaves.end() ? std::string("nothing") : known->second;
  };
  for (const auto* leaves : {&before, &now})
    for (const auto& leaf : *leaves) {
      const std::string then = value_of(before, leaf.first), today = value_of(now, leaf.first);
      if (then != today)
        refuse(file, "the checkpoint has another configuration: " + leaf.first + " was " + then +
                         " and is now " + today);
    }
  if (saved.ranks != run.ranks)
    refuse(file, "the checkpoint is from a run with " + std::to_string(saved.ranks) +
                     " processes, this run has " + std::to_string(run.ranks) +
                     " and would sum in another order");
  if (saved.threads != run.threads)
    refuse(file, "the checkpoint is from a run with " + std::to_string(saved.threads) +
                     " threads, this run has " + std::to_string(run.threads) +
                     " and would sum in another order; set run.threads (or run.deterministic from "
                     "the first iteration on)");
}

void require_same_ranks(const std::filesystem::path& file, const CheckpointIdentity& saved,
                        const CheckpointIdentity& run) {
  const auto check = [&](const std::string& key, const std::string& then,
                         const std::string& today) {
    if (then != today)
      refuse(file, "run.ranks." + key + " was " + then + " and is now " + today +
                       ", which changes the order of sums");
  };
  check("weights", saved.rank_weights, run.rank_weights);
  check("image", saved.rank_image, run.rank_image);
}

void require_same_matrix(const std::filesystem::path& file, const CheckpointIdentity& saved,
                         const CheckpointIdentity& run) {
  if (saved.matrix != run.matrix)
    refuse(file, "the checkpoint has another matrix: " + saved.matrix +
                     "; the matrix of this run is " + run.matrix);
}

void require_same_data(const std::filesystem::path& file, const CheckpointIdentity& saved,
                       const CheckpointIdentity& run) {
  const auto check = [&](const std::string& what, const std::string& then,
                         const std::string& today) {
    if (then != today)
      refuse(file, "the checkpoint has other values: those of " + what + " differ");
  };
  check("the data", saved.data, run.data);
  check("solver.multiplicative", saved.multiplicative, run.multiplicative);
  check("solver.background", saved.background, run.background);
}

#define TOMOKKOS_INSTANTIATE(Scalar) template std::string fingerprint_of(std::span<const Scalar>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
