// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hot and cold pixels of phantoms: their positions, and statistics of an image within them.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_PhantomRegions.hpp>
#include <cmath>
#include <set>

using namespace Tomokkos;

namespace {

TEST(PhantomRegions, derenzo_has_six_sectors_of_rods) {
  for (const auto& [rows, columns] : {std::pair{300, 300}, {240, 320}}) {
    const auto regions = phantom_regions(PhantomKind::derenzo, rows, columns);
    ASSERT_EQ(regions.size(), 6u);
    EXPECT_EQ(regions.front().name, "rods 4.8");
    EXPECT_EQ(regions.back().name, "rods 12.7");
    const auto phantom = sample_phantom(PhantomKind::derenzo, rows, columns);
    std::set<Ordinal> seen;
    std::size_t hot = 0, cold = 0;
    for (const PhantomRegion& region : regions) {
      // All hot pixels lie in rods, and no cold pixel does.
      const RegionValues inside = values_in<double>(phantom, region.hot);
      const RegionValues between = values_in<double>(phantom, region.cold);
      EXPECT_EQ(inside.mean, 1.0) << region.name;
      EXPECT_EQ(inside.sigma, 0.0) << region.name;
      EXPECT_EQ(between.mean, 0.0) << region.name;
      seen.insert(region.hot.begin(), region.hot.end());
      seen.insert(region.cold.begin(), region.cold.end());
      hot += region.hot.size();
      cold += region.cold.size();
      // Rods spaced at twice their diameter fill pi / (8 sqrt 3) of the plane. The share differs in
      // a sector because the hull of the centres cuts through the outer rods.
      const double share = static_cast<double>(region.hot.size()) /
                           static_cast<double>(region.hot.size() + region.cold.size());
      EXPECT_GT(share, 0.22) << region.name;
      EXPECT_LT(share, 0.45) << region.name;
    }
    EXPECT_EQ(seen.size(), hot + cold);  // no pixel is in two regions
    double mass = 0;
    for (const double value : phantom) mass += value;
    EXPECT_EQ(static_cast<double>(hot), mass);  // no rod is omitted
  }
}

// The first sector is centred at 30 degrees, and the others follow counter-clockwise.
TEST(PhantomRegions, sectors_contain_the_pixels_of_their_rods) {
  const auto regions = phantom_regions(PhantomKind::derenzo, 400, 400);
  for (std::size_t s = 0; s < 6; ++s)
    for (const auto* pixels : {&regions[s].hot, &regions[s].cold})
      for (const Ordinal i : *pixels) {
        const double x = i % 400 + 0.5 - 200, y = 200 - (i / 400 + 0.5);
        const double degrees = std::atan2(y, x) * 180 / 3.14159265358979;
        const double sector = (degrees < -2 ? degrees + 360 : degrees) / 60;
        EXPECT_NEAR(sector, static_cast<double>(s) + 0.5, 0.56) << i;
      }
}

TEST(PhantomRegions, discs_and_checkerboards_have_a_hot_and_a_cold_part) {
  for (const PhantomKind kind :
       {PhantomKind::disc, PhantomKind::off_center_disc, PhantomKind::checkerboard}) {
    const auto regions = phantom_regions(kind, 40, 56);
    ASSERT_EQ(regions.size(), 1u);
    EXPECT_EQ(regions[0].hot.size() + regions[0].cold.size(), 40u * 56u);
    const auto phantom = sample_phantom(kind, 40, 56);
    EXPECT_EQ(values_in<double>(phantom, regions[0].hot).mean, 1.0);
    EXPECT_EQ(values_in<double>(phantom, regions[0].cold).mean, 0.0);
  }
  PhantomSampling sampling;
  sampling.checkerboard_tile = 20;
  const auto squares = phantom_regions(PhantomKind::checkerboard, 40, 40, sampling);
  EXPECT_EQ(squares[0].hot.front(), 0);
  EXPECT_EQ(squares[0].cold.front(), 20);
}

TEST(PhantomRegions, extend_through_all_slices) {
  const auto regions = phantom_regions(PhantomKind::derenzo, 90, 80);
  const auto volume = through_slices(regions, 3, 90 * 80);
  ASSERT_EQ(volume.size(), regions.size());
  for (std::size_t r = 0; r < regions.size(); ++r) {
    EXPECT_EQ(volume[r].name, regions[r].name);
    for (const auto part : {&PhantomRegion::hot, &PhantomRegion::cold}) {
      const std::vector<Ordinal>& in_slice = regions[r].*part;
      const std::vector<Ordinal>& in_volume = volume[r].*part;
      ASSERT_EQ(in_volume.size(), 3 * in_slice.size());
      ASSERT_FALSE(in_volume.empty());
      for (std::size_t i = 0; i < in_volume.size(); ++i)
        EXPECT_EQ(in_volume[i], in_slice[i % in_slice.size()] +
                                    static_cast<Ordinal>(i / in_slice.size()) * 90 * 80);
    }
  }
}

TEST(PhantomRegions, other_phantoms_have_no_regions) {
  for (const PhantomKind kind : {PhantomKind::shepp_logan, PhantomKind::shepp_logan_original,
                                 PhantomKind::forbild_head, PhantomKind::single_pixel})
    EXPECT_TRUE(phantom_regions(kind, 16, 16).empty());
  EXPECT_THROW(phantom_regions(PhantomKind::derenzo, 0, 16), Error);
}

TEST(PhantomRegions, give_mean_and_standard_deviation) {
  const std::vector<float> image{1, 9, 3, 9, 5, 9};
  const RegionValues values = values_in<float>(image, {0, 2, 4});
  EXPECT_DOUBLE_EQ(values.mean, 3);
  EXPECT_DOUBLE_EQ(values.sigma, std::sqrt(8.0 / 3));
  EXPECT_EQ(values_in<float>(image, {}).mean, 0);
}

}  // namespace
