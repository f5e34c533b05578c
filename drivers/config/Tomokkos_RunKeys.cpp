// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `run`.
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {
namespace {

std::string read_backend(const ConfigReader& reader) {
  const auto backends = backend_names();
  const std::string name = reader.string("backend");
  if (std::find(backends.begin(), backends.end(), name) != backends.end()) return name;
  const bool exists = name == "cuda" || name == "openmp" || name == "serial";
  if (!exists) reader.one_of("backend", "", backends);
  reader.fail("backend", "\"" + name + "\" is not compiled into this program; compiled: " +
                             join_names(backends));
}

void read_weights(const ConfigReader& reader, RanksSection& ranks) {
  const ConfigNode& weights = *reader.find("weights");
  const std::string path = reader.path_of("weights");
  if (!weights.is_list()) {
    ranks.measured = reader.one_of("weights", "", {"equal", "measured"}) == "measured";
    return;
  }
  for (const ConfigNode& weight : weights.items())
    ranks.weights.push_back(number_of(weight, path, NumberRange::positive()));
  if (ranks.weights.empty()) fail_at(weights, path, "a weight for each rank is needed");
}

}  // namespace

void describe(Keys& key, RanksSection& ranks) {
  key.value(
      "weights", "equal, measured or a list of numbers, one for each rank",
      "Shares of the rows that the ranks take; measured: by the speed of their first products.",
      [&](const ConfigReader& reader) { read_weights(reader, ranks); },
      [&] {
        return ranks.weights.empty() ? ConfigNode::text(ranks.measured ? "measured" : "equal")
                                     : ConfigNode::numbers(ranks.weights);
      });
  key.optional_name("image", ranks.image, "automatic",
                    "Whether every rank holds the image or a part of it.");
  key.integer("slabs", ranks.slabs, 0, 1024,
              "Parts in which the image is summed over the ranks; 0: by its size.");
  key.boolean("measure_sums", ranks.measure_sums,
              "Times products and sums over the ranks for the report.");
}

void describe(Keys& key, RunSection& run) {
  key.value(
      "backend", "a backend that the program was built with (tomokkos --version lists them)",
      "Where it is computed; by default on the host.",
      [&](const ConfigReader& reader) { run.backend = read_backend(reader); },
      [&] { return ConfigNode::text(run.backend); });
  key.word("scalar", run.scalar, scalar_names(),
           "Precision of matrix and vectors; double by default in linear systems and on meshes.");
  key.integer("threads", run.threads, 0, most_host_threads,
              "Threads of the host; 0: as OMP_NUM_THREADS or the machine says.");
  key.integer("seed", run.seed, 0, std::numeric_limits<long long>::max(),
              "Seed of everything random: noise, right-hand sides, choices.");
  key.boolean("deterministic", run.deterministic,
              "Gives the same bits on every run; products that add in any order are refused.");
  key.names("allow", run.allow, "Suspicions that are known to be wrong.");
  key.name(
      "on_suspicion", run.on_suspicion,
      "What happens at a suspicion that is not allowed: the run ends, or goes on and says it.");
  key.value(
      "memory_limit", "an amount such as 8 GB, none, or {host, device} of these",
      "Memory that the run may take, together on all ranks of a host.",
      [&](const ConfigReader& reader) { run.memory_limit = read_memory_limit(reader); },
      [&] { return to_node(run.memory_limit); });
  key.section("ranks", run.ranks, "How several processes share the run.", true);
}

RunSection read_run(const ConfigReader& root, const char* scalar) {
  RunSection run;
  run.scalar = scalar;
  run.backend = backend_names().front();
  read_keys(root.section("run", names_of_keys(run)), run);
  return run;
}

}  // namespace Tomokkos
