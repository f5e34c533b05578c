// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchConfig.hpp"

#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_ReadBenchMatrices.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos::Bench {
namespace {

template <class Enum>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> result;
  for (const auto& [value, name] : EnumNames<Enum>::names) result.push_back(name);
  return result;
}

/// A list of values of an enumeration.
template <class Enum>
std::vector<Enum> choices(const ConfigReader& reader, std::string_view key,
                          const std::vector<Enum>& fallback) {
  std::vector<Enum> result;
  for (const std::string& name : names(reader, key, names_of<Enum>(), {}))
    result.push_back(*from_string<Enum>(name));
  return result.empty() ? fallback : result;
}

/// An empty list is a list, too: `peers: []`.
std::vector<Peer> read_peers(const ConfigReader& reader) {
  const ConfigNode* node = reader.find("peers");
  if (node != nullptr && node->is_list() && node->items().empty()) return {};
  std::vector<Peer> all;
  for (const auto& [peer, name] : EnumNames<Peer>::names) all.push_back(peer);
  return choices(reader, "peers", all);
}

/// A number or a list of them.
std::vector<int> read_vectors(const ConfigReader& reader, const std::vector<int>& fallback) {
  const ConfigNode* node = reader.find("vectors");
  if (node == nullptr) return fallback;
  const auto number = [&](const ConfigNode& item) {
    return static_cast<int>(integer_of(item, reader.path_of("vectors"), 1, 1024));
  };
  if (!node->is_list()) return {number(*node)};
  std::vector<int> result;
  for (const ConfigNode& item : node->items()) {
    result.push_back(number(item));
    if (std::count(result.begin(), result.end(), result.back()) > 1)
      reader.fail("vectors", std::to_string(result.back()) + " stands twice");
  }
  if (result.empty()) reader.fail("vectors", "a number or a list of numbers");
  return result;
}

}  // namespace

BenchConfig read_bench_config(const ConfigNode& root, const std::string& name) {
  const ConfigReader document(root, "", document_keys());
  BenchConfig result;
  result.run = read_run(document);
  result.options.timing.seed = result.run.seed;
  result.options.deterministic = result.run.deterministic;
  if (!document.has("bench")) {
    const RunConfig config = read_run_config(root, ConfigUse::matrix, name);
    OrderingOptions ordering = config.matrix_operator.ordering;
    if (ordering.entries != EntryOrder::sorted) result.options.entries.push_back(ordering.entries);
    ordering.entries = EntryOrder::sorted;
    result.matrices.push_back({name_in_order(name, ordering), TomographySource{config}, ordering});
    // The format of its operator, beside the one that libraries know.
    if (const MatrixFormat format = config.matrix_operator.format; format != MatrixFormat::csr)
      result.options.formats.push_back(format);
    result.scalars = {result.run.scalar};
    result.options.operations = {Operation::spmv, Operation::spmv_transpose,
                                 Operation::mlem_iteration, Operation::sirt_iteration};
    for (const auto& [peer, peer_name] : EnumNames<Peer>::names)
      result.options.peers.push_back(peer);
    return result;
  }

  const ConfigReader reader =
      document.section("bench", {"matrices", "operations", "formats", "variants", "scalars",
                                 "entries", "peers", "vectors", "repetitions", "warmup", "seed"});
  const ConfigNode* run = document.find("run");
  result.matrices = read_matrices(reader, run != nullptr ? *run : ConfigNode());
  result.scalars = names(reader, "scalars", scalar_names(), {result.run.scalar});
  BenchOptions& options = result.options;
  options.operations =
      choices<Operation>(reader, "operations", {Operation::spmv, Operation::spmv_transpose});
  options.formats = choices<MatrixFormat>(reader, "formats", options.formats);
  options.variants = choices<SpmvVariant>(reader, "variants", options.variants);
  options.entries = choices<EntryOrder>(reader, "entries", options.entries);
  options.peers = read_peers(reader);
  options.vectors = read_vectors(reader, options.vectors);
  options.timing.repetitions =
      static_cast<int>(reader.integer("repetitions", options.timing.repetitions, 1, 100000));
  options.timing.warmup =
      static_cast<int>(reader.integer("warmup", options.timing.warmup, 0, 100000));
  options.timing.seed = static_cast<std::uint64_t>(reader.integer(
      "seed", static_cast<long long>(result.run.seed), 0, std::numeric_limits<long long>::max()));
  return result;
}

}  // namespace Tomokkos::Bench
