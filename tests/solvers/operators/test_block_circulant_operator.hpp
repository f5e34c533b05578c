// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices as operators: products, memory and capabilities.
#include <Tomokkos_MatrixOperator.hpp>
#include <map>

#include "AllocationCount.hpp"
#include "CirculantVariants.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

using Values = std::vector<double>;

template <class Scalar>
class BlockCirculantOperatorTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockCirculantOperatorTest, Scalars);

/// Expects that each of s vectors is within the rounding of its rows and \p step.
template <class Scalar>
void expect_near(const PlainCsr& C, const std::vector<Scalar>& computed, double alpha,
                 const Values& x, double beta, const Values& y, int s, double step,
                 const std::string& what) {
  const double u = std::numeric_limits<Scalar>::epsilon();
  for (int t = 0; t < s; ++t) {
    const auto expected = reference_product(C, alpha, column_of(x, t, s), beta, column_of(y, t, s));
    const auto of_vector = column_of(computed, t, s);
    ASSERT_EQ(of_vector.size(), expected.y.size()) << what;
    for (std::size_t i = 0; i < of_vector.size(); ++i)
      ASSERT_NEAR(of_vector[i], expected.y[i],
                  static_cast<double>(expected.row_length[i] + 2) * u * expected.magnitude[i] +
                      std::abs(alpha) * step + 1e-300)
          << what << ", vector " << t << ", entry " << i;
  }
}

TYPED_TEST(BlockCirculantOperatorTest, both_products_are_those_of_the_expanded_matrix) {
  using Scalar = TypeParam;
  const TestSpace exec;
  for (const std::int32_t k : {1, 3, 32, 150})
    for (const PlainCirculant& plain : circulant_battery(k)) {
      const PlainCsr C = plain.expanded(CirculantOrder::rotations), T = C.transposed();
      const auto A = on_device<Scalar>(plain);
      for (const Options<Scalar>& options : ways<Scalar>()) {
        const AnyOperator<TestSpace, Scalar> op = CirculantOperator<Scalar>(exec, A, options);
        EXPECT_EQ(op.num_rows(), C.rows);
        EXPECT_EQ(op.num_cols(), C.columns);
        EXPECT_TRUE(op.has_transpose());
        EXPECT_FALSE(op.supports_ranges());
        const std::string what = plain.block_row.name + ", " + name_of(options);
        for (const int s : {1, 3}) {
          const auto x = random_vector(static_cast<std::size_t>(C.columns) * s, 1);
          const auto y = random_vector(static_cast<std::size_t>(C.rows) * s, 2);
          const auto device_x = to_device<TestSpace, Scalar>(exec, x);
          const auto device_y = to_device<TestSpace, Scalar>(exec, y);
          const auto to_x = to_device<TestSpace, Scalar>(exec, x);
          const auto to_y = to_device<TestSpace, Scalar>(exec, y);
          op.apply(exec, Scalar(-2.5),
                   MultiVectorView<const Scalar, TestMemory>(device_x.data(), C.columns, s),
                   Scalar(0.75), MultiVectorView<Scalar, TestMemory>(to_y.data(), C.rows, s));
          expect_near(C, to_std_vector(to_y), -2.5, x, 0.75, y, s, 0, what);
          op.apply_transpose(exec, Scalar(2),
                             MultiVectorView<const Scalar, TestMemory>(device_y.data(), C.rows, s),
                             Scalar(-0.5),
                             MultiVectorView<Scalar, TestMemory>(to_x.data(), C.columns, s));
          const bool direct = options.transpose == TransposeMethod::direct;
          expect_near(T, to_std_vector(to_x), 2, y, -0.5, x, s,
                      direct && C.nonzeros() > 0 ? unit_of<Scalar>(plain, y) : 0,
                      what + ", transposed");
        }
      }
    }
}

TYPED_TEST(BlockCirculantOperatorTest, tells_sums_of_all_rows_and_columns) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCirculant plain = positive_circulant();
  const PlainCsr C = plain.expanded(CirculantOrder::rotations);
  for (const TransposeMethod method : {TransposeMethod::stored, TransposeMethod::direct}) {
    Options<Scalar> options;
    options.transpose = method;
    const CirculantOperator<Scalar> A(exec, on_device<Scalar>(plain), options);
    const Vector<Scalar, TestMemory> rows("rows", C.rows), columns("columns", C.columns);
    A.row_sums(exec, rows);
    A.column_sums(exec, columns);
    const auto expect = [](const PlainCsr& M, const std::vector<Scalar>& sums) {
      for (std::int32_t i = 0; i < M.rows; ++i) {
        double sum = 0;
        for (auto e = M.offsets[i]; e < M.offsets[i + 1]; ++e) sum += M.values[e];
        EXPECT_NEAR(sums[i], sum, 1e-5 * (sum + 1)) << i;
      }
    };
    expect(C, to_std_vector(rows));
    expect(C.transposed(), to_std_vector(columns));
    const Vector<Scalar, TestMemory> wrong("wrong", C.rows + 1);
    EXPECT_THROW(A.row_sums(exec, wrong), DimensionMismatch);
  }
}

TYPED_TEST(BlockCirculantOperatorTest, holds_the_memory_that_it_announces) {
  using Scalar = TypeParam;
  const TestSpace exec;
  for (const Options<Scalar>& options : ways<Scalar>())
    for (const int s : {1, 4}) {
      const PlainCirculant plain = make_circulant("any", 200, 90, 33, [](int i) { return i % 70; });
      const LiveBytes live("Tomokkos::");
      const CirculantOperator<Scalar> A(exec, on_device<Scalar>(plain), options);
      A.reserve(exec, s);
      Kokkos::fence();
      // Kokkos rounds sizes up and allocates some bytes even for an empty array.
      EXPECT_LE(A.memory_bytes(), live.bytes()) << name_of(options);
      EXPECT_LE(live.bytes(), A.memory_bytes() + 2048) << name_of(options);
      // A product allocates nothing further.
      const auto before = live.bytes();
      const Vector<Scalar, TestMemory> x("x", static_cast<std::size_t>(A.num_cols()) * s);
      const Vector<Scalar, TestMemory> y("y", static_cast<std::size_t>(A.num_rows()) * s);
      const MultiVectorView<Scalar, TestMemory> X(x.data(), A.num_cols(), s);
      const MultiVectorView<Scalar, TestMemory> Y(y.data(), A.num_rows(), s);
      A.apply(exec, Scalar(1), X, Scalar(0), Y);
      A.apply_transpose(exec, Scalar(1), Y, Scalar(0), X);
      Kokkos::fence();
      EXPECT_EQ(live.bytes(), before) << name_of(options);
    }
}

TYPED_TEST(BlockCirculantOperatorTest, tells_the_bytes_of_its_products) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const auto A = on_device<Scalar>(positive_circulant());
  const auto vectors = (static_cast<std::size_t>(A.num_rows()) + A.num_cols()) * sizeof(Scalar);
  const auto bytes = [&](CirculantVariant variant, int s) {
    Options<Scalar> options;
    options.variant = variant;
    return CirculantOperator<Scalar>(exec, A, options).apply_bytes(s);
  };
  EXPECT_EQ(bytes(CirculantVariant::registers, 1), A.memory_bytes() + vectors);
  // All vectors are processed at once.
  EXPECT_EQ(bytes(CirculantVariant::registers, 5), A.memory_bytes() + 5 * vectors);
  const std::size_t twice = std::size_t{2} * A.pitch * A.block_cols * sizeof(Scalar);
  EXPECT_EQ(bytes(CirculantVariant::replicated, 3), A.memory_bytes() + 3 * (vectors + twice));
  EXPECT_EQ(bytes(CirculantVariant::basic_mv, 1), 7 * A.memory_bytes() + 3 * vectors);
  Options<Scalar> options;
  options.transpose_variant = CirculantVariant::mm;
  const CirculantOperator<Scalar> stored(exec, A, options);
  EXPECT_EQ(stored.apply_transpose_bytes(2),
            stored.transposed_matrix().memory_bytes() + 2 * vectors);
  EXPECT_EQ(stored.transposed_matrix().memory_bytes(),
            block_circulant_bytes<Scalar>(A.block_cols, A.num_stored()));
  options.transpose = TransposeMethod::direct;
  const CirculantOperator<Scalar> direct(exec, A, options);
  EXPECT_GE(direct.apply_transpose_bytes(), A.memory_bytes() + vectors);
  EXPECT_EQ(direct.transposed_matrix().num_stored(), 0);
}

TYPED_TEST(BlockCirculantOperatorTest, stores_a_transpose_where_there_is_room) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const auto A = on_device<Scalar>(positive_circulant());
  Options<Scalar> options;
  options.transpose = TransposeMethod::automatic;
  EXPECT_EQ(CirculantOperator<Scalar>(exec, A, options).transpose(), TransposeMethod::stored);
  options.available_bytes = 1000;
  EXPECT_EQ(CirculantOperator<Scalar>(exec, A, options).transpose(), TransposeMethod::direct);
}

TYPED_TEST(BlockCirculantOperatorTest, chooses_variants_and_tells_them) {
  const TestSpace exec;
  const CirculantOperator<TypeParam> A(exec, on_device<TypeParam>(positive_circulant()));
  EXPECT_NE(A.variant(), CirculantVariant::automatic);
  EXPECT_NE(A.transpose_variant(), CirculantVariant::automatic);
  EXPECT_EQ(A.transpose(), TransposeMethod::stored);
}

TYPED_TEST(BlockCirculantOperatorTest, is_made_by_make_operator_with_its_figures) {
  const TestSpace exec;
  const auto A = on_device<TypeParam>(positive_circulant());
  const MatrixOperator op(exec, A);
  const auto made = make_operator(exec, A);
  EXPECT_EQ(made.transpose, TransposeMethod::stored);
  EXPECT_EQ(made.A.memory_bytes(), op.memory_bytes());
  const auto figure = [&](const char* name) {
    const Description* const found = made.description.find(name);
    return found != nullptr ? found->value() : Description::Value{};
  };
  using Value = Description::Value;
  EXPECT_EQ(figure("variant"), Value(std::string(to_string(op.variant()))));
  EXPECT_EQ(figure("transpose"), Value(std::string("stored")));
  EXPECT_EQ(figure("blocks"), Value(std::int64_t{7}));
  EXPECT_EQ(figure("block_rows"), Value(std::int64_t{12}));
  EXPECT_EQ(figure("block_columns"), Value(std::int64_t{10}));
  EXPECT_EQ(figure("stored"), Value(std::int64_t{A.num_stored()}));
  EXPECT_EQ(figure("row_bytes"), Value(static_cast<std::int64_t>(A.memory_bytes())));

  Options<TypeParam> direct;
  direct.transpose = TransposeMethod::direct;
  EXPECT_EQ(make_operator(exec, A, direct).description.find("transpose_variant"), nullptr);
}

TYPED_TEST(BlockCirculantOperatorTest, is_recorded_where_it_holds_nothing_beside_the_matrix) {
  const TestSpace exec;
  const auto A = on_device<TypeParam>(positive_circulant());
  const auto only_launches = [&](CirculantVariant variant, TransposeMethod method) {
    Options<TypeParam> options;
    options.variant = options.transpose_variant = variant;
    options.transpose = method;
    return CirculantOperator<TypeParam>(exec, A, options).only_launches();
  };
  EXPECT_TRUE(only_launches(CirculantVariant::registers, TransposeMethod::stored));
  EXPECT_TRUE(only_launches(CirculantVariant::team, TransposeMethod::stored));
  EXPECT_FALSE(only_launches(CirculantVariant::replicated, TransposeMethod::stored));
  EXPECT_FALSE(only_launches(CirculantVariant::basic_mv, TransposeMethod::stored));
  EXPECT_FALSE(only_launches(CirculantVariant::registers, TransposeMethod::direct));
}

TYPED_TEST(BlockCirculantOperatorTest, refuses_ways_that_it_does_not_have) {
  const TestSpace exec;
  const auto A = on_device<TypeParam>(positive_circulant());
  Options<TypeParam> options;
  for (const TransposeMethod method :
       {TransposeMethod::atomic, TransposeMethod::windowed, TransposeMethod::private_images}) {
    options.transpose = method;
    EXPECT_COMPLAINT((CirculantOperator<TypeParam>(exec, A, options)),
                     "not " + std::string(to_string(method)));
  }
  options.transpose = TransposeMethod::direct;
  options.variant = CirculantVariant::library;
  EXPECT_COMPLAINT((CirculantOperator<TypeParam>(exec, A, options)), "needs another library");
  const CirculantOperator<TypeParam> op(exec, A);
  const Vector<TypeParam, TestMemory> wrong("wrong", A.num_cols() + 1), y("y", A.num_rows());
  EXPECT_THROW(op.apply(exec, TypeParam(1), as_multivector(wrong), TypeParam(0), as_multivector(y)),
               DimensionMismatch);
  // Operators of other formats refuse options of this one.
  const auto csr = csr_from_block_circulant<TestSpace, TypeParam>(exec, A, CirculantOrder::blocks);
  OperatorOptions of_csr;
  of_csr.transpose = TransposeMethod::direct;
  EXPECT_COMPLAINT((CsrOperator<TestSpace, TypeParam>(exec, csr, of_csr)),
                   "direct does not apply to csr");
}

/// A route that stands for another library: products by another variant, with a count of the calls.
TYPED_TEST(BlockCirculantOperatorTest, multiplies_by_another_library) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCirculant plain = positive_circulant();
  const PlainCsr C = plain.expanded(CirculantOrder::rotations);
  int products = 0;
  Options<Scalar> options;
  options.variant = options.transpose_variant = CirculantVariant::library;
  options.library = [&](const TestSpace& space, const TestCirculant<Scalar>& M) {
    const BlockCirculantPlan<TestSpace, Scalar> plan(space, M, CirculantVariant::mm);
    return CirculantRoute<Scalar>{
        [&products, space, M, plan](const Scalar* x, Scalar* y) {
          ++products;
          spmv<TestSpace, Scalar>(space, plan, M, Scalar(1),
                                  MultiVectorView<const Scalar, TestMemory>(x, M.num_cols(), 1),
                                  Scalar(0),
                                  MultiVectorView<Scalar, TestMemory>(y, M.num_rows(), 1));
        },
        1000};
  };
  const CirculantOperator<Scalar> A(exec, on_device<Scalar>(plain), options);
  EXPECT_EQ(A.variant(), CirculantVariant::library);
  const CirculantOperator<Scalar> own(exec, on_device<Scalar>(plain));
  EXPECT_GE(A.memory_bytes(), A.matrix().memory_bytes() + 2000);
  const auto x = random_vector(static_cast<std::size_t>(C.columns) * 2, 1);
  const auto y = random_vector(static_cast<std::size_t>(C.rows) * 2, 2);
  const auto device_x = to_device<TestSpace, Scalar>(exec, x);
  const auto device_y = to_device<TestSpace, Scalar>(exec, y);
  const auto to_x = to_device<TestSpace, Scalar>(exec, x);
  A.apply_transpose(exec, Scalar(-1),
                    MultiVectorView<const Scalar, TestMemory>(device_y.data(), C.rows, 2),
                    Scalar(2), MultiVectorView<Scalar, TestMemory>(to_x.data(), C.columns, 2));
  expect_near(C.transposed(), to_std_vector(to_x), -1, y, 2, x, 2, 0, "library");
  EXPECT_EQ(products, 2);
  A.apply(exec, Scalar(1), MultiVectorView<const Scalar, TestMemory>(device_x.data(), C.columns, 2),
          Scalar(0), MultiVectorView<Scalar, TestMemory>(device_y.data(), C.rows, 2));
  expect_near(C, to_std_vector(device_y), 1, x, 0, y, 2, 0, "library");
  EXPECT_EQ(products, 4);
}

}  // namespace
