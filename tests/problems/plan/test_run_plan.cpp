// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of runs, from numbers alone: which ways to the matrix are tried, in which order.
#include <gtest/gtest.h>

#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <functional>
#include <string>
#include <vector>

using namespace Tomokkos;

namespace {

/// A scan whose products with computed entries were measured on a GPU.
ScanRows scan_rows() {
  ScanRows rows;
  rows.volume = {1024, 1024};
  rows.scan.views = ViewAngles::evenly_spaced(720, {}, ViewAngles::half_turn());
  rows.scan.detectors = 1024;
  rows.projector = Projector::line;
  return rows;
}

/// A small cone beam.
ConeBeamRows cone_beam_rows() {
  ConeBeamRows rows;
  rows.volume = {20, 40, 10, 8, 12};
  rows.scan.views = 12;
  rows.scan.detectors = {16, 8};
  return rows;
}

struct Case {
  RowSource rows = scan_rows();
  SolverKind solver = SolverKind::sirt;
  std::string format = "automatic";
  std::function<void(SystemTask&)> change = [](SystemTask&) {};
  PlanFacts facts = {};
};

RunPlan plan_of(const Case& each) {
  OperatorWish wish;
  wish.set_format(each.format);
  SystemTask task = task_of_rows(each.rows, wish);
  task.needs = needs_of(each.solver);
  each.change(task);
  PlanFacts facts = each.facts;
  if (plan_needs_nonzeros(task, facts))
    facts.sample.nonzeros = 1.2 * pixel_view_pairs(std::get<ScanRows>(each.rows));
  return plan(task, facts);
}

/// The ways of a plan in one line: `automatic, parts`.
std::string ways_of(const Case& each) {
  std::string text;
  for (const PlannedWay& way : plan_of(each).ways) {
    EXPECT_FALSE(way.because.empty());
    text += (text.empty() ? "" : ", ") + name_of(way);
  }
  return text;
}

const PlanFacts on_gpu{.machine = {.gpu = true}};

PlanFacts gpu_with(Overflow overflow, bool keeps_bits = false) {
  PlanFacts facts = on_gpu;
  facts.parts.overflow = overflow;
  facts.keeps_bits = keeps_bits;
  return facts;
}

/// Facts about a host whose products compute 16 rays at once.
PlanFacts on_host(std::size_t scalar_bytes = sizeof(float)) {
  PlanFacts facts;
  facts.machine.scalar_bytes = scalar_bytes;
  facts.machine.rays_at_once = 16;
  return facts;
}

/// A scan of 256 x 256 pixels with the symmetries of the square, or without them.
ScanRows host_scan(Projector projector, bool is_symmetric = true) {
  ScanRows rows = scan_rows();
  rows.volume = {256, 256};
  rows.scan.detectors = 363;
  if (!is_symmetric) rows.scan.views = ViewAngles::evenly_spaced(719, Angle::degrees(0.1));
  rows.projector = projector;
  return rows;
}

TEST(RunPlan, on_a_host_takes_what_was_measured_to_be_fast) {
  const auto slices = [](Ordinal count) {
    return [count](SystemTask& task) { task.needs.vectors = count; };
  };
  const auto subsets = [](SystemTask& task) {
    task.needs.subsets = 10;
    task.wish.ordering = default_ordering(10);
  };
  const auto mask = [](SystemTask& task) { task.masks.columns.assign(256 * 256, 1); };
  const auto orders = [](SystemTask& task) { task.wish.ordering.rows = Ordering::by_length; };
  const PlanFacts in_float = on_host(), in_double = on_host(sizeof(double));
  PlanFacts narrow = in_float;
  narrow.machine.rays_at_once = 8;
  PlanFacts in_slabs = in_float;
  in_slabs.slabs = SlabPlan{.count = 100};
  struct Row {
    const char* ways;
    Case run;
  };
  const ScanRows linear = host_scan(Projector::linear), line = host_scan(Projector::line),
                 strip = host_scan(Projector::strip), other = host_scan(Projector::line, false);
  ScanRows fan = line, fine = linear, small = other;
  fan.scan.beam = Beam::fan;
  fan.scan.source_to_origin = 600;
  fan.scan.origin_to_detector = 200;
  fine.scan.detector_width = 0.8;
  small.volume = {128, 128};
  const std::vector<Row> table{
      // Computed in float as fast as stored.
      {"computed", {.rows = linear, .facts = in_float}},
      {"computed", {.rows = strip, .facts = in_float}},
      {"computed", {.rows = other, .facts = in_float}},
      {"computed", {.rows = linear, .solver = SolverKind::mlem, .facts = in_float}},
      {"computed", {.rows = linear, .solver = SolverKind::cgls, .facts = in_float}},
      {"computed", {.rows = linear, .solver = SolverKind::sart, .facts = in_float}},
      {"computed", {.rows = linear, .change = subsets, .facts = in_float}},
      {"computed", {.rows = line, .change = subsets, .facts = in_float}},
      {"computed", {.rows = linear, .change = mask, .facts = in_float}},
      {"computed", {.rows = line, .change = mask, .facts = in_float}},
      {"computed", {.rows = linear, .change = slices(8), .facts = in_float}},
      {"computed", {.rows = line, .change = slices(8), .facts = in_float}},
      {"computed", {.rows = line, .facts = in_slabs}},
      // One ray of each orbit.
      {"scsr, computed", {.rows = line, .facts = in_float}},
      {"scsr, computed", {.rows = linear, .facts = in_double}},
      {"scsr, computed", {.rows = line, .facts = in_double}},
      {"scsr, computed", {.rows = linear, .facts = narrow}},
      {"scsr, computed", {.rows = fine, .facts = in_float}},
      // Stored rows.
      {"csr, computed", {.rows = linear, .solver = SolverKind::art, .facts = in_float}},
      {"csr, computed", {.rows = linear, .solver = SolverKind::block_art, .facts = in_float}},
      {"csr, computed", {.rows = linear, .change = orders, .facts = in_float}},
      {"csr, computed", {.rows = other, .facts = in_double}},
      {"csr, computed", {.rows = other, .facts = narrow}},
      {"csr, computed", {.rows = small, .facts = in_float}},
      {"csr, computed", {.rows = linear, .change = subsets, .facts = in_double}},
      {"csr, computed", {.rows = line, .change = mask, .facts = in_double}},
      {"csr, computed", {.rows = line, .change = slices(8), .facts = in_double}},
      // Formats that the configuration names.
      {"csr", {.rows = linear, .format = "csr", .facts = in_float}},
      {"sell", {.rows = line, .format = "sell", .facts = in_float}}};
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(ways_of(table[i].run), table[i].ways) << "row " << i;
  EXPECT_EQ(plan_of({.rows = linear, .facts = in_float}).ways.front().wish.ordering.rows,
            Ordering::natural);
  EXPECT_EQ(plan_of({.rows = line, .facts = in_float}).ways.front().wish.transpose,
            TransposeMethod::stored);
}

TEST(RunPlan, on_a_host_computes_what_does_not_fit) {
  EXPECT_EQ(ways_of({}), "scsr, computed");
  EXPECT_EQ(ways_of({.solver = SolverKind::art}), "csr, computed");
  EXPECT_EQ(ways_of({.format = "csr"}), "csr");
  EXPECT_EQ(ways_of({.format = "scsr"}), "scsr");
  EXPECT_EQ(ways_of({.format = "computed"}), "computed");
  EXPECT_EQ(ways_of({.rows = StencilRows()}), "automatic");
  EXPECT_EQ(ways_of({.rows = FileRows()}), "automatic");
  ScannerRows scanner;
  scanner.scanner.modules = 8;
  scanner.scanner.crystals = {4, 1};
  scanner.scanner.layers.resize(1);
  EXPECT_EQ(ways_of({.rows = scanner}), "csr, computed");
  PlanFacts refused;
  refused.parts.overflow = Overflow::refused;
  EXPECT_EQ(ways_of({.facts = refused}), "scsr");
  EXPECT_FALSE(plan_of({}).not_computed);
}

TEST(RunPlan, on_a_gpu_computes_the_scans_that_were_measured) {
  EXPECT_EQ(ways_of({.facts = on_gpu}), "computed");
  EXPECT_EQ(ways_of({.solver = SolverKind::cgls, .facts = on_gpu}), "computed");
  EXPECT_EQ(plan_of({.facts = on_gpu}).ways.front().wish.ordering.rows, Ordering::natural);
  // Everything else is stored, for a reason, and computed only where it does not fit.
  const auto is_stored = [](Case each) {
    each.facts = on_gpu;
    const RunPlan result = plan_of(each);
    EXPECT_TRUE(result.not_computed);
    EXPECT_TRUE(result.ways.front().wish.is_automatic());
    return ways_of(each);
  };
  EXPECT_EQ(is_stored({.solver = SolverKind::sart}), "automatic, computed");
  EXPECT_EQ(is_stored({.change = [](SystemTask& task) { task.needs.subsets = 10; }}),
            "automatic, computed");
  EXPECT_EQ(is_stored({.change = [](SystemTask& task) { task.needs.vectors = 2; }}),
            "automatic, computed");
  EXPECT_EQ(is_stored({.change = [](SystemTask& task) { task.masks.columns = {1}; }}),
            "automatic, computed");
  // Sweeps visit rows, which parts do not give.
  EXPECT_EQ(is_stored({.solver = SolverKind::art}), "automatic, computed");
  EXPECT_EQ(is_stored({.solver = SolverKind::block_art}), "automatic, computed");
  PlanFacts in_double = on_gpu;
  in_double.machine.scalar_bytes = sizeof(double);
  EXPECT_EQ(ways_of({.facts = in_double}), "automatic, parts") << "not measured in double";
}

TEST(RunPlan, on_a_gpu_divides_the_rows_that_do_not_fit) {
  EXPECT_EQ(ways_of({.format = "csr", .facts = on_gpu}), "csr, parts");
  EXPECT_EQ(ways_of({.rows = ScannerRows(), .facts = on_gpu}), "automatic, parts");
  // Measured shares would change the last bits.
  EXPECT_EQ(ways_of({.rows = ScannerRows(), .facts = gpu_with(Overflow::automatic, true)}),
            "automatic, computed");
  EXPECT_EQ(ways_of({.rows = ScannerRows(), .facts = gpu_with(Overflow::streamed)}),
            "automatic, parts");
  EXPECT_EQ(ways_of({.rows = ScannerRows(), .facts = gpu_with(Overflow::refused)}), "automatic");
  EXPECT_EQ(ways_of({.format = "csr", .facts = gpu_with(Overflow::host, true)}), "csr, parts");
  // Formats, solvers and orders that are not divided.
  for (const char* const format : {"scsr", "computed"})
    EXPECT_EQ(ways_of({.format = format, .facts = on_gpu}), format);
  EXPECT_EQ(ways_of({.solver = SolverKind::art, .format = "csr", .facts = on_gpu}), "csr");
  EXPECT_EQ(
      ways_of({.format = "csr",
               .change = [](SystemTask& task) { task.wish.ordering.rows = Ordering::by_length; },
               .facts = on_gpu}),
      "csr");
}

TEST(RunPlan, stores_the_row_of_blocks_of_a_cone_beam_that_does_not_fit) {
  for (const PlanFacts& facts : {PlanFacts{}, on_gpu}) {
    EXPECT_EQ(ways_of({.rows = cone_beam_rows(), .facts = facts}),
              "automatic, block_circulant, computed");
    EXPECT_EQ(ways_of({.rows = cone_beam_rows(), .format = "csr", .facts = facts}), "csr");
    EXPECT_EQ(ways_of({.rows = cone_beam_rows(),
                       .change = [](SystemTask& task) { task.masks.columns = {1}; },
                       .facts = facts}),
              "automatic, block_circulant");
    // Rows are not read one by one there, nor reordered.
    EXPECT_EQ(ways_of({.rows = cone_beam_rows(), .solver = SolverKind::art, .facts = facts}),
              "automatic, computed");
    EXPECT_EQ(
        ways_of({.rows = cone_beam_rows(),
                 .change = [](SystemTask& task) { task.wish.ordering.rows = Ordering::by_length; },
                 .facts = facts}),
        "automatic, computed");
  }
}

TEST(RunPlan, divides_rows_for_two_backends_or_given_shares) {
  for (PlanFacts facts : {PlanFacts{}, on_gpu})
    for (const PartsWish& parts : {PartsWish{.with_host = true}, PartsWish{.shares = {1, 2}}}) {
      facts.parts = parts;
      EXPECT_EQ(ways_of({.facts = facts}), "parts");
      EXPECT_EQ(ways_of({.format = "scsr", .facts = facts}), "parts")
          << "refused with a reason later";
    }
}

TEST(RunPlan, says_why_rows_are_not_divided) {
  SystemTask task = task_of_rows(scan_rows(), automatic_wish());
  EXPECT_EQ(obstacle_to_parts(task), "");
  task.needs = needs_of(SolverKind::block_art);
  EXPECT_EQ(obstacle_to_parts(task), "solver.type: block_art visits rows, which parts do not give");
  task.needs = needs_of(SolverKind::mlem);
  task.wish.ordering.rows = Ordering::by_length;
  EXPECT_EQ(obstacle_to_parts(task), "operator.ordering: by_length needs the whole matrix");
  task.wish.set_format("scsr");
  EXPECT_EQ(obstacle_to_parts(task), "operator.format: scsr is not divided");
  EXPECT_EQ(obstacle_to_parts(task_of_rows(cone_beam_rows(), automatic_wish())),
            "block-circulant matrices are not divided");
}

}  // namespace
