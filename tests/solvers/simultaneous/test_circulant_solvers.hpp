// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers with block-circulant matrices compared with the expanded matrix in CSR: single, in
// stacks, and with the terms of PET.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>

#include "CirculantVariants.hpp"
#include "StackTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

using solver_testing::Values;
using stack_testing::interleave;

template <class Scalar>
class CirculantSolvers : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CirculantSolvers, Scalars);

/// Returns x of a stack, computed with the operator and with the expanded matrix in CSR.
template <class Solver>
void expect_same_solution(const typename Solver::params_type& params, double tolerance,
                          bool with_terms = false) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const PlainCirculant plain = positive_circulant();
  const PlainCsr C = plain.expanded(CirculantOrder::rotations);
  const auto csr = solver_testing::make_operator<Scalar>(exec, C);
  for (const std::size_t s : {std::size_t{1}, std::size_t{3}}) {
    std::vector<Values> data;
    for (std::size_t j = 0; j < s; ++j) {
      Values b = solver_testing::multiply(
          C, solver_testing::positive_vector(C.columns, 3 + static_cast<unsigned>(j)));
      const auto error = random_vector(b.size(), 20 + static_cast<unsigned>(j));
      for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(std::max(0.0, b[i] * (1 + 0.05 * error[i])));
      data.push_back(b);
    }
    const auto n =
        solver_testing::make_vector<Scalar>(exec, solver_testing::positive_vector(C.rows, 40));
    const auto background =
        solver_testing::make_vector<Scalar>(exec, solver_testing::positive_vector(C.rows, 41, 0.5));
    const auto solve = [&](const AnyOperator<TestSpace, Scalar>& A) {
      const auto b = solver_testing::make_vector<Scalar>(exec, interleave(data));
      const auto x = solver_testing::make_vector<Scalar>(
          exec, Values(s * static_cast<std::size_t>(C.columns), 1));
      Solver solver(exec, C.rows, C.columns, params, static_cast<Ordinal>(s));
      if constexpr (requires { solver.set_terms({n, background}); })
        if (with_terms) solver.set_terms({n, background});
      const auto results =
          solver.solve(exec, A, MultiVectorView<const Scalar, TestMemory>(b.data(), C.rows, s),
                       MultiVectorView<Scalar, TestMemory>(x.data(), C.columns, s));
      EXPECT_EQ(results.size(), s);
      for (const SolveResult& result : results) {
        EXPECT_EQ(result.iterations, params.iterations);
      }
      return to_std_vector(x);
    };
    const auto expected = solve(csr);
    for (const Options<Scalar>& options : ways<Scalar>())
      EXPECT_LT(
          solver_testing::relative_difference(
              solve(CirculantOperator<Scalar>(exec, on_device<Scalar>(plain), options)), expected),
          tolerance)
          << name_of(options) << ", " << s << " vectors";
  }
}

TYPED_TEST(CirculantSolvers, mlem_finds_what_it_finds_with_the_expanded_matrix) {
  MlemParams params;
  params.iterations = 12;
  const double tolerance = solver_testing::tolerance<TypeParam>(1e-5, 1e-13);
  expect_same_solution<Mlem<TestSpace, TypeParam>>(params, tolerance);
  expect_same_solution<Mlem<TestSpace, TypeParam>>(params, tolerance, true);
}

TYPED_TEST(CirculantSolvers, sirt_finds_what_it_finds_with_the_expanded_matrix) {
  SirtParams params;
  params.iterations = 12;
  expect_same_solution<Sirt<TestSpace, TypeParam>>(
      params, solver_testing::tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(CirculantSolvers, cgls_finds_what_it_finds_with_the_expanded_matrix) {
  CglsParams params;
  params.iterations = 6;
  expect_same_solution<Cgls<TestSpace, TypeParam>>(
      params, solver_testing::tolerance<TypeParam>(1e-3, 1e-11));
}

}  // namespace
