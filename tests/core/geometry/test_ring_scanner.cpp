// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_RingScanner.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

namespace {

using namespace Tomokkos;

RingScanner scanner() {
  RingScanner result = make_scanner(ScannerKind::madpet2);
  result.rings = 2;
  result.ring_pitch = 19.0;
  return result;
}

TEST(RingScanner, the_index_of_a_crystal_gives_its_position) {
  RingScanner ring = scanner();
  ring.first_module = Angle::degrees(30);
  EXPECT_EQ(ring.num_crystals(), 2304);
  EXPECT_EQ(ring.num_rows(), 2304 * 2304);
  EXPECT_EQ(ring.num_pairs(), 2304 * 2303 / 2);
  const auto places = ring.places();
  ASSERT_EQ(places.size(), 2304U);
  for (Ordinal layer = 0; layer < 2; ++layer)
    for (Ordinal along = 0; along < 16; ++along)
      for (Ordinal around = 0; around < 72; ++around) {
        const auto& place = places[static_cast<std::size_t>((layer * 16 + along) * 72 + around)];
        const double angle = (30 + 20.0 * (around / 4)) * std::numbers::pi / 180;
        const double out = layer == 0 ? 38.5 : 47.5;
        const double side = (around % 4 - 1.5) * 2.3;
        EXPECT_NEAR(place.x, out * std::cos(angle) - side * std::sin(angle), 1e-12);
        EXPECT_NEAR(place.y, out * std::sin(angle) + side * std::cos(angle), 1e-12);
        EXPECT_NEAR(place.z, (along / 8 - 0.5) * 19.0 + (along % 8 - 3.5) * 2.3, 1e-12);
        EXPECT_NEAR(place.cosine, std::cos(angle), 1e-15);
        EXPECT_NEAR(place.sine, std::sin(angle), 1e-15);
        EXPECT_EQ(place.length, layer == 0 ? 6 : 8);
      }
}

TEST(RingScanner, opposite_modules_are_mirror_images_bit_by_bit) {
  const auto places = make_scanner(ScannerKind::madpet2).places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t around = i % 72;
    const auto& opposite = places[i - around + (around + 36) % 72];
    EXPECT_EQ(opposite.x, -places[i].x);
    EXPECT_EQ(opposite.y, -places[i].y);
  }
}

TEST(RaySamples, are_spread_evenly_and_symmetrically) {
  const auto middle = ray_samples(1);
  ASSERT_EQ(middle.size(), 1U);
  for (const double offset : middle[0].from) EXPECT_EQ(offset, 0);
  for (const double offset : middle[0].to) EXPECT_EQ(offset, 0);

  using Numbers = std::array<double, 6>;
  const auto numbers = [](const RaySample& s, bool exchanged, double around, double along) {
    const auto& a = exchanged ? s.to : s.from;
    const auto& b = exchanged ? s.from : s.to;
    return Numbers{around * a[0], along * a[1], a[2], around * b[0], along * b[1], b[2]};
  };
  for (const Ordinal count : {8, 64, 256}) {
    const auto samples = ray_samples(count);
    ASSERT_EQ(samples.size(), static_cast<std::size_t>(count));
    std::vector<Numbers> all;
    for (const auto& sample : samples) all.push_back(numbers(sample, false, 1, 1));
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "a ray occurs twice";
    for (const auto& sample : samples)
      for (const bool exchanged : {false, true})
        for (const double around : {1, -1})
          for (const double along : {1, -1})
            EXPECT_TRUE(std::binary_search(all.begin(), all.end(),
                                           numbers(sample, exchanged, around, along)));
    // A uniform distribution on [-1/2, 1/2] has variance 1/12.
    for (std::size_t d = 0; d < 6; ++d) {
      double sum = 0, squares = 0;
      for (const auto& sample : all) {
        EXPECT_LE(std::fabs(sample[d]), 0.5);
        sum += sample[d];
        squares += sample[d] * sample[d];
      }
      if (count < 64) continue;
      EXPECT_NEAR(sum / count, 0, 0.07);
      EXPECT_NEAR(squares / count, 1.0 / 12, 0.025);
    }
  }
  for (const Ordinal count : {-8, 0, 2, 12, 264}) EXPECT_THROW(ray_samples(count), Error);
}

/// Expects an error whose message contains every word.
void expect_refused(const VolumeGeometry3D& volume, const RingScanner& ring,
                    const std::vector<std::string>& words) {
  try {
    check(volume, ring);
    FAIL() << "accepted; the message should hold " << words.front();
  } catch (const Error& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "no '" << word << "' in: " << error.what();
  }
}

TEST(RingScanner, refuses_impossible_scanners) {
  const VolumeGeometry3D volume = make_scanner_volume(ScannerKind::madpet2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(check(volume, scanner()));
  const auto refuse = [&](auto change, const std::vector<std::string>& words) {
    RingScanner ring = scanner();
    change(ring);
    expect_refused(volume, ring, words);
  };
  refuse([](auto& s) { s.modules = 0; }, {"modules is 0"});
  refuse([](auto& s) { s.modules = -18; }, {"modules is -18"});
  refuse([](auto& s) { s.rings = 0; }, {"rings is 0"});
  refuse([](auto& s) { s.crystals = {4, 0}; }, {"along the axis is 0"});
  refuse([](auto& s) { s.crystals = {2147483647, 8}; }, {"around the axis is 2147483647"});
  refuse([](auto& s) { s.crystals = {400, 8}; }, {"7200", "46340"});
  refuse([](auto& s) { s.layers.clear(); }, {"no layers"});
  refuse([](auto& s) { s.layers.resize(50000); }, {"50000 layers"});
  refuse([&](auto& s) { s.layers[1].radius = nan; }, {"radius of layer 2", "nan"});
  refuse([](auto& s) { s.layers[0].length = 0; }, {"length of the crystals of layer 1", "0"});
  refuse([](auto& s) { s.layers[1].radius = 41; }, {"layer 2 begins at the radius 41", "41.5"});
  refuse([](auto& s) { s.layers[0].radius = 25; }, {"18 modules of width 8.9", "25", "8.81"});
  refuse([](auto& s) { s.crystal_size[0] = -1; }, {"size of a crystal around", "-1"});
  refuse([&](auto& s) { s.crystal_size[1] = infinity; }, {"size of a crystal along", "inf"});
  refuse([](auto& s) { s.crystal_pitch[1] = 1.9; }, {"2 at a pitch of 1.9", "along"});
  refuse([](auto& s) { s.ring_pitch = 18; }, {"rings", "18.1", "18"});
  refuse([](auto& s) { s.ring_pitch = 0; }, {"ring_pitch is 0"});
  refuse([](auto& s) { s.rays = 12; }, {"12 rays", "multiple of 8"});
  refuse([&](auto& s) { s.field_of_view = nan; }, {"field_of_view is nan"});
  refuse([](auto& s) { s.field_of_view = 1e9; }, {"comparable", "1e+09"});
  RingScanner one = make_scanner(ScannerKind::madpet2);
  one.ring_pitch = nan;
  EXPECT_NO_THROW(check(one)) << "a single ring needs no pitch";
  expect_refused({2, 2, 2, 1e-5, 1.0}, one, {"comparable", "1e-05"});
}

TEST(VolumeGeometry3D, refuses_impossible_volumes) {
  const RingScanner ring = make_scanner(ScannerKind::madpet2);
  expect_refused({0, 3, 3, 1.0, 1.0}, ring, {"0 x 3 x 3"});
  expect_refused({3, -1, 3, 1.0, 1.0}, ring, {"3 x -1 x 3"});
  expect_refused({3, 3, 3, 0.0, 1.0}, ring, {"pixel size", "0.0"});
  expect_refused({3, 3, 3, 1.0, -2.0}, ring, {"thickness", "-2.0"});
  expect_refused({2147483647, 2147483647, 2147483647, 1.0, 1.0}, ring, {"the limit is 2147483647"});
  expect_refused({1291, 1291, 1291, 1.0, 1.0}, ring, {"1291 x 1291 x 1291"});
  const VolumeGeometry3D volume{3, 4, 5, 0.5, 2.0};
  EXPECT_EQ(volume.num_voxels(), 60);
  EXPECT_EQ(volume.z(0), -2.0);
  EXPECT_EQ(volume.z(2), 2.0);
  EXPECT_EQ(volume.slice().y(0), 0.75);
}

}  // namespace
