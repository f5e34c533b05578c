// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes and reads the section `run`.
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

namespace Tomokkos {
namespace {

/// Names of all backends, compiled or not.
std::vector<std::string_view> known_backends() { return {TOMOKKOS_KNOWN_BACKENDS}; }

bool is_known_backend(const std::string& name) { return holds(known_backends(), name); }

/// Reads one backend, or one and the host backend whose cores work beside it.
void read_backends(const ConfigNode& node, const std::string& path, RunSection& run) {
  const auto backends = backend_names();
  const auto require_built = [&](const ConfigNode& place, const std::string& name) {
    if (!holds(backends, name))
      fail_at(
          place, path,
          "\"" + name + "\" is not available in this build; available: " + join_names(backends));
  };
  if (!node.is_list()) {
    run.backend = string_of(node, path);
    if (!is_known_backend(run.backend)) one_of(node, path, backends);
    require_built(node, run.backend);
    return;
  }
  if (node.items().size() != 2)
    fail_at(node, path, "expected one backend or a list of two, such as [cuda, openmp]");
  std::vector<std::string> names;
  for (const ConfigNode& item : node.items()) {
    names.push_back(item.is_scalar() ? item.scalar() : item.describe());
    require_built(item, names.back());
  }
  const std::string host(backend_name<TOMOKKOS_HOST_SPACE>());
  if (names[1] != host) std::swap(names[0], names[1]);
  if (names[1] != host)
    fail_at(node, path, "one of two backends must be that of the host, " + host);
  run.backend = names[0];
  run.host_backend = names[1];
}

ConfigNode backends_node(const RunSection& run) {
  if (run.host_backend.empty()) return ConfigNode::text(run.backend);
  return ConfigNode::texts(std::array{run.backend, run.host_backend});
}

/// Reads shares of the rows. Without \p has_host they are of one device and the host that streams.
std::vector<double> read_shares(const ConfigNode& node, const std::string& path, bool has_host) {
  if (!node.is_list()) {
    one_of(node, path, {"measured"});
    return {};
  }
  const std::vector<double> shares = numbers_of(node, path, NumberRange::not_negative());
  const bool has_streamed = shares.size() == 3;
  if (!has_streamed && shares.size() != 2)
    fail_at(node, path,
            "must list two or three numbers: [device, host] or [device, streamed, host]");
  if (std::count(shares.begin(), shares.end(), 0.0) == std::ssize(shares))
    fail_at(node, path, "must not be all zero");
  if (!has_streamed && !has_host)
    fail_at(node, path,
            "two numbers apply only to a run.backend with two backends; [device, streamed, host] "
            "applies to one");
  return shares;
}

void read_weights(const ConfigNode& node, const std::string& path, RanksWish& ranks) {
  ranks.measured = !node.is_list() && one_of(node, path, {"equal", "measured"}) == "measured";
  ranks.weights = numbers_of(node, path, NumberRange::positive());
  if (node.is_list() && ranks.weights.empty())
    fail_at(node, path, "must list one weight for each rank");
}

void read_rank_backends(const ConfigNode& node, const std::string& path, RanksWish& ranks) {
  if (!node.is_list()) one_of(node, path, {"same"});
  for (const ConfigNode& backend : node.items()) {
    const std::string name = backend.is_scalar() ? backend.scalar() : backend.describe();
    // Another rank may run a program with other backends.
    if (!is_known_backend(name))
      fail_at(backend, path,
              "unknown backend \"" + name + "\"; allowed: " + join_names(known_backends()));
    ranks.backend.push_back(name);
  }
  // Shares of equal size would let the faster backend wait.
  ranks.measured = std::adjacent_find(ranks.backend.begin(), ranks.backend.end(),
                                      std::not_equal_to<>()) != ranks.backend.end();
}

// `memory_limit`.

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

using MemorySize = std::optional<std::uint64_t>;  // empty: no limit

MemorySize size_of(const ConfigNode& node, const std::string& path) {
  const auto fail = [&] {
    fail_at(node, path,
            "expected an amount of memory with a unit (8 GB, 500 MB, 1.5 GiB) or none; found " +
                node.describe());
  };
  if (!node.is_scalar()) fail();
  const std::string_view text = node.scalar();
  if (text == "none") return {};
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || !std::isfinite(amount) || amount <= 0) fail();
  std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  while (name.starts_with(' ')) name.remove_prefix(1);
  const auto unit = std::ranges::find(units, name.empty() ? "B" : name, &Unit::name);
  if (unit == units.end()) fail();
  const double bytes = amount * static_cast<double>(unit->bytes);
  if (!(bytes >= 1) || bytes >= 1e18) fail();
  return static_cast<std::uint64_t>(std::llround(bytes));
}

ConfigNode size_node(const MemorySize& bytes) {
  if (!bytes) return ConfigNode::text("none");
  for (const Unit& unit : units)
    if (unit.bytes > 1 && *bytes % unit.bytes == 0)
      return ConfigNode::text(Impl::text("{} {}", *bytes / unit.bytes, unit.name));
  return ConfigNode::integer(static_cast<long long>(*bytes));
}

/// Reads `run.memory_limit`: `none`, a host size such as `8 GB`, or `{host, device}`. A plain
/// number is in bytes.
MemoryLimit read_memory_limit(const ConfigNode& node, const std::string& path) {
  if (!node.is_map()) return {size_of(node, path), {}};
  const ConfigReader reader(node, path, {"host", "device"});
  return {reader.value("host", MemorySize(), size_of),
          reader.value("device", MemorySize(), size_of)};
}

ConfigNode memory_limit_node(const MemoryLimit& limit) {
  if (!limit.device) return size_node(limit.host);
  ConfigNode node = ConfigNode::map(true);
  node.set("host", size_node(limit.host));
  node.set("device", size_node(limit.device));
  return node;
}

}  // namespace

void describe(Keys& key, RanksWish& ranks) {
  key.identity(Identity::none);
  key.value(
      "backend", "same or a list of backends, one for each rank",
      "Backend of each rank; same: run.backend on all. The shares of different backends are "
      "measured, unless weights are given.",
      [&](const ConfigNode& node, const std::string& path) {
        read_rank_backends(node, path, ranks);
      },
      [&] {
        return ranks.backend.empty() ? ConfigNode::text("same") : ConfigNode::texts(ranks.backend);
      });
  key.value(
      "weights", "equal, measured or a list of numbers, one for each rank",
      "Share of the rows for each rank; measured: proportional to the speed of its first products.",
      [&](const ConfigNode& node, const std::string& path) { read_weights(node, path, ranks); },
      [&] {
        return ranks.weights.empty() ? ConfigNode::text(ranks.measured ? "measured" : "equal")
                                     : ConfigNode::numbers(ranks.weights);
      });
  key.optional_name("image", ranks.image, "automatic",
                    "Distribution of the image: a full copy on every rank, or a part on each.");
  key.integer(
      "slabs", ranks.slabs, 0, 1024,
      "Number of parts in which the image is summed over the ranks; 0: chosen by its size.");
  key.boolean("measure_sums", ranks.measure_sums,
              "Measures the times of products and of sums over the ranks for the report.");
}

void describe(Keys& key, RunSection& run) {
  key.identity_of({"backend", "shares", "overflow"}, Identity::bits);
  key.identity_of({"threads", "memory_limit"}, Identity::none);
  key.identity_of({"allow", "on_suspicion", "ranks"}, Identity::run);
  key.value(
      "backend",
      "a backend that the program was built with (tomokkos --version lists them), or a list of two",
      "Backend that computes; by default the host. Of two, such as [cuda, openmp], each multiplies "
      "some of the rows.",
      [&](const ConfigNode& node, const std::string& path) { read_backends(node, path, run); },
      [&] { return backends_node(run); });
  key.printed(!run.host_backend.empty() || !run.shares.empty())
      .value(
          "shares", run.shares, "measured, [device, host] or [device, streamed, host]",
          "Shares of the rows that a device holds, reads from host memory in every product, and "
          "leaves to the cores of the host; measured: by the speed of products and the memory.",
          [has_host = !run.host_backend.empty()](const ConfigNode& node, const std::string& path) {
            return read_shares(node, path, has_host);
          },
          [](const std::vector<double>& shares) {
            return shares.empty() ? ConfigNode::text("measured") : ConfigNode::numbers(shares);
          });
  key.name("overflow", run.overflow,
           "Treatment of rows that do not fit into the memory of a GPU: stream them from host "
           "memory, let the cores of the host multiply them, or refuse the run.");
  key.word("scalar", run.scalar, scalar_names(),
           "Precision of matrix and vectors; by default double for linear systems and meshes, "
           "float otherwise.");
  key.integer("threads", run.threads, 0, most_host_threads,
              "Number of host threads; 0: from OMP_NUM_THREADS or the machine.");
  key.integer("seed", run.seed, 0, std::numeric_limits<long long>::max(),
              "Seed of all random numbers: noise, right-hand sides, random choices.");
  key.boolean(
      "deterministic", run.deterministic,
      "Makes repeated runs agree in every bit; refuses products that add in varying order.");
  key.boolean("measure_steps", run.measure_steps,
              "Measures the times of products, exchanges, kernels and copies for the report; waits "
              "after each of them, and launches them one by one.");
  key.names("allow", run.allow, "Suspicions about the input to ignore.");
  key.name("on_suspicion", run.on_suspicion,
           "Reaction to a suspicion that is not allowed: end with an error, or warn and continue.");
  key.value("memory_limit", run.memory_limit,
            "an amount such as 8 GB, none, or {host, device} with one of these for each",
            "Memory that all ranks of a host may use together.", read_memory_limit,
            memory_limit_node);
  key.section("ranks", run.ranks, "Distribution of the run over several processes.", true);
}

RunSection read_run(const ConfigReader& root, const char* scalar) {
  RunSection run;
  run.scalar = scalar;
  run.backend = backend_names().front();
  read_section(root, "run", run);
  return run;
}

}  // namespace Tomokkos
