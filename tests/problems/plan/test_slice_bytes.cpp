// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of slices and the size of slabs, from numbers alone.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_SlabPlan.hpp>
#include <cstdint>
#include <string>

using namespace Tomokkos;

namespace {

constexpr SliceShape shape{100, 30};

std::uint64_t weights_of(SolverKind kind, int subsets = 1) {
  return bytes_of_weights(needs_of(kind, subsets), sizeof(float), shape);
}

std::string refusal(std::uint64_t slice_bytes, std::uint64_t slices, std::uint64_t available) {
  try {
    require_room_for_slices(slice_bytes, slices, available, "device memory");
  } catch (const MemoryError& error) {
    return error.what();
  }
  return {};
}

TEST(SliceBytes, weights_of_a_pattern_are_counted) {
  EXPECT_EQ(weights_of(SolverKind::cgls), 0U);
  EXPECT_EQ(weights_of(SolverKind::sirt), 30 * sizeof(float));
  EXPECT_EQ(weights_of(SolverKind::sirt, 4), 4 * 30 * sizeof(float));
  EXPECT_EQ(weights_of(SolverKind::mlem), (100 + 30) * sizeof(float));
  EXPECT_EQ(weights_of(SolverKind::mlem, 4), (100 + 30 + 4 * 30) * sizeof(float));
}

TEST(SliceBytes, vectors_of_the_solver_are_counted) {
  SystemTask task;
  const auto device = [&](SolverKind kind, int subsets, const SliceShape& natural = shape) {
    task.needs = needs_of(kind, subsets);
    return bytes_of_slice(task, sizeof(float), shape, natural).device;
  };
  const std::uint64_t two = device(SolverKind::sirt, 1);
  EXPECT_EQ(device(SolverKind::cgls, 1) - two, (100 + 30) * sizeof(float));
  EXPECT_EQ(device(SolverKind::sirt, 2) - two, 30 * sizeof(float)) << "the previous iterate";
  EXPECT_EQ(device(SolverKind::sirt, 1, {140, 40}) - two, 140 * sizeof(float))
      << "a copy in natural order";
  task.data.has_phantoms = true;
  EXPECT_EQ(device(SolverKind::sirt, 1) - two, 30 * sizeof(float));
}

TEST(SliceBytes, measured_data_are_in_memory_already) {
  SystemTask task;
  const std::uint64_t simulated = bytes_of_slice(task, sizeof(float), shape, shape).host;
  task.data.are_measured = true;
  EXPECT_EQ(simulated - bytes_of_slice(task, sizeof(float), shape, shape).host,
            100 * sizeof(double));
}

TEST(SliceBytes, slices_with_other_gaps_have_weights_of_their_own) {
  SystemTask task;
  task.needs = needs_of(SolverKind::sirt);
  task.needs.vectors = 10;
  const auto with = [&](Ordinal patterns) {
    return bytes_of_slice_in_stack(task, sizeof(float), shape, shape, patterns).device;
  };
  EXPECT_EQ(with(5) - with(1), 5 * 30 * sizeof(float) / 10);
}

TEST(SliceBytes, a_refusal_gives_the_number_of_slices_that_fit) {
  EXPECT_EQ(refusal(100, 10, 1000), "");
  EXPECT_EQ(refusal(0, 10, 0), "");
  const std::string text = refusal(100, 11, 1099);
  EXPECT_NE(text.find("enough for 10 slices at a time"), std::string::npos) << text;
  EXPECT_NE(text.find("device memory"), std::string::npos) << text;
  EXPECT_NE(refusal(std::uint64_t{1} << 62, std::uint64_t{1} << 62, std::uint64_t{1} << 40), "");
}

TEST(SlabPlan, slabs_follow_from_the_memory) {
  const SlabPlan plan{0, 100, 0};
  MachineFacts host;
  const auto size = [&](std::uint64_t free, const StackBytes& slice) {
    host.host_free = host.device_free = free;
    return slab_size(plan, host, slice, 0);
  };
  EXPECT_EQ(size(1 << 30, {1000, 1000}), SlabPlan::most);
  // 94 000 bytes are for the records, an eighth of the others is left.
  EXPECT_EQ(size(94'000 + 100'000, {4000, 4000}), 8) << "10 fit";
  EXPECT_EQ(size(94'000 + 100'000, {7000, 7000}), 6);
  EXPECT_THROW(size(5'999, {1000, 1000}), MemoryError) << "three are solved at least";
  MachineFacts gpu;
  gpu.gpu = true;
  gpu.device_free = 10'000;
  EXPECT_EQ(slab_size(plan, gpu, {1000, 1000}, 0), 8);
  EXPECT_EQ(slab_size({0, 100, 9}, gpu, {1000, 1000}, 0), 9) << "as given";
  EXPECT_THROW(slab_size({0, 100, 11}, gpu, {1000, 1000}, 0), MemoryError);
}

TEST(SlabPlan, large_stacks_may_need_slabs) {
  EXPECT_FALSE(may_need_slabs(10, 100, 100, sizeof(float), 10 * 200 * 16 * 2));
  EXPECT_TRUE(may_need_slabs(11, 100, 100, sizeof(float), 10 * 200 * 16 * 2));
}

}  // namespace
