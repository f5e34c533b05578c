// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchConfig.hpp"

#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos::Bench {
namespace {

constexpr long long max_ordinal = std::numeric_limits<Ordinal>::max();
const std::vector<std::string_view> source_keys{"tomography", "stencil", "file", "power_law",
                                                "uniform"};

/// The items of the list \p key; nullptr when it is absent.
const std::vector<ConfigNode>* items_of(const ConfigReader& reader, std::string_view key) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return nullptr;
  if (!node->is_list() || node->items().empty())
    fail_at(*node, reader.path_of(key),
            "expected a list that is not empty, found " + node->describe());
  return &node->items();
}

/// A list of names out of \p allowed, each once.
std::vector<std::string> names(const ConfigReader& reader, std::string_view key,
                               const std::vector<std::string_view>& allowed,
                               std::vector<std::string> fallback) {
  const auto* items = items_of(reader, key);
  if (items == nullptr) return fallback;
  std::vector<std::string> result;
  const std::string path = reader.path_of(key);
  for (const ConfigNode& item : *items) {
    const std::string& name = string_of(item, path);
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
      const auto nearest = nearest_name(name, allowed);
      fail_at(item, path,
              "unknown name \"" + name + "\"" +
                  (nearest ? ", did you mean \"" + std::string(*nearest) + "\"?" : "") +
                  "; allowed: " + join_names(allowed));
    }
    if (std::find(result.begin(), result.end(), name) != result.end())
      fail_at(item, path, "\"" + name + "\" stands twice");
    result.push_back(name);
  }
  return result;
}

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

Ordinal ordinal(const ConfigReader& reader, std::string_view key) {
  reader.require_key(key, "a whole number");
  return static_cast<Ordinal>(reader.integer(key, 1, 1, max_ordinal));
}

StencilSource read_stencil(const ConfigReader& entry) {
  const ConfigReader reader = entry.section("stencil", {"points", "size", "unknowns"});
  StencilSource result;
  result.points = static_cast<int>(reader.integer("points", 27, 7, 27));
  if (result.points != 7 && result.points != 27) reader.fail("points", "allowed: 7, 27");
  reader.require_key("size", "points along a side, or [nx, ny, nz]");
  const ConfigNode& size = *reader.find("size");
  const std::string path = reader.path_of("size");
  if (size.is_list()) {
    if (size.items().size() != 3) fail_at(size, path, "expected one number, or [nx, ny, nz]");
    for (std::size_t i = 0; i < 3; ++i)
      result.size[i] = static_cast<Ordinal>(integer_of(size.items()[i], path, 1, max_ordinal));
  } else {
    result.size.fill(static_cast<Ordinal>(integer_of(size, path, 1, max_ordinal)));
  }
  result.unknowns = static_cast<int>(reader.integer("unknowns", 1, 1, 64));
  const Offset plane = static_cast<Offset>(result.size[0]) * result.size[1];
  if (plane > max_ordinal / result.unknowns / result.size[2])
    fail_at(size, path, "has more points than a 32-bit index counts");
  return result;
}

double entries_per_row(const ConfigReader& reader) {
  return reader.number("entries_per_row", 16.0, {0.0, 1e6});
}

template <class Source>
void check_entries(const ConfigReader& reader, const Source& source) {
  if (entry_count(source) > max_generated_entries)
    reader.fail("entries_per_row", ConfigNode::number(entry_count(source)).scalar() +
                                       " entries in all; a generated matrix has at most 4e9");
}

std::uint64_t seed_of(const ConfigReader& reader) {
  return static_cast<std::uint64_t>(
      reader.integer("seed", 1, 0, std::numeric_limits<long long>::max()));
}

PowerLaw read_power_law(const ConfigReader& entry) {
  const ConfigReader reader = entry.section("power_law", {"scale", "entries_per_row", "seed"});
  PowerLaw result;
  reader.require_key("scale", "the matrix has 2^scale rows");
  result.scale = static_cast<int>(reader.integer("scale", 16, 0, 30));
  result.entries_per_row = entries_per_row(reader);
  result.seed = seed_of(reader);
  check_entries(reader, result);
  return result;
}

Uniform read_uniform(const ConfigReader& entry) {
  const ConfigReader reader =
      entry.section("uniform", {"rows", "columns", "entries_per_row", "seed"});
  Uniform result;
  result.rows = ordinal(reader, "rows");
  result.columns = ordinal(reader, "columns");
  result.entries_per_row = entries_per_row(reader);
  result.seed = seed_of(reader);
  check_entries(reader, result);
  return result;
}

FileSource read_file(const ConfigReader& entry) {
  const FileSource result{entry.file("file")};
  std::error_code error;
  if (!std::filesystem::is_regular_file(result.path, error))
    entry.fail("file", result.path.string() + ": there is no such file");
  try {
    matrix_file_format(result.path);
  } catch (const InputError& problem) {
    entry.fail("file", problem.what());
  }
  return result;
}

/// The system matrix of a problem: read as the problem of an ordinary configuration.
TomographySource read_tomography(const ConfigReader& entry, const ConfigNode& run) {
  const ConfigNode& node = *entry.find("tomography");
  // Checks the keys, with the path of the entry; the values are the business of the other reader.
  entry.section("tomography", {"volume", "geometry", "projector"});
  ConfigNode problem = node;
  problem.set("type", ConfigNode::text("tomography"));
  ConfigNode root = ConfigNode::map();
  root.position = node.position;
  root.set("run", run);
  root.set("problem", std::move(problem));
  return {read_run_config(root, ConfigUse::matrix, "")};
}

/// The order stands behind the name, so that one matrix may stand in a table in several.
std::string name_in_order(const std::string& name, const OrderingOptions& ordering) {
  return ordering == OrderingOptions{} ? name : name + " (" + describe(ordering) + ")";
}

void read_order(const ConfigReader& entry, bool is_tomography, MatrixSource& result) {
  result.ordering = read_ordering(entry);
  if (!is_tomography && is_on_grid(result.ordering))
    entry.fail("ordering", "tiles and hilbert are for pixels and rays, which tomography alone has");
  result.name = name_in_order(result.name, result.ordering);
}

MatrixSource read_matrix_source(const ConfigNode& node, const std::string& path,
                                const ConfigNode& run) {
  std::vector<std::string_view> allowed{"name", "ordering"};
  allowed.insert(allowed.end(), source_keys.begin(), source_keys.end());
  const ConfigReader entry(node, path, allowed);
  entry.require_key("name", "as it stands in the results");
  std::vector<std::string_view> given;
  for (const auto key : source_keys)
    if (entry.has(key)) given.push_back(key);
  if (given.size() != 1)
    fail_at(node, path,
            "needs exactly one of " + join_names(source_keys) +
                (given.empty() ? "" : "; has " + join_names(given)));
  MatrixSource result;
  result.name = entry.string("name");
  read_order(entry, given.front() == "tomography", result);
  if (given.front() == "tomography") result.source = read_tomography(entry, run);
  if (given.front() == "stencil") result.source = read_stencil(entry);
  if (given.front() == "file") result.source = read_file(entry);
  if (given.front() == "power_law") result.source = read_power_law(entry);
  if (given.front() == "uniform") result.source = read_uniform(entry);
  return result;
}

std::vector<MatrixSource> read_matrices(const ConfigReader& reader, const ConfigNode& run) {
  reader.require_key("matrices", "a list of {name, one of " + join_names(source_keys) + "}");
  std::vector<MatrixSource> result;
  const auto& items = *items_of(reader, "matrices");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string path = reader.path_of("matrices") + "[" + std::to_string(i) + "]";
    result.push_back(read_matrix_source(items[i], path, run));
    for (std::size_t other = 0; other < i; ++other)
      if (result[other].name == result[i].name)
        fail_at(items[i], path + ".name", "\"" + result[i].name + "\" stands twice");
  }
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
    const OrderingOptions& ordering = config.matrix_operator.ordering;
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
                                 "peers", "vectors", "repetitions", "warmup", "seed"});
  const ConfigNode* run = document.find("run");
  result.matrices = read_matrices(reader, run != nullptr ? *run : ConfigNode());
  result.scalars = names(reader, "scalars", scalar_names(), {result.run.scalar});
  BenchOptions& options = result.options;
  options.operations =
      choices<Operation>(reader, "operations", {Operation::spmv, Operation::spmv_transpose});
  options.formats = choices<MatrixFormat>(reader, "formats", options.formats);
  for (const MatrixSource& source : result.matrices)
    if (source.ordering.entries != EntryOrder::sorted &&
        options.formats != std::vector{MatrixFormat::csr})
      reader.fail("formats", source.name + ": entries: interleaved is of csr alone");
  options.variants = choices<SpmvVariant>(reader, "variants", options.variants);
  options.peers = read_peers(reader);
  options.vectors = static_cast<int>(reader.integer("vectors", options.vectors, 1, 1024));
  options.timing.repetitions =
      static_cast<int>(reader.integer("repetitions", options.timing.repetitions, 1, 100000));
  options.timing.warmup =
      static_cast<int>(reader.integer("warmup", options.timing.warmup, 0, 100000));
  options.timing.seed = static_cast<std::uint64_t>(reader.integer(
      "seed", static_cast<long long>(result.run.seed), 0, std::numeric_limits<long long>::max()));
  return result;
}

}  // namespace Tomokkos::Bench
