// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and defaults read from configurations of problems on meshes.
#include <gtest/gtest.h>

#include <Tomokkos_RunConfig.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

RunConfig configure(const std::vector<std::string>& settings, ConfigUse use = ConfigUse::run) {
  return Testing::configured(Testing::configuration("hills"), settings, use);
}

/// Settings of a chart with \p pins.
std::vector<std::string> pinned(const std::string& pins) {
  return {"problem={type: parameterization, mesh: m.obj, pins: " + pins + "}"};
}

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
  EXPECT_EQ(configure({}, ConfigUse::matrix).problem.mesh->size.vertices, 100);
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

}  // namespace
