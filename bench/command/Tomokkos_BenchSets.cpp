// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BenchSets.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ReadBenchMatrices.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <map>

namespace Tomokkos::Bench {
namespace {

std::vector<SetMatrix> read_set(const SetText& set) {
  const auto source = std::make_shared<ConfigSource>();
  source->name = "bench/sets/" + std::string(set.name) + ".yaml";
  const ConfigNode root = parse_yaml(std::string(set.text), source);
  std::vector<SetMatrix> matrices;
  for (const ConfigNode& item : root.items()) {
    const ConfigReader entry(item, "", {"name", "origin", "profile"});
    matrices.push_back({entry.string("name"), entry.string("origin"), read_profile(entry)});
  }
  return matrices;
}

std::map<std::string, std::vector<SetMatrix>, std::less<>> read_sets() {
  std::map<std::string, std::vector<SetMatrix>, std::less<>> sets;
  for (const SetText& set : set_texts()) sets.emplace(set.name, read_set(set));
  return sets;
}

}  // namespace

const std::vector<SetMatrix>& matrix_set(std::string_view name) {
  static const auto sets = read_sets();
  const auto set = sets.find(name);
  require(set != sets.end(), "there is no set of matrices called " + std::string(name));
  return set->second;
}

const SetMatrix* find_set_matrix(std::string_view name, std::string_view matrix) {
  for (const SetMatrix& entry : matrix_set(name))
    if (entry.name == matrix) return &entry;
  return nullptr;
}

}  // namespace Tomokkos::Bench
