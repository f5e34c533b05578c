// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choice of launches and scheme of conjugate gradients, by size and by what the device supports.
#include <gtest/gtest.h>

#include <Tomokkos_PcgOptions.hpp>

using namespace Tomokkos;

namespace {

constexpr PcgSystemTraits small{24389, 27 * 24389, true, true, false};
constexpr PcgSystemTraits medium{300000, 300000 * 27, true, true, false};
constexpr PcgSystemTraits large{4000000, 4000000 * 27, true, true, false};

void expect_variant(const PcgVariant& variant, PcgScheme scheme, PcgLaunches launches) {
  EXPECT_EQ(to_string(variant.scheme), to_string(scheme));
  EXPECT_EQ(to_string(variant.launches), to_string(launches));
}

}  // namespace

TEST(PcgOptions, small_systems_reside_medium_ones_are_recorded_large_ones_launched) {
  expect_variant(choose_pcg_variant({}, small), PcgScheme::single_reduction, PcgLaunches::resident);
  expect_variant(choose_pcg_variant({}, medium), PcgScheme::standard, PcgLaunches::recorded);
  expect_variant(choose_pcg_variant({}, large), PcgScheme::standard, PcgLaunches::direct);
}

TEST(PcgOptions, what_cannot_be_had_is_not_chosen) {
  PcgSystemTraits at = small;
  at.can_reside = false;
  expect_variant(choose_pcg_variant({}, at), PcgScheme::single_reduction, PcgLaunches::recorded);
  expect_variant(choose_pcg_variant({PcgScheme::automatic, PcgLaunches::resident}, at),
                 PcgScheme::single_reduction, PcgLaunches::recorded);
  at.can_record = false;
  for (const PcgLaunches asked :
       {PcgLaunches::automatic, PcgLaunches::direct, PcgLaunches::recorded, PcgLaunches::resident})
    expect_variant(choose_pcg_variant({PcgScheme::automatic, asked}, at), PcgScheme::standard,
                   PcgLaunches::direct);
}

TEST(PcgOptions, what_is_asked_for_is_done_where_it_can_be_had) {
  for (const PcgSystemTraits& at : {small, medium, large}) {
    expect_variant(choose_pcg_variant({PcgScheme::automatic, PcgLaunches::resident}, at),
                   PcgScheme::single_reduction, PcgLaunches::resident);
    expect_variant(choose_pcg_variant({PcgScheme::standard, PcgLaunches::recorded}, at),
                   PcgScheme::standard, PcgLaunches::recorded);
    expect_variant(choose_pcg_variant({PcgScheme::single_reduction, PcgLaunches::direct}, at),
                   PcgScheme::single_reduction, PcgLaunches::direct);
    expect_variant(choose_pcg_variant({PcgScheme::automatic, PcgLaunches::direct}, at),
                   PcgScheme::standard, PcgLaunches::direct);
  }
  expect_variant(choose_pcg_variant({PcgScheme::standard, PcgLaunches::automatic}, small),
                 PcgScheme::standard, PcgLaunches::recorded);
  expect_variant(choose_pcg_variant({PcgScheme::single_reduction, PcgLaunches::automatic}, medium),
                 PcgScheme::single_reduction, PcgLaunches::recorded);
}

TEST(PcgOptions, what_only_the_standard_measures_keeps_it) {
  PcgSystemTraits at = small;
  at.needs_change = true;
  expect_variant(choose_pcg_variant({}, at), PcgScheme::standard, PcgLaunches::recorded);
}

TEST(PcgOptions, what_is_spread_is_launched_and_reduced_once) {
  for (PcgSystemTraits at : {small, medium, large}) {
    at.is_distributed = true;
    for (const PcgLaunches asked : {PcgLaunches::automatic, PcgLaunches::direct,
                                    PcgLaunches::recorded, PcgLaunches::resident}) {
      expect_variant(choose_pcg_variant({PcgScheme::automatic, asked}, at),
                     PcgScheme::single_reduction, PcgLaunches::direct);
      expect_variant(choose_pcg_variant({PcgScheme::standard, asked}, at), PcgScheme::standard,
                     PcgLaunches::direct);
    }
    at.needs_change = true;
    expect_variant(choose_pcg_variant({}, at), PcgScheme::standard, PcgLaunches::direct);
  }
}
