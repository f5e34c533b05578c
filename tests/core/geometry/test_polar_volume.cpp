// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace Tomokkos;

const std::vector<PolarVolume> volumes{{8, 9, 5, 4, 7, 1},  {8, 5, 9, 7, 3, 0.5},
                                       {1, 14, 3, 1, 1, 2}, {7, 3, 12, 5, 24, 0.3},
                                       {9, 20, 4, 3, 2, 1}, {35, 60, 80, 2, 150, 1}};

TEST(PolarVolume, sectors_are_a_multiple_of_the_rotations) {
  const PolarVolume volume{40, 10, 80, 1, 150, 1};
  const PolarGrid grid(volume);
  // 2 pi (r + 1/2) / 150 exceeds 1.5 from r = 35.3 on and 2.5 from r = 59.2 on.
  EXPECT_EQ(grid.sectors(0), 150);
  EXPECT_EQ(grid.sectors(35), 150);
  EXPECT_EQ(grid.sectors(36), 300);
  EXPECT_EQ(grid.sectors(59), 300);
  EXPECT_EQ(grid.sectors(60), 450);
  EXPECT_EQ(grid.block_cols(), 36 + 24 * 2 + 20 * 3);
  EXPECT_EQ(PolarGrid({40, 10, 80, 1, 150, 5}).block_cols(), 80);
  // Far from the axis, voxels are about as wide as they are deep.
  for (Ordinal ring = 60; ring < 80; ++ring) {
    const double arc = 2 * std::numbers::pi * (ring + 0.5) * 0.5 / grid.sectors(ring);
    EXPECT_NEAR(arc / volume.ring_width(), 1, 0.25);
  }
  // A sector is smaller than half a turn.
  EXPECT_EQ(PolarGrid({1, 1, 1, 1, 1, 100}).sectors(0), 3);
  EXPECT_EQ(PolarGrid({1, 1, 1, 1, 2, 100}).sectors(0), 4);
  EXPECT_EQ(PolarGrid({1, 1, 1, 1, 3, 100}).sectors(0), 3);
}

TEST(PolarVolume, every_index_belongs_to_one_voxel) {
  for (const PolarVolume& volume : volumes) {
    const PolarGrid grid(volume);
    std::vector<int> found(static_cast<std::size_t>(grid.num_voxels()));
    double sum = 0;
    for (Ordinal slice = 0; slice < volume.slices; ++slice)
      for (Ordinal ring = 0; ring < volume.rings; ++ring)
        for (Ordinal sector = 0; sector < grid.sectors(ring); ++sector) {
          const PolarVoxel voxel{slice, ring, sector};
          const Ordinal index = grid.index(voxel);
          ++found[static_cast<std::size_t>(index)];
          ASSERT_EQ(grid.voxel(index), voxel);
          const auto [x, y, z] = grid.center(voxel);
          ASSERT_EQ(grid.index_at(x, y, z), index);
          sum += grid.voxel_volume(ring);
        }
    for (const int times : found) ASSERT_EQ(times, 1);
    const double cylinder = std::numbers::pi * volume.radius * volume.radius * volume.height;
    EXPECT_NEAR(sum / cylinder, 1, 1e-12);
  }
}

/// Turning a voxel counter-clockwise by one rotation gives the next index of its column,
/// cyclically.
TEST(PolarVolume, rotations_of_a_voxel_are_adjacent) {
  for (const PolarVolume& volume : volumes) {
    const PolarGrid grid(volume);
    const double angle = 2 * std::numbers::pi / volume.rotations;
    for (Ordinal index = 0; index < grid.num_voxels(); ++index) {
      const auto [x, y, z] = grid.center(grid.voxel(index));
      const auto turned = grid.index_at(x * std::cos(angle) - y * std::sin(angle),
                                        x * std::sin(angle) + y * std::cos(angle), z);
      const Ordinal k = volume.rotations;
      ASSERT_EQ(turned, index / k * k + (index % k + 1) % k);
    }
  }
}

/// Columns are ordered by group of rings from the outermost inwards, then by slice, ring and c.
TEST(PolarVolume, columns_proceed_inwards_by_groups_of_rings) {
  for (const PolarVolume& volume :
       {PolarVolume{35, 60, 80, 3, 150, 1}, PolarVolume{35, 60, 64, 2, 7, 1},
        PolarVolume{35, 60, 5, 4, 3, 0.5}, PolarVolume{35, 60, 33, 1, 150, 30}}) {
    const PolarGrid grid(volume);
    Ordinal column = 0;
    for (Ordinal outer = volume.rings - 1; outer >= 0; outer -= ring_group)
      for (Ordinal slice = 0; slice < volume.slices; ++slice)
        for (Ordinal ring = outer; ring >= 0 && ring > outer - ring_group; --ring)
          for (Ordinal c = 0; c < grid.sectors_per_rotation(ring); ++c) {
            const Ordinal sector = 2 * grid.sectors_per_rotation(ring) + c;
            const Ordinal index = grid.index({slice, ring, sector});
            ASSERT_EQ(index, column * volume.rotations + 2);
            ASSERT_EQ(grid.voxel(index), (PolarVoxel{slice, ring, sector}));
            ASSERT_EQ(grid.first_column(ring) + slice * grid.slice_columns(ring) + c, column);
            ++column;
          }
    EXPECT_EQ(column, grid.block_cols());
  }
}

TEST(PolarVolume, a_point_on_a_border_belongs_to_one_voxel) {
  const PolarGrid grid({4, 4, 4, 4, 8, 1});
  const auto at = [&](double x, double y, double z) {
    const auto index = grid.index_at(x, y, z);
    return index ? grid.voxel(*index) : PolarVoxel{-1, -1, -1};
  };
  EXPECT_EQ(at(0, 0, 0), (PolarVoxel{2, 0, 0}));
  EXPECT_EQ(at(1, 0, -2), (PolarVoxel{0, 1, 0}));
  EXPECT_EQ(at(4, 0, 2), (PolarVoxel{3, 3, 0}));
  EXPECT_EQ(at(0, 0.5, 0.9), (PolarVoxel{2, 0, 2}));
  EXPECT_EQ(at(-0.5, 0, 1), (PolarVoxel{3, 0, 4}));
  EXPECT_EQ(at(0.5, -1e-300, 1), (PolarVoxel{3, 0, 7}));
  EXPECT_FALSE(grid.index_at(4.0000001, 0, 0));
  EXPECT_FALSE(grid.index_at(0, 0, -2.0000001));
  EXPECT_FALSE(grid.index_at(std::numeric_limits<double>::quiet_NaN(), 0, 0));
}

/// Expects an error whose message contains every word.
template <class Check>
void expect_refused(const Check& check_it, const std::vector<std::string>& words) {
  try {
    check_it();
    FAIL() << "accepted; the message should hold " << words.front();
  } catch (const Error& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "no '" << word << "' in: " << error.what();
  }
}

TEST(PolarVolume, refuses_impossible_sizes) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuse = [](auto change, const std::vector<std::string>& words) {
    PolarVolume volume{8, 9, 5, 4, 7, 1};
    EXPECT_NO_THROW(check(volume));
    change(volume);
    expect_refused([&] { check(volume); }, words);
    EXPECT_THROW(PolarGrid{volume}, Error);
  };
  refuse([](PolarVolume& v) { v.radius = 0; }, {"radius", "is 0"});
  refuse([&](PolarVolume& v) { v.height = nan; }, {"height", "nan"});
  refuse([](PolarVolume& v) { v.aspect = -1; }, {"aspect", "-1"});
  refuse([](PolarVolume& v) { v.rings = 0; }, {"0 rings"});
  refuse([](PolarVolume& v) { v.slices = -3; }, {"-3 slices"});
  refuse([](PolarVolume& v) { v.rotations = 0; }, {"0 rotations"});
  refuse([](PolarVolume& v) { v.height = 1e7; }, {"not comparable", "1e+07"});
  refuse([](PolarVolume& v) { v.radius = v.height = 1e18; }, {"unit"});
  refuse([](PolarVolume& v) { v.aspect = 1e-9; }, {"more voxels", "aspect 1e-09"});
  refuse([](PolarVolume& v) { v.rings = v.slices = v.rotations = 20000; }, {"more voxels"});
}

TEST(ConeBeamScan, refuses_impossible_geometries) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refuse = [](auto change, const std::vector<std::string>& words) {
    const PolarVolume volume{8, 9, 5, 4, 7, 1};
    ConeBeamScan scan{7, {10, 12}, {1, 2}, {0, 0.5}, 20, 5, 2};
    EXPECT_NO_THROW(check(volume, scan));
    change(scan);
    expect_refused([&] { check(volume, scan); }, words);
  };
  refuse([](ConeBeamScan& s) { s.views = 0; }, {"0 views"});
  refuse([](ConeBeamScan& s) { s.views = 8; }, {"8 views", "7 rotations"});
  refuse([](ConeBeamScan& s) { s.detectors[0] = 0; }, {"0 detectors along u"});
  refuse([](ConeBeamScan& s) { s.detectors[1] = -1; }, {"-1 detectors along v"});
  refuse([](ConeBeamScan& s) { s.detectors = {50000, 50000}; }, {"more measurements"});
  refuse([](ConeBeamScan& s) { s.detector_width[1] = 0; }, {"detector_width along v", "is 0"});
  refuse([&](ConeBeamScan& s) { s.detector_offset[0] = infinity; }, {"offset along u", "inf"});
  refuse([](ConeBeamScan& s) { s.source_to_origin = -1; }, {"source_to_origin", "-1"});
  refuse([](ConeBeamScan& s) { s.source_to_origin = 8; }, {"source_to_origin", "radius 8"});
  refuse([](ConeBeamScan& s) { s.origin_to_detector = -1; }, {"origin_to_detector", "-1"});
  refuse([](ConeBeamScan& s) { s.rays = 5; }, {"5 rays", "1 to 4"});
  refuse([](ConeBeamScan& s) { s.detector_offset[0] = 1e8; }, {"not comparable"});
}

}  // namespace
