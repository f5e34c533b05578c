// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When `format: automatic` computes the entries of a scan on a GPU. The scans are those of the
// table in docs/scans/computed.md.
#include <gtest/gtest.h>

#include <Tomokkos_ChooseComputed.hpp>

#include "Complaint.hpp"

using namespace Tomokkos;

namespace {

ScanRows parallel(Ordinal size, Projector projector = Projector::line, double width = 1) {
  ScanRows rows;
  rows.volume = {size, size};
  rows.scan.views = ViewAngles::evenly_spaced(720, {}, ViewAngles::half_turn());
  rows.scan.detectors = 1024;
  rows.scan.detector_width = width;
  rows.projector = projector;
  return rows;
}

ScanRows fan() {
  ScanRows rows = parallel(1024, Projector::line, 1.5);
  rows.scan.beam = Beam::fan;
  rows.scan.source_to_origin = 1536;
  rows.scan.origin_to_detector = 512;
  return rows;
}

/// A run of SIRT or MLEM whose rows have \p entries nonzeros for each pixel and view.
struct GpuRun {
  explicit GpuRun(const ScanRows& rows, double entries = 1.2)
      : task(task_of_rows(rows, automatic_wish())), nonzeros(entries * pixel_view_pairs(rows)) {}

  SystemTask task;
  MachineFacts machine{.gpu = true};
  double nonzeros;
};

/// The reason; "computed" if there is none.
std::string choice(const GpuRun& run) {
  return reason_against_computed(run.task, run.machine, run.nonzeros).value_or("computed");
}
std::string choice(const ScanRows& rows, double entries = 1.2) {
  return choice(GpuRun(rows, entries));
}

void expect_stored(const GpuRun& run, const char* reason) { EXPECT_CONTAINS(choice(run), reason); }
void expect_stored(const ScanRows& rows, const char* reason) {
  expect_stored(GpuRun(rows), reason);
}

TEST(ChooseComputed, takes_the_scans_that_were_measured) {
  EXPECT_EQ(choice(parallel(512)), "computed");
  EXPECT_EQ(choice(parallel(1024)), "computed");
  EXPECT_EQ(choice(parallel(1024, Projector::linear), 1.7), "computed");
  EXPECT_EQ(choice(parallel(2048)), "computed");
  EXPECT_EQ(choice(parallel(1024, Projector::strip), 2.3), "computed");
  EXPECT_EQ(choice(fan(), 1.15), "computed");
  // Elements of sqrt(2) pixels, for which ray tiles were measured.
  EXPECT_EQ(choice(parallel(1024, Projector::line, 1.4142), 0.9), "computed");
}

TEST(ChooseComputed, stores_what_was_not_measured) {
  const ScanRows rows = parallel(1024);
  GpuRun in_double(rows), stack(rows), subsets(rows), masked(rows);
  in_double.machine.scalar_bytes = 8;
  expect_stored(in_double, "float");
  stack.task.needs.vectors = 2;
  expect_stored(stack, "slice");
  subsets.task.needs.subsets = 2;
  expect_stored(subsets, "all rows");
  masked.task.masks.columns = {1};
  expect_stored(masked, "masks");
  ScanRows strips = fan();
  strips.projector = Projector::strip;
  expect_stored(strips, "projector");
  expect_stored(parallel(1024, Projector::line, 0.5), "narrower");
  expect_stored(parallel(1024, Projector::line, 4), "wider");
  expect_stored(parallel(256), "1.89e+08 pairs");
  ScanRows flat = parallel(1024);
  flat.volume.row_height = 0.5;
  expect_stored(flat, "geometry");
  ScanRows curved = fan();
  curved.scan.detector_shape = DetectorShape::curved;
  expect_stored(curved, "geometry");
  ScanRows close = fan();
  close.scan.source_to_origin = 1000;
  close.scan.detector_width = 2;
  expect_stored(close, "source");
}

TEST(ChooseComputed, stores_rows_that_are_few_or_short) {
  // Computed products visit every pixel in every view, stored ones only the nonzeros.
  EXPECT_NE(choice(parallel(1024), 0.2), "computed");
  EXPECT_NE(choice(fan(), 0.4), "computed");
}

TEST(ChooseComputed, symmetry_makes_computed_entries_faster) {
  const ScanRows symmetric = parallel(1024);
  ScanRows other = symmetric;
  other.scan.views = ViewAngles::evenly_spaced(719, Angle::degrees(0.1));
  EXPECT_EQ(symmetry_share(other, 1), 1);
  EXPECT_LT(symmetry_share(symmetric, 1), 0.7);
  EXPECT_EQ(choice(symmetric, 0.3), "computed");
  EXPECT_NE(choice(other, 0.3), "computed");
}

}  // namespace
