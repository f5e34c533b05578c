// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_FieldAverage.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace {

using namespace Tomokkos;

using Values = std::vector<double>;

TEST(FieldAverage, frames_are_averaged_for_each_value) {
  const Values frames{1, 10, 5, 20, 3, 90};
  EXPECT_EQ(average_frames(frames, 2, FieldAverage::mean), (Values{3, 40}));
  EXPECT_EQ(average_frames(frames, 2, FieldAverage::median), (Values{3, 20}));
  EXPECT_EQ(average_frames(frames, 6, FieldAverage::median), frames);
}

TEST(FieldAverage, the_median_of_an_even_number_is_the_mean_of_the_middle) {
  EXPECT_EQ(average_frames(Values{7, 1, 1000, 4}, 1, FieldAverage::median), (Values{5.5}));
  EXPECT_EQ(average_frames(Values{7, 1}, 1, FieldAverage::median), (Values{4}));
}

TEST(FieldAverage, a_value_that_is_missing_in_one_frame_is_missing) {
  for (const FieldAverage how : {FieldAverage::mean, FieldAverage::median}) {
    const auto result = average_frames(Values{1, NAN, 3, 4, 5, 6}, 2, how);
    EXPECT_EQ(result[0], 3);
    EXPECT_TRUE(std::isnan(result[1]));
  }
}

TEST(FieldAverage, parts_of_frames_are_refused) {
  EXPECT_THROW(average_frames(Values{1, 2, 3}, 2, FieldAverage::mean), DimensionMismatch);
  EXPECT_THROW(average_frames(Values{1}, 2, FieldAverage::mean), DimensionMismatch);
  EXPECT_THROW(average_frames(Values{}, 2, FieldAverage::median), DimensionMismatch);
}

// Views without signal are found by their values alone.

std::vector<char> without_signal(const Values& view, double open = 20000, double background = 100) {
  Values data;
  for (const double transmission : view) data.push_back(background + open * transmission);
  return transmission_to_line_integrals<double>(data, Values(view.size(), background + open),
                                                Values(view.size(), background))
      .without_signal;
}

TEST(ViewsWithoutSignal, lie_at_or_below_the_dark_field) {
  EXPECT_EQ(without_signal({0, 0, 0}), std::vector<char>{1});
  EXPECT_EQ(without_signal({-0.1, -1e-3, 0}), std::vector<char>{1});
  EXPECT_EQ(without_signal({0, 0, 1e-3}), std::vector<char>{0});
  // The second of three views.
  const auto found =
      transmission_to_line_integrals<double>({5, 9, 0, 0, 3, 0}, {10, 10}, {}).without_signal;
  EXPECT_EQ(found, (std::vector<char>{0, 1, 0}));
}

TEST(ViewsWithoutSignal, scatter_around_the_dark_field) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 5e-4);
  for (int trial = 0; trial < 50; ++trial) {
    Values view(120);
    for (double& value : view) value = noise(random);
    EXPECT_EQ(without_signal(view), std::vector<char>{1});
  }
}

TEST(ViewsWithoutSignal, are_no_views_of_opaque_objects) {
  std::mt19937 random(6);
  std::normal_distribution<double> noise(0, 5e-4);
  // The beam passes beside the object in a few elements only.
  Values narrow(120);
  for (double& value : narrow) value = noise(random);
  for (std::size_t k = 0; k < 5; ++k) narrow[k] = 1;
  EXPECT_EQ(without_signal(narrow), std::vector<char>{0});
  // A few photons reach each element of an opaque region of interest.
  std::poisson_distribution<int> photons(0.5);
  Values starved(120);
  for (double& value : starved) value = photons(random) / 20000.0;
  EXPECT_EQ(without_signal(starved), std::vector<char>{0});
  // Weak, but as strong as the noise.
  Values weak(120);
  for (double& value : weak) value = 5e-4 + noise(random);
  EXPECT_EQ(without_signal(weak), std::vector<char>{0});
  // A detector whose elements are all dead says nothing about a view.
  EXPECT_EQ(transmission_to_line_integrals<double>({0, 0}, {0, 0}, {}).without_signal,
            std::vector<char>{0});
}

}  // namespace
