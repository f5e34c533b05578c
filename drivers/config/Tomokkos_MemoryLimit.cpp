// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

namespace Tomokkos {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<Unit, 10> units{{{"TB", 1'000'000'000'000},
                                      {"GB", 1'000'000'000},
                                      {"MB", 1'000'000},
                                      {"kB", 1'000},
                                      {"TiB", std::uint64_t{1} << 40},
                                      {"GiB", std::uint64_t{1} << 30},
                                      {"MiB", std::uint64_t{1} << 20},
                                      {"KiB", std::uint64_t{1} << 10},
                                      {"bytes", 1},
                                      {"B", 1}}};

std::uint64_t size_of(const ConfigNode& node, const std::string& path) {
  const auto fail = [&] {
    fail_at(node, path,
            "expected an amount of memory with a unit (8 GB, 500 MB, 1.5 GiB) or none; found " +
                node.describe());
  };
  if (!node.is_scalar()) fail();
  const std::string_view text = node.scalar();
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || !std::isfinite(amount) || amount <= 0) fail();
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  std::uint64_t factor = unit.empty() ? 1 : 0;
  for (const Unit& known : units)
    if (unit == known.name) factor = known.bytes;
  const double bytes = amount * static_cast<double>(factor);
  if (!(bytes >= 1) || bytes >= 1e18) fail();
  return static_cast<std::uint64_t>(std::llround(bytes));
}

std::optional<std::uint64_t> size_or_none(const ConfigNode& node, const std::string& path) {
  if (node.is_scalar() && node.scalar() == "none") return {};
  return size_of(node, path);
}

ConfigNode size_node(std::uint64_t bytes) {
  for (const Unit& unit : units)
    if (unit.bytes > 1 && bytes % unit.bytes == 0)
      return ConfigNode::text(std::to_string(bytes / unit.bytes) + " " + std::string(unit.name));
  return ConfigNode::integer(static_cast<long long>(bytes));
}

ConfigNode size_or_none(const std::optional<std::uint64_t>& bytes) {
  return bytes ? size_node(*bytes) : ConfigNode::text("none");
}

}  // namespace

MemoryLimit read_memory_limit(const ConfigNode& node, const std::string& path) {
  if (!node.is_map()) return {size_or_none(node, path), {}};
  const ConfigReader reader(node, path, {"host", "device"});
  const auto read = [&](const char* key) -> std::optional<std::uint64_t> {
    if (!reader.has(key)) return {};
    return size_or_none(*reader.find(key), reader.path_of(key));
  };
  return {read("host"), read("device")};
}

ConfigNode memory_limit_node(const MemoryLimit& limit) {
  if (!limit.device) return size_or_none(limit.host);
  ConfigNode node = ConfigNode::map(true);
  node.set("host", size_or_none(limit.host));
  node.set("device", size_or_none(limit.device));
  return node;
}

void impose(const MemoryLimit& limit) { set_memory_limits(limit.host, limit.device); }

std::string memory_limit_note(const ConfigNode& root) {
  const ConfigNode* const limit = root.at("run.memory_limit");
  if (!limit) return "";
  std::string text;
  if (limit->is_scalar()) {
    if (limit->scalar() != "none") text = limit->scalar();
  } else if (limit->is_map()) {
    for (const auto& entry : limit->entries())
      if (entry.value.is_scalar() && entry.value.scalar() != "none")
        text += (text.empty() ? "" : ", ") + entry.key + " " + entry.value.scalar();
  }
  return text.empty() ? "" : " (run.memory_limit: " + text + ")";
}

}  // namespace Tomokkos
