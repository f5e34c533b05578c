// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts made from the descriptions of keys: `tomokkos help` and the reference pages.
#include <gtest/gtest.h>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_YamlFile.hpp>

#include <set>
#include <sstream>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"
#include "ProjectRoot.hpp"

namespace {

using namespace Tomokkos;
TEST(KeyHelp, every_key_has_a_description_and_its_accepted_values) {
  std::set<std::string> sections;
  for (const SectionDoc& doc : section_docs()) {
    sections.insert(doc.section);
    for (const KeyDoc& key : doc.keys) {
      EXPECT_FALSE(key.form.empty()) << key.path;
      EXPECT_TRUE(key.help.ends_with('.')) << key.path << ": " << key.help;
      EXPECT_TRUE(key.path.starts_with(doc.section + ".")) << key.path;
    }
  }
  EXPECT_EQ(sections, (std::set<std::string>{"run", "problem", "operator", "solver", "output"}));
}

TEST(KeyHelp, a_kind_lists_only_its_own_keys) {
  const auto paths = [](const std::string& selector, const std::string& value) {
    std::set<std::string> result;
    for (const SectionDoc& doc : section_docs())
      if (doc.selector == selector && doc.value == value)
        for (const KeyDoc& key : doc.keys) result.insert(key.path);
    return result;
  };
  EXPECT_TRUE(paths("solver.type", "gmres").contains("solver.restart"));
  EXPECT_FALSE(paths("solver.type", "pcg").contains("solver.restart"));
  EXPECT_FALSE(paths("solver.type", "gmres").contains("solver.stop.relative_change"));
  EXPECT_TRUE(paths("operator.format", "sell").contains("operator.chunk"));
  EXPECT_FALSE(paths("operator.format", "csr").contains("operator.chunk"));
  const auto parallel = paths("problem.geometry.type", "parallel_beam");
  EXPECT_FALSE(parallel.contains("problem.geometry.source_to_origin"));
  EXPECT_FALSE(parallel.contains("problem.scanner.modules"));
  // The key is listed although it has no effect with the default of problem.noise.type.
  EXPECT_TRUE(parallel.contains("problem.noise.counts"));
}

/// Adds the sections that an example needs to be a complete configuration.
std::string completed(const SectionDoc& doc) {
  std::string text = doc.example;
  const std::string problem = doc.problem.substr(0, doc.problem.find(','));
  const auto kind = [&](const std::string& name) { return problem == name || doc.value == name; };
  const bool needs_problem = doc.section != "problem";
  if (kind("linear_system")) {
    if (needs_problem)
      text += "problem: {type: linear_system, stencil: {points: 7, size: 4}, rhs: ones}\n";
  } else if (kind("parameterization") || kind("smoothing")) {
    if (needs_problem)
      text += "problem: {type: " + (problem.empty() ? doc.value : problem) + ", mesh: a.obj}\n";
  } else {
    const bool is_circulant = doc.value == "block_circulant";
    if (needs_problem)
      text += is_circulant
                  ? "problem: {type: tomography, block_row: a.npz, rhs: b.npy}\n"
                  : "problem: {type: tomography, volume: {size: [8, 8]}, geometry: {views: "
                    "8, detectors: 9}, phantom: disc}\n";
    if (doc.section != "solver") text += "solver: {type: mlem}\n";
  }
  return text;
}

TEST(KeyHelp, every_example_is_accepted) {
  for (const SectionDoc& doc : section_docs())
    EXPECT_EQ(Testing::refusal_of(completed(doc), {}), "(accepted)") << doc.name() << "\n"
                                                                     << completed(doc);
}

TEST(KeyHelp, reference_pages_are_up_to_date) {
  const auto folder = Testing::project_root() / "docs/reference";
  const auto pages = reference_pages();
  for (const auto& [name, text] : pages)
    EXPECT_EQ(Testing::read_bytes(folder / name), text)
        << name << " is out of date; run tomokkos help --pages docs/reference";
  // The page of a removed section must not remain.
  const std::set<std::string> written_by_hand{"api.md", "command_line.md", "configuration.md",
                                              "conventions.md", "files.md"};
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(pages.contains(name) || written_by_hand.contains(name)) << name;
  }
}

TEST(KeyHelp, topics_are_keys_sections_and_kinds) {
  EXPECT_CONTAINS(help_text(""), "problem   the system matrix");
  const std::string residual = help_text("residual");
  EXPECT_CONTAINS(residual, "solver.stop.residual\n");
  EXPECT_EQ(residual.find("solver.stop.absolute_residual\n"), std::string::npos);
  EXPECT_EQ(help_text("solver.stop.residual"), residual);
  const std::string pcg = help_text("solver.type=pcg");
  EXPECT_EQ(help_text("solver.type: pcg"), pcg);
  EXPECT_CONTAINS(pcg, "solver.float_matrix\n");
  EXPECT_EQ(pcg.find("solver.restart\n"), std::string::npos);
  EXPECT_CONTAINS(help_text("operator"), "operator.format=sell");
  EXPECT_CONTAINS(help_text("operator.format=ray_tiles"), "ordering: squares");
  // The first key is the same for several solvers; the second has different defaults.
  EXPECT_CONTAINS(help_text("solver.restart_every"), "applies to: solver.type");
  EXPECT_CONTAINS(help_text("solver.iterations"), "default: 10000");
}

TEST(KeyHelp, an_unknown_topic_suggests_the_nearest) {
  EXPECT_CONTAINS(Testing::message_of<ConfigError>([] { help_text("solver.iteratons"); }),
                  "did you mean solver.iterations?");
}

TEST(KeyHelp, the_effective_configuration_is_explained_key_by_key) {
  const RunConfig config = Testing::configured(
      "problem: {type: tomography, volume: {size: [8, 8]}, geometry: {views: 8, detectors: 9}, "
      "phantom: disc}\nsolver: {type: mlem}\n",
      {});
  const auto help = help_of(config);
  const std::string plain = to_yaml(to_node(config)), explained = to_yaml(to_node(config), help);
  std::istringstream lines(explained);
  std::string uncommented, previous;
  for (std::string line; std::getline(lines, line); previous = line) {
    const std::size_t text = line.find_first_not_of(' ');
    if (line[text] == '#') continue;
    uncommented += line + "\n";
    // Every key has a help sentence, except the top-level sections.
    if (text > 0) {
      EXPECT_CONTAINS(previous, "# ") << line;
    }
  }
  EXPECT_EQ(uncommented, plain);
}

TEST(KeysOfRuns, differ_only_where_a_comparison_allows_it) {
  const ConfigKeys resumed = keys_outside(Identity::bits), repeated = keys_outside(Identity::run);
  const ConfigKeys stored = keys_with(Identity::storage);
  // A resumed run may read the same values from other files and go on further, on one machine.
  for (const char* key : {"solver.iterations", "solver.sweeps", "problem.rhs", "run.ranks"}) {
    EXPECT_TRUE(resumed.contains(key)) << key;
    EXPECT_FALSE(repeated.contains(key)) << key;
  }
  // A repeated run computes the same on another machine.
  for (const char* key : {"run.backend", "run.shares", "run.ranks.backend"})
    EXPECT_TRUE(repeated.contains(key)) << key;
  EXPECT_FALSE(resumed.contains("run.backend"));
  // Another representation is the same matrix, unless its values are rounded.
  EXPECT_TRUE(stored.contains("operator.format"));
  EXPECT_FALSE(stored.contains("operator.values"));
  for (const SectionDoc& doc : section_docs())
    for (const KeyDoc& key : doc.keys)
      if (doc.section == "output") {
        EXPECT_TRUE(resumed.contains(key.path) && repeated.contains(key.path)) << key.path;
      }
  for (const char* key : {"solver.relaxation", "problem.geometry.views", "run.seed"})
    EXPECT_FALSE(resumed.contains(key) || repeated.contains(key) || stored.contains(key)) << key;
}

}  // namespace
