// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLEM and SIRT over ordered subsets: against plain loops, and the properties of an iteration.
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Sirt.hpp>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

/// Extracts the rows of a subset as a matrix.
PlainCsr part_of(const PlainCsr& A, RowRange rows) { return rows_of(A, rows.begin, rows.end); }

Values part_of(const Values& x, RowRange rows) {
  return Values(x.begin() + rows.begin, x.begin() + rows.end);
}

RowRange resolved(const RowSubsets& subsets, int i, const PlainCsr& A) {
  return subsets[i].resolved(A.rows);
}

Values plain_osem(const PlainCsr& A, const Values& g, Values f, const MlemParams& params,
                  const Values& n, const Values& b) {
  const RowSubsets subsets(A.rows, params.subsets, params.subset_unit);
  for (int k = 0; k < params.iterations; ++k)
    for (int t = 0; t < params.subsets; ++t) {
      const RowRange rows = resolved(subsets, t, A);
      const PlainCsr part = part_of(A, rows), transposed = part.transposed();
      Values ratio = multiply(part, f);
      for (std::size_t i = 0; i < ratio.size(); ++i) {
        const std::size_t row = static_cast<std::size_t>(rows.begin) + i;
        ratio[i] = n[row] * ratio[i] > 0 ? n[row] * g[row] / (n[row] * ratio[i] + b[row]) : 0;
      }
      const Values sensitivity = multiply(transposed, part_of(n, rows));
      const Values back = multiply(transposed, ratio);
      for (std::size_t j = 0; j < f.size(); ++j)
        if (sensitivity[j] > 0) f[j] *= back[j] / sensitivity[j];
    }
  return f;
}

Values inverse_sums(const PlainCsr& A) {
  Values sums = multiply(A, Values(static_cast<std::size_t>(A.columns), 1));
  for (auto& value : sums) value = std::abs(value) > 1e-6 ? 1 / value : 0;
  return sums;
}

Values plain_subset_sirt(const PlainCsr& A, const Values& b, Values x, const SirtParams& params) {
  const RowSubsets subsets(A.rows, params.subsets, params.subset_unit);
  for (int k = 0; k < params.iterations; ++k)
    for (int t = 0; t < params.subsets; ++t) {
      const RowRange rows = resolved(subsets, t, A);
      const PlainCsr part = part_of(A, rows), transposed = part.transposed();
      const Values R = inverse_sums(part), C = inverse_sums(transposed), data = part_of(b, rows);
      Values r = multiply(part, x);
      for (std::size_t i = 0; i < r.size(); ++i) r[i] = R[i] * (data[i] - r[i]);
      const Values back = multiply(transposed, r);
      for (std::size_t j = 0; j < x.size(); ++j)
        x[j] =
            std::clamp(x[j] + params.relaxation * C[j] * back[j], params.minimum, params.maximum);
    }
  return x;
}

struct Counts {
  PlainCsr A = positive_matrix();
  Values g, ones, n, b;
  Counts() {
    g = multiply(A, positive_vector(A.columns, 3, 4));
    for (std::size_t i = 0; i < g.size(); ++i) {
      g[i] = std::round(g[i] * (0.8 + 0.05 * static_cast<double>(i % 9)));
      if (i % 17 == 0) g[i] = 0;
    }
    g[7] = 5;  // the row without nonzeros
    ones.assign(A.columns, 1);
    ones[11] = 0;  // the voxel that no row sees
    n = positive_vector(g.size(), 5);
    b = positive_vector(g.size(), 6, 3);
    n[20] = 0;  // a dead detector
  }
};

template <class Scalar>
class SubsetTest : public ::testing::Test {};
TYPED_TEST_SUITE(SubsetTest, Scalars);

TEST(RowSubsets, hold_every_row_once_in_whole_units) {
  for (const Ordinal rows : {1, 7, 48, 300})
    for (const Ordinal unit : {1, 4, 48})
      for (int count = 1; count <= (rows + unit - 1) / unit; ++count) {
        const RowSubsets subsets(rows, count, unit);
        Ordinal next = 0, most = 0, least = rows;
        for (int i = 0; i < count; ++i) {
          const RowRange range = subsets[i].resolved(rows);
          EXPECT_EQ(range.begin, next);
          EXPECT_EQ(range.begin % unit, 0);
          EXPECT_LT(range.begin, range.end);
          const Ordinal units = (range.end - range.begin + unit - 1) / unit;
          most = std::max(most, units);
          least = std::min(least, units);
          next = range.end;
        }
        EXPECT_EQ(next, rows);
        EXPECT_LE(most - least, 1);
      }
  EXPECT_TRUE(RowSubsets(10, 1)[0].is_all());
  EXPECT_EQ(RowSubsets(16 * 48, 3, 48)[1], (RowRange{6 * 48, 11 * 48}));
  EXPECT_EQ(RowSubsets(0, 1).count(), 1);
  for (const int count : {0, -1, 4})
    EXPECT_TRUE(contains(error_of([&] { RowSubsets(12, count, 4); }), "1 to 3")) << count;
  EXPECT_TRUE(contains(error_of([] { RowSubsets(12, 2, 0); }), "subsets has 0 rows"));
}

TYPED_TEST(SubsetTest, mlem_agrees_with_the_plain_loop) {
  const TestSpace exec;
  const Counts p;
  for (const auto& [subsets, unit] : {std::pair{2, 1}, {7, 1}, {7, 4}, {300 / 60, 60}, {13, 9}})
    for (const auto transpose :
         {TransposeMethod::stored, TransposeMethod::atomic, TransposeMethod::windowed})
      for (const bool terms : {false, true}) {
        MlemParams params;
        params.iterations = 4;
        params.subsets = subsets;
        params.subset_unit = unit;
        OperatorOptions options;
        options.transpose = transpose;
        const Operator<TypeParam> op(exec, to_device<TestSpace, TypeParam>(exec, p.A), options);
        const auto g = make_vector<TypeParam>(exec, p.g);
        const auto n = make_vector<TypeParam>(exec, p.n);
        const auto b = make_vector<TypeParam>(exec, p.b);
        const auto x = make_vector<TypeParam>(exec, p.ones);
        Mlem<TestSpace, TypeParam> solver(exec, p.A.rows, p.A.columns, params);
        if (terms) solver.set_terms({n, b});
        const SolveResult result = solver.solve(exec, op, g, x);
        const Values one(p.g.size(), 1), zero(p.g.size(), 0);
        const Values expected =
            plain_osem(p.A, p.g, p.ones, params, terms ? p.n : one, terms ? p.b : zero);
        EXPECT_LT(relative_difference(to_std_vector(x), expected),
                  tolerance<TypeParam>(1e-5, 1e-13))
            << subsets << " subsets in units of " << unit;
        EXPECT_EQ(result.figures<MlemFigures>()->excluded_rows, terms ? 2 : 1);
        EXPECT_EQ(result.iterations, 4);
        EXPECT_NEAR(
            result.residual,
            [&] {
              const auto values = to_std_vector(x);
              Values model = multiply(p.A, Values(values.begin(), values.end()));
              for (std::size_t i = 0; i < model.size(); ++i)
                model[i] = p.g[i] - (terms ? p.n[i] * model[i] + p.b[i] : model[i]);
              return norm(model);
            }(),
            tolerance<TypeParam>(1e-5, 1e-12) * result.rhs_norm);
      }
}

TYPED_TEST(SubsetTest, sirt_agrees_with_the_plain_loop) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  for (const auto& [subsets, unit] : {std::pair{2, 1}, {7, 1}, {7, 4}, {300 / 60, 60}, {13, 9}})
    for (const bool boxed : {false, true}) {
      SirtParams params;
      params.iterations = 5;
      params.subsets = subsets;
      params.subset_unit = unit;
      params.relaxation = 0.7;
      if (boxed) params.minimum = 0, params.maximum = 0.2;
      SolveResult result;
      const auto x =
          run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
      EXPECT_LT(relative_difference(x, plain_subset_sirt(A, b, start, params)),
                tolerance<TypeParam>(1e-5, 1e-13))
          << subsets << " subsets in units of " << unit;
      EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-12));
    }
}

TYPED_TEST(SubsetTest, several_slices_agree_with_single_ones) {
  const TestSpace exec;
  const Counts p;
  const std::size_t s = 3;
  std::vector<Values> data;
  for (std::size_t j = 0; j < s; ++j) {
    data.push_back(p.g);
    for (std::size_t i = 0; i < p.g.size(); ++i) data[j][i] += static_cast<double>((i + j) % 4);
  }
  data[1].assign(p.g.size(), 0);  // this slice alone ends at once
  const auto op = make_operator<TypeParam>(exec, p.A);
  const auto B = make_vector<TypeParam>(exec, interleave(data));
  const auto compare = [&](auto solver, auto single, double double_tolerance) {
    const auto x = make_vector<TypeParam>(exec, interleave({p.ones, p.ones, p.ones}));
    const auto results =
        solver.solve(exec, op, MultiVectorView<const TypeParam, MemorySpace>(B.data(), p.A.rows, s),
                     MultiVectorView<TypeParam, MemorySpace>(x.data(), p.A.columns, s));
    for (std::size_t j = 0; j < s; ++j) {
      const auto b = make_vector<TypeParam>(exec, data[j]);
      const auto y = make_vector<TypeParam>(exec, p.ones);
      const SolveResult expected = single.solve(exec, op, b, y);
      EXPECT_EQ(results[j].reason, expected.reason);
      EXPECT_LT(relative_difference(slice(to_std_vector(x), s, j), to_std_vector(y)),
                tolerance<TypeParam>(1e-5, double_tolerance));
    }
  };
  MlemParams mlem;
  mlem.iterations = 3;
  mlem.subsets = 5;
  compare(Mlem<TestSpace, TypeParam>(exec, p.A.rows, p.A.columns, mlem, s),
          Mlem<TestSpace, TypeParam>(exec, p.A.rows, p.A.columns, mlem), 1e-13);
  SirtParams sirt;
  sirt.iterations = 3;
  sirt.subsets = 5;
  compare(Sirt<TestSpace, TypeParam>(exec, p.A.rows, p.A.columns, sirt, s),
          Sirt<TestSpace, TypeParam>(exec, p.A.rows, p.A.columns, sirt), 1e-13);
}

TYPED_TEST(SubsetTest, mlem_takes_terms_for_each_slice) {
  const TestSpace exec;
  const Counts p;
  const auto op = make_operator<TypeParam>(exec, p.A);
  MlemParams params;
  params.iterations = 3;
  params.subsets = 4;
  Values other = p.n;
  other[40] = 0;
  std::reverse(other.begin(), other.end());
  const std::vector<Values> n{p.n, other}, b{p.b, p.n};
  const auto device_n = make_vector<TypeParam>(exec, interleave(n));
  const auto device_b = make_vector<TypeParam>(exec, interleave(b));
  const auto g = make_vector<TypeParam>(exec, interleave({p.g, p.g}));
  const auto x = make_vector<TypeParam>(exec, interleave({p.ones, p.ones}));
  Mlem<TestSpace, TypeParam> solver(exec, p.A.rows, p.A.columns, params, 2);
  solver.set_terms({device_n, device_b});
  solver.solve(exec, op, MultiVectorView<const TypeParam, MemorySpace>(g.data(), p.A.rows, 2),
               MultiVectorView<TypeParam, MemorySpace>(x.data(), p.A.columns, 2));
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_LT(relative_difference(slice(to_std_vector(x), 2, j),
                                  plain_osem(p.A, p.g, p.ones, params, n[j], b[j])),
              tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(SubsetTest, the_last_subset_preserves_its_counts) {
  const Counts p;
  for (const int subsets : {1, 3, 8}) {
    MlemParams params;
    params.iterations = 5;
    params.subsets = subsets;
    SolveResult result;
    const auto x =
        run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), p.A, p.g, p.ones, params, &result);
    const RowRange rows = resolved(RowSubsets(p.A.rows, subsets), subsets - 1, p.A);
    const Values model = multiply(part_of(p.A, rows), Values(x.begin(), x.end()));
    double counts = subsets == 1 ? -5 : 0, modelled = 0;  // without the row that misses the image
    for (const double value : part_of(p.g, rows)) counts += value;
    for (const double value : model) modelled += value;
    EXPECT_NEAR(modelled, counts, tolerance<TypeParam>(1e-6, 1e-13) * counts);
    double all = -5;
    for (const double value : p.g) all += value;
    EXPECT_DOUBLE_EQ(result.figures<MlemFigures>()->counts, all);
    double everything = 0;
    for (const double value : multiply(p.A, Values(x.begin(), x.end()))) everything += value;
    EXPECT_NEAR(*result.history.back().model_counts, everything,
                tolerance<TypeParam>(1e-6, 1e-13) * all);
    if (subsets == 1) {
      EXPECT_NEAR(*result.history.back().model_counts, all,
                  tolerance<TypeParam>(1e-6, 1e-13) * all);
    }
  }
}

TYPED_TEST(SubsetTest, measures_where_the_host_looks_and_nothing_else_changes) {
  const Counts p;
  MlemParams params;
  params.iterations = 7;
  params.subsets = 6;
  params.check_every = 3;
  SolveResult quiet, watched;
  using Solver = Mlem<TestSpace, TypeParam>;
  const auto x = run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, params, &quiet);
  std::vector<int> seen;
  std::map<int, std::vector<TypeParam>> images;
  const auto y =
      run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, params, &watched,
                         [&](const TestSpace&, const MonitorState<TestSpace, TypeParam>& state) {
                           seen.push_back(state.record().iteration);
                           images[state.record().iteration] = to_std_vector(as_vector(state.x));
                           return MonitorAction::proceed;
                         });
  EXPECT_TRUE(same_bits(x, y));
  EXPECT_EQ(seen, (std::vector<int>{0, 3, 6, 7}));
  ASSERT_EQ(watched.history.size(), 8u);
  ASSERT_EQ(quiet.history.size(), 8u);
  for (int k = 0; k < 8; ++k) {
    const IterationRecord& record = watched.history[static_cast<std::size_t>(k)];
    EXPECT_EQ(record.iteration, k);
    EXPECT_EQ(record.residual.has_value(), images.count(k) == 1) << k;
    EXPECT_EQ(record.log_likelihood.has_value(), images.count(k) == 1) << k;
    EXPECT_EQ(record.change.has_value(), images.count(k) == 1 && k > 0) << k;
    EXPECT_EQ(quiet.history[static_cast<std::size_t>(k)].residual.has_value(), k == 7) << k;
  }
  EXPECT_EQ(quiet.residual, watched.residual);
  for (const auto& [k, image] : images)
    EXPECT_NEAR(*watched.history[static_cast<std::size_t>(k)].residual,
                plain_residual(p.A, p.g, image), tolerance<TypeParam>(1e-5, 1e-12) * norm(p.g));
  Values change;
  for (std::size_t j = 0; j < x.size(); ++j)
    change.push_back(static_cast<double>(images[7][j]) - static_cast<double>(images[6][j]));
  EXPECT_NEAR(*watched.history[7].change, norm(change), 1e-12 * norm(change));
  EXPECT_EQ(*watched.history[7].change, *quiet.history[7].change);

  // A rule is met at a check, by the iterate that is returned.
  params.iterations = 90;
  params.stop.relative_change = 1e-2;
  SolveResult stopped;
  run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, params, &stopped);
  EXPECT_EQ(stopped.reason, StopReason::relative_change);
  EXPECT_EQ(stopped.iterations % 3, 0);
  EXPECT_LE(*stopped.history.back().relative_change, 1e-2);
}

TYPED_TEST(SubsetTest, one_subset_needs_no_ranges_and_several_do) {
  const TestSpace exec;
  const PlainCsr A = blur_matrix(40);
  const ColumnwiseOperator<TypeParam> op(exec, A);  // has no ranges of rows
  const BlurOperator<TypeParam> ranges(40);
  const auto b = make_vector<TypeParam>(exec, positive_vector(40, 1));
  MlemParams mlem;
  SirtParams sirt;
  mlem.iterations = sirt.iterations = 2;
  for (const int subsets : {1, 4}) {
    mlem.subsets = sirt.subsets = subsets;
    const auto run = [&](auto solver, const AnyOperator<TestSpace, TypeParam>& A) {
      const auto x = make_vector<TypeParam>(exec, positive_vector(40, 2));
      return error_of([&] { solver.solve(exec, A, b, x); });
    };
    for (const auto& message : {run(Mlem<TestSpace, TypeParam>(exec, 40, 40, mlem), op),
                                run(Sirt<TestSpace, TypeParam>(exec, 40, 40, sirt), op)})
      EXPECT_EQ(contains(message, "4 ordered subsets need"), subsets == 4) << message;
    EXPECT_EQ(run(Mlem<TestSpace, TypeParam>(exec, 40, 40, mlem), ranges), "");
    EXPECT_EQ(run(Sirt<TestSpace, TypeParam>(exec, 40, 40, sirt), ranges), "");
  }
}

TYPED_TEST(SubsetTest, refuses_what_makes_no_sense) {
  const TestSpace exec;
  const Counts p;
  MlemParams mlem;
  SirtParams sirt;
  for (const int subsets : {0, -2, 301}) {
    mlem.subsets = sirt.subsets = subsets;
    EXPECT_TRUE(
        contains(error_of([&] { Mlem<TestSpace, TypeParam>(exec, p.A.rows, p.A.columns, mlem); }),
                 std::to_string(subsets)));
    EXPECT_TRUE(
        contains(error_of([&] { Sirt<TestSpace, TypeParam>(exec, p.A.rows, p.A.columns, sirt); }),
                 std::to_string(subsets)));
  }
  mlem.subsets = 10;
  Values g = p.g;
  std::fill(g.begin() + 60, g.begin() + 90, 0);
  const std::string message =
      error_of([&] { run_solver<Mlem<TestSpace, TypeParam>>(exec, p.A, g, p.ones, mlem); });
  EXPECT_TRUE(contains(message, "no counts in subset 2, rows 60 to 89")) << message;
  mlem.subsets = 9;
  EXPECT_EQ(error_of([&] { run_solver<Mlem<TestSpace, TypeParam>>(exec, p.A, g, p.ones, mlem); }),
            "");
}

}  // namespace
