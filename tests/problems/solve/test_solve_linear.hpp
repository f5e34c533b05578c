// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear systems and least-squares problems in a single call: residuals in plain C++, in every
// order, and the calls of an observer.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_SolveLinear.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "Complaint.hpp"
#include "FileTesting.hpp"

using namespace Tomokkos;
using Testing::complaint_of;

namespace {

constexpr Ordinal points = 6;
constexpr Ordinal unknowns = points * points * points;

/// Entry (i, j) of the stencil of 7 points on a cube.
double entry(Ordinal i, Ordinal j) {
  if (i == j) return 6;
  const auto distance = [&](Ordinal stride) {
    return std::abs(i / stride % points - j / stride % points);
  };
  return distance(1) + distance(points) + distance(points * points) == 1 ? -1 : 0;
}

std::vector<double> right_hand_sides(std::size_t columns) {
  std::vector<double> b(columns * unknowns);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(0.7 * static_cast<double>(i) + 0.1);
  return b;
}

template <class Params>
SystemSettings settings_for(Ordering order = Ordering::natural) {
  Params params;
  params.stop = PcgParams::relative(1e-12);
  SystemSettings settings = system_settings(params);
  settings.task.wish.ordering.rows = order;
  settings.task.wish.ordering.columns = order;
  return settings;
}

SolvedSystem<double> solve_stencil(const SystemSettings& settings, std::size_t columns,
                                   const SystemObserver<TestSpace, double>& observer = {}) {
  return solve_linear<TestSpace, double>(
      TestSpace(), StencilRows{7, {points, points, points}},
      [&](Ordinal rows, Ordinal) {
        EXPECT_EQ(rows, unknowns);
        return LinearVectors{{right_hand_sides(columns), columns}, {}};
      },
      settings, observer);
}

void expect_solution(const SolvedSystem<double>& solved, std::size_t columns) {
  const std::vector<double> b = right_hand_sides(columns);
  ASSERT_EQ(solved.x.size(), b.size());
  ASSERT_EQ(solved.results.size(), columns);
  for (std::size_t c = 0; c < columns; ++c)
    for (Ordinal i = 0; i < unknowns; ++i) {
      double sum = 0;
      for (Ordinal j = 0; j < unknowns; ++j)
        sum += entry(i, j) * solved.x[c * unknowns + static_cast<std::size_t>(j)];
      ASSERT_NEAR(sum, b[c * unknowns + static_cast<std::size_t>(i)], 1e-9) << c << ", row " << i;
    }
}

/// Rows 1, t, t^2 at the given number of places t.
HostCsrMatrix<double> parabola(Ordinal places) {
  std::vector<Testing::Entry<double>> entries;
  for (Ordinal i = 0; i < places; ++i)
    for (Ordinal k = 0; k < 3; ++k)
      entries.emplace_back(i, k, std::pow(static_cast<double>(i) / static_cast<double>(places), k));
  return Testing::make_matrix<double>(places, 3, entries);
}

TEST(SolveLinear, residuals_vanish_in_every_order) {
  for (const Ordering order : {Ordering::natural, Ordering::rcm}) {
    expect_solution(solve_stencil(settings_for<PcgParams>(order), 1), 1);
    expect_solution(solve_stencil(settings_for<PcgParams>(order), 3), 3);
    expect_solution(solve_stencil(settings_for<BiCgStabParams>(order), 2), 2);
  }
}

TEST(SolveLinear, least_squares_find_a_parabola) {
  CglsParams params;
  params.stop = PcgParams::relative(1e-13);
  const auto solved = solve_linear<TestSpace, double>(
      TestSpace(), [] { return parabola(20); },
      [](Ordinal rows, Ordinal columns) {
        EXPECT_EQ(columns, 3);
        LinearVectors vectors{{std::vector<double>(static_cast<std::size_t>(rows)), 1}, {}};
        for (std::size_t i = 0; i < vectors.b.values.size(); ++i) {
          const double t = static_cast<double>(i) / static_cast<double>(rows);
          vectors.b.values[i] = 2 - 3 * t + 5 * t * t;
        }
        return vectors;
      },
      system_settings(params));
  ASSERT_EQ(solved.x.size(), 3u);
  EXPECT_NEAR(solved.x[0], 2, 1e-6);
  EXPECT_NEAR(solved.x[1], -3, 1e-6);
  EXPECT_NEAR(solved.x[2], 5, 1e-6);
  EXPECT_FALSE(solved.is_scaled);
}

TEST(SolveLinear, an_observer_sees_the_steps_in_their_order) {
  SystemObserver<TestSpace, double> observer;
  std::string steps;
  SolveOutcome outcome;
  observer.outcome = &outcome;
  observer.phase_begins = [&](const char* phase) { steps += phase + std::string(" "); };
  observer.matrix_made = [&](const auto& A) { EXPECT_EQ(A.num_rows, unknowns); };
  observer.operator_made = [&](const auto&) { steps += "made "; };
  observer.solve_begins = [&](auto& system) {
    EXPECT_EQ(system.X().extent(1), 2u);
    steps += "solve";
  };
  expect_solution(solve_stencil(settings_for<PcgParams>(), 2, observer), 2);
  EXPECT_EQ(steps, "matrix vectors operator made preconditioner solve");
  EXPECT_TRUE(outcome.has_started);
  EXPECT_EQ(outcome.results.size(), 2u);
}

TEST(SolveLinear, unusable_input_is_refused) {
  const auto run = [](const SystemSettings& settings, const HostCsrMatrix<double>& A,
                      std::size_t length) {
    solve_linear<TestSpace, double>(
        TestSpace(), [&] { return A; },
        [&](Ordinal, Ordinal) {
          return LinearVectors{{std::vector<double>(length, 1), 1}, {}};
        },
        settings);
  };
  const auto pcg = settings_for<PcgParams>();
  EXPECT_COMPLAINT(run(pcg, parabola(4), 4), "the system: the matrix is 4 x 3");
  EXPECT_COMPLAINT(run(pcg, parabola(3), 3), "pcg needs a symmetric matrix");
  EXPECT_COMPLAINT(run(settings_for<BiCgStabParams>(), parabola(3), 2), "right-hand sides");
}

}  // namespace
