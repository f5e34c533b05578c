// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of sweeps: defaults and the resulting orders.
#include <gtest/gtest.h>

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_YamlFile.hpp>

#include "RunConfigTesting.hpp"

namespace {

TEST(SweepConfig, applies_defaults) {
  const SolverSection solver = configure({"solver={type: art}"}).solver;
  EXPECT_EQ(solver.iterations(), 10);
  EXPECT_EQ(std::get<ArtParams>(solver.params).relaxation_decay, 0);
  EXPECT_TRUE(solver.sweep.is_sequential());
  EXPECT_FALSE(solver.sweep.stride);
  EXPECT_EQ(configure({"solver={type: block_art}"}).solver.iterations(), 10);
  const std::string printed = to_yaml(to_node(configure({"solver={type: block_art}"})));
  EXPECT_CONTAINS(printed, "block_rows: auto");
}

SweepOrder order_of(const std::vector<std::string>& settings) {
  const RunConfig config = configure(settings);
  return make_sweep_order(config.solver.sweep, read_input(config));
}

TEST(SweepConfig, orders_the_rays_of_the_scan) {
  EXPECT_TRUE(order_of({"solver={type: art}"}).rows.empty());
  EXPECT_EQ(order_of({"solver={type: block_art}"}).block_rows, 24);
  EXPECT_EQ(order_of({"solver={type: block_art, block_rows: 7}"}).block_rows, 7);
  const SweepOrder sweep =
      order_of({"solver={type: art, order: multilevel, within_view: strided}"});
  EXPECT_EQ(sweep.stride, 2);
  EXPECT_EQ(sweep.rows, row_visits(12, 24, ViewOrder::multilevel, WithinView::strided, 2));
  EXPECT_EQ(order_of({"solver={type: art, order: random, seed: 9}"}).rows,
            row_visits(12, 24, ViewOrder::random, WithinView::sequential, 1, 9));
  EXPECT_EQ(order_of({"solver={type: art, within_view: strided, stride: 6}"}).rows,
            row_visits(12, 24, ViewOrder::sequential, WithinView::strided, 6));
}

TEST(SweepConfig, the_default_stride_depends_on_projector_and_spacing) {
  const std::string strided = "solver={type: art, within_view: strided}";
  EXPECT_EQ(order_of({strided, "problem.projector=strip"}).stride, 3);
  EXPECT_EQ(
      order_of({strided, "problem.projector=line", "problem.geometry.detector_width=0.5"}).stride,
      3);
  EXPECT_EQ(order_of({strided, "problem.projector=line", "problem.volume.pixel=3"}).stride, 5);
  // A magnification of 2 places the rays half a pixel apart at the centre.
  EXPECT_EQ(
      order_of({strided, "problem.projector=line", "problem.geometry.type=fan_beam",
                "problem.geometry.source_to_origin=60", "problem.geometry.origin_to_detector=60"})
          .stride,
      3);
}

}  // namespace
