// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

namespace Tomokkos {

namespace {

/// Scrambles \p value (the finaliser of MurmurHash3).
std::uint64_t scrambled(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ value >> 33;
}

// The keys of a record, in the order of its file. They read and write it.

constexpr const char* incomplete = "this is not a complete record";

/// A number of a record; NaN is written as `none`.
double number_or_nan(const ConfigNode& node, const std::string& path) {
  return node.is_scalar() && node.scalar() == "none" ? std::nan("") : number_of(node, path);
}
ConfigNode number_node(std::optional<double> value) {
  return std::isnan(*value) ? ConfigNode::plain("none") : ConfigNode::number(*value);
}

void require_list(const ConfigNode& node, const std::string& path) {
  if (!node.is_list()) fail_at(node, path, "expected a list, found " + node.describe());
}

void add_text(Keys& key, const char* name, std::string& member) {
  key.value(name, member, "", "", string_of, ConfigNode::text);
}

void add_numbers(Keys& key, const char* name, std::vector<double>& member) {
  const auto read = [](const ConfigNode& node, const std::string& path) {
    require_list(node, path);
    std::vector<double> values;
    for (const ConfigNode& item : node.items()) values.push_back(number_or_nan(item, path));
    return values;
  };
  key.value(name, member, "", "", read, [](const std::vector<double>& values) {
    ConfigNode node = ConfigNode::list();
    for (const double value : values) node.push_back(number_node(value));
    return node;
  });
}

/// Describes a list of maps. \p what holds further arguments of `describe`.
template <class Part, class... What>
void add_parts(Keys& key, const char* name, std::vector<Part>& member, bool on_one_line,
               const What&... what) {
  const auto read = [&what...](const ConfigNode& node, const std::string& path) {
    require_list(node, path);
    std::vector<Part> all;
    for (const ConfigNode& item : node.items()) {
      Part& part = all.emplace_back();
      read_map(item, path, part, what...);
    }
    return all;
  };
  key.value(name, member, "", "", read, [on_one_line, &what...](const std::vector<Part>& all) {
    ConfigNode list = ConfigNode::list(false);
    for (Part part : all)
      list.push_back(
          Impl::written([&](Keys& keys) { describe(keys, part, what...); }, on_one_line));
    return list;
  });
}

}  // namespace

static void describe(Keys& key, RunInputFile& input) {
  add_text(key, "name", input.name);
  key.integer("bytes", input.bytes, 0, 1LL << 62, "");
  add_text(key, "hash", input.hash);
}

static void describe(Keys& key, RunIdentity& identity) {
  add_parts(key, "inputs", identity.inputs, true);
  key.required("the document is not complete")
      .value(
          "configuration", identity.configuration, "", "",
          [](const ConfigNode& node, const std::string&) { return node; },
          [](const ConfigNode& node) { return node; });
}

static void describe_digest(Keys& key, VectorDigest& digest, const RunRecord& record) {
  key.integer("size", digest.size, 0, 1LL << 40, "");
  key.required(incomplete).value("norm", digest.norm, "", "", number_or_nan, number_node);
  if (record.format > 1) key.required(incomplete);
  key.printed(digest.sum.has_value()).value("sum", digest.sum, "", "", number_or_nan, number_node);
  add_text(key, "hash", digest.hash);
  add_numbers(key, "samples", digest.samples);
  key.reading([&](const ConfigReader& reader) {
    const std::size_t expected = std::min(digest.size, static_cast<std::size_t>(record.samples));
    if (digest.samples.size() != expected)
      reader.fail("samples",
                  Impl::text("expected {} numbers, found {}", expected, digest.samples.size()));
  });
}

static void describe(Keys& key, ProductRecord& product, const RunRecord& record) {
  add_text(key, "name", product.name);
  describe_digest(key, product.value, record);
  add_numbers(key, "bounds", product.bounds);
  key.reading([&](const ConfigReader& reader) {
    if (product.bounds.size() != product.value.samples.size())
      reader.fail("bounds", "expected as many numbers as there are samples");
    // A product that is 0 has no rounding.
    for (const double bound : product.bounds)
      if (!std::isfinite(bound) || bound < 0 || (bound == 0 && product.value.norm != 0))
        reader.fail("bounds",
                    Impl::text("the rounding bounds of {} must be finite and positive, found {}",
                               product.name, number_node(bound).scalar()));
  });
}

static void describe(Keys& key, IterateRecord& iterate, const RunRecord& record) {
  key.integer("solve", iterate.solve, 0, max_count, "");
  key.integer("iteration", iterate.iteration, 0, max_count, "");
  add_numbers(key, "residuals", iterate.residuals);
  key.number("rounding", iterate.rounding, KeyRange::not_negative(), "");
  describe_digest(key, iterate.x, record);
}

static void describe(Keys& key, RecordedEnd& end) {
  key.name("reason", end.reason, "");
  key.integer("iterations", end.iterations, 0, max_count, "");
}

static void describe(Keys& key, RunRecord& record) {
  key.required("this is not a record of tomokkos compare --record")
      .integer("record", record.format, 0, 1 << 20, "");
  key.reading([&](const ConfigReader& reader) {
    if (const int newest = RunRecord().format; record.format < 1 || record.format > newest)
      reader.fail("record", Impl::text("expected format 1 or {}; another version of the program "
                                       "wrote this record",
                                       newest));
  });
  add_text(key, "version", record.version);
  add_text(key, "git", record.git);
  add_text(key, "backend", record.backend);
  add_text(key, "device", record.device);
  add_text(key, "scalar", record.scalar);
  key.integer("threads", record.threads, 0, 1 << 20, "");
  key.integer("ranks", record.ranks, 1, 1 << 20, "");
  key.integer("samples", record.samples, 0, 1 << 30, "");
  add_parts(key, "products", record.products, false, record);
  add_parts(key, "ends", record.ends, true);
  key.boolean("stop_depends_on_rounding", record.stop_depends_on_rounding, "");
  key.boolean("recursive", record.is_recursive, "");  // older records lack it
  add_parts(key, "iterates", record.iterates, false, record);
  describe(key, record.identity);
}

namespace {

// Identity of a run.

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

/// Describes input file \p i.
std::string describe_input(const RunIdentity& identity, std::size_t i) {
  if (i >= identity.inputs.size()) return "nothing";
  const RunInputFile& file = identity.inputs[i];
  return Impl::text("{} ({} bytes, contents {})", file.name, file.bytes, file.hash);
}

}  // namespace

ConfigNode portable_configuration(const ConfigNode& configuration) {
  return portable(configuration, "", keys_outside(Identity::run));
}

RunIdentity identity_of(const ConfigNode& configuration,
                        const std::vector<std::filesystem::path>& files) {
  RunIdentity identity{portable_configuration(configuration), {}};
  for (const auto& file : files) {
    // The run reports a file that is missing or a folder by its key.
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) continue;
    identity.inputs.push_back({file.filename().string(), std::filesystem::file_size(file, error),
                               fingerprint_of_file(file)});
  }
  return identity;
}

std::optional<ConfigDifference> first_difference(const RunIdentity& a, const RunIdentity& b,
                                                 const ConfigKeys& ignored) {
  if (auto difference = first_difference(a.configuration, b.configuration, ignored))
    return difference;
  const auto is_same = [](const RunInputFile& first, const RunInputFile& second) {
    return first.bytes == second.bytes && first.hash == second.hash;
  };
  const auto [first, second] =
      std::mismatch(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(), is_same);
  if (first == a.inputs.end() && second == b.inputs.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(first - a.inputs.begin());
  return ConfigDifference{"input file " + std::to_string(i + 1), describe_input(a, i),
                          describe_input(b, i)};
}

void require_same_command(const std::string& command, const RunRanks& ranks) {
  const std::string first = ranks.from_first(command);
  ranks.together([&] {
    if (command != first)
      throw ConfigError(
          Impl::text("the ranks were given different commands: {} on rank 0 and {} on "
                     "rank {}; start all ranks with the same command",
                     first, command, ranks.rank()));
  });
}

void require_same_on_ranks(const RunIdentity& own, const RunRanks& ranks) {
  if (ranks.size() == 1) return;
  const std::string text = ranks.from_first(to_yaml(written_section(own)));
  ranks.together([&] {
    auto source = std::make_shared<ConfigSource>();
    source->name = "the configuration of rank 0";
    const ConfigNode root = parse_yaml(text, source);
    RunIdentity first;
    read_map(root, "", first);
    if (const auto difference = first_difference(first, own))
      throw ConfigError(
          Impl::text("the ranks were given different runs: {} is {} on rank 0 and {} on rank {}; "
                     "start all ranks with the same configuration and the same files",
                     difference->key, difference->first, difference->second, ranks.rank()));
  });
}

std::string describe(const IterateNumber& number) {
  return "iterate " + std::to_string(number.iteration) +
         (number.solve > 0 ? " of column " + std::to_string(number.solve) : "");
}

const IterateRecord* find_iterate(const RunRecord& record, const IterateNumber& number) {
  const auto found = std::find(record.iterates.begin(), record.iterates.end(), number);
  return found == record.iterates.end() ? nullptr : &*found;
}

std::vector<std::size_t> sample_positions(std::size_t size, int count) {
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<std::size_t> positions(std::min(size, wanted));
  for (std::size_t k = 0; k < positions.size(); ++k) {
    if (size <= wanted) {
      positions[k] = k;
      continue;
    }
    // In double, so that the product of two sizes does not overflow.
    const auto bound = [&](std::size_t part) {
      return static_cast<std::size_t>(static_cast<double>(size) * static_cast<double>(part) /
                                      static_cast<double>(wanted));
    };
    const std::size_t begin = bound(k), length = std::max<std::size_t>(bound(k + 1) - begin, 1);
    positions[k] = begin + static_cast<std::size_t>(scrambled(k + 1) % length);
  }
  return positions;
}

template <class Scalar>
VectorDigest digest_of(const std::vector<Scalar>& values, int samples) {
  VectorDigest digest;
  digest.size = values.size();
  double squares = 0, sum = 0;
  for (const Scalar value : values) {
    squares += static_cast<double>(value) * static_cast<double>(value);
    sum += static_cast<double>(value);
  }
  digest.sum = sum;
  digest.norm = std::sqrt(squares);
  digest.hash = fingerprint_of(std::span<const Scalar>(values));
  for (const std::size_t position : sample_positions(values.size(), samples))
    digest.samples.push_back(static_cast<double>(values[position]));
  return digest;
}

std::vector<double> differences(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

double root_mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

void thin_iterates(RunRecord& record, std::size_t count) {
  auto& iterates = record.iterates;
  if (iterates.size() <= count || count < 2) return;
  std::vector<IterateRecord> kept;
  for (std::size_t k = 0; k < count; ++k)
    kept.push_back(std::move(iterates[k * (iterates.size() - 1) / (count - 1)]));
  iterates = std::move(kept);
}

void write_record(const std::filesystem::path& file, const RunRecord& record) {
  AtomicFile out(file, record_output);
  out.write(to_yaml(written_section(record)));
  out.commit();
}

const OutputKind record_output{
    "a record of tomokkos compare",
    [](const std::filesystem::path& file) { return Impl::first_bytes(file, 8) == "record: "; }};

RunRecord read_record(const std::filesystem::path& file) {
  RunRecord record;
  try {
    read_map(read_yaml_file(file), "", record);
  } catch (const ConfigError& error) {
    throw InputError(error.what());
  }
  // Format 1 multiplied the rounding of a recursive solver by 30, and its products may lack the
  // sum.
  if (record.format == 1 && record.is_recursive)
    for (IterateRecord& iterate : record.iterates) iterate.rounding /= 30;
  return record;
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template VectorDigest digest_of(const std::vector<Scalar>&, int);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
