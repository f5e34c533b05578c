// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterations of every solver of the library in our formats: each is correct or refused with its
// reason, and a wrong operator is detected.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BenchSolvers.hpp>
#include <Tomokkos_BenchSuite.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Stencil.hpp>
#include <set>

#include "BenchTesting.hpp"

namespace {

BenchOptions solver_options() {
  BenchOptions options = quick_options();
  options.operations = {Operation::iteration};
  options.formats = {"csr", "sell", "automatic"};
  return options;
}

TEST(BenchSolvers, every_solver_is_correct_or_refused) {
  Suite<TestSpace> suite(TestSpace(), solver_options());
  const RayGrid rays{9, 10};
  suite.measure_matrix<float>("scan", test_matrix<float>(), "", "generated", rays);
  suite.measure_matrix<double>("scan", test_matrix<double>(), "", "generated", rays);
  suite.measure_matrix<double>(
      "square", Tomokkos::build_stencil_matrix<TestSpace, double>(TestSpace(), 7, 6, 5, 4), "");
  std::set<std::string> correct;
  for (const BenchResult& r : suite.report().results) {
    EXPECT_LE(r.error, 1.0) << r.name.matrix << ' ' << r.name.operation << ' ' << r.name.scalar
                            << ' ' << r.name.format << ' ' << r.name.variant;
    EXPECT_GT(r.seconds_median, 0.0);
    EXPECT_GT(r.bytes_model, 0U);
    correct.insert(r.name.matrix + ' ' + r.name.operation);
  }
  for (const NamedSolver& solver : all_solvers()) {
    const bool is_square =
        Tomokkos::task_of(kind_of(solver.params)) == Tomokkos::SolverTask::square_systems;
    EXPECT_EQ(correct.count((is_square ? "square" : "scan") + (" iteration:" + solver.name)), 1U)
        << solver.name;
  }
  for (const SkippedCandidate& skipped : suite.report().skipped)
    EXPECT_FALSE(skipped.reason.empty()) << skipped.name.operation;
}

TEST(BenchSolvers, only_the_named_solvers_are_timed) {
  BenchOptions options = solver_options();
  options.formats = {"csr"};
  options.solvers = {"lsmr", "os_sirt"};
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_matrix<float>("scan", test_matrix<float>(), "");
  ASSERT_EQ(suite.report().results.size(), 2U);
  EXPECT_EQ(suite.report().results[0].name.operation, "iteration:lsmr");
  EXPECT_EQ(suite.report().results[1].name.operation, "iteration:os_sirt");
}

/// The wrong operator belongs to a matrix that differs only in its values.
TEST(BenchSolvers, the_configured_run_is_timed_too_and_a_wrong_operator_is_detected) {
  const TestSpace exec;
  const auto A = test_matrix<float>();
  BenchOptions options = solver_options();
  options.formats = {"csr"};
  options.solvers = {"cgls"};
  for (const bool is_wrong : {false, true}) {
    ConfiguredRun<TestSpace, float> run{
        {"cgls", Tomokkos::default_params(Tomokkos::SolverKind::cgls)}, [&] {
          auto M = A;
          const auto values = Tomokkos::allocate<Tomokkos::Vector<float, MemorySpace>>(
              exec, "values", A.num_nonzeros());
          Kokkos::deep_copy(exec, values, A.values);
          if (is_wrong)
            Kokkos::deep_copy(exec, Kokkos::subview(values, std::pair<int, int>(0, 100)), 3.0F);
          exec.fence();
          M.values = values;
          return Tomokkos::CsrOperator<TestSpace, float>(exec, M);
        }};
    Suite<TestSpace> suite(exec, options);
    suite.measure_matrix<float>("scan", A, "", "generated", {}, &run);
    ASSERT_EQ(suite.report().results.size(), 2U);
    const BenchResult& own = suite.report().results.back();
    EXPECT_EQ(own.name.format, "run");
    EXPECT_EQ(own.name.variant, "as_configured");
    EXPECT_EQ(own.error > 1, is_wrong) << own.error;
    EXPECT_LE(suite.report().results.front().error, 1.0);
  }
}

}  // namespace
