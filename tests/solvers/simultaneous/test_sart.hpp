// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SART and OS-SART: against plain loops, and the properties of a sweep.
#include <Tomokkos_Sart.hpp>
#include <numeric>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

Values sums_of(const PlainCsr& A) {
  return multiply(A, Values(static_cast<std::size_t>(A.columns), 1));
}

double largest(const Values& sums) {
  double result = 0;
  for (const double value : sums) result = std::max(result, std::abs(value));
  return result;
}

/// Computes `1 / sum`, or 0 if the sum is too small compared with the largest sum of the other
/// kind.
Values weights(Values sums, double other, double smallest_product) {
  for (auto& value : sums) value = std::abs(value) * other > smallest_product ? 1 / value : 0;
  return sums;
}

/// Largest entry in the first column whose sum is the largest up to a thousandth.
double largest_entry(const PlainCsr& A) {
  const PlainCsr columns = A.transposed();
  const Values sums = sums_of(columns);
  std::size_t j = 0;
  while (sums[j] < (1 - 1e-3) * largest(sums)) ++j;
  return largest(Values(columns.values.begin() + columns.offsets[j],
                        columns.values.begin() + columns.offsets[j + 1]));
}

/// Plain SART over views of `view_rows` rows, the last one possibly shorter, in `order`.
Values plain_sart(const PlainCsr& A, const Values& b, Values x, const SartParams& params,
                  const std::vector<int>& order) {
  const double smallest = params.smallest_product * largest_entry(A) * largest_entry(A);
  for (int sweep = 0; sweep < params.sweeps; ++sweep)
    for (const int view : order) {
      const Ordinal first = view * params.view_rows;
      const Ordinal end = std::min(first + params.view_rows, A.rows);
      const PlainCsr part = rows_of(A, first, end), transposed = part.transposed();
      const Values rows = sums_of(part), columns = sums_of(transposed);
      const Values R = weights(rows, largest(columns), smallest);
      const Values C = weights(columns, largest(rows), smallest);
      Values r = multiply(part, x);
      for (std::size_t i = 0; i < r.size(); ++i)
        r[i] = R[i] * (b[static_cast<std::size_t>(first) + i] - r[i]);
      const Values back = multiply(transposed, r);
      for (std::size_t j = 0; j < x.size(); ++j)
        x[j] =
            std::clamp(x[j] + params.relaxation * C[j] * back[j], params.minimum, params.maximum);
    }
  return x;
}

std::vector<int> in_turn(int views) {
  std::vector<int> order(static_cast<std::size_t>(views));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

SartParams params_of(int sweeps, Ordinal view_rows) {
  SartParams params;
  params.sweeps = sweeps;
  params.view_rows = view_rows;
  return params;
}

template <class Scalar>
class SartTest : public ::testing::Test {};
TYPED_TEST_SUITE(SartTest, Scalars);

TYPED_TEST(SartTest, agrees_with_the_plain_loop) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  for (const auto& [view_rows, views] : {std::pair{60, 5}, {7, 43}, {300, 1}, {1000, 1}})
    for (const bool boxed : {false, true})
      // With the larger threshold many rows and columns are left out.
      for (const double smallest : {1e-3, 9.0}) {
        SartParams params = params_of(4, view_rows);
        params.relaxation = 0.7;
        params.smallest_product = smallest;
        if (boxed) params.minimum = 0, params.maximum = 0.2;
        SolveResult result;
        const auto x =
            run_solver<Sart<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
        EXPECT_LT(relative_difference(x, plain_sart(A, b, start, params, in_turn(views))),
                  tolerance<TypeParam>(1e-5, 1e-13))
            << views << " views, smallest product " << smallest;
        EXPECT_EQ(result.iterations, 4);
        EXPECT_EQ(result.reason, StopReason::max_iterations);
        EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-12));
      }
}

// Neither the image nor the rows and columns that are left out depend on the unit of length.
TYPED_TEST(SartTest, has_the_same_image_in_every_unit) {
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 1), start(A.columns, 0);
  const auto image = [&](double unit, double smallest, auto solver) {
    using Solver = decltype(solver);
    typename Solver::type::params_type params;
    if constexpr (requires { params.view_rows; }) {
      params.sweeps = 4;
      params.view_rows = 60;
      params.smallest_product = smallest;
    } else {
      params.iterations = 10;
      params.smallest_sum = smallest;
    }
    PlainCsr scaled = A;
    for (double& value : scaled.values) value *= unit;
    Values x;
    for (const auto value :
         run_solver<typename Solver::type>(TestSpace(), scaled, b, start, params))
      x.push_back(unit * static_cast<double>(value));
    return x;
  };
  const auto expect_equal = [&](auto solver, double much) {
    const Values all = image(1, 0, solver);
    for (const double smallest : {1e-6, much}) {
      const Values base = image(1, smallest, solver);
      // With the larger bound, rows and columns are left out.
      EXPECT_EQ(relative_difference(base, all) > 1e-3, smallest == much);
      for (const double unit : {1e-9, 6.5e-6, 0.0045, 1e9})
        EXPECT_LT(relative_difference(image(unit, smallest, solver), base),
                  tolerance<TypeParam>(1e-5, 1e-13))
            << "unit " << unit << ", smallest " << smallest;
    }
  };
  expect_equal(std::type_identity<Sart<TestSpace, TypeParam>>(), 9);
  expect_equal(std::type_identity<Sirt<TestSpace, TypeParam>>(), 4);
}

TYPED_TEST(SartTest, visits_the_views_in_the_order_that_is_set) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start(A.columns, 0);
  const SartParams params = params_of(3, 50);
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const auto device_b = make_vector<TypeParam>(exec, b);
  Sart<TestSpace, TypeParam> solver(exec, A.rows, A.columns, params);
  const auto solved = [&] {
    const auto x = make_vector<TypeParam>(exec, start);
    solver.solve(exec, op, device_b, x);
    return to_std_vector(x);
  };
  const auto natural = solved();
  const std::vector<int> order{4, 1, 5, 0, 3, 2};
  solver.set_order({order.begin(), order.end()});
  const auto ordered = solved();
  EXPECT_LT(relative_difference(ordered, plain_sart(A, b, start, params, order)),
            tolerance<TypeParam>(1e-5, 1e-13));
  EXPECT_GT(relative_difference(ordered, natural), 1e-3);
  solver.set_order({0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(same_bits(solved(), natural));
  solver.set_order({});
  EXPECT_TRUE(same_bits(solved(), natural));
  for (const std::vector<Ordinal>& bad : std::vector<std::vector<Ordinal>>{
           {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 4}, {0, 1, 2, 3, 4, 6}, {0, 1, 2, 3, 4, -1}})
    EXPECT_TRUE(contains(error_of([&] { solver.set_order(bad); }), "6 subsets"));
}

TYPED_TEST(SartTest, subsets_of_single_views_are_views) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start(A.columns, 0);
  SartParams params = params_of(3, 50);
  using Solver = Sart<TestSpace, TypeParam>;
  const auto sart = run_solver<Solver>(exec, A, b, start, params);
  params.subsets = 6;
  EXPECT_TRUE(same_bits(run_solver<Solver>(exec, A, b, start, params), sart));
  // Two views each.
  params.subsets = 3;
  const auto os_sart = run_solver<Solver>(exec, A, b, start, params);
  EXPECT_LT(relative_difference(os_sart, plain_sart(A, b, start, params_of(3, 100), in_turn(3))),
            tolerance<TypeParam>(1e-5, 1e-13));
  // If no sum is small, the result is that of SIRT over subsets; other kernels may round otherwise.
  SirtParams sirt;
  sirt.iterations = 3;
  sirt.subsets = 3;
  sirt.subset_unit = 50;
  EXPECT_LT(
      relative_difference(run_solver<Sirt<TestSpace, TypeParam>>(exec, A, b, start, sirt), os_sart),
      tolerance<TypeParam>(1e-6, 1e-14));
  sirt.subsets = 6;
  sirt.subset_unit = 50;
  EXPECT_GT(
      relative_difference(run_solver<Sirt<TestSpace, TypeParam>>(exec, A, b, start, sirt), os_sart),
      1e-3);
}

TYPED_TEST(SartTest, several_slices_agree_with_single_ones) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const std::size_t s = 3;
  std::vector<Values> data, starts;
  for (unsigned j = 0; j < s; ++j) {
    data.push_back(random_vector(A.rows, j));
    starts.push_back(random_vector(A.columns, 10 + j));
  }
  SartParams params = params_of(3, 60);
  params.minimum = -0.5;
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const auto B = make_vector<TypeParam>(exec, interleave(data));
  const auto X = make_vector<TypeParam>(exec, interleave(starts));
  Sart<TestSpace, TypeParam> solver(exec, A.rows, A.columns, params, s);
  const std::vector<Ordinal> order{3, 0, 4, 2, 1};
  solver.set_order(order);
  EXPECT_TRUE(solver.solves_columns_together());
  solver.solve(exec, op, MultiVectorView<const TypeParam, MemorySpace>(B.data(), A.rows, s),
               MultiVectorView<TypeParam, MemorySpace>(X.data(), A.columns, s));
  for (std::size_t j = 0; j < s; ++j)
    EXPECT_LT(relative_difference(slice(to_std_vector(X), s, j),
                                  plain_sart(A, data[j], starts[j], params, {3, 0, 4, 2, 1})),
              tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(SartTest, goes_on_from_where_it_stood) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const auto b = make_vector<TypeParam>(exec, random_vector(A.rows, 1));
  const auto whole = make_vector<TypeParam>(exec, Values(A.columns, 0));
  const auto parts = make_vector<TypeParam>(exec, Values(A.columns, 0));
  SartParams params = params_of(7, 60);
  params.check_every = 1;
  Sart<TestSpace, TypeParam>(exec, A.rows, A.columns, params).solve(exec, op, b, whole);
  SolveProgress saved;
  params.sweeps = 3;
  Sart<TestSpace, TypeParam>(exec, A.rows, A.columns, params)
      .solve(exec, op, as_multivector(VectorView<const TypeParam, MemorySpace>(b)),
             as_multivector(VectorView<TypeParam, MemorySpace>(parts)),
             [&](const TestSpace&, const MonitorState<TestSpace, TypeParam>& state) {
               saved = state.progress();
               return MonitorAction::proceed;
             });
  params.sweeps = 7;
  Sart<TestSpace, TypeParam> second(exec, A.rows, A.columns, params);
  EXPECT_EQ(saved.iteration, 3);
  second.resume(saved);
  const SolveResult result = second.solve(exec, op, b, parts);
  EXPECT_EQ(result.history.size(), 8u);
  EXPECT_TRUE(same_bits(to_std_vector(parts), to_std_vector(whole)));
}

TYPED_TEST(SartTest, leaves_out_what_is_too_small_and_says_so_when_that_is_all) {
  // Two views of two rays. The second ray of the first view only grazes the image; the second view
  // hardly sees the last pixel.
  PlainCsr A;
  A.columns = 3;
  A.add(0, 1), A.add(1, 1), A.end_row();
  A.add(2, 1e-4), A.end_row();
  A.add(1, 2), A.add(2, 1e-4), A.end_row();
  A.end_row();
  SartParams params = params_of(1, 2);
  const auto x =
      run_solver<Sart<TestSpace, TypeParam>>(TestSpace(), A, {2, 5, 4, 3}, {0, 0, 7}, params);
  EXPECT_EQ(x[2], TypeParam(7));  // unchanged
  EXPECT_NEAR(x[0], 1, 1e-6);
  // Both pixels count in the row sum of the ray.
  EXPECT_NEAR(x[1], 1 + (4 - 2 - 7e-4) / 2.0001, 1e-5);
  params.smallest_product = 100;
  EXPECT_TRUE(contains(
      error_of([&] {
        run_solver<Sart<TestSpace, TypeParam>>(TestSpace(), A, {2, 5, 4, 3}, {0, 0, 7}, params);
      }),
      "smallest_product"));
}

TEST(Sart, refuses_what_makes_no_sense) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const auto refuses = [&](const SartParams& params, const char* word) {
    EXPECT_TRUE(contains(
        error_of([&] { Sart<TestSpace, float> solver(exec, A.rows, A.columns, params); }), word))
        << word;
  };
  refuses(SartParams{}, "view_rows");
  SartParams params = params_of(3, 60);
  params.smallest_product = -1;
  refuses(params, "smallest_product");
  params = params_of(3, 60);
  params.relaxation = 2;
  refuses(params, "relaxation");
  params = params_of(3, 60);
  params.subsets = 6;  // of five views
  refuses(params, "6 subsets");
  params.subsets = 0;
  refuses(params, "subsets");
  params = params_of(-1, 60);
  refuses(params, "iterations");

  const ProductsAlone<float> op{make_operator<float>(exec, A)};
  Sart<TestSpace, float> solver(exec, A.rows, A.columns, params_of(3, 60));
  const auto b = make_vector<float>(exec, Values(A.rows, 1));
  const auto x = make_vector<float>(exec, Values(A.columns, 0));
  EXPECT_TRUE(contains(error_of([&] { solver.solve(exec, op, b, x); }), "range of rows"));
}

}  // namespace
