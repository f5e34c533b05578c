// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of slices and the size of slabs, from numbers alone.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <cstdint>
#include <string>

#include "Complaint.hpp"

using namespace Tomokkos;

namespace {

constexpr SliceShape shape{100, 30};

double weights_of(SolverKind kind, int subsets = 1) {
  return bytes_of_weights(needs_of(kind, subsets), sizeof(float), shape);
}

std::string refusal(std::uint64_t slice_bytes, std::uint64_t slices, std::uint64_t available) {
  return Testing::complaint_of(
      [&] { require_room_for_slices(slice_bytes, slices, available, "device memory"); });
}

const MachineFacts gpu{.gpu = true};

TEST(SliceBytes, weights_of_a_pattern_are_counted) {
  EXPECT_EQ(weights_of(SolverKind::cgls), 0);
  EXPECT_EQ(weights_of(SolverKind::sirt), 30 * sizeof(float));
  EXPECT_EQ(weights_of(SolverKind::sirt, 4), 4 * 30 * sizeof(float));
  EXPECT_EQ(weights_of(SolverKind::mlem), (100 + 30) * sizeof(float));
  EXPECT_EQ(weights_of(SolverKind::mlem, 4), (100 + 30 + 4 * 30) * sizeof(float));
}

TEST(SliceBytes, vectors_of_the_solver_are_counted) {
  SystemTask task;
  const auto solve = [&](SolverKind kind, int subsets, const SliceShape& natural = shape) {
    task.needs = needs_of(kind, subsets);
    return bytes_of_slice(task, task.wish, gpu, shape, natural).solve.device;
  };
  const double two = solve(SolverKind::sirt, 1);
  EXPECT_EQ(solve(SolverKind::cgls, 1) - two, (100 + 30) * sizeof(float));
  EXPECT_EQ(solve(SolverKind::lsmr, 1) - two, (100 + 3 * 30) * sizeof(float));
  EXPECT_EQ(solve(SolverKind::sirt, 2) - two, 30 * sizeof(float)) << "the previous iterate";
  task.data.phantoms = 1;
  EXPECT_EQ(solve(SolverKind::sirt, 1), two) << "all slices share it";
  task.data.phantoms = 10;
  EXPECT_EQ(solve(SolverKind::sirt, 1) - two, 30 * sizeof(float));
}

TEST(SliceBytes, measured_data_are_in_memory_already) {
  SystemTask task;
  const double simulated = bytes_of_slice(task, task.wish, gpu, shape, shape).solve.host;
  task.data.are_measured = true;
  EXPECT_EQ(simulated - bytes_of_slice(task, task.wish, gpu, shape, shape).solve.host,
            100 * sizeof(double));
}

TEST(SliceBytes, images_are_copied_to_the_host_to_be_written) {
  SystemTask task;
  const auto written = [&] { return bytes_of_slice(task, task.wish, gpu, shape, shape).write; };
  const PlaceBytes one = written();
  task.needs.vectors = 2;
  EXPECT_EQ(written().host - one.host, 30 * sizeof(float)) << "columns are rearranged to slices";
  task.wish.ordering.columns = Ordering::squares;
  EXPECT_EQ(written().device - one.device, 30 * sizeof(float)) << "in natural order";
}

TEST(SliceBytes, of_a_host_backend_are_in_one_memory) {
  SystemTask task;
  const auto at = [&](const MachineFacts& machine) {
    return bytes_of_slice(task, task.wish, machine, shape, shape).write;
  };
  EXPECT_EQ(at({}).device, at(gpu).device + at(gpu).host);
  EXPECT_EQ(at({}).host, 0);
}

TEST(SliceBytes, slices_with_other_gaps_have_weights_of_their_own) {
  SystemTask task;
  task.needs = needs_of(SolverKind::sirt);
  task.needs.vectors = 10;
  MachineFacts machine = gpu;
  machine.device_free = Impl::whole_bytes(
      10 * bytes_of_slice(task, task.wish, machine, shape, shape).solve.device + 5 * 30 * 4);
  EXPECT_NO_THROW(require_room_for_stack(task, machine, shape, shape, 5));
  EXPECT_THROW(require_room_for_stack(task, machine, shape, shape, 6), MemoryError);
}

TEST(SliceBytes, a_refusal_gives_the_number_of_slices_that_fit) {
  EXPECT_EQ(refusal(100, 10, 1000), "");
  EXPECT_EQ(refusal(0, 10, 0), "");
  const std::string text = refusal(100, 11, 1099);
  EXPECT_CONTAINS(text, "enough for 10 slices at a time");
  EXPECT_CONTAINS(text, "device memory");
  EXPECT_NE(refusal(std::uint64_t{1} << 62, std::uint64_t{1} << 62, std::uint64_t{1} << 40), "");
}

TEST(SlabPlan, slabs_follow_from_the_memory) {
  const SlabPlan plan{0, 100, 0};
  MachineFacts host;
  const auto size = [&](std::uint64_t free, const PlaceBytes& slice) {
    host.host_free = host.device_free = free;
    return slab_size(plan, host, slice, 0);
  };
  EXPECT_EQ(size(1 << 30, {2000, 0}), SlabPlan::most);
  // 94 000 bytes are for the records, an eighth of the others is left.
  EXPECT_EQ(size(94'000 + 100'000, {8000, 0}), 8) << "10 fit";
  EXPECT_EQ(size(94'000 + 100'000, {14'000, 0}), 6);
  EXPECT_THROW(size(5'999, {2000, 0}), MemoryError) << "three are solved at least";
  MachineFacts small = gpu;
  small.device_free = 10'000;
  EXPECT_EQ(slab_size(plan, small, {1000, 1000}, 0), 8);
  EXPECT_EQ(slab_size({0, 100, 9}, small, {1000, 1000}, 0), 9) << "as given";
  EXPECT_THROW(slab_size({0, 100, 11}, small, {1000, 1000}, 0), MemoryError);
}

TEST(SlabPlan, large_stacks_may_need_slabs) {
  EXPECT_FALSE(may_need_slabs(10, 100, 100, sizeof(float), 10 * 200 * 16 * 2));
  EXPECT_TRUE(may_need_slabs(11, 100, 100, sizeof(float), 10 * 200 * 16 * 2));
}

}  // namespace
