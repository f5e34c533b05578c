// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_ChooseTranspose.hpp>

using namespace Tomokkos;

namespace {

DeviceTraits host() {
  DeviceTraits traits;
  traits.concurrency = 8;
  return traits;
}

DeviceTraits gpu() {
  DeviceTraits traits;
  traits.gpu = true;
  traits.concurrency = 270336;
  return traits;
}

TransposeMethod choice(const DeviceTraits& device, std::uint64_t available,
                       bool deterministic = false) {
  TransposeNeeds needs{1000, 100};
  needs.available_bytes = available;
  return choose_transpose(device, needs, deterministic);
}

TEST(ChooseTranspose, takes_the_fastest_that_fits) {
  for (const auto& device : {host(), gpu()}) {
    EXPECT_EQ(choice(device, 1000), TransposeMethod::stored);
    EXPECT_EQ(choice(device, 99), TransposeMethod::atomic);
    EXPECT_EQ(choose_transpose(device, {1000, 100}, false), TransposeMethod::stored);
  }
  EXPECT_EQ(choice(host(), 999), TransposeMethod::private_images);
  EXPECT_EQ(choice(host(), 100), TransposeMethod::private_images);
  EXPECT_EQ(choice(gpu(), 999), TransposeMethod::atomic);
}

TEST(ChooseTranspose, never_takes_additions_in_any_order_where_bits_must_repeat) {
  for (const std::uint64_t available : {0, 99, 100, 999, 1000})
    for (const auto& device : {host(), gpu()})
      EXPECT_NE(choice(device, available, true), TransposeMethod::atomic) << available;
  EXPECT_EQ(choice(host(), 100, true), TransposeMethod::private_images);
  EXPECT_EQ(choice(gpu(), 100, true), TransposeMethod::stored);
}

TEST(ChooseTranspose, windows_are_for_a_gpu_without_room_for_a_copy) {
  for (const bool deterministic : {false, true}) {
    const auto chosen = [&](const DeviceTraits& device, std::uint64_t available) {
      return choose_transpose(device, {1000, 500, 100, available}, deterministic);
    };
    EXPECT_EQ(chosen(gpu(), 1000), TransposeMethod::stored);
    EXPECT_EQ(chosen(gpu(), 999), TransposeMethod::windowed);
    EXPECT_EQ(chosen(gpu(), 100), TransposeMethod::windowed);
    const auto last = deterministic ? TransposeMethod::stored : TransposeMethod::atomic;
    EXPECT_EQ(chosen(gpu(), 99), last);
    EXPECT_EQ(chosen(host(), 500), TransposeMethod::private_images);
    EXPECT_EQ(chosen(host(), 499), last);
  }
}

TEST(ChooseTranspose, a_copy_is_not_for_many_ranges_of_rows) {
  const auto chosen = [](const DeviceTraits& device, int ranges, bool deterministic,
                         std::uint64_t available = 5000) {
    return choose_transpose(device, {1000, 500, 100, available, ranges}, deterministic);
  };
  for (const bool deterministic : {false, true}) {
    for (const auto& device : {host(), gpu()})
      EXPECT_EQ(chosen(device, many_ranges - 1, deterministic), TransposeMethod::stored);
    EXPECT_EQ(chosen(host(), many_ranges, deterministic), TransposeMethod::private_images);
    EXPECT_EQ(chosen(gpu(), many_ranges, deterministic), TransposeMethod::windowed);
  }
  EXPECT_EQ(chosen(gpu(), 720, false), TransposeMethod::atomic);
  EXPECT_EQ(chosen(gpu(), 720, true), TransposeMethod::windowed);
  // Without memory for the other methods the choice is the default.
  EXPECT_EQ(chosen(host(), 720, true, 499), TransposeMethod::stored);
  EXPECT_EQ(chosen(gpu(), 720, true, 99), TransposeMethod::stored);
}

TEST(ChooseTranspose, images_are_one_a_thread_or_always_as_many) {
  EXPECT_EQ(private_image_count(host(), false), 8);
  EXPECT_EQ(private_image_count(host(), true), deterministic_images);
}

}  // namespace
