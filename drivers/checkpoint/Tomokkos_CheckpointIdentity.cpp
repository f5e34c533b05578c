// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckpointIdentity.hpp>
#include <Tomokkos_ConfigDifference.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_KeyHelp.hpp>

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

void require_same_configuration(const std::filesystem::path& file, const CheckpointIdentity& saved,
                                const CheckpointIdentity& run) {
  const ConfigKeys free_keys = keys_outside(Identity::bits);
  if (const auto other = first_difference(saved.configuration, run.configuration, free_keys))
    refuse(file, "the checkpoint has another configuration: " + other->key + " was " +
                     other->first + " and is now " + other->second);
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

}  // namespace Tomokkos
