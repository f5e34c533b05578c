// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of sweeps: defaults, refused values, printed form, and the resulting orders.
#include <gtest/gtest.h>

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SweepOrder.hpp>
#include <Tomokkos_WriteYaml.hpp>

#include "RunConfigTesting.hpp"

namespace {

using Testing::Refusal;

class RefusedSweep : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedSweep, says_why) {
  const std::string message = error_of(GetParam().settings);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << "in: " << message;
}

const std::string from_file = "problem.matrix=a.mtx";

INSTANTIATE_TEST_SUITE_P(
    All, RefusedSweep,
    ::testing::Values(
        Refusal{{"solver={type: art, order: multilevl}"}, "did you mean \"multilevel\"?"},
        Refusal{{"solver={type: art, order: backwards}"},
                "allowed: sequential, random, golden, multilevel"},
        Refusal{{"solver={type: art, within_view: stride}"}, "allowed: sequential, strided"},
        Refusal{{"solver={type: art, relaxation: 2}"}, "between 0 and 2"},
        Refusal{{"solver={type: block_art, relaxation: 0}"}, "0 is out of range"},
        Refusal{{"solver={type: art, relaxation_decay: -1}"}, "solver.relaxation_decay: -1"},
        Refusal{{"solver={type: art, relaxation_decay: .inf}"}, "solver.relaxation_decay"},
        Refusal{{"solver={type: art, stride: 2}"},
                "solver.stride: has no effect with solver.within_view: sequential; it belongs to "
                "strided"},
        Refusal{{"solver={type: art, within_view: strided, stride: 0}"},
                "solver.stride: 0 is out of range"},
        Refusal{{"solver={type: art, within_view: strided, stride: far}"}, "solver.stride"},
        Refusal{{"solver={type: art, seed: 3}"},
                "solver.seed: has no effect with solver.order: sequential; it belongs to random"},
        Refusal{{"solver={type: art, order: random, seed: -3}"}, "-3 is out of range"},
        Refusal{{"solver={type: art, block_rows: 3}"}, "belongs to block_art"},
        Refusal{{"solver={type: block_art, block_rows: 0}"},
                "solver.block_rows: 0 is out of range"},
        Refusal{{"solver={type: sirt, order: golden}"}, "belongs to art, block_art"},
        Refusal{{"solver={type: mlem, relaxation_decay: 1}"}, "belongs to art, block_art"},
        Refusal{{"solver={type: cgls, within_view: strided}"}, "belongs to art, block_art"},
        Refusal{{"solver={type: art, order: golden}", from_file, "problem.geometry="},
                "give their arrangement as problem.geometry.views and detectors"},
        Refusal{{"solver={type: art, within_view: strided}", from_file}, "needs solver.stride"},
        Refusal{{"solver={type: art, order: golden}", "problem.scanner={kind: madpet2_small}",
                 "problem.geometry=", "problem.volume={size: [4, 8, 8]}"},
                "solver.order: applies only to a parallel or fan beam"},
        Refusal{{"solver={type: block_art}", "operator={format: sell}"},
                "block_art visits single rows"},
        Refusal{{"solver={type: block_art}", "operator={format: ray_tiles}"},
                "block_art visits single rows"},
        Refusal{{"solver={type: block_art}", "operator={variant: merge_atomic}"},
                "block_art by the rows of a block"},
        Refusal{{"solver={type: block_art, order: golden}", "operator.ordering=hilbert"},
                "conflicts with solver.order and solver.within_view"},
        Refusal{{"solver={type: block_art}", "problem.slices=2"},
                "block_art solves one slice at a time"}));

class PrintedSweep : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PrintedSweep, reads_back_the_same) {
  const std::string once = to_yaml(to_node(configure(GetParam())));
  EXPECT_EQ(once, to_yaml(to_node(configure({}, once))));
}

INSTANTIATE_TEST_SUITE_P(
    All, PrintedSweep,
    ::testing::Values(
        std::vector<std::string>{"solver={type: art}"},
        std::vector<std::string>{"solver={type: art, order: random, seed: 7, sweeps: 3}"},
        std::vector<std::string>{"solver={type: art, within_view: strided, order: golden}"},
        std::vector<std::string>{"solver={type: art, within_view: strided, stride: 5, "
                                 "relaxation_decay: 0.1}"},
        std::vector<std::string>{"solver={type: art, within_view: strided, stride: 2}", from_file},
        std::vector<std::string>{"solver={type: block_art}"},
        std::vector<std::string>{"solver={type: block_art, block_rows: 30, order: multilevel}"}));

TEST(SweepConfig, applies_defaults) {
  const SolverSection solver = configure({"solver={type: art}"}).solver;
  EXPECT_EQ(solver.iterations(), 10);
  EXPECT_EQ(std::get<ArtParams>(solver.params).relaxation_decay, 0);
  EXPECT_TRUE(solver.sweep.is_sequential());
  EXPECT_FALSE(solver.sweep.stride);
  EXPECT_EQ(configure({"solver={type: block_art}"}).solver.iterations(), 10);
  const std::string printed = to_yaml(to_node(configure({"solver={type: block_art}"})));
  EXPECT_NE(printed.find("block_rows: auto"), std::string::npos) << printed;
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
