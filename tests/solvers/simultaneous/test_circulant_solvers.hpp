// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers with block-circulant matrices compared with the expanded matrix in CSR: single, in
// stacks, with the terms of PET, and with ordered subsets of the block rows.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_CirculantSubsetOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_Sart.hpp>
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

/// Compares a solver that visits subsets of block rows with the same subsets of the expanded
/// matrix.
template <class Solver>
void expect_same_solution_by_subsets(const typename Solver::params_type& params, int subsets,
                                     double tolerance) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const PlainCirculant plain = positive_circulant(12);
  CirculantSelection<TestMemory> selection;
  selection.subsets = subsets;
  selection.order = subset_class_order(subsets);
  const PlainCsr whole = plain.expanded(CirculantOrder::rotations);
  PlainCsr C;
  C.columns = whole.columns;
  for (const Ordinal row :
       circulant_subset_rows(plain.block_rows(), plain.blocks, subsets, selection.order)) {
    for (auto e = whole.offsets[row]; e < whole.offsets[row + 1]; ++e)
      C.add(whole.indices[e], whole.values[e]);
    C.end_row();
  }
  const std::size_t s = 2;
  std::vector<Values> data;
  for (unsigned j = 0; j < s; ++j)
    data.push_back(solver_testing::multiply(C, solver_testing::positive_vector(C.columns, 3 + j)));
  const auto solve = [&](const AnyOperator<TestSpace, Scalar>& A) {
    const auto b = solver_testing::make_vector<Scalar>(exec, interleave(data));
    const auto x = solver_testing::make_vector<Scalar>(
        exec, Values(s * static_cast<std::size_t>(C.columns), 1));
    Solver solver(exec, C.rows, C.columns, params, static_cast<Ordinal>(s));
    solver.solve(exec, A, MultiVectorView<const Scalar, TestMemory>(b.data(), C.rows, s),
                 MultiVectorView<Scalar, TestMemory>(x.data(), C.columns, s));
    return to_std_vector(x);
  };
  const auto expected = solve(solver_testing::make_operator<Scalar>(exec, C));
  for (const TransposeMethod method : {TransposeMethod::stored, TransposeMethod::direct}) {
    Options<Scalar> options;
    options.transpose = method;
    const CirculantSubsetOperator<TestSpace, Scalar> A(exec, on_device<Scalar>(plain), options,
                                                       selection);
    EXPECT_LT(solver_testing::relative_difference(solve(A), expected), tolerance)
        << name_of(options) << ", " << subsets << " subsets";
  }
}

TYPED_TEST(CirculantSolvers, ordered_subsets_find_what_they_find_with_the_expanded_matrix) {
  const double tolerance = solver_testing::tolerance<TypeParam>(1e-4, 1e-12);
  for (const int subsets : {3, 12}) {
    MlemParams mlem;
    mlem.iterations = 4;
    mlem.subsets = subsets;
    mlem.subset_unit = 12 * 12 / subsets;
    expect_same_solution_by_subsets<Mlem<TestSpace, TypeParam>>(mlem, subsets, tolerance);
    SirtParams sirt;
    sirt.iterations = 4;
    sirt.subsets = subsets;
    sirt.subset_unit = 12;
    expect_same_solution_by_subsets<Sirt<TestSpace, TypeParam>>(sirt, subsets, tolerance);
    SartParams sart;
    sart.sweeps = 3;
    sart.view_rows = 12;
    sart.subsets = subsets;
    sart.relaxation = 0.5;
    expect_same_solution_by_subsets<Sart<TestSpace, TypeParam>>(sart, subsets, tolerance);
  }
}

}  // namespace
