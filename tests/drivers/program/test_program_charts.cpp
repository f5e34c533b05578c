// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with `problem.type: parameterization`.
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cmath>
#include <fstream>
#include <sstream>
#include <tuple>

#include "MeshTesting.hpp"
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

std::vector<Point2> texture_coordinates(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Point2> result;
  for (std::string line; std::getline(in, line);) {
    Point2 p;
    if (line.rfind("vt ", 0) != 0) continue;
    std::istringstream(line.substr(3)) >> p[0] >> p[1];
    result.push_back(p);
  }
  return result;
}

/// Returns the numbers of a list in a report.
std::vector<double> numbers_of(std::string list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    // A dash before a space marks an item of the list. Any other dash is the sign of a number.
    if (list[i] == '[' || list[i] == ']' || list[i] == ',' || list.compare(i, 2, "- ") == 0)
      list[i] = ' ';
  std::istringstream in(list);
  std::vector<double> result;
  for (double x; in >> x;) result.push_back(x);
  return result;
}

/// Counts the lines of a file that begin with \p start.
int count_lines(const std::filesystem::path& file, const std::string& start) {
  std::ifstream in(file);
  std::string line;
  int count = 0;
  while (std::getline(in, line)) count += line.rfind(start, 0) == 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST(Charts, a_generated_surface_is_flattened) {
  const RunFolder folder(chart_config("mesh: {generate: hills, vertices: 500}"));
  run_well({"run", folder / "c.yaml"});
  const auto report = folder / "out/report.yaml";
  EXPECT_EQ(entry(report, "result.reason"), "converged");
  EXPECT_EQ(entry(report, "chart.flips"), "0");
  EXPECT_EQ(entry(report, "operator.form"), "shared");
  const double energy = std::stod(entry(report, "chart.energy"));
  EXPECT_GT(energy, 0);
  EXPECT_NEAR(std::stod(entry(report, "chart.energy_by_cotangents")), energy, 1e-8 * energy);
  const int vertices = std::stoi(entry(report, "mesh.vertices"));
  EXPECT_EQ(count_lines(folder / "out/chart.obj", "v "), vertices);
  EXPECT_EQ(count_lines(folder / "out/chart.obj", "vt "), vertices);
  for (const char* picture : {"chart.png", "surface.png"})
    EXPECT_GT(std::filesystem::file_size(folder / (std::string("out/") + picture)), 100U);
  EXPECT_EQ(num_vertices(read_mesh(folder / "out/chart.obj").mesh), vertices);
}

TEST(Charts, a_long_folded_strip_unfolds_exactly_with_the_defaults) {
  const RunFolder folder;
  const FoldedStrip strip = folded_strip(200, 4);
  write_obj(folder / "strip.obj", strip.folded);
  write_bytes(folder / "c.yaml",
              "problem: {type: parameterization, mesh: strip.obj}\n"
              "output: {directory: out, picture_size: 0}\n");
  const auto error_of_chart = [&] {
    return distance_of_charts(strip.flat, texture_coordinates(folder / "out/chart.obj"));
  };
  ProgramResult result = run_well({"run", folder / "c.yaml"});
  EXPECT_LT(error_of_chart(), 1e-7);
  const auto report = folder / "out/report.yaml";
  for (const double scale : numbers_of(entry(report, "chart.area_scale")))
    EXPECT_NEAR(scale, 1, 1e-6);
  EXPECT_CONTAINS(result.out, "areas 1 to 1 of the median (1 to 1 without the outer 5 %)");
  // A larger residual is not good enough, although neither flips nor angles show this.
  result = run_program({"run", folder / "c.yaml", "--set", "solver.stop.residual=1e-6"});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_GT(error_of_chart(), 0.01);
  EXPECT_EQ(entry(report, "chart.flips"), "0");
  const auto angles = numbers_of(entry(report, "chart.angle_distortion_degrees"));
  ASSERT_EQ(angles.size(), 5u);
  EXPECT_LT(angles[2], 1);
  const auto scales = numbers_of(entry(report, "chart.area_scale"));
  ASSERT_EQ(scales.size(), 5u);
  EXPECT_LT(scales[0], 0.97);
  EXPECT_GT(scales[4], 1.05);
}

TEST(Charts, coinciding_vertices_are_joined_on_request) {
  const RunFolder folder;
  const TriangleMesh whole = hills({300, 0});
  const TriangleMesh torn = torn_apart(whole);
  write_obj(folder / "whole.obj", whole);
  write_obj(folder / "torn.obj", torn);
  write_bytes(folder / "c.yaml", chart_config("mesh: torn.obj"));
  expect_failure({"run", folder / "c.yaml"},
                 {"several components",
                  std::to_string(torn.vertices.size() - whole.vertices.size()) +
                      " vertices have exactly the position of an earlier one",
                  "problem.mesh: {file: NAME, weld: true}"});
  const auto chart_entry = [&](const std::string& mesh, const std::string& pins,
                               const std::string& key) {
    const ProgramResult result =
        run_well({"run", folder / "c.yaml", "--set", "problem.mesh={file: " + folder / mesh + "}",
                  "--set", "problem.pins=" + pins});
    if (mesh.find("weld") != std::string::npos) {
      EXPECT_CONTAINS(result.out, " vertices were joined to earlier ones at the same place");
    }
    return reported(folder, "out", key);
  };
  const double energy = std::stod(chart_entry("whole.obj", "auto", "chart.energy"));
  EXPECT_NEAR(std::stod(chart_entry("torn.obj, weld: true", "auto", "chart.energy")), energy,
              1e-6 * energy);
  EXPECT_EQ(reported(folder, "out", "mesh.joined_vertices"),
            std::to_string(torn.vertices.size() - whole.vertices.size()));
  EXPECT_EQ(reported(folder, "out", "mesh.removed_triangles"), "0");
  EXPECT_EQ(reported(folder, "out", "mesh.coinciding_vertices"), "0");
  EXPECT_EQ(reported(folder, "out", "mesh.components"), "1");
  EXPECT_EQ(reported(folder, "out", "mesh.border_loops"), "1");
  // Pins are numbered as in the file. These are the first and last corners of its triangles.
  const std::string first = std::to_string(whole.triangles.front()[0] + 1);
  const std::string last = std::to_string(whole.triangles.back()[2] + 1);
  const double pinned =
      std::stod(chart_entry("whole.obj", "[" + first + ", " + last + "]", "chart.energy"));
  EXPECT_NEAR(
      std::stod(chart_entry("torn.obj, weld: true",
                            "[1, " + std::to_string(torn.vertices.size()) + "]", "chart.energy")),
      pinned, 1e-6 * pinned);
  EXPECT_GT(std::abs(pinned - energy), 1e-3 * energy);
}

TEST(Charts, meshes_that_are_too_large_or_too_small_are_refused) {
  const RunFolder folder(chart_config("mesh: m.obj"));
  const auto flatten = [&](double scale, const std::string& setting) {
    TriangleMesh mesh = hills({100, 0});
    for (Point3& p : mesh.vertices)
      for (double& x : p) x *= scale;
    write_obj(folder / "m.obj", mesh);
    return run_program({"run", folder / "c.yaml", "--quiet", "--set", setting});
  };
  for (const double scale : {1e60, 1e-60})
    EXPECT_EQ(flatten(scale, "run.scalar=double").status, 0) << scale;
  for (const auto& [scale, setting, message] :
       std::vector<std::tuple<double, std::string, std::string>>{
           {1e160, "run.scalar=double", "m.obj: the mesh is too large: it has a coordinate of 1"},
           {1e-160, "run.scalar=double", "m.obj: the mesh is too small: it is only 2e-160 long"},
           {1e160, "problem.type=smoothing", "m.obj: the mesh is too large"},
           {1e20, "run.scalar=float", "in single precision a mesh must lie between 1e-12 and"}}) {
    const auto result = flatten(scale, setting);
    EXPECT_EQ(result.status, 2) << scale;
    EXPECT_CONTAINS(result.error, message);
    EXPECT_EQ(result.error.find("matrix"), std::string::npos) << result.error;
  }
}

TEST(Charts, all_forms_orders_and_precisions_agree) {
  const RunFolder folder(chart_config("mesh: {generate: cap, vertices: 400}"));
  const auto energy_of = [&](const std::string& name, const std::vector<std::string>& settings) {
    run_well(folder, name, settings);
    EXPECT_EQ(reported(folder, name, "chart.flips"), "0") << name;
    return number(folder, name, "chart.energy");
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

TEST(Charts, pins_can_be_given_with_and_without_positions) {
  const RunFolder folder(chart_config("mesh: {generate: hills, vertices: 500}"));
  const auto flatten = [&](const std::string& pins) {
    run_well({"run", folder / "c.yaml", "--quiet", "--output", folder / "out", "--set",
              "problem.pins=" + pins});
    return reported(folder, "out", "chart");
  };
  // The pins in a report can be given again, with positions and without.
  const std::string chart = flatten("auto");
  const ConfigNode pins = *read_yaml_file(folder / "out/report.yaml").find("chart")->find("pins");
  std::string vertices;
  for (const ConfigNode& pin : pins.items())
    vertices += (vertices.empty() ? "" : ", ") + pin.find("vertex")->scalar();
  EXPECT_EQ(flatten("[" + vertices + "]"), chart);
  EXPECT_EQ(flatten(to_yaml(pins)), chart);
  // Other pins get the positions that are given.
  flatten("[{vertex: 3, position: [0.5, -2]}, {vertex: 200, position: [0.25, 7]}]");
  std::ifstream in(folder / "out/chart.obj");
  std::vector<std::string> coordinates;
  for (std::string line; std::getline(in, line);)
    if (line.rfind("vt ", 0) == 0) coordinates.push_back(line);
  ASSERT_GT(coordinates.size(), 200u);
  EXPECT_EQ(coordinates[2], "vt 0.5 -2");
  EXPECT_EQ(coordinates[199], "vt 0.25 7");
}

TEST(Charts, invalid_pins_are_refused) {
  const RunFolder folder;
  // The last vertex has the position of the first one.
  write_bytes(folder / "m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3\nf 2 4 3\n");
  write_bytes(folder / "c.yaml", chart_config("mesh: m.obj"));
  // A face that occurs twice is reported as a duplicate, not as an edge with too many faces.
  write_bytes(folder / "twice.obj",
              "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n"
              "f 1 2 3\nf 2 4 3\nf 3 1 2\n");
  expect_failure({"run", folder / "c.yaml", "--set", "problem.mesh=" + folder / "twice.obj"},
                 {"duplicate face: the triangles 1 and 3 have the same corners"});
  for (const auto& [pins, message] : std::vector<std::pair<std::string, std::string>>{
           {"[1, 5]", "has the vertices 1 to 4, but not 5"},
           {"[5, 1]", "has the vertices 1 to 4, but not 5"},
           {"[1, 4]", "has both vertices at the same point"}}) {
    expect_failure({"run", folder / "c.yaml", "--set", "problem.pins=" + pins},
                   {"problem.pins=" + pins + ": problem.pins: ", message});
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << pins;
  }
}

TEST(Charts, meshes_that_cannot_be_flattened_are_refused_with_the_reason) {
  const RunFolder folder(chart_config("mesh: x.obj"));
  for (const auto& [name, word] :
       std::vector<std::pair<std::string, std::string>>{{"spot_low_resolution", "closed"},
                                                        {"moebius", "orient"},
                                                        {"fan3", "edge"},
                                                        {"hourglass_ico", "vertex"}}) {
    const auto file = test_data_path("meshes/" + name + ".obj").string();
    expect_failure({"run", folder / "c.yaml", "--set", "problem.mesh=" + file}, {word});
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << name;
  }
}

TEST(Charts, real_surfaces_have_no_flips) {
  const RunFolder folder;
  for (const char* name : {"cat_head", "hand_lowres", "plane_holes"}) {
    const auto file = test_data_path(std::string("meshes/") + name + ".obj").string();
    const ProgramResult result =
        run_well({"run", config_file("lscm_mountain.yaml").string(), "--output", folder / name,
                  "--set", "problem.mesh=" + file});
    const auto report = folder / (std::string(name) + "/report.yaml");
    // The chart of this closed hull inevitably overlaps around its holes.
    if (std::string(name) == "plane_holes")
      EXPECT_CONTAINS(result.out + result.error, "27 borders");
    else
      EXPECT_EQ(entry(report, "chart.flips"), "0") << name;
  }
}

TEST(Charts, a_run_without_convergence_fails_but_writes_its_chart) {
  const RunFolder folder(chart_config("mesh: {generate: hills, vertices: 500}"));
  expect_failure({"run", folder / "c.yaml", "--quiet", "--set", "solver.iterations=3"}, {}, 1);
  EXPECT_EQ(reported(folder, "out", "result.reason"), "max_iterations");
  EXPECT_TRUE(std::filesystem::exists(folder / "out/chart.obj"));
}

TEST(Charts, info_and_convert_know_the_matrix_in_every_form) {
  const RunFolder folder(chart_config("mesh: {generate: hills, vertices: 500}"));
  const Ordinal unknowns = 2 * (num_vertices(hills({500, 0})) - 2);
  std::vector<std::vector<double>> dense;
  std::vector<Offset> nonzeros;
  for (const std::string form : {"complex", "shared", "equations"}) {
    const std::vector<std::string> set{"--set", "problem.form=" + form};
    std::vector<std::string> arguments{"convert", folder / "c.yaml", folder / "A.mtx"};
    arguments.insert(arguments.end(), set.begin(), set.end());
    run_well(arguments);
    const auto A = read_matrix<double>(folder / "A.mtx");
    ASSERT_EQ(A.num_rows, unknowns) << form;
    ASSERT_EQ(A.num_cols, unknowns) << form;
    nonzeros.push_back(A.num_nonzeros());
    dense.emplace_back(static_cast<std::size_t>(unknowns) * unknowns, 0.0);
    for (Ordinal i = 0; i < unknowns; ++i)
      for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
        dense.back()[static_cast<std::size_t>(i) * unknowns + A.columns(k)] = A.values(k);
    arguments = {"info", folder / "c.yaml"};
    arguments.insert(arguments.end(), set.begin(), set.end());
    const ProgramResult info = run_well(arguments);
    write_bytes(folder / "info.yaml", info.out);
    EXPECT_EQ(entry(folder / "info.yaml", "form"), form);
    EXPECT_EQ(entry(folder / "info.yaml", "rows"), std::to_string(unknowns));
    EXPECT_EQ(entry(folder / "info.yaml", "nonzeros"), std::to_string(A.num_nonzeros()));
    EXPECT_EQ(entry(folder / "info.yaml", "symmetry.pattern"), "true");
    EXPECT_EQ(entry(folder / "info.yaml", "mesh.border_loops"), "1");
    const double shared = std::stod(entry(folder / "info.yaml", "memory_bytes.shared.double"));
    const double complex = std::stod(entry(folder / "info.yaml", "memory_bytes.complex.double"));
    EXPECT_LT(shared, complex);
    EXPECT_LT(complex, std::stod(entry(folder / "info.yaml", "memory_bytes.csr.double")) * 1.01);
  }
  // One system, in forms of different size.
  EXPECT_GT(nonzeros[0], nonzeros[1]);
  for (std::size_t form = 1; form < dense.size(); ++form) {
    double largest = 0;
    for (std::size_t k = 0; k < dense[0].size(); ++k)
      largest = std::max(largest, std::abs(dense[form][k] - dense[0][k]));
    EXPECT_LE(largest, 1e-9) << form;
  }

  const ProgramResult large =
      run_well({"info", folder / "c.yaml", "--set", "problem.mesh.vertices=1100000", "--set",
                "problem.form=complex"});
  EXPECT_CONTAINS(large.out, "not_built");
  EXPECT_CONTAINS(large.out, "rows: 2");
}

TEST(Charts, unsupported_keys_and_values_are_refused) {
  const RunFolder folder(chart_config("mesh: {generate: hills, vertices: 500}"));
  const auto expect_refused = [&](const std::string& setting, const std::string& word) {
    expect_failure({"run", folder / "c.yaml", "--set", setting}, {word});
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
  expect_failure(
      {"run", folder / "c.yaml", "--set", "run.scalar=float", "--set", "solver.float_matrix=true"},
      {});
}
