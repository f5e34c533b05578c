// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_ChooseRayTiles.hpp>

using namespace Tomokkos;

namespace {

DeviceTraits gpu() {
  DeviceTraits traits;
  traits.gpu = true;
  traits.concurrency = 270336;
  return traits;
}

/// A scan of 1024 x 1024 pixels.
RayTilesCriteria scan() {
  RayTilesCriteria matrix;
  matrix.rows.rows = 737280;
  matrix.rows.columns = 1048576;
  matrix.rows.nonzeros = 679000000;
  matrix.both_products = true;
  matrix.mean_segment = 58;
  return matrix;
}

void expect_refused(const DeviceTraits& device, const RayTilesCriteria& matrix,
                    const std::string& part) {
  const auto why = reason_against_ray_tiles(device, matrix, 4);
  ASSERT_TRUE(why.has_value()) << part;
  EXPECT_NE(why->find(part), std::string::npos) << *why;
}

TEST(ChooseRayTiles, are_for_scans_on_a_gpu) {
  for (const std::size_t scalar_bytes : {4, 8})
    EXPECT_FALSE(reason_against_ray_tiles(gpu(), scan(), scalar_bytes).has_value());
  RayTilesCriteria matrix = scan();
  matrix.mean_segment = shortest_mean_segment;
  EXPECT_FALSE(reason_against_ray_tiles(gpu(), matrix, 4).has_value());
  matrix.mean_segment.reset();
  EXPECT_FALSE(reason_against_ray_tiles(gpu(), matrix, 4).has_value()) << "to be counted";
}

TEST(ChooseRayTiles, say_why_not) {
  expect_refused({}, scan(), "on hosts");
  RayTilesCriteria matrix = scan();
  matrix.both_products = false;
  expect_refused(gpu(), matrix, "only one of the two products");
  matrix = scan();
  matrix.vectors = 2;
  expect_refused(gpu(), matrix, "several vectors");
  matrix = scan();
  matrix.mean_segment = 31.96;
  expect_refused(gpu(), matrix, "31.96 entries");
  matrix.mean_segment = 9.25;
  expect_refused(gpu(), matrix, "9.25 entries on average");
  matrix = scan();
  matrix.rows.nonzeros = 5000000;
  expect_refused(gpu(), matrix, "cache");
  matrix.rows.nonzeros = 0;
  expect_refused(gpu(), matrix, "cache");
}

}  // namespace
