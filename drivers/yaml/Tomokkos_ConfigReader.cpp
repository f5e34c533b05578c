// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace Tomokkos {

namespace {

/// Names the closest of \p names, and all of them.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& names,
                       const char* allowed = "allowed") {
  const auto nearest = nearest_name(name, names);
  return (nearest ? Impl::text("; did you mean \"{}\"? ", *nearest) : "; ") + allowed + ": " +
         join_names(names);
}

/// A removed key, or a removed value of a key.
struct Removed {
  std::string_view path, value;  // value: empty if the whole key is gone
  std::string_view message;
};

constexpr std::string_view no_library =
    "library is available only in tomokkos bench, which compares with Kokkos Kernels; use "
    "automatic or another variant";

constexpr Removed removed[] = {
    {"operator.variant", "library", no_library},
    {"operator.transpose_variant", "library", no_library},
    {"operator.symmetry", "",
     "the key is gone; operator.format: scsr stores one ray of each orbit, in the format "
     "operator.stored_format"},
    {"solver.stop.monotone_error", "",
     "is no longer a rule; use discrepancy, which takes the same keys"},
};

/// Message about a key or value that earlier versions accepted, with its successor. Empty for any
/// other.
///
/// \param path path of the key: `operator.variant`
/// \param value value of the key; empty: the key itself is unknown
std::string_view successor_of(std::string_view path, std::string_view value = {}) {
  for (const Removed& each : removed)
    if (each.path == path && each.value == value) return each.message;
  return {};
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& names) {
  std::optional<std::string_view> best;
  // Up to a third of the letters may differ; one typing error is always accepted.
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::vector<std::size_t> row;
  for (const std::string_view candidate : names) {
    // The distance is at least the difference of the lengths.
    if (std::max(name.size(), candidate.size()) - std::min(name.size(), candidate.size()) >=
        best_distance)
      continue;
    row.resize(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= name.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (name[i - 1] != candidate[j - 1] ? 1 : 0);
        diagonal = row[j];
        row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string prefix_of(const ConfigPosition& position) {
  const std::string where = position.describe();
  return where.empty() ? "" : where + ": ";
}

void fail_at(const ConfigNode& node, const std::string& path, const std::string& message) {
  throw ConfigError(prefix_of(node.position) + (path.empty() ? "" : path + ": ") + message);
}

std::optional<double> as_number(const ConfigNode& node) {
  if (!node.is_scalar() || node.is_quoted()) return std::nullopt;
  std::string_view text = node.scalar();
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end == text.data() + text.size()) {
    if (error == std::errc()) return value;
    if (error == std::errc::result_out_of_range)
      return std::numeric_limits<double>::infinity();  // refused as not finite
  }
  if (text == ".inf" || text == ".Inf") return std::numeric_limits<double>::infinity();
  if (text == "-.inf" || text == "-.Inf") return -std::numeric_limits<double>::infinity();
  if (text == ".nan" || text == ".NaN" || text == ".NAN")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

namespace {

/// Refuses `010`, which some YAML readers take for ten and others for eight.
void refuse_leading_zero(const ConfigNode& node, const std::string& path) {
  if (!node.is_scalar() || node.is_quoted()) return;
  std::string_view digits = node.scalar();
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.size() < 2 || digits[0] != '0' || digits[1] < '0' || digits[1] > '9') return;
  fail_at(node, path,
          node.scalar() +
              " begins with a zero, which some YAML readers take for octal; write the number "
              "without it");
}

}  // namespace

std::string describe_range(const NumberRange& range) {
  const bool has_minimum = std::isfinite(range.minimum), has_maximum = std::isfinite(range.maximum);
  std::string text = "a number";
  if (has_minimum)
    text += (range.includes_minimum ? " of at least " : " greater than ") +
            Impl::number_text(range.minimum);
  if (has_maximum) {
    const char* const least = has_minimum ? " and at most " : " of at most ";
    const char* const below = has_minimum ? " and below " : " below ";
    text += (range.includes_maximum ? least : below) + Impl::number_text(range.maximum);
  }
  return text;
}

double number_of(const ConfigNode& node, const std::string& path, NumberRange range) {
  const auto value = as_number(node);
  if (!value) fail_at(node, path, "expected a number, found " + node.describe());
  refuse_leading_zero(node, path);
  if (!std::isfinite(*value)) fail_at(node, path, node.describe() + " is not a finite number");
  const bool large_enough =
      range.includes_minimum ? *value >= range.minimum : *value > range.minimum;
  const bool small_enough =
      range.includes_maximum ? *value <= range.maximum : *value < range.maximum;
  if (!large_enough || !small_enough) {
    std::string allowed = describe_range(range);
    if (!small_enough && !range.because.empty()) allowed += "; " + std::string(range.because);
    fail_at(node, path, node.scalar() + " is out of range; expected " + allowed);
  }
  return *value;
}

long long integer_of(const ConfigNode& node, const std::string& path, long long low,
                     long long high) {
  const std::string expected = Impl::text("a whole number from {} to {}", low, high);
  const auto out_of_range = [&] {
    fail_at(node, path, node.scalar() + " is out of range; expected " + expected);
  };
  long long value = 0;
  bool is_whole = false;
  if (node.is_scalar() && !node.is_quoted()) {
    std::string_view text = node.scalar();
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    is_whole = end == text.data() + text.size() && !text.empty();
    if (is_whole && error == std::errc::result_out_of_range) out_of_range();
    is_whole = is_whole && error == std::errc();
  }
  // Accept whole numbers in exponential form, such as 1e6.
  const auto number = is_whole ? std::nullopt : as_number(node);
  if (number && std::isfinite(*number) && std::floor(*number) == *number) {
    if (std::abs(*number) > 0x1p53) out_of_range();  // doubles are no longer every integer
    value = static_cast<long long>(*number);
    is_whole = true;
  }
  if (!is_whole) fail_at(node, path, "expected " + expected + ", found " + node.describe());
  refuse_leading_zero(node, path);
  if (value < low || value > high) out_of_range();
  return value;
}

const std::string& string_of(const ConfigNode& node, const std::string& path) {
  if (!node.is_scalar()) fail_at(node, path, "expected a text, found " + node.describe());
  return node.scalar();
}

std::filesystem::path file_of(const ConfigNode& node, const std::string& path) {
  const std::string& text = string_of(node, path);
  if (text.empty()) fail_at(node, path, "expected the name of a file, found an empty text");
  const std::filesystem::path base =
      node.position.source ? node.position.source->base_directory : std::filesystem::current_path();
  return (base / text).lexically_normal();
}

std::vector<double> numbers_of(const ConfigNode& list, const std::string& path, NumberRange range) {
  std::vector<double> numbers;
  for (const ConfigNode& item : list.items()) numbers.push_back(number_of(item, path, range));
  return numbers;
}

bool boolean_of(const ConfigNode& node, const std::string& path) {
  if (node.is_scalar() && !node.is_quoted()) {
    const std::string& text = node.scalar();
    if (text == "true" || text == "True" || text == "TRUE") return true;
    if (text == "false" || text == "False" || text == "FALSE") return false;
  }
  fail_at(node, path, "expected true or false, found " + node.describe());
}

const std::string& one_of(const ConfigNode& node, const std::string& path,
                          const std::vector<std::string_view>& names) {
  if (!node.is_scalar())
    fail_at(node, path, "expected one of " + join_names(names) + "; found " + node.describe());
  const std::string& name = node.scalar();
  if (holds(names, name)) return name;
  if (const std::string_view successor = successor_of(path, name); !successor.empty())
    fail_at(node, path, std::string(successor));
  fail_at(node, path, "unknown name \"" + name + "\"" + suggestion(name, names));
}

std::vector<std::string_view> list_of(const ConfigNode& node, const std::string& path,
                                      const std::vector<std::string_view>& names) {
  if (!node.is_list())
    fail_at(node, path, "expected a list of " + join_names(names) + "; found " + node.describe());
  std::vector<std::string_view> result;
  for (const ConfigNode& item : node.items()) {
    const std::string& name = string_of(item, path);
    const auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
      fail_at(item, path, "unknown name \"" + name + "\"" + suggestion(name, names));
    if (!holds(result, name)) result.push_back(*known);
  }
  return result;
}

ConfigReader::ConfigReader(const ConfigNode& node, std::string path,
                           std::vector<std::string_view> allowed)
    : node_(&node), position_(node.position), path_(std::move(path)), allowed_(std::move(allowed)) {
  if (!node.is_map() && !node.is_null())
    fail_at(node, path_,
            "expected " + std::string(path_.empty() ? "a configuration (" : "a map (") +
                "keys: " + join_names(allowed_) + "), found " + node.describe());
  for (const auto& entry : node.entries()) {
    if (holds(allowed_, entry.key)) continue;
    const std::string where = entry.position.describe() + ": " + path_of(entry.key) + ": ";
    if (const std::string_view successor = successor_of(path_of(entry.key)); !successor.empty())
      throw ConfigError(where + std::string(successor));
    throw ConfigError(where + "unknown key" + suggestion(entry.key, allowed_, "allowed here"));
  }
}

std::string ConfigReader::path_of(std::string_view key) const {
  return (path_.empty() ? "" : path_ + ".") + std::string(key);
}

const ConfigNode* ConfigReader::find(std::string_view key) const {
  // A key that is read but not declared would be refused when a user gives it.
  require(holds(allowed_, key), path_of(key) + " is not among the declared keys");
  const ConfigNode* value = node_->find(key);
  return value && !value->is_null() ? value : nullptr;
}

bool ConfigReader::is_empty(std::string_view key) const {
  const ConfigNode* value = node_->find(key);
  return value && value->is_null();
}

ConfigReader ConfigReader::section(std::string_view key,
                                   std::vector<std::string_view> allowed) const {
  static const ConfigNode nothing;
  const ConfigNode* value = find(key);
  ConfigReader reader(value ? *value : nothing, path_of(key), std::move(allowed));
  if (!value) reader.position_ = position_;
  return reader;
}

void ConfigReader::require_key(std::string_view key, const std::string& hint) const {
  if (!has(key)) fail(key, "is required" + (hint.empty() ? "" : "; " + hint));
}

void ConfigReader::refuse_key(std::string_view key, const std::string& reason) const {
  if (has(key)) fail(key, reason);
}

void ConfigReader::fail_at_path(std::string_view path, const std::string& message) const {
  std::string_view rest;
  fail_near(&node_->follow(path, rest), path, message);
}

void ConfigReader::fail(std::string_view key, const std::string& message) const {
  fail_near(node_->find(key), key, message);
}

void ConfigReader::fail_near(const ConfigNode* node, std::string_view path,
                             const std::string& message) const {
  ConfigNode place;
  place.position = node && node->position.source ? node->position : position_;
  fail_at(place, path_of(path), message);
}

const ConfigNode* ConfigReader::find_path(std::string_view path) const {
  const ConfigNode* const node = node_->at(path);
  return node && !node->is_null() ? node : nullptr;
}

std::string ConfigReader::text_at(std::string_view path) const {
  const ConfigNode* const node = find_path(path);
  return node && node->is_scalar() ? node->scalar() : "";
}

}  // namespace Tomokkos
