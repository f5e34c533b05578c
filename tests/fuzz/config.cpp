// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations: a YAML text, and a `--set` applied to a configuration.
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_YamlFile.hpp>

#if defined(TOMOKKOS_FUZZ_BENCH)
#include <Tomokkos_BenchConfig.hpp>
#endif

#include "FuzzTarget.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Fuzz;

ConfigNode parse(const std::string& text) {
  auto source = std::make_shared<ConfigSource>();
  source->name = "f.yaml";
  source->base_directory = "/data";
  return parse_yaml(text, source);
}

/// Checks that an accepted configuration gives the same text after it is written and read back.
void check_round_trip(const ConfigNode& root, ConfigUse use) {
  const std::string text = to_yaml(to_node(read_run_config(root, use, "f")));
  std::string again;
  const bool accepted =
      accepts([&] { again = to_yaml(to_node(read_run_config(parse(text), use, "f"))); });
  check(accepted, "a written configuration is accepted");
  check(again == text, "a configuration comes back as the same text");
}

bool read(const ConfigNode& root) {
#if defined(TOMOKKOS_FUZZ_BENCH)
  accepts([&] { Bench::read_bench_config(root, "f"); });
#endif
  const bool as_matrix = accepts([&] { check_round_trip(root, ConfigUse::matrix); });
  return accepts([&] { check_round_trip(root, ConfigUse::run); }) || as_matrix;
}

bool run_yaml(const std::string& bytes) {
  ConfigNode root;
  return accepts([&] { root = parse(bytes); }) && read(root);
}

const std::string tomography =
    "problem:\n  type: tomography\n  volume: {size: [16, 20]}\n"
    "  geometry: {type: parallel_beam, views: 12, detectors: 24, range: 180 deg}\n"
    "  phantom: shepp_logan\nsolver: {type: sirt, iterations: 3}\n"
    "output: {image: [png, npy], checkpoint: 2}\n";

bool run_set(const std::string& bytes) {
  ConfigNode root = parse(tomography);
  return accepts([&] { apply_setting(root, bytes); }) && read(root);
}

std::vector<std::string> yaml_seeds() {
  return {tomography,
          "problem: {type: linear_system, stencil: {points: 7, size: [4, 4, 4]}, rhs: ones}\n"
          "solver: {type: pcg, iterations: 10, stop: {residual: 1e-8}}\n",
          "problem: {type: tomography, phantom: disc, volume: {size: [8, 8]},\n"
          "  geometry: {views: &n 12, detectors: *n}}\nsolver: {type: mlem}\n"};
}

std::vector<std::string> set_seeds() {
  return {"solver.iterations=50", "problem.geometry={views: 8, detectors: 9}", "output.image=[png]",
          "solver.type=\"mlem\""};
}

TOMOKKOS_FUZZ_TARGET(yaml, run_yaml, yaml_seeds);
TOMOKKOS_FUZZ_TARGET(set, run_set, set_seeds);

}  // namespace
