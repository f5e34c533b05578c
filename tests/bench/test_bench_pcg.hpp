// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients and vector operations in the benchmark: every candidate runs correctly, wrong
// results are detected, and the bytes agree with the model.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BenchGenerators.hpp>
#include <Tomokkos_BenchPcg.hpp>
#include <Tomokkos_BenchPcgPeers.hpp>
#include <Tomokkos_BenchSuite.hpp>
#include <Tomokkos_BenchVectorCandidates.hpp>
#include <Tomokkos_BenchVectors.hpp>
#include <Tomokkos_Stencil.hpp>
#include <limits>
#include <set>

namespace {

using namespace Tomokkos::Bench;
using MemorySpace = TestSpace::memory_space;
using Tomokkos::MatrixFormat;

template <class Scalar>
using Matrix = Tomokkos::CsrMatrix<Scalar, MemorySpace>;

template <class Scalar>
Matrix<Scalar> poisson(int points = 7) {
  return Tomokkos::build_stencil_matrix<TestSpace, Scalar>(TestSpace(), points, 9, 8, 7);
}

BenchOptions quick_options() {
  BenchOptions options;
  options.operations = {Operation::pcg, Operation::axpy, Operation::dot};
  options.formats = {"csr", "sell", "bcsr"};
  for (const auto& [peer, name] : Tomokkos::EnumNames<Peer>::names) options.peers.push_back(peer);
  options.pcg.iterations = 12;
  options.pcg.check_every = 4;
  options.pcg.tolerance = 1e-4;
  options.timing.warmup = 1;
  options.timing.repetitions = 2;
  options.timing.seconds_per_sample = 0;
  options.available_bytes = std::size_t{1} << 26;  // arrays of the bandwidth probe stay small
  return options;
}

TEST(BenchPcg, every_loop_runs_and_is_correct) {
  Suite<TestSpace> suite(TestSpace(), quick_options());
  suite.measure_matrix<float>("points_7", poisson<float>(), "no scan");
  suite.measure_matrix<double>("points_27", poisson<double>(27), "no scan");
  const BenchReport& report = suite.report();
  std::set<std::string> seen, libraries;
  for (const BenchResult& r : report.results) {
    const std::string name = r.name.library + ' ' + r.name.format + ' ' + r.name.variant;
    EXPECT_EQ(r.name.operation, "pcg");
    EXPECT_LE(r.error, 1.0) << name;
    EXPECT_GT(r.seconds_median, 0.0) << name;
    EXPECT_GT(r.memory_bytes, 0U) << name;
    ASSERT_TRUE(r.solve.has_value()) << name;
    EXPECT_GT(r.solve->timed_iterations, 1) << name;
    EXPECT_LT(r.solve->timed_residual, 1.0) << name;
    EXPECT_EQ(r.solve->reason, "converged") << name;
    EXPECT_GT(r.solve->iterations, 4) << name;
    EXPECT_LE(r.solve->residual, 1.05e-4) << name;
    EXPECT_GT(r.solve->product_seconds, 0.0) << name;
    EXPECT_LT(BenchReport::overhead_share(r).value_or(2), 1.0) << name;
    EXPECT_EQ(r.fill > 1.5, r.name.format == "bcsr") << name;
    libraries.insert(r.name.library);
    if (r.name.library == "tomokkos") seen.insert(r.name.format + ' ' + r.name.variant);
  }
  for (const char* wanted :
       {"csr scaled", "csr scaled:direct", "csr single_reduction", "csr unscaled",
        "sell scaled:sigma_1", "bcsr scaled:2x2", "bcsr scaled:4x4"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
  // Only recorded launches and resident teams may be refused, on backends without them.
  for (const SkippedCandidate& skipped : report.skipped)
    EXPECT_TRUE(skipped.name.variant.ends_with(":recorded") ||
                skipped.name.variant.ends_with(":resident"))
        << skipped.name.variant << ": " << skipped.reason;
  for (const auto& [peer, name] : Tomokkos::EnumNames<Peer>::names)
    EXPECT_EQ(libraries.count(std::string(name)) == 1,
              std::count(report.absent_peers.begin(), report.absent_peers.end(), name) == 0)
        << name;
  // All candidates for one matrix and scalar have performed the same number of iterations.
  for (const BenchResult& a : report.results)
    for (const BenchResult& b : report.results)
      if (a.name.matrix == b.name.matrix) {
        EXPECT_EQ(a.solve->timed_iterations, b.solve->timed_iterations);
        EXPECT_NEAR(a.solve->iterations, b.solve->iterations, 2) << a.name.variant;
      }
}

TEST(BenchPcg, bytes_agree_with_the_model) {
  EXPECT_EQ(fused_iteration_bytes<double>(10, 100), 12U * 100 + 84 * 10);
  EXPECT_EQ(fused_iteration_bytes<float>(10, 100), 8U * 100 + 44 * 10);
  BenchCase<TestSpace, double> matrix_case(TestSpace(), poisson<double>(), 1);
  const auto problem = make_pcg_problem(matrix_case);
  const auto n = static_cast<std::size_t>(problem.size());
  const auto nonzeros = static_cast<std::size_t>(problem.A.num_nonzeros());
  // The product reads 32-bit offsets, one more than the number of rows.
  EXPECT_EQ(unfused_loop(problem, csr_bytes(problem.A, 4)).bytes_model,
            12 * nonzeros + 156 * n + 4);

  const auto loops = our_pcg_loops(problem, quick_options());
  const auto bytes = [&](const std::string& variant) {
    for (const auto& loop : loops.entries())
      if (loop.variant == variant) return loop.bytes_model;
    return std::size_t{0};
  };
  // Our loop has 64-bit offsets. If the product does not compute `p . A p`, two more vectors are
  // read.
  const std::size_t fused = fused_iteration_bytes<double>(problem.size(), nonzeros) + 4 * n + 8;
  const std::size_t direct = bytes("scaled:direct");
  EXPECT_TRUE(direct == fused || direct == fused + 16 * n) << direct;
  // The scheme with resident teams keeps one more vector, and reads the diagonal once.
  const bool has_resident = bytes("single_reduction:resident") > 0;
  EXPECT_EQ(bytes("single_reduction"), fused + 3 * 8 * n);
  EXPECT_EQ(bytes("scaled"), has_resident ? bytes("single_reduction") : direct);
  EXPECT_EQ(bytes("unscaled"), has_resident ? bytes("scaled") + 4 * 8 * n : direct + 16 * n);
}

TEST(BenchPcg, a_loop_includes_the_figures_of_its_product) {
  BenchCase<TestSpace, float> matrix_case(TestSpace(), poisson<float>(), 1);
  const auto problem = make_pcg_problem(matrix_case);
  const std::size_t vector = sizeof(float) * static_cast<std::size_t>(problem.size());
  ProductList<float> products("other");
  products.attempt("slow", [] {
    Product<float> product;
    product.matrix_bytes = 1000;
    product.memory_bytes = 1300;
    product.setup_seconds = 2;
    return product;
  });
  products.attempt("absent", []() -> Product<float> { throw Tomokkos::Error("not today"); });
  const auto loop = product_loop(problem, products.entries().front(), 21);
  EXPECT_EQ(loop.matrix_bytes, 1000U);
  EXPECT_EQ(loop.bytes_model, 1000 + 21 * vector);
  EXPECT_EQ(loop.memory_bytes, 1300 + 5 * vector);
  EXPECT_EQ(loop.setup_seconds, 2.0);
  PcgLoopList<float> list("other");
  list.append_refused(products, [](const std::string& variant) { return "blas:" + variant; });
  EXPECT_TRUE(list.entries().empty());
  ASSERT_EQ(list.refused().size(), 1U);
  EXPECT_EQ(list.refused().front().library, "other");
  EXPECT_EQ(list.refused().front().variant, "blas:absent");
  EXPECT_EQ(list.refused().front().reason, "not today");
}

TEST(BenchPcg, the_common_share_refers_to_the_common_bytes) {
  BenchReport report;
  report.bandwidth.reference = 100;
  report.machine.last_cache_bytes = 10;
  BenchResult result;
  result.seconds_median = 2;
  result.bytes_model = 200000000000;
  result.footprint_bytes = 1000;
  EXPECT_FALSE(report.common_share(result).has_value());
  EXPECT_FALSE(BenchReport::overhead_share(result).has_value());
  result.solve.emplace();
  result.solve->common_bytes = 50000000000;
  result.solve->product_seconds = 1.5;
  EXPECT_DOUBLE_EQ(report.share_of_bandwidth(result).value_or(0), 1.0);
  EXPECT_DOUBLE_EQ(report.common_share(result).value_or(0), 0.25);
  EXPECT_DOUBLE_EQ(BenchReport::overhead_share(result).value_or(0), 0.25);
}

/// Runs \p loop on the system with \p A and returns its only result.
template <class Scalar>
BenchResult result_of(
    const Matrix<Scalar>& A, const BenchOptions& options,
    const std::function<PcgLoop<Scalar>(const PcgProblem<TestSpace, Scalar>&)>& loop) {
  BenchCase<TestSpace, Scalar> matrix_case(TestSpace(), A, 1);
  const PcgBench<TestSpace, Scalar> bench(matrix_case, options);
  PcgLoopList<Scalar> loops("other");
  loops.attempt("csr", "changed", [&] { return loop(bench.problem()); });
  CandidateList list;
  bench.add(list, loops);
  BenchReport report;
  measure(list, {}, options.timing, report);
  EXPECT_EQ(report.results.size(), 1U);
  return report.results.empty() ? BenchResult{} : report.results.front();
}

/// Returns the error of our first loop after \p change has modified its request and \p spoil its
/// iterate.
template <class Scalar>
double error_of(
    const Matrix<Scalar>& A, const BenchOptions& options,
    const std::function<void(PcgRequest&)>& change,
    const std::function<void(const Tomokkos::VectorView<Scalar, MemorySpace>&)>& spoil) {
  return result_of<Scalar>(A, options,
                           [&](const PcgProblem<TestSpace, Scalar>& problem) {
                             const PcgLoop<Scalar> correct =
                                 our_pcg_loops(problem, options).entries().front();
                             PcgLoop<Scalar> loop = correct;
                             const Tomokkos::Ordinal n = problem.size();
                             loop.run = [=](PcgRequest request, Scalar* x) {
                               change(request);
                               const PcgOutcome outcome = correct.run(request, x);
                               spoil(Tomokkos::VectorView<Scalar, MemorySpace>(x, n));
                               return outcome;
                             };
                             return loop;
                           })
      .error;
}

template <class Scalar>
void check_that_wrong_loops_are_detected(const Matrix<Scalar>& A, const BenchOptions& options) {
  const auto error = [&](const auto& change, const auto& spoil) {
    return error_of<Scalar>(A, options, change, spoil);
  };
  const auto same_request = [](PcgRequest&) {};
  const auto same_iterate = [](const auto&) {};
  const auto fill = [](Scalar value) {
    return [value](const Tomokkos::VectorView<Scalar, MemorySpace>& x) {
      Kokkos::deep_copy(x, value);
    };
  };
  EXPECT_LE(error(same_request, same_iterate), 1.0);
  EXPECT_GT(error([](PcgRequest& request) { request.iterations /= 2; }, same_iterate), 1.0)
      << "half the iterations";
  EXPECT_GT(error([](PcgRequest& request) { request.iterations = 1; }, same_iterate), 1.0)
      << "one iteration";
  EXPECT_GT(error(same_request, fill(0)), 1.0) << "no iteration";
  EXPECT_GT(error(same_request, fill(std::numeric_limits<Scalar>::quiet_NaN())), 1.0);
  const auto spoil_one = [](const Tomokkos::VectorView<Scalar, MemorySpace>& x) {
    Kokkos::deep_copy(Kokkos::subview(x, 3), Scalar(7));
  };
  EXPECT_GT(error(same_request, spoil_one), 1.0) << "one wrong entry";
}

TEST(BenchPcg, detects_wrong_loops) {
  check_that_wrong_loops_are_detected(poisson<float>(), quick_options());
  check_that_wrong_loops_are_detected(poisson<double>(), quick_options());
}

/// System of a conformal map. Its residuals rise for a long time.
template <class Scalar>
Matrix<Scalar> lscm() {
  return Tomokkos::copy_to<MemorySpace>(
      TestSpace(), generate<Scalar>(Lscm{Tomokkos::MeshShape::hills, 1000, 1}));
}

BenchOptions hundred_iterations() {
  BenchOptions options = quick_options();
  options.pcg.iterations = 100;
  options.pcg.check_every = 25;
  options.timing.warmup = 0;
  options.timing.repetitions = 1;
  return options;
}

TEST(BenchPcg, detects_wrong_loops_while_residuals_rise) {
  check_that_wrong_loops_are_detected(lscm<float>(), hundred_iterations());
  check_that_wrong_loops_are_detected(lscm<double>(), hundred_iterations());
  EXPECT_GT(error_of<double>(
                lscm<double>(), hundred_iterations(),
                [](PcgRequest& request) { request.iterations *= 2; }, [](const auto&) {}),
            1.0)
      << "twice the iterations";
}

TEST(BenchPcg, every_format_of_a_conformal_map_is_correct) {
  Suite<TestSpace> suite(TestSpace(), hundred_iterations());
  suite.measure_matrix<float>("lscm", lscm<float>(), "no scan");
  suite.measure_matrix<double>("lscm", lscm<double>(), "no scan");
  std::set<std::string> seen;
  for (const BenchResult& r : suite.report().results) {
    EXPECT_LE(r.error, 1.0) << r.name.library << ' ' << r.name.format << ' ' << r.name.variant
                            << ' ' << r.name.scalar;
    seen.insert(r.name.scalar + ' ' + r.name.format + ' ' + r.name.variant);
  }
  for (const char* wanted : {"float complex scaled", "float shared scaled", "double complex scaled",
                             "double shared scaled", "double shared scaled:float_matrix",
                             "double csr scaled:float_matrix"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
}

TEST(BenchPcg, a_loop_that_does_no_work_has_no_time) {
  for (const int iterations : {0, 12}) {
    const auto result = result_of<double>(
        poisson<double>(), quick_options(), [&](const PcgProblem<TestSpace, double>&) {
          PcgLoop<double> loop;
          loop.run = [=](const PcgRequest&, double*) { return PcgOutcome{iterations}; };
          loop.multiply = [](const double*, double*) {};
          return loop;
        });
    EXPECT_GT(result.error, 1.0);
    EXPECT_EQ(result.seconds_median, std::numeric_limits<double>::infinity());
  }
}

TEST(BenchPcg, an_iterate_may_be_late_but_not_wrong) {
  PcgReference reference;
  reference.iterations = 30;
  for (int k = 0; k <= 33; ++k) reference.energies.push_back(std::pow(0.5, k) - 1);
  EXPECT_EQ(reference.error(std::pow(0.5, 30) - 1), 0.0);
  EXPECT_EQ(reference.error(std::pow(0.5, 27) - 1), 0.0);
  EXPECT_LE(reference.error(1.2 * std::pow(0.5, 27) - 1), 1.0);
  EXPECT_GT(reference.error(1.3 * std::pow(0.5, 27) - 1), 1.0);
  EXPECT_GT(reference.error(-1 - std::pow(0.5, 27)), 1.0) << "lower than any iterate";
  EXPECT_GT(reference.error(0.0), 1.0);
  EXPECT_GT(reference.error(std::numeric_limits<double>::quiet_NaN()), 1.0);
  EXPECT_GT(reference.error(-std::numeric_limits<double>::infinity()), 1.0);
  reference.rounding = 1e-3;
  EXPECT_LE(reference.error(-1 + 9e-4), 1.0);
  // Only rounding is tolerated when the energy no longer falls.
  reference.energies.assign(34, -1.0);
  EXPECT_LE(reference.error(-1 - 9e-4), 1.0);
  EXPECT_GT(reference.error(-1 - 2e-3), 1.0);
}

/// Returns the reason why \p A has no candidates, or "accepted".
template <class Scalar>
std::string reason_for(const Tomokkos::HostCsrMatrix<Scalar>& A) {
  const TestSpace exec;
  BenchCase<TestSpace, Scalar> matrix_case(exec, Tomokkos::copy_to<MemorySpace>(exec, A), 1);
  try {
    const PcgBench<TestSpace, Scalar> bench(matrix_case, quick_options());
  } catch (const Tomokkos::Error& error) {
    return error.what();
  }
  return "accepted";
}

/// Returns the 3 x 3 matrix with \p entries. Zeros are stored, too.
Tomokkos::HostCsrMatrix<double> dense(const std::vector<double>& entries) {
  const Kokkos::View<Tomokkos::Offset*, Kokkos::HostSpace> offsets("offsets", 4);
  const Kokkos::View<Tomokkos::Ordinal*, Kokkos::HostSpace> columns("columns", 9);
  const Kokkos::View<double*, Kokkos::HostSpace> values("values", 9);
  for (int k = 0; k < 9; ++k) {
    columns(k) = k % 3;
    values(k) = entries[static_cast<std::size_t>(k)];
  }
  for (int i = 0; i <= 3; ++i) offsets(i) = 3 * i;
  return {3, 3, offsets, columns, values};
}

TEST(BenchPcg, refuses_unsuitable_systems) {
  EXPECT_EQ(reason_for(dense({2, 1, 0, 1, 2, 1, 0, 1, 2})), "accepted");
  EXPECT_NE(reason_for(generate<double>(Uniform{9, 7, 3.0, 3})).find("square"), std::string::npos);
  EXPECT_NE(reason_for(dense({2, 1, 0, 0, 2, 1, 0, 0, 2})).find("not symmetric"),
            std::string::npos);
  EXPECT_NE(reason_for(dense({2, 1, 0, 1, 0, 1, 0, 1, 2})).find("1 entries that are not positive"),
            std::string::npos);
  EXPECT_NE(reason_for(dense({1, 3, 0, 3, 1, 0, 0, 0, 1})).find("not positive definite"),
            std::string::npos);
}

TEST(BenchVectors, are_correct_and_counted) {
  Suite<TestSpace> suite(TestSpace(), quick_options());
  for (const Tomokkos::Ordinal length : {1, 1000, 20001}) {
    suite.measure_vectors<float>(length);
    suite.measure_vectors<double>(length);
  }
  const BenchReport& report = suite.report();
  EXPECT_TRUE(report.skipped.empty());
  EXPECT_GE(report.results.size(), 12U);
  for (const BenchResult& r : report.results) {
    EXPECT_LE(r.error, 1.0) << r.name.library << ' ' << r.name.operation << ' ' << r.name.matrix;
    const double n = std::stod(r.name.matrix.substr(7));
    const double size = r.name.scalar == "float" ? 4 : 8;
    EXPECT_EQ(r.operations, 2 * n);
    EXPECT_EQ(static_cast<double>(r.bytes_model), (r.name.operation == "dot" ? 2 : 3) * size * n);
    EXPECT_FALSE(r.solve.has_value());
  }
  ASSERT_EQ(report.matrices.size(), 3U);
  EXPECT_EQ(report.matrices[1].origin, "vector");
  EXPECT_EQ(report.matrices[1].rows.nonzeros, 1000);
}

TEST(BenchVectors, detects_wrong_results) {
  const BenchOptions options = quick_options();
  const auto list =
      vector_candidates<TestSpace, double>(TestSpace(), Operation::axpy, 100, options, {});
  ASSERT_EQ(list.entries().size(), 1U);
  const Candidate& axpy = list.entries().front();
  axpy.poison();
  EXPECT_GT(axpy.error(), 1.0) << "not run yet";
  axpy.launch();
  axpy.fence();
  EXPECT_LE(axpy.error(), 1.0);
  axpy.launch();
  axpy.fence();
  EXPECT_GT(axpy.error(), 1.0) << "added twice";
  const auto dots =
      vector_candidates<TestSpace, float>(TestSpace(), Operation::dot, 100, options, {});
  EXPECT_GT(dots.entries().front().error(), 1.0) << "not run yet";
  dots.entries().front().launch();
  EXPECT_LE(dots.entries().front().error(), 1.0);
}

/// Calls of a library on plain vectors, with a diagonal matrix of two distinct values. Counts the
/// dot products and the products with the matrix.
struct PlainCalls {
  static constexpr int n = 6;
  std::vector<double> vectors[4] = {std::vector<double>(n), std::vector<double>(n),
                                    std::vector<double>(n), std::vector<double>(n)};
  int dots = 0, products = 0;

  double* r() { return vectors[0].data(); }
  double* z() { return vectors[1].data(); }
  double* p() { return vectors[2].data(); }
  double* q() { return vectors[3].data(); }
  void multiply(const double* x, double* y) {
    ++products;
    for (int i = 0; i < n; ++i) y[i] = (i % 2 == 0 ? 1.0 : 3.0) * x[i];
  }
  void precondition(const double* x, double* y) const { copy(x, y); }
  double dot(const double* x, const double* y) {
    ++dots;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
  }
  void axpy(double a, const double* x, double* y) const {
    for (int i = 0; i < n; ++i) y[i] += a * x[i];
  }
  void xpby(const double* x, double b, double* y) const {
    for (int i = 0; i < n; ++i) y[i] = x[i] + b * y[i];
  }
  void copy(const double* x, double* y) const { std::copy(x, x + n, y); }
  void clear(double* x) const { std::fill(x, x + n, 0.0); }
  void fence() const {}
};

TEST(BenchPcg, the_loop_of_separate_calls_needs_three_reductions_per_iteration) {
  const std::vector<double> b{1, 2, 3, 4, 5, 6};
  std::vector<double> x(6, 99.0);
  PlainCalls calls;
  const PcgOutcome outcome = unfused_pcg(calls, {50, 1e-12, 1}, b.data(), x.data());
  EXPECT_EQ(outcome.iterations, 2) << "as many as the matrix has distinct values";
  EXPECT_EQ(outcome.reason, "converged");
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(x[i], b[i] / (i % 2 == 0 ? 1.0 : 3.0), 1e-12);
  EXPECT_EQ(calls.products, 2);
  EXPECT_EQ(calls.dots, 2 + 2 * 3 - 1) << "the last iteration ends before r . z";
  EXPECT_EQ(unfused_pcg(calls, {1, 0.0, 1}, b.data(), x.data()).reason, "max_iterations");
}

}  // namespace
