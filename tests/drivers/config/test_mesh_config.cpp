// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations of problems on meshes: refused ones with the text that the message must contain,
// and defaults, which must be printed such that they read back the same.
#include <gtest/gtest.h>

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_WriteYaml.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

// Small valid smoothing that the cases modify.
constexpr const char* base = R"(problem:
  type: smoothing
  mesh: {generate: hills, vertices: 100, noise: 0.1}
  locked: 1/10
)";

RunConfig configure(const std::vector<std::string>& settings, const std::string& text = base,
                    ConfigUse use = ConfigUse::run) {
  return Testing::configured(text, settings, use);
}

std::string error_of(const std::vector<std::string>& settings, const std::string& text = base) {
  return Testing::refusal_of(text, settings);
}

using Testing::Refusal;

class RefusedMeshConfiguration : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedMeshConfiguration, says_why) {
  const std::string message = error_of(GetParam().settings);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << "in: " << message;
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, RefusedMeshConfiguration,
    ::testing::Values(
        Refusal{{"problem.mesh="}, "problem.mesh: is required"},
        Refusal{{"problem.mesh=a.stl"}, "a.stl: expected a .obj, .off or .ply file"},
        Refusal{{"problem.mesh=[a.obj]"},
                "problem.mesh: expected a .obj, .off or .ply file, or a section"},
        Refusal{{"problem.mesh={file: a.txt}"}, "problem.mesh.file: /"},
        Refusal{{"problem.mesh.file=a.obj"}, "problem.mesh.generate: has no effect"},
        Refusal{{"problem.mesh={file: a.obj, triangles: 4}"}, "has no effect on a mesh from"},
        Refusal{{"problem.mesh.weld=true"}, "problem.mesh.weld: has no effect on a generated mesh"},
        Refusal{{"problem.mesh={file: a.obj, weld: 2}"}, "problem.mesh.weld: "},
        Refusal{{"problem.mesh={vertices: 100}"}, "problem.mesh.generate: is required"},
        Refusal{{"problem.mesh.generate=hill"}, "did you mean \"hills\"? allowed: hills, cap"},
        Refusal{
            {"problem.mesh.vertices="},
            "problem.mesh.vertices: is required to set the size of the mesh (or give triangles)"},
        Refusal{{"problem.mesh.triangles=100"}, "both set the size of the mesh; give one"},
        Refusal{{"problem.mesh.vertices=3"}, "3 is out of range"},
        Refusal{{"problem.mesh.vertices=1e10"}, "out of range"},
        Refusal{{"problem.mesh={generate: cap, triangles: 1}"}, "1 is out of range"},
        Refusal{{"problem.mesh.refine=-1"}, "-1 is out of range"},
        Refusal{{"problem.mesh.refine=13"}, "13 levels of refinement make 13421772800 triangles"},
        Refusal{{"problem.mesh.noise=-0.1"}, "-0.1 is out of range"},
        Refusal{{"problem.mesh.noise=.nan"}, "not a finite number"},
        Refusal{{"problem.mesh.seed=-1"}, "-1 is out of range"},
        Refusal{{"problem.mesh.sed=1"}, "unknown key; did you mean \"seed\"?"},
        Refusal{{"problem.matrix=a.mtx"}, "problem.matrix: unknown key"},
        Refusal{{"problem.type=parameterization"}, "problem.locked: unknown key"}));

INSTANTIATE_TEST_SUITE_P(
    Locks, RefusedMeshConfiguration,
    ::testing::Values(Refusal{{"problem.locked=0"}, "0 is out of range; expected a share"},
                      Refusal{{"problem.locked=1.5"}, "1.5 is out of range"},
                      Refusal{{"problem.locked=-1/2"}, "-1/2 is out of range"},
                      Refusal{{"problem.locked=1/0"}, "1/0 is out of range"},
                      Refusal{{"problem.locked=3/2"}, "3/2 is out of range"},
                      Refusal{{"problem.locked=.nan"}, "out of range"},
                      Refusal{{"problem.locked=1/x"}, "expected a share of the vertices"},
                      Refusal{{"problem.locked=borders"}, "expected a share of the vertices"},
                      Refusal{{"problem.locked=a.csv"}, "a .npy or .txt file"},
                      Refusal{{"problem.locked=[1, 2]"}, "found a list"}));

/// Settings of a chart with \p pins.
std::vector<std::string> pinned(const std::string& pins) {
  return {"problem={type: parameterization, mesh: m.obj, pins: " + pins + "}"};
}

INSTANTIATE_TEST_SUITE_P(
    Pins, RefusedMeshConfiguration,
    ::testing::Values(
        Refusal{{"problem.pins=[1, 2]"}, "problem.pins: unknown key"},
        Refusal{pinned("border"), "problem.pins: expected two vertices, [1, 2] or"},
        Refusal{pinned("[1]"), "found a list of 1"},
        Refusal{pinned("[1, 2, 3]"), "found a list of 3"},
        Refusal{pinned("[7, 7]"), "problem.pins: vertex 7 is named twice"},
        Refusal{pinned("[7, {vertex: 7}]"), "vertex 7 is named twice"},
        Refusal{pinned("[0, 1]"), "pins[0]: 0 is out of range; expected a whole number from 1"},
        Refusal{pinned("[1, 2.5]"), "problem.pins[1]: expected a whole number"},
        Refusal{pinned("[1, 2147483648]"), "pins[1]: 2147483648 is out of range"},
        Refusal{pinned("[1, [2, 3]]"), "problem.pins[1]: expected a whole number"},
        Refusal{pinned("[1, {position: [0, 0]}]"), "problem.pins[1].vertex: is required"},
        Refusal{pinned("[1, {vertex: 2, uv: [0, 0]}]"), "problem.pins[1].uv: unknown key"},
        Refusal{pinned("[1, {vertex: 2, position: 3}]"), "pins[1].position: expected [u, v]"},
        Refusal{pinned("[1, {vertex: 2, position: [1, .inf]}]"), "is not a finite number"},
        Refusal{pinned("[1, {vertex: 2, position: [1, 0]}]"), "give both or none"},
        Refusal{pinned("[{vertex: 1, position: [1, 0]}, {vertex: 2, position: [1, 0]}]"),
                "both have the same position"}));

INSTANTIATE_TEST_SUITE_P(
    SolverAndOutput, RefusedMeshConfiguration,
    ::testing::Values(Refusal{{"solver.type=mlem"}, "allowed: pcg"},
                      Refusal{{"solver.start=ones"}, "solver.start: unknown key"},
                      Refusal{{"solver.assume_symmetric=true"}, "assume_symmetric: unknown key"},
                      Refusal{{"solver.block=2"}, "belongs to block_jacobi"},
                      Refusal{{"operator.ordering=tiles"}, "orders pixels"},
                      Refusal{{"operator.transpose=stored"}, "needs no transposed product"},
                      Refusal{{"output.mesh=stl"}, "allowed: obj, ply"},
                      Refusal{{"output.picture_size=8"}, "16 to 8192 pixels"},
                      Refusal{{"output.picture_size=9000"}, "9000 is out of range"},
                      Refusal{{"output.solution=[npy]"}, "output.solution: unknown key"}));

TEST(MeshConfiguration, reads_values_and_defaults) {
  const RunConfig config = configure({"problem.mesh.refine=2"});
  EXPECT_EQ(config.problem.kind, ProblemKind::smoothing);
  EXPECT_EQ(config.run.scalar, "double");
  EXPECT_EQ(config.problem.mesh->shape, MeshShape::hills);
  EXPECT_EQ(config.problem.mesh->size.vertices, 100);
  EXPECT_EQ(config.problem.mesh->size.triangles, 0);
  EXPECT_EQ(config.problem.mesh->refine, 2);
  EXPECT_EQ(config.problem.mesh->noise, 0.1);
  EXPECT_EQ(config.problem.locked.share, 0.1);
  EXPECT_EQ(config.solver.kind(), SolverKind::pcg);
  EXPECT_EQ(config.solver.stop.relative_residual, 1e-6);
  EXPECT_EQ(configure({"problem.mesh=a.ply"}).problem.mesh->file,
            std::filesystem::current_path() / "a.ply");
  EXPECT_EQ(configure({"problem.locked=3/4"}).problem.locked.share, 0.75);
  EXPECT_EQ(configure({"problem.locked=1"}).problem.locked.share, 1);
  EXPECT_EQ(configure({}, base, ConfigUse::matrix).problem.mesh->size.vertices, 100);
  EXPECT_FALSE(configure({"problem.mesh=a.ply"}).problem.mesh->weld);
  EXPECT_TRUE(configure({"problem.mesh={file: a.ply, weld: true}"}).problem.mesh->weld);
  EXPECT_EQ(config.solver.iterations(), 100000);
  const RunConfig chart = configure({"problem={type: parameterization, mesh: a.ply}"});
  EXPECT_EQ(chart.solver.stop.relative_residual, 1e-10);
  EXPECT_EQ(chart.solver.iterations(), 100000);
  EXPECT_FALSE(configure(pinned("auto")).problem.pins);
  const auto pins = configure(pinned("[3, {vertex: 1}]")).problem.pins;
  EXPECT_EQ(pins->vertices, (std::array<Ordinal, 2>{2, 0}));
  EXPECT_FALSE(pins->positions);
}

TEST(MeshConfiguration, reads_back_the_same) {
  for (const auto& settings : std::vector<std::vector<std::string>>{
           {},
           {"problem.mesh={generate: cap, triangles: 50, seed: 7, refine: 1}"},
           {"problem.mesh={file: a b.off, noise: 0.3}", "problem.locked=border"},
           {"problem.mesh={file: a.off, weld: true}"},
           {"problem.locked=0.3333333333333333", "output={mesh: ply, picture_size: 0}"},
           {"problem.locked=locks.txt", "operator={format: sell, chunk: 8, ordering: rcm}"},
           {"solver={preconditioner: block_jacobi, block: 3, stop: {absolute_residual: 1e-9}}"},
           {"problem={type: parameterization, mesh: m.obj}", "output.picture_size=500"},
           pinned("[8, 3]"),
           pinned("[{vertex: 8, position: [-1, 0.1]}, {position: [1e-3, 2], vertex: 3}]")}) {
    const std::string once = to_yaml(to_node(configure(settings)));
    EXPECT_EQ(once, to_yaml(to_node(configure({}, once))));
  }
}

}  // namespace
