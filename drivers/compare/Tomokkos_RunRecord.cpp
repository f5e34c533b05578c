// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace Tomokkos {

namespace {

// Format 1 multiplied the rounding of a recursive solver by 30, and its products may lack the sum.
constexpr int record_format = 2;
constexpr double recursive_factor_of_format_1 = 30;

/// Scrambles \p value (the finaliser of MurmurHash3).
std::uint64_t scrambled(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ value >> 33;
}

ConfigNode optional_numbers(const std::vector<double>& values) {
  ConfigNode node = ConfigNode::list();
  for (const double value : values)
    node.push_back(std::isnan(value) ? ConfigNode::plain("none") : ConfigNode::number(value));
  return node;
}

void add_digest(const VectorDigest& digest, ConfigNode& node) {
  node.set("size", ConfigNode::integer(static_cast<long long>(digest.size)));
  node.set("norm", optional_numbers({digest.norm}).items().front());
  if (digest.sum) node.set("sum", optional_numbers({*digest.sum}).items().front());
  node.set("hash", ConfigNode::text(digest.hash));
  node.set("samples", optional_numbers(digest.samples));
}

ConfigNode ends_node(const std::vector<RecordedEnd>& ends) {
  ConfigNode list = ConfigNode::list(false);
  for (const RecordedEnd& end : ends) {
    ConfigNode node = ConfigNode::map(true);
    node.set("reason", ConfigNode::text(std::string(to_string(end.reason))));
    node.set("iterations", ConfigNode::integer(end.iterations));
    list.push_back(std::move(node));
  }
  return list;
}

// Readers of a record, in which every key is required.

const ConfigNode& required(const ConfigReader& reader, std::string_view key) {
  reader.require_key(key, "this is not a complete record");
  return *reader.find(key);
}

std::vector<ConfigNode> items_of(const ConfigReader& reader, std::string_view key) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return {};
  if (!node->is_list()) reader.fail(key, "expected a list, found " + node->describe());
  return node->items();
}

std::string number_text(double value) { return optional_numbers({value}).items().front().scalar(); }

double number_or_nan(const ConfigNode& node, const std::string& path) {
  if (node.is_scalar() && node.scalar() == "none") return std::nan("");
  return number_of(node, path);
}

std::vector<double> numbers_of(const ConfigReader& reader, std::string_view key) {
  std::vector<double> values;
  for (const ConfigNode& item : items_of(reader, key))
    values.push_back(number_or_nan(item, reader.path_of(key)));
  return values;
}

VectorDigest read_digest(const ConfigReader& reader, long long format, int samples) {
  VectorDigest digest;
  digest.size = static_cast<std::size_t>(reader.integer("size", 0, 0, 1LL << 40));
  digest.norm = number_or_nan(required(reader, "norm"), reader.path_of("norm"));
  if (format > 1 || reader.find("sum") != nullptr)
    digest.sum = number_or_nan(required(reader, "sum"), reader.path_of("sum"));
  digest.hash = reader.string("hash");
  digest.samples = numbers_of(reader, "samples");
  const std::size_t expected = sample_positions(digest.size, samples).size();
  if (digest.samples.size() != expected)
    reader.fail("samples", "expected " + std::to_string(expected) + " numbers, found " +
                               std::to_string(digest.samples.size()));
  return digest;
}

std::vector<RecordedEnd> read_ends(const ConfigReader& record, std::string_view key) {
  std::vector<RecordedEnd> ends;
  for (const ConfigNode& node : items_of(record, key)) {
    const ConfigReader reader(node, record.path_of(key), {"reason", "iterations"});
    ends.push_back(
        {reader.choice("reason", StopReason::max_iterations),
         static_cast<int>(reader.integer("iterations", 0, 0, std::numeric_limits<int>::max()))});
  }
  return ends;
}

RunRecord record_of(const ConfigNode& root) {
  const ConfigReader reader(root, "",
                            {"record", "version", "git", "backend", "device", "scalar", "threads",
                             "ranks", "samples", "inputs", "products", "ends",
                             "stop_depends_on_rounding", "recursive", "iterates", "configuration"});
  reader.require_key("record", "this is not a record of tomokkos compare --record");
  const auto format = reader.integer("record", 0, 0, 1 << 20);
  if (format < 1 || format > record_format)
    reader.fail("record", "expected format 1 or " + std::to_string(record_format) +
                              "; another version of the program wrote this record");
  RunRecord record;
  record.version = reader.string("version");
  record.git = reader.string("git");
  record.backend = reader.string("backend");
  record.device = reader.string("device");
  record.scalar = reader.string("scalar");
  record.threads = static_cast<int>(reader.integer("threads", 0, 0, 1 << 20));
  record.ranks = static_cast<int>(reader.integer("ranks", 1, 1, 1 << 20));
  record.samples = static_cast<int>(reader.integer("samples", 0, 0, 1 << 30));
  for (const ConfigNode& node : items_of(reader, "products")) {
    const ConfigReader product(node, "products",
                               {"name", "size", "norm", "sum", "hash", "samples", "bounds"});
    record.products.push_back({product.string("name"), read_digest(product, format, record.samples),
                               numbers_of(product, "bounds")});
    const ProductRecord& last = record.products.back();
    if (last.bounds.size() != last.value.samples.size())
      product.fail("bounds", "expected as many numbers as there are samples");
    // A product that is 0 has no rounding.
    for (const double bound : last.bounds)
      if (!std::isfinite(bound) || bound < 0 || (bound == 0 && last.value.norm != 0))
        product.fail("bounds", "the rounding bounds of " + last.name +
                                   " must be finite and positive, found " + number_text(bound));
  }
  for (const ConfigNode& node : items_of(reader, "iterates")) {
    const ConfigReader iterate(
        node, "iterates",
        {"solve", "iteration", "residuals", "size", "norm", "sum", "hash", "rounding", "samples"});
    constexpr int most = std::numeric_limits<int>::max();
    const double rounding = iterate.number("rounding", 0.0, {.minimum = 0});
    if (!std::isfinite(rounding)) iterate.fail("rounding", "must be finite");
    record.iterates.push_back({static_cast<int>(iterate.integer("solve", 0, 0, most)),
                               static_cast<int>(iterate.integer("iteration", 0, 0, most)),
                               numbers_of(iterate, "residuals"),
                               read_digest(iterate, format, record.samples), rounding});
  }
  record.ends = read_ends(reader, "ends");
  record.stop_depends_on_rounding = reader.boolean("stop_depends_on_rounding", false);
  record.is_recursive = reader.boolean("recursive", false);  // older records lack it
  if (format == 1 && record.is_recursive)
    for (IterateRecord& iterate : record.iterates) iterate.rounding /= recursive_factor_of_format_1;
  record.identity = read_identity(reader);
  return record;
}

}  // namespace

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

void thin_iterates(RunRecord& record, std::size_t count) {
  auto& iterates = record.iterates;
  if (iterates.size() <= count || count < 2) return;
  std::vector<IterateRecord> kept;
  for (std::size_t k = 0; k < count; ++k)
    kept.push_back(std::move(iterates[k * (iterates.size() - 1) / (count - 1)]));
  iterates = std::move(kept);
}

void write_record(const std::filesystem::path& file, const RunRecord& record) {
  ConfigNode root = ConfigNode::map();
  root.set("record", ConfigNode::integer(record_format));
  root.set("version", ConfigNode::text(record.version));
  root.set("git", ConfigNode::text(record.git));
  root.set("backend", ConfigNode::text(record.backend));
  root.set("device", ConfigNode::text(record.device));
  root.set("scalar", ConfigNode::text(record.scalar));
  root.set("threads", ConfigNode::integer(record.threads));
  root.set("ranks", ConfigNode::integer(record.ranks));
  root.set("samples", ConfigNode::integer(record.samples));
  ConfigNode products = ConfigNode::list(false);
  for (const ProductRecord& product : record.products) {
    ConfigNode node = ConfigNode::map();
    node.set("name", ConfigNode::text(product.name));
    add_digest(product.value, node);
    node.set("bounds", optional_numbers(product.bounds));
    products.push_back(std::move(node));
  }
  root.set("products", std::move(products));
  root.set("ends", ends_node(record.ends));
  root.set("stop_depends_on_rounding", ConfigNode::boolean(record.stop_depends_on_rounding));
  root.set("recursive", ConfigNode::boolean(record.is_recursive));
  ConfigNode iterates = ConfigNode::list(false);
  for (const IterateRecord& iterate : record.iterates) {
    ConfigNode node = ConfigNode::map();
    node.set("solve", ConfigNode::integer(iterate.solve));
    node.set("iteration", ConfigNode::integer(iterate.iteration));
    node.set("residuals", optional_numbers(iterate.residuals));
    node.set("rounding", ConfigNode::number(iterate.rounding));
    add_digest(iterate.x, node);
    iterates.push_back(std::move(node));
  }
  root.set("iterates", std::move(iterates));
  add_identity(record.identity, root);
  AtomicFile out(file, record_output);
  out.write(to_yaml(root));
  out.commit();
}

const OutputKind record_output{
    "a record of tomokkos compare",
    [](const std::filesystem::path& file) { return Impl::first_bytes(file, 8) == "record: "; }};

RunRecord read_record(const std::filesystem::path& file) {
  try {
    return record_of(read_yaml_file(file));
  } catch (const ConfigError& error) {
    throw InputError(error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template VectorDigest digest_of(const std::vector<Scalar>&, int);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
