// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `problem.type: parameterization` of the real program.
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <fstream>

#include "TestData.hpp"
#include "program/ProgramTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

std::string chart_config(const std::string& problem, const std::string& rest = "") {
  return "problem: {type: parameterization, " + problem +
         "}\nsolver: {type: pcg, iterations: 20000, stop: {residual: 1e-8}}\n"
         "output: {directory: out, picture_size: 64}\n" +
         rest;
}

/// The lines of a file that begin with \p start.
int lines_with(const std::filesystem::path& file, const std::string& start) {
  std::ifstream in(file);
  std::string line;
  int count = 0;
  while (std::getline(in, line)) count += line.rfind(start, 0) == 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST(Charts, AGeneratedSurfaceIsFlattened) {
  const RunFolder folder;
  write_bytes(folder / "c.yaml", chart_config("mesh: {generate: hills, vertices: 500}"));
  const auto result = run_program({"run", folder / "c.yaml"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto report = folder / "out/report.yaml";
  EXPECT_EQ(entry(report, "result.reason"), "converged");
  EXPECT_EQ(entry(report, "chart.flips"), "0");
  EXPECT_EQ(entry(report, "operator.form"), "shared");
  const double energy = std::stod(entry(report, "chart.energy"));
  EXPECT_GT(energy, 0);
  EXPECT_NEAR(std::stod(entry(report, "chart.energy_by_cotangents")), energy, 1e-8 * energy);
  const int vertices = std::stoi(entry(report, "mesh.vertices"));
  EXPECT_EQ(lines_with(folder / "out/chart.obj", "v "), vertices);
  EXPECT_EQ(lines_with(folder / "out/chart.obj", "vt "), vertices);
  for (const char* picture : {"chart.png", "surface.png"})
    EXPECT_GT(std::filesystem::file_size(folder / (std::string("out/") + picture)), 100U);
  EXPECT_EQ(num_vertices(read_mesh(folder / "out/chart.obj").mesh), vertices);
}

TEST(Charts, AllFormsOrdersAndPrecisionsAgree) {
  const RunFolder folder;
  write_bytes(folder / "c.yaml", chart_config("mesh: {generate: cap, vertices: 400}"));
  const auto energy_of = [&](const std::string& name, const std::vector<std::string>& settings) {
    std::vector<std::string> arguments{"run", folder / "c.yaml", "--quiet", "--output",
                                       folder / name};
    for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    const auto result = run_program(arguments);
    EXPECT_EQ(result.status, 0) << name << ": " << result.error;
    const auto report = folder / (name + "/report.yaml");
    EXPECT_EQ(entry(report, "chart.flips"), "0") << name;
    return std::stod(entry(report, "chart.energy"));
  };
  const double expected = energy_of("shared", {});
  EXPECT_NEAR(energy_of("complex", {"problem.form=complex"}), expected, 1e-9 * expected);
  EXPECT_NEAR(energy_of("rcm", {"operator.ordering=rcm"}), expected, 1e-9 * expected);
  EXPECT_NEAR(energy_of("refined", {"solver.float_matrix=true"}), expected, 1e-9 * expected);
  EXPECT_NEAR(energy_of("equations", {"problem.form=equations"}), expected, 1e-9 * expected);
  EXPECT_NEAR(energy_of("blocks", {"problem.form=equations", "operator={format: bcsr, block: 2}",
                                   "operator.ordering=rcm"}),
              expected, 1e-9 * expected);
  EXPECT_NEAR(energy_of("single", {"run.scalar=float", "solver.stop.residual=1e-4"}), expected,
              1e-2 * expected);
}

TEST(Charts, PinsAreTakenAsTheyAreNamed) {
  const RunFolder folder;
  write_bytes(folder / "c.yaml", chart_config("mesh: {generate: hills, vertices: 500}"));
  const auto flatten = [&](const std::string& pins) {
    const auto result = run_program({"run", folder / "c.yaml", "--quiet", "--output",
                                     folder / "out", "--set", "problem.pins=" + pins});
    EXPECT_EQ(result.status, 0) << pins << ": " << result.error;
    return entry(folder / "out/report.yaml", "chart");
  };
  // What a report says can be asked for again, with positions and without.
  const std::string chart = flatten("auto");
  const ConfigNode pins = *read_yaml_file(folder / "out/report.yaml").find("chart")->find("pins");
  std::string vertices;
  for (const ConfigNode& pin : pins.items())
    vertices += (vertices.empty() ? "" : ", ") + pin.find("vertex")->scalar();
  EXPECT_EQ(flatten("[" + vertices + "]"), chart);
  EXPECT_EQ(flatten(to_yaml(pins)), chart);
  // Others, in their places.
  flatten("[{vertex: 3, position: [0.5, -2]}, {vertex: 200, position: [0.25, 7]}]");
  std::ifstream in(folder / "out/chart.obj");
  std::vector<std::string> coordinates;
  for (std::string line; std::getline(in, line);)
    if (line.rfind("vt ", 0) == 0) coordinates.push_back(line);
  ASSERT_GT(coordinates.size(), 200u);
  EXPECT_EQ(coordinates[2], "vt 0.5 -2");
  EXPECT_EQ(coordinates[199], "vt 0.25 7");
}

TEST(Charts, PinsThatTheMeshDoesNotHaveAreRefused) {
  const RunFolder folder;
  // The last vertex lies where the first one does.
  write_bytes(folder / "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3\nf 2 4 3\n");
  write_bytes(folder / "c.yaml", chart_config("mesh: m.obj"));
  for (const auto& [pins, message] : std::vector<std::pair<std::string, std::string>>{
           {"[1, 5]", "has the vertices 1 to 4, none is 5"},
           {"[5, 1]", "has the vertices 1 to 4, none is 5"},
           {"[1, 4]", "has both vertices at one point"}}) {
    const auto result = run_program({"run", folder / "c.yaml", "--set", "problem.pins=" + pins});
    EXPECT_EQ(result.status, 2) << pins;
    EXPECT_CONTAINS(result.error, "problem.pins=" + pins + ": problem.pins: ");
    EXPECT_CONTAINS(result.error, message);
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << pins;
  }
}

TEST(Charts, WhatCannotBeFlattenedIsRefusedByName) {
  TOMOKKOS_NEEDS_TEST_DATA("meshes");
  const RunFolder folder;
  write_bytes(folder / "c.yaml", chart_config("mesh: x.obj"));
  for (const auto& [name, word] :
       std::vector<std::pair<std::string, std::string>>{{"spot", "closed"},
                                                        {"moebius", "orient"},
                                                        {"fan3", "edge"},
                                                        {"hourglass_ico", "vertex"}}) {
    const auto file = test_data_path("meshes/" + name + ".obj").string();
    const auto result = run_program({"run", folder / "c.yaml", "--set", "problem.mesh=" + file});
    EXPECT_EQ(result.status, 2) << name;
    EXPECT_NE(result.error.find(word), std::string::npos) << name << ": " << result.error;
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << name;
  }
}

TEST(Charts, SurfacesOfTheWorldHaveNoFlips) {
  TOMOKKOS_NEEDS_TEST_DATA("meshes");
  const RunFolder folder;
  for (const char* name : {"cat_head", "hand_lowres", "plane_holes"}) {
    const auto file = test_data_path(std::string("meshes/") + name + ".obj").string();
    const auto result = run_program({"run", config_file("lscm_mountain.yaml").string(), "--output",
                                     folder / name, "--set", "problem.mesh=" + file});
    ASSERT_EQ(result.status, 0) << name << ": " << result.error;
    const auto report = folder / (std::string(name) + "/report.yaml");
    // Around its holes a closed hull cannot but overlap.
    if (std::string(name) == "plane_holes")
      EXPECT_CONTAINS(result.out + result.error, "27 borders");
    else
      EXPECT_EQ(entry(report, "chart.flips"), "0") << name;
  }
}

TEST(Charts, ASolverThatEndsTooSoonSaysSo) {
  const RunFolder folder;
  write_bytes(folder / "c.yaml", chart_config("mesh: {generate: hills, vertices: 500}"));
  const auto result =
      run_program({"run", folder / "c.yaml", "--quiet", "--set", "solver.iterations=3"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(entry(folder / "out/report.yaml", "result.reason"), "max_iterations");
  EXPECT_TRUE(std::filesystem::exists(folder / "out/chart.obj"));
}

TEST(Charts, WrongKeysAreRefused) {
  const RunFolder folder;
  write_bytes(folder / "c.yaml", chart_config("mesh: {generate: hills, vertices: 500}"));
  const auto expect_refused = [&](const std::string& setting, const std::string& word) {
    const auto result = run_program({"run", folder / "c.yaml", "--set", setting});
    EXPECT_EQ(result.status, 2) << setting;
    EXPECT_NE(result.error.find(word), std::string::npos) << setting << ": " << result.error;
  };
  expect_refused("problem.form=dense", "equations");
  expect_refused("problem.locked=0.1", "locked");
  expect_refused("problem.mesh={generate: hills}", "vertices");
  expect_refused("solver.type=gmres", "pcg");
  expect_refused("operator.format=sell", "problem.form: equations");
  expect_refused("operator.ordering={rows: rcm, columns: rcm, entries: interleaved}",
                 "problem.form: equations");
  expect_refused("solver.preconditioner=block_jacobi", "problem.form: equations");
  expect_refused("solver={type: pcg, float_matrix: true, scale_matrix: false}", "scale_matrix");
  const auto single = run_program(
      {"run", folder / "c.yaml", "--set", "run.scalar=float", "--set", "solver.float_matrix=true"});
  EXPECT_EQ(single.status, 2);
}
