// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes and reads the section `run`.
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <algorithm>
#include <functional>
#include <limits>

namespace Tomokkos {
namespace {

/// Names of all backends, compiled or not.
std::vector<std::string_view> known_backends() { return {TOMOKKOS_KNOWN_BACKENDS}; }

bool is_known_backend(const std::string& name) {
  const auto known = known_backends();
  return std::find(known.begin(), known.end(), name) != known.end();
}

/// Reads one backend, or one and the host backend whose cores work beside it.
void read_backends(const ConfigReader& reader, RunSection& run) {
  const auto backends = backend_names();
  const ConfigNode& node = *reader.find("backend");
  if (node.is_list()) {
    const std::string path = reader.path_of("backend");
    if (node.items().size() != 2)
      fail_at(node, path, "expected one backend or a list of two, such as [cuda, openmp]");
    std::vector<std::string> names;
    for (const ConfigNode& item : node.items()) {
      const std::string name = item.is_scalar() ? item.scalar() : item.describe();
      if (std::find(backends.begin(), backends.end(), name) == backends.end())
        fail_at(
            item, path,
            "\"" + name + "\" is not available in this build; available: " + join_names(backends));
      names.push_back(name);
    }
    const std::string host(backend_name<TOMOKKOS_HOST_SPACE>());
    if (names[1] != host) std::swap(names[0], names[1]);
    if (names[1] != host)
      fail_at(node, path, "one of two backends must be that of the host, " + host);
    run.backend = names[0];
    run.host_backend = names[1];
    return;
  }
  const std::string name = reader.string("backend");
  run.backend = name;
  if (std::find(backends.begin(), backends.end(), name) != backends.end()) return;
  if (!is_known_backend(name)) reader.one_of("backend", "", backends);
  reader.fail("backend", "\"" + name + "\" is not available in this build; available: " +
                             join_names(backends));
}

void read_shares(const ConfigReader& reader, RunSection& run) {
  const ConfigNode& shares = *reader.find("shares");
  const std::string path = reader.path_of("shares");
  if (!shares.is_list()) {
    reader.one_of("shares", "", {"measured"});
    return;
  }
  double sum = 0;
  for (const ConfigNode& share : shares.items()) {
    run.shares.push_back(number_of(share, path, NumberRange::not_negative()));
    sum += run.shares.back();
  }
  const bool has_streamed = run.shares.size() == 3;
  if (!has_streamed && run.shares.size() != 2)
    fail_at(shares, path,
            "must list two or three numbers: [device, host] or [device, streamed, host]");
  if (!(sum > 0)) fail_at(shares, path, "must not be all zero");
  if (!has_streamed && run.host_backend.empty())
    fail_at(shares, path,
            "two numbers apply only to a run.backend with two backends; [device, streamed, host] "
            "applies to one");
}

void read_weights(const ConfigReader& reader, RanksWish& ranks) {
  const ConfigNode& weights = *reader.find("weights");
  const std::string path = reader.path_of("weights");
  if (!weights.is_list()) {
    ranks.measured = reader.one_of("weights", "", {"equal", "measured"}) == "measured";
    return;
  }
  for (const ConfigNode& weight : weights.items())
    ranks.weights.push_back(number_of(weight, path, NumberRange::positive()));
  ranks.measured = false;
  if (ranks.weights.empty()) fail_at(weights, path, "must list one weight for each rank");
}

void read_rank_backends(const ConfigReader& reader, RanksWish& ranks) {
  const ConfigNode& backends = *reader.find("backend");
  const std::string path = reader.path_of("backend");
  if (!backends.is_list()) {
    reader.one_of("backend", "", {"same"});
    return;
  }
  for (const ConfigNode& backend : backends.items()) {
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

}  // namespace

void describe(Keys& key, RanksWish& ranks) {
  key.identity(Identity::none);
  key.value(
      "backend", "same or a list of backends, one for each rank",
      "Backend of each rank; same: run.backend on all. The shares of different backends are "
      "measured, unless weights are given.",
      [&](const ConfigReader& reader) { read_rank_backends(reader, ranks); },
      [&] {
        if (ranks.backend.empty()) return ConfigNode::text("same");
        ConfigNode list = ConfigNode::list();
        for (const std::string& backend : ranks.backend) list.push_back(ConfigNode::text(backend));
        return list;
      });
  key.value(
      "weights", "equal, measured or a list of numbers, one for each rank",
      "Share of the rows for each rank; measured: proportional to the speed of its first products.",
      [&](const ConfigReader& reader) { read_weights(reader, ranks); },
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
  key.identity(Identity::bits);
  key.value(
      "backend",
      "a backend that the program was built with (tomokkos --version lists them), or a list of two",
      "Backend that computes; by default the host. Of two, such as [cuda, openmp], each multiplies "
      "some of the rows.",
      [&](const ConfigReader& reader) { read_backends(reader, run); },
      [&] {
        if (run.host_backend.empty()) return ConfigNode::text(run.backend);
        ConfigNode list = ConfigNode::list();
        list.push_back(ConfigNode::text(run.backend));
        list.push_back(ConfigNode::text(run.host_backend));
        return list;
      });
  key.identity(Identity::bits);
  key.printed(!run.host_backend.empty() || !run.shares.empty())
      .value(
          "shares", "measured, [device, host] or [device, streamed, host]",
          "Shares of the rows that a device holds, reads from host memory in every product, and "
          "leaves to the cores of the host; measured: by the speed of products and the memory.",
          [&](const ConfigReader& reader) { read_shares(reader, run); },
          [&] {
            return run.shares.empty() ? ConfigNode::text("measured")
                                      : ConfigNode::numbers(run.shares);
          });
  key.identity(Identity::bits);
  key.name("overflow", run.overflow,
           "Treatment of rows that do not fit into the memory of a GPU: stream them from host "
           "memory, let the cores of the host multiply them, or refuse the run.");
  key.word("scalar", run.scalar, scalar_names(),
           "Precision of matrix and vectors; by default double for linear systems and meshes, "
           "float otherwise.");
  key.identity(Identity::none);
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
  key.identity(Identity::run);
  key.names("allow", run.allow, "Suspicions about the input to ignore.");
  key.identity(Identity::run);
  key.name("on_suspicion", run.on_suspicion,
           "Reaction to a suspicion that is not allowed: end with an error, or warn and continue.");
  key.identity(Identity::none);
  key.value(
      "memory_limit", "an amount such as 8 GB, none, or {host, device} with one of these for each",
      "Memory that all ranks of a host may use together.",
      [&](const ConfigReader& reader) { run.memory_limit = read_memory_limit(reader); },
      [&] { return to_node(run.memory_limit); });
  key.identity(Identity::run);
  key.section("ranks", run.ranks, "Distribution of the run over several processes.", true);
}

RunSection read_run(const ConfigReader& root, const char* scalar) {
  RunSection run;
  run.scalar = scalar;
  run.backend = backend_names().front();
  read_keys(root.section("run", names_of_keys(run)), run);
  return run;
}

}  // namespace Tomokkos
