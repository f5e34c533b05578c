// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with `problem.type: smoothing`, and the output of `info` for meshes.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_Smoothing.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <cmath>

#include "MeshTesting.hpp"
#include "TestData.hpp"
#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr const char* config =
    "problem: {type: smoothing, mesh: {generate: hills, vertices: 900, noise: 0.3}}\n";

TriangleMesh smoothed(const RunFolder& folder, const std::string& output) {
  return read_mesh(folder / (output + "/smoothed.obj")).mesh;
}

double largest_distance(const TriangleMesh& a, const TriangleMesh& b) {
  EXPECT_EQ(a.vertices.size(), b.vertices.size());
  double largest = 0;
  for (std::size_t v = 0; v < a.vertices.size(); ++v)
    largest = std::max(largest, distance(a.vertices[v], b.vertices[v]));
  return largest;
}

TEST(ProgramSmoothing, writes_mesh_pictures_and_report) {
  const RunFolder folder(config);
  run_well(folder, "out", {"output.picture_size=200"});
  TriangleMesh before = hills({900, 0});
  add_noise(before, 0.3);
  const TriangleMesh after = smoothed(folder, "out");
  EXPECT_EQ(after.triangles, before.triangles);
  const auto locked = lock_share(num_vertices(before), 0.1);
  for (std::size_t v = 0; v < locked.size(); ++v)
    EXPECT_EQ(after.vertices[v] == before.vertices[v], locked[v] != 0);
  for (const char* file : {"out/before.png", "out/after.png"}) EXPECT_TRUE(folder.has(file));
  EXPECT_NE(read_bytes(folder / "out/before.png"), read_bytes(folder / "out/after.png"));
  for (const char* coordinate : {"x", "y", "z"}) {
    const std::string path = std::string("coordinates.") + coordinate;
    EXPECT_EQ(reported(folder, "out", path + ".reason"), "converged");
    EXPECT_LE(number(folder, "out", path + ".relative_residual"), 1e-6);
    EXPECT_CONTAINS(reported(folder, "out", path + ".history"), "preconditioned_residual");
    EXPECT_LT(number(folder, "out", std::string("roughness.after.") + coordinate),
              0.2 * number(folder, "out", std::string("roughness.before.") + coordinate));
  }
  EXPECT_EQ(reported(folder, "out", "locked.vertices"), std::to_string(num_locked(locked)));
  EXPECT_NEAR(number(folder, "out", "locked.share"), 0.1, 1e-3);
  EXPECT_EQ(reported(folder, "out", "mesh.vertices"), "900");
  EXPECT_EQ(reported(folder, "out", "mesh.border_loops"), "1");
  EXPECT_EQ(reported(folder, "out", "matrix.rows"), "810");
  EXPECT_GT(number(folder, "out", "traffic.iteration_bytes"), 12 * 810 * 16);
  EXPECT_EQ(reported(folder, "out", "scaled"), "true");
  EXPECT_EQ(reported(folder, "out", "configuration.run.scalar"), "double");
  // The configuration in the report gives the same result.
  write_bytes(folder / "c.yaml", reported(folder, "out", "configuration"));
  run_well(folder, "again");
  expect_same_file(folder, "again", "out", "smoothed.obj");
}

TEST(ProgramSmoothing, every_order_format_and_preconditioner_gives_the_same_mesh) {
  const RunFolder folder(config + std::string("solver: {stop: {residual: 1e-10}}\n"
                                              "output: {picture_size: 0}\n"));
  run_well(folder, "plain");
  EXPECT_FALSE(folder.has("plain/before.png"));
  const TriangleMesh plain = smoothed(folder, "plain");
  for (const std::string setting :
       {"operator.ordering=rcm", "operator={format: sell, chunk: 8, ordering: rcm}",
        "operator.format=bcsr", "operator.format=automatic", "solver.preconditioner=none",
        "solver.scale_matrix=false", "run.deterministic=true",
        "solver={preconditioner: block_jacobi, block: 3, stop: {residual: 1e-10}}"}) {
    run_well(folder, "other", {setting});
    EXPECT_LT(largest_distance(plain, smoothed(folder, "other")), 1e-8) << setting;
  }
  run_well(folder, "other", {"run.scalar=float", "solver.stop.residual=1e-5"});
  EXPECT_LT(largest_distance(plain, smoothed(folder, "other")), 1e-2);
  run_well(folder, "other", {"run.seed=2"});
  EXPECT_GT(largest_distance(plain, smoothed(folder, "other")), 1e-3);
  run_well(folder, "other", {"problem.mesh.seed=2"});
  EXPECT_GT(largest_distance(plain, smoothed(folder, "other")), 1e-3);
}

TEST(ProgramSmoothing, reads_meshes_and_locks) {
  const RunFolder folder;
  TriangleMesh mesh = cap({300, 0});
  add_noise(mesh, 0.2);
  write_ply(folder / "cap.ply", mesh);
  const auto border = lock_border(mesh);
  std::string numbers = "# the border\n";
  for (std::size_t v = 0; v < border.size(); ++v)
    if (border[v] != 0) numbers += std::to_string(v) + "\n";
  write_bytes(folder / "border.txt", numbers);
  write_bytes(folder / "c.yaml",
              "problem: {type: smoothing, mesh: cap.ply, locked: border}\n"
              "output: {picture_size: 0, mesh: ply}\n");
  run_well(folder, "border");
  EXPECT_TRUE(folder.has("border/smoothed.ply"));
  EXPECT_EQ(reported(folder, "border", "locked.chosen_by"), "border");
  run_well(folder, "file", {"problem.locked=" + folder / "border.txt"});
  expect_same_file(folder, "file", "border", "smoothed.ply");
  EXPECT_EQ(reported(folder, "file", "locked.vertices"), std::to_string(num_locked(border)));
  run_well(folder, "all", {"problem.locked=1"});
  EXPECT_EQ(read_mesh(folder / "all/smoothed.ply").mesh.vertices, mesh.vertices);
  EXPECT_EQ(reported(folder, "all", "coordinates.x.reason"), "zero_rhs");
}

TEST(ProgramSmoothing, locks_use_the_vertex_numbers_of_the_file_before_welding) {
  const RunFolder folder;
  TriangleMesh whole = cap({300, 0});
  add_noise(whole, 0.2);
  const TriangleMesh torn = torn_apart(whole);
  write_obj(folder / "whole.obj", whole);
  write_obj(folder / "torn.obj", torn);
  std::string whole_locks, torn_locks;
  for (std::size_t t = 0; t < whole.triangles.size(); t += 20) {
    whole_locks += std::to_string(whole.triangles[t][0]) + "\n";
    torn_locks += std::to_string(torn.triangles[t][0]) + "\n";
  }
  write_bytes(folder / "whole.txt", whole_locks);
  write_bytes(folder / "torn.txt", torn_locks);
  write_bytes(folder / "c.yaml",
              "problem: {type: smoothing, mesh: {file: whole.obj}, locked: whole.txt}\n"
              "solver: {stop: {residual: 1e-10}}\noutput: {picture_size: 0}\n");
  run_well(folder, "whole");
  run_well(folder, "torn",
           {"problem.mesh={file: " + folder / "torn.obj" + ", weld: true}",
            "problem.locked=" + folder / "torn.txt"});
  EXPECT_EQ(reported(folder, "torn", "mesh.joined_vertices"),
            std::to_string(torn.vertices.size() - whole.vertices.size()));
  EXPECT_EQ(reported(folder, "torn", "locked.vertices"),
            reported(folder, "whole", "locked.vertices"));
  // Welding renumbers the vertices, but the triangles keep their order.
  const TriangleMesh a = torn_apart(smoothed(folder, "whole"));
  const TriangleMesh b = torn_apart(smoothed(folder, "torn"));
  EXPECT_LT(largest_distance(a, b), 1e-7);
  expect_failure(
      run_of(folder, "out",
             {"problem.mesh=" + folder / "torn.obj", "problem.locked=" + folder / "torn.txt"}),
      {"component without a lock", "weld: true"});
}

TEST(ProgramSmoothing, refines_meshes_from_files_and_adds_noise) {
  const RunFolder folder;
  write_obj(folder / "disk.obj", disk({50, 0}));
  write_bytes(folder / "c.yaml",
              "problem: {type: smoothing, mesh: {file: disk.obj, refine: 2, noise: 0.1}}\n"
              "output: {picture_size: 0}\n");
  run_well(folder, "out");
  EXPECT_EQ(smoothed(folder, "out").triangles.size(), 16 * disk({50, 0}).triangles.size());
  EXPECT_EQ(reported(folder, "out", "mesh.name"), folder / "disk.obj");
}

TEST(ProgramSmoothing, deterministic_runs_give_the_same_bytes_for_any_number_of_threads) {
  const RunFolder folder(config);
  for (const char* threads : {"1", "2", "3"})
    run_well(folder, threads, {"run={deterministic: true, threads: " + std::string(threads) + "}"});
  for (const char* threads : {"2", "3"}) expect_same_file(folder, "1", threads, "smoothed.obj");
}

TEST(ProgramSmoothing, a_run_without_convergence_fails_but_writes_its_mesh) {
  const RunFolder folder(config);
  expect_failure(run_of(folder, "short", {"solver.iterations=5", "output.picture_size=64"}),
                 {"x: not solved: max_iterations after 5 iterations"}, 1);
  for (const char* file : {"smoothed.obj", "before.png", "after.png", "report.yaml"})
    EXPECT_TRUE(folder.has(std::string("short/") + file)) << file;
  EXPECT_EQ(reported(folder, "short", "coordinates.z.reason"), "max_iterations");
  EXPECT_EQ(reported(folder, "short", "result.iterations"), "5");
}

TEST(ProgramSmoothing, an_interrupted_run_writes_its_results) {
  const RunFolder folder(config);
  ProgramOptions options;
  options.interrupt_after = "pcg 0/";
  expect_failure(
      run_of(folder, "out",
             {"problem.mesh.vertices=20000", "problem.locked=1e-9", "output.picture_size=64"}),
      {}, 130, options);
  for (const char* file : {"smoothed.obj", "after.png", "report.yaml"})
    EXPECT_TRUE(folder.has(std::string("out/") + file)) << file;
  EXPECT_EQ(reported(folder, "out", "coordinates.x.reason"), "interrupted");
}

TEST(ProgramSmoothing, invalid_problems_are_refused_with_the_reason) {
  const RunFolder folder;
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& message) {
    write_bytes(folder / "c.yaml", config);
    refusal(folder, settings, {message});
  };
  const auto mesh = [&](const std::string& text) {
    write_bytes(folder / "a.obj", text);
    return "problem.mesh=" + folder / "a.obj";
  };
  const auto locks = [&](const std::string& text) {
    write_bytes(folder / "l.txt", text);
    return "problem.locked=" + folder / "l.txt";
  };
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\n";
  const std::string two_pieces = corners + "f 1 2 3\nf 4 5 6\n";
  refused({mesh(two_pieces), locks("0\n")},
          "component without a lock: none of the 3 vertices connected to vertex 4");
  refused({mesh(corners + "f 1 2 3\n"), locks("0\n")}, "unreferenced vertex");
  refused({mesh(two_pieces), locks("0 3\n7\n")}, "l.txt:2: vertex 7 does not exist");
  refused({mesh(two_pieces), "problem.locked=" + folder / "none.txt"}, "none.txt");
  refused({mesh("v 0 0 0\nf 1 2 3\n")}, "a.obj:2: ");
  refused({"problem.mesh=" + folder / "none.ply"}, "none.ply");
  write_obj(folder / "closed.obj", {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}});
  refused({"problem.mesh=" + folder / "closed.obj", "problem.locked=border"},
          "is closed and has no border");
  refused({"problem.locked=2"}, "problem.locked: 2 is out of range");
  refused({"problem.mesh.vertices=1e9"}, "problem.mesh.vertices");
  refused({"solver.type=cgls"}, "solver.type");
  refused({"operator.format=elpack"}, "operator.format");
}

TEST(ProgramSmoothing, info_and_convert_know_the_matrix) {
  const RunFolder folder(config);
  ProgramResult result = run_well({"info", folder / "c.yaml"});
  write_bytes(folder / "info.yaml", result.out);
  const std::string info = folder / "info.yaml";
  run_well(folder, "out");
  for (const char* key : {"rows", "nonzeros"})
    EXPECT_EQ(entry(info, key), reported(folder, "out", std::string("matrix.") + key)) << key;
  EXPECT_EQ(entry(info, "scalar"), "double");
  EXPECT_EQ(entry(info, "symmetry.numeric"), "true");
  EXPECT_EQ(entry(info, "mesh.name"), "hills");
  EXPECT_EQ(entry(info, "mesh.locked"), reported(folder, "out", "locked.vertices"));
  EXPECT_GT(std::stod(entry(info, "row_spread.max_above_mean")), 0);
  EXPECT_GT(std::stod(entry(info, "memory_bytes.sell.double")), 0);
  EXPECT_EQ(entry(info, "memory_bytes.shared"), "(none)");

  // The matrix is that of the library for the same mesh and locks.
  result = run_program({"convert", folder / "c.yaml", folder / "A.mtx"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto A = read_matrix<double>(folder / "A.mtx");
  TriangleMesh mesh = hills({900, 0});
  add_noise(mesh, 0.3);
  const TOMOKKOS_HOST_SPACE exec;
  const MeshSmoothing<TOMOKKOS_HOST_SPACE, double> smoothing(exec, mesh, vertex_rings(mesh),
                                                             lock_share(num_vertices(mesh), 0.1));
  const auto& expected = smoothing.equations().matrix();
  ASSERT_EQ(A.num_nonzeros(), expected.num_nonzeros());
  for (Offset k = 0; k < A.num_nonzeros(); ++k) {
    EXPECT_EQ(A.columns(k), expected.columns(k));
    EXPECT_NEAR(A.values(k), expected.values(k), 1e-14);
  }

  // The mesh in a file gives the same matrix. Other locks leave other rows.
  write_obj(folder / "noisy.obj", mesh);
  const auto of_file = [&](const std::string& locked) {
    run_well({"convert", folder / "c.yaml", folder / "B.mtx", "--set",
              "problem.mesh=" + folder / "noisy.obj", "--set", "problem.locked=" + locked});
    return read_matrix<double>(folder / "B.mtx");
  };
  const auto same = of_file("1/10");
  ASSERT_EQ(same.num_nonzeros(), A.num_nonzeros());
  for (Offset k = 0; k < A.num_nonzeros(); ++k) EXPECT_NEAR(same.values(k), A.values(k), 1e-14);
  EXPECT_EQ(of_file("border").num_rows, num_vertices(mesh) - num_locked(lock_border(mesh)));
}

TEST(ProgramSmoothing, commands_name_a_missing_mesh_with_its_place) {
  const RunFolder folder("problem:\n  type: smoothing\n  mesh: none.ply\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"info", folder / "c.yaml"},
           {"convert", folder / "c.yaml", folder / "A.mtx"},
           {"run", folder / "c.yaml", "--output", folder / "out"}}) {
    expect_failure(arguments,
                   {"c.yaml:3:", "problem.mesh: " + folder / "none.ply" + ": no such file"});
  }
  EXPECT_FALSE(folder.has("A.mtx"));
  EXPECT_FALSE(folder.has("out"));
}

TEST(ProgramSmoothing, info_describes_meshes) {
  const RunFolder folder;
  write_obj(folder / "disk.OBJ", disk({100, 0}));
  ProgramResult result = run_well({"info", folder / "disk.OBJ"});
  EXPECT_CONTAINS(result.out, "format: obj");
  EXPECT_CONTAINS(result.out, "vertices: " + std::to_string(disk({100, 0}).vertices.size()));
  EXPECT_CONTAINS(result.out, "border_loops: 1");
  EXPECT_CONTAINS(result.out, "genus: 0");
  EXPECT_CONTAINS(result.out, "cannot_be_flattened: null");
  write_bytes(folder / "square.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n");
  result = run_program({"info", folder / "square.off"});
  EXPECT_CONTAINS(result.out, "polygons_cut: 1");
  write_bytes(folder / "fan.obj",
              "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n");
  result = run_well({"info", folder / "fan.obj"});
  EXPECT_CONTAINS(result.out, "non-manifold edge");
  EXPECT_EQ(result.out.find("genus"), std::string::npos);
  write_bytes(folder / "bad.ply", "no mesh");
  expect_failure({"info", folder / "bad.ply"}, {"bad.ply"});
}

TEST(ProgramSmoothing, the_example_runs) {
  const RunFolder folder;
  const ProgramResult result = run_well({"run", config_file("smoothing.yaml").string(), "--output",
                                         folder / "out", "--set", "problem.mesh.vertices=2000"});
  EXPECT_CONTAINS(result.out, " vertices, a share of 0.1\n");
  EXPECT_CONTAINS(result.out, "pcg: 3 right-hand sides: converged 3 after");
}

}  // namespace
