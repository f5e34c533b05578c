// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of the phases of a run, from numbers alone.
#include <gtest/gtest.h>

#include <Tomokkos_RunPlan.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <string>
#include <string_view>

using namespace Tomokkos;

namespace {

constexpr double rays = 1000, pixels = 400, nonzeros = 50'000;
/// Matrix and transpose in CSR with values in float.
constexpr double csr = 8 * (rays + 1) + 8 * nonzeros, transposed = 8 * (pixels + 1) + 8 * nonzeros;
const MachineFacts gpu{.gpu = true};

MatrixNumbers numbers() {
  MatrixNumbers result;
  result.rays = result.all_rays = rays;
  result.pixels = result.all_pixels = pixels;
  result.nonzeros = nonzeros;
  result.offsets = rays + 1;
  result.stored_rays = rays / 8;
  return result;
}

SystemTask task_with(std::string_view format, SolverKind solver = SolverKind::sirt) {
  ScanRows scan;
  scan.volume = {20, 20};
  scan.scan.views = ViewAngles::evenly_spaced(40, {}, ViewAngles::half_turn());
  scan.scan.detectors = 25;
  OperatorWish wish;
  wish.set_format(format);
  SystemTask task = task_of_rows(scan, wish);
  task.needs = needs_of(solver);
  return task;
}

RunBytes bytes_of(const SystemTask& task, const MatrixNumbers& of = numbers(),
                  const MachineFacts& machine = gpu) {
  return bytes_of_run(task, task.wish, machine, use_in_run(task, task.wish), of);
}

/// Bytes of a phase on the device.
double at(const RunBytes& bytes, std::string_view phase) {
  for (const PhaseBytes& each : bytes.phases)
    if (each.phase == phase) return each.bytes.device;
  ADD_FAILURE() << "no phase " << phase;
  return 0;
}

/// Bytes of the vectors of a run on the device.
double vectors_of(const RunBytes& bytes) { return at(bytes, "solve") - bytes.matrix; }

TEST(RunBytes, csr_is_built_and_transposed) {
  const RunBytes bytes = bytes_of(task_with("csr"));
  EXPECT_EQ(at(bytes, "count"), 8 * (rays + 1));
  EXPECT_EQ(at(bytes, "build"), csr);
  EXPECT_EQ(at(bytes, "convert"), csr + transposed);
  EXPECT_EQ(bytes.matrix, csr + transposed);
  EXPECT_EQ(bytes_of(task_with("csr", SolverKind::art)).matrix, csr) << "no transpose";
  SystemTask atomic = task_with("csr");
  atomic.wish.transpose = TransposeMethod::atomic;
  EXPECT_EQ(bytes_of(atomic).matrix, csr);
  SystemTask moved = task_with("csr");
  moved.wish.ordering.rows = Ordering::by_length;
  EXPECT_GT(at(bytes_of(moved), "build"), 2 * csr) << "in natural order and in its own";
}

TEST(RunBytes, other_formats_are_converted_from_csr) {
  MatrixNumbers of = numbers();
  of.format_bytes = 700'000;
  for (const char* const format : {"coo", "ell", "sell", "bcsr"}) {
    const RunBytes bytes = bytes_of(task_with(format), of);
    EXPECT_EQ(at(bytes, "transpose"), csr + transposed + 700'000) << format;
    EXPECT_EQ(at(bytes, "convert"), csr + 2 * 700'000) << format;
    EXPECT_EQ(bytes.matrix, 2 * 700'000) << format;
    EXPECT_EQ(bytes.peak().device, csr + 2 * 700'000) << format;
  }
  // One copy serves both products; their entries have known bytes.
  SystemTask in_pairs = task_with("pair_blocked");
  in_pairs.wish.transpose = TransposeMethod::fixed_point;
  const RunBytes pairs = bytes_of(in_pairs);
  EXPECT_EQ(pairs.matrix, 1.2 * 8 * nonzeros);
  EXPECT_EQ(at(pairs, "convert"), csr + pairs.matrix);
}

TEST(RunBytes, tiles_keep_blocks_of_rows_as_far_as_there_is_room) {
  const SystemTask task = task_with("ray_tiles");
  const auto with = [&](double free) {
    MachineFacts machine = gpu;
    machine.device_free = static_cast<std::uint64_t>(free);
    return bytes_of(task, numbers(), machine);
  };
  const double tiles = 1.05 * 6 * nonzeros, all = 8 * nonzeros;
  const double others = with(1e9).peak().device - tiles - all;
  EXPECT_GT(others, 0);
  for (const double kept : {0.5 * all, all})
    EXPECT_NEAR(with(others + tiles + kept).peak().device, others + tiles + kept, 1);
  // A block of a sixteenth of the memory is needed at least.
  for (const double free : {0.9 * (others + tiles), others + tiles + all})
    EXPECT_NEAR(with(free).least(), others + tiles + free / 16, 1);
  EXPECT_GT(with(0.9 * (others + tiles)).peak().device, 0.9 * (others + tiles));
}

TEST(RunBytes, a_symmetric_scan_stores_an_eighth_and_eight_images) {
  const RunBytes bytes = bytes_of(task_with("scsr"));
  const double stored = (csr + transposed) / 8, images = 8 * (pixels + rays / 8) * sizeof(float);
  const double maps = sizeof(Ordinal) * (3 * pixels + 3 * rays);
  EXPECT_NEAR(bytes.matrix, stored + images + maps, 0.05 * stored);
  MatrixNumbers stack = numbers();
  stack.slices = 10;
  EXPECT_EQ(bytes_of(task_with("scsr"), stack).matrix - bytes.matrix, 9 * images);
}

TEST(RunBytes, computed_entries_need_copies_of_the_vectors) {
  SystemTask task = task_with("computed");
  const double one = bytes_of(task).matrix;
  EXPECT_LT(one, csr);
  task.needs.vectors = 3;
  EXPECT_EQ(bytes_of(task).matrix - one, 2 * (2 * pixels + rays) * sizeof(float));
}

TEST(RunBytes, vectors_of_a_stack_are_counted) {
  const SystemTask task = task_with("csr");
  MatrixNumbers of = numbers();
  const double one = vectors_of(bytes_of(task, of));
  of.slices = 2;
  const double two = vectors_of(bytes_of(task, of));
  EXPECT_EQ(two - one, bytes_of_slice(task, task.wish, gpu, {1000, 400}, {1000, 400}).solve.device);
  // Weights are shared by slices that lack the same rays.
  of.patterns = 2;
  EXPECT_EQ(vectors_of(bytes_of(task, of)) - two, pixels * sizeof(float));
}

TEST(RunBytes, windows_are_made_beside_the_matrix) {
  SystemTask task = task_with("csr");
  task.wish.transpose = TransposeMethod::windowed;
  EXPECT_EQ(at(bytes_of(task), "convert"),
            csr + static_cast<double>(
                      windowed_construction_bytes(true, sizeof(float), 1000, 400, 50'000 / 256)));
}

TEST(RunBytes, a_rank_holds_its_share) {
  SystemTask task = task_with("csr", SolverKind::mlem);
  task.share = {4, 0.25, false};
  MatrixNumbers of = numbers_of(task, MatrixUse::products, nonzeros);
  EXPECT_EQ(of.rays, 250);
  EXPECT_EQ(of.nonzeros, nonzeros / 4);
  const double replicated = vectors_of(bytes_of(task, of));
  task.share.image_is_split = true;
  // A quarter of image, product and weights, and a whole image for products.
  const double saved = (3 * 0.75 - 1) * pixels * sizeof(float);
  EXPECT_EQ(replicated - vectors_of(bytes_of(task, of)), saved);
}

TEST(RunBytes, a_block_row_is_stored_once) {
  const CirculantSize size{100, 40, 10, 5000};
  SystemTask task = task_with("block_circulant");
  const RunBytes row = bytes_of_circulant_run(task, task.wish, gpu, size, MatrixUse::products, 1);
  const double stored = 8 * (101 + 41) + 2 * 8 * 5000, work = 2 * (1000 + 400) * sizeof(float);
  EXPECT_EQ(row.matrix, stored + work);
  task.wish.set_format("csr");
  EXPECT_EQ(bytes_of_circulant_run(task, task.wish, gpu, size, MatrixUse::products, 1).matrix,
            csr + transposed)
      << "expanded";
  EXPECT_EQ(bytes_of_circulant_run(task, task.wish, gpu, size, MatrixUse::matrix, 1).peak().device,
            8 * 101 + 8 * 5000);
}

TEST(RunBytes, plans_say_the_peak_of_each_way) {
  PlanFacts facts;
  facts.machine.host_held = 1000;
  const auto peak = [&](const char* format) {
    return plan(task_with(format), facts).ways.front().peak_bytes;
  };
  EXPECT_FALSE(peak("csr")) << "the matrix is not sampled";
  EXPECT_TRUE(peak("computed")) << "which needs no sample";
  facts.sample.nonzeros = nonzeros;
  ASSERT_TRUE(peak("csr"));
  const SystemTask task = task_with("csr");
  const auto bytes = bytes_of_way(task, facts);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(peak("csr")->device, bytes->peak().device + 1000) << "with what was held before";
  EXPECT_EQ(peak("csr")->host, 0) << "a host backend has one memory";
  SystemTask chosen = task_with("automatic");
  chosen.needs = needs_of(SolverKind::art);
  EXPECT_TRUE(plan(chosen, facts).ways.at(0).peak_bytes) << "csr on a host";
  facts.machine.gpu = true;
  const RunPlan planned = plan(chosen, facts);
  facts.machine.gpu = false;
  EXPECT_FALSE(planned.ways.at(0).peak_bytes) << "the format is chosen for the matrix";
  EXPECT_LT(planned.ways.at(1).peak_bytes->device, peak("csr")->device)
      << "computed, if it does not fit";
  EXPECT_FALSE(peak("sell")) << "its size follows from the pattern";
  facts.sample.sampled = 10;
  facts.sample.sizes = {{"sell", 12, 0}};
  EXPECT_TRUE(peak("sell"));
}

TEST(RunBytes, plans_choose_the_slabs_that_fit) {
  PlanFacts facts;
  facts.slabs = SlabPlan{0, 100, 0};
  SystemTask task = task_with("computed");
  task.data.are_measured = true;
  const auto slabs = [&](double free) {
    facts.machine.device_free = facts.machine.host_free = static_cast<std::uint64_t>(free);
    return at(*bytes_of_way(task, facts), "slabs");
  };
  const double most = slabs(1e12);
  const double less = slabs(0.6 * most);
  EXPECT_LT(less, 0.6 * most);
  EXPECT_GT(less, 0.2 * most);
}

}  // namespace
