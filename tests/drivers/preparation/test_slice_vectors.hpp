// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of slices to the device and back.
#include <gtest/gtest.h>

#include <Tomokkos_Slices.hpp>
#include <limits>

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;

}  // namespace

TEST(SliceVectors, are_the_same_after_a_copy_to_the_device_and_back) {
  const TestSpace exec;
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const auto columns = Slices<TestSpace, float>::to_device(exec, "Tomokkos::test", values, 2);
  EXPECT_EQ((Slices<TestSpace, float>::to_host(exec, columns, 2)),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(SliceVectors, pixels_outside_the_mask_come_back_as_zero) {
  const TestSpace exec;
  constexpr Ordinal size = 100;
  const auto map = make_index_map(exec, size, {7, 3, 98});
  const Vector<float, MemorySpace> inside("inside", 6);
  Kokkos::deep_copy(inside, 5.0F);
  for (int attempt = 0; attempt < 3; ++attempt) {
    {
      // The next allocation may reuse this memory.
      const Vector<float, MemorySpace> before("before", 2 * size);
      Kokkos::deep_copy(before, std::numeric_limits<float>::quiet_NaN());
    }
    const auto slices = Slices<TestSpace, float>::to_host(exec, inside, 2, map);
    ASSERT_EQ(slices.size(), 2U * size);
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const std::size_t pixel = i % size;
      EXPECT_EQ(slices[i], pixel == 7 || pixel == 3 || pixel == 98 ? 5.0F : 0.0F) << i;
    }
  }
}

TEST(SliceVectors, are_put_in_turn_on_the_device) {
  const TestSpace exec;
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto columns = Slices<TestSpace, float>::to_device(exec, "Tomokkos::test", values, 3);
  const Vector<float, MemorySpace> in_turn("in_turn", 15), fewer("fewer", 11);
  Slices<TestSpace, float>::put_in_turn(exec, columns, 3, {}, {in_turn.data(), 12});
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), in_turn);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(found(i), values[i]) << i;
  EXPECT_EQ(found(12), 0);
  EXPECT_THROW((Slices<TestSpace, float>::put_in_turn(exec, columns, 3, {}, fewer)),
               DimensionMismatch);

  const auto map = make_index_map(exec, 5, {3, 1});
  const Vector<float, MemorySpace> inside("inside", 6);
  Kokkos::deep_copy(inside, 2.0F);
  Slices<TestSpace, float>::put_in_turn(exec, inside, 3, map, in_turn);
  Kokkos::deep_copy(found, in_turn);
  for (std::size_t i = 0; i < 15; ++i)
    EXPECT_EQ(found(i), i % 5 == 3 || i % 5 == 1 ? 2.0F : 0.0F) << i;
}

TEST(SliceVectors, slices_that_lack_the_same_values_have_one_pattern) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(count_gap_patterns(std::vector<double>{1, 2, 3, 4, 5, 6}, 2), 1);
  EXPECT_EQ(count_gap_patterns(std::vector<double>{1, nan, 3, 4, nan, 6}, 2), 1);
  EXPECT_EQ(count_gap_patterns(std::vector<double>{1, nan, 3, nan, 5, 6}, 2), 2);
  EXPECT_EQ(count_gap_patterns(std::vector<double>{1, nan, 3, nan, 5, 6}, 3), 2);
  EXPECT_EQ(count_gap_patterns(std::vector<double>{1, nan, 3, nan, 5, 6}, 1), 1);
}
