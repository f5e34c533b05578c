// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operator of a CSR matrix, its type-erased form, and the fall-backs for operators that have only
// plain products.
#include <gtest/gtest.h>

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_PlainProducts.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;

/// Operator of a user with products and ranges of rows, and nothing else.
template <class Scalar>
class PlainProducts {
 public:
  explicit PlainProducts(CsrOperator<TestSpace, Scalar> A) : A_(std::move(A)) {}
  Ordinal num_rows() const { return A_.num_rows(); }
  Ordinal num_cols() const { return A_.num_cols(); }
  void apply(const TestSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, MemorySpace>& X, Scalar beta,
             const MultiVectorView<Scalar, MemorySpace>& Y, RowRange rows = all_rows) const {
    A_.apply(exec, alpha, X, beta, Y, rows);
  }
  void apply_transpose(const TestSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, MemorySpace>& X, Scalar beta,
                       const MultiVectorView<Scalar, MemorySpace>& Y,
                       RowRange rows = all_rows) const {
    A_.apply_transpose(exec, alpha, X, beta, Y, rows);
  }

 private:
  CsrOperator<TestSpace, Scalar> A_;
};

/// Methods of the transposed product. Private images are only for hosts. Windows on a GPU have a
/// different error, which the tests of transposed products cover.
std::vector<TransposeMethod> methods() {
  std::vector<TransposeMethod> all{TransposeMethod::stored, TransposeMethod::atomic};
  if (Impl::is_host_space<TestSpace>)
    all.insert(all.end(), {TransposeMethod::private_images, TransposeMethod::windowed});
  return all;
}

/// Operator with even less: only the forward product of the whole matrix.
template <class Scalar>
class ForwardOnly {
 public:
  explicit ForwardOnly(CsrOperator<TestSpace, Scalar> A) : A_(std::move(A)) {}
  Ordinal num_rows() const { return A_.num_rows(); }
  Ordinal num_cols() const { return A_.num_cols(); }
  void apply(const TestSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, MemorySpace>& X, Scalar beta,
             const MultiVectorView<Scalar, MemorySpace>& Y) const {
    A_.apply(exec, alpha, X, beta, Y);
  }

 private:
  CsrOperator<TestSpace, Scalar> A_;
};

static_assert(LinearOperator<ForwardOnly<float>, TestSpace, float>);
static_assert(!TransposableOperator<ForwardOnly<float>, TestSpace, float>);
static_assert(RowSubsettable<PlainProducts<float>, TestSpace, float>);
static_assert(RowSubsettable<CsrOperator<TestSpace, double>, TestSpace, double>);
static_assert(RowSubsettable<AnyOperator<TestSpace, double>, TestSpace, double>);
static_assert(TransposedRowSubsettable<AnyOperator<TestSpace, double>, TestSpace, double>);
static_assert(!RowSubsettable<ForwardOnly<float>, TestSpace, float>);

template <class Scalar>
CsrOperator<TestSpace, Scalar> make_operator(const PlainCsr& plain, TransposeMethod method,
                                             SpmvVariant variant = SpmvVariant::automatic) {
  const TestSpace exec;
  OperatorOptions options;
  options.transpose = method;
  options.spmv.variant = variant;
  options.transpose_spmv.variant = variant;
  return {exec, to_device<TestSpace, Scalar>(exec, plain), options};
}

TEST(CsrOperator, builds_no_transpose_that_nobody_asked_for) {
  const TestSpace exec;
  const PlainCsr plain = battery::make("some", 40, 30, [](int i) { return 1 + i % 5; });
  const auto A = to_device<TestSpace, double>(exec, plain);
  OperatorOptions asked_for;
  asked_for.transpose = TransposeMethod::stored;
  const CsrOperator<TestSpace, double> at_once(exec, A, asked_for);
  const CsrOperator<TestSpace, double> later(exec, A);
  EXPECT_EQ(later.options().transpose, TransposeMethod::stored);
  // The memory includes the copy and what its products need in addition.
  EXPECT_GE(at_once.memory_bytes() - later.memory_bytes(),
            at_once.transposed_matrix().memory_bytes());
  EXPECT_GT(at_once.transposed_matrix().num_nonzeros(), 0);
  EXPECT_EQ(later.transposed_matrix().num_nonzeros(), 0);
  EXPECT_EQ(later.csr_transpose(), nullptr);
  EXPECT_EQ(later.apply_transpose_bytes(3), at_once.apply_transpose_bytes(3));
  // Products with A, and reserved memory for them, need no transposed copy.
  const auto x = to_device<TestSpace, double>(exec, random_vector(40, 1));
  const Vector<double, MemorySpace> y("y", 30), z("z", 30);
  const std::size_t before = later.memory_bytes();
  later.apply(exec, 1.0, as_multivector(y), 0.0, as_multivector(x));
  later.reserve(exec, 4);
  EXPECT_EQ(later.memory_bytes(), before);
  // The first transposed product of any copy of the operator builds the transpose that all copies
  // share. The bits are the same.
  const AnyOperator<TestSpace, double> copy = later;
  const auto rows = to_device<TestSpace, double>(exec, random_vector(40, 2));
  copy.apply_transpose(exec, 1.0, as_multivector(rows), 0.0, as_multivector(y));
  at_once.apply_transpose(exec, 1.0, as_multivector(rows), 0.0, as_multivector(z));
  EXPECT_EQ(to_std_vector(y), to_std_vector(z));
  EXPECT_EQ(later.memory_bytes(), at_once.memory_bytes());
  ASSERT_NE(later.csr_transpose(), nullptr);
  EXPECT_EQ(later.csr_transpose()->values.data(), later.transposed_matrix().values.data());
  // Solvers reserve the transpose in advance, so that no iteration builds it.
  const CsrOperator<TestSpace, double> reserved(exec, A);
  AnyOperator<TestSpace, double>(reserved).reserve_transpose(exec);
  EXPECT_EQ(reserved.memory_bytes(), at_once.memory_bytes());
  asked_for.transpose = TransposeMethod::atomic;
  const CsrOperator<TestSpace, double> atomic(exec, A, asked_for);
  atomic.reserve_transpose(exec);
  EXPECT_EQ(atomic.memory_bytes(), before);
}

template <class Scalar>
MultiVectorView<const Scalar, MemorySpace> as_const(const Vector<Scalar, MemorySpace>& x) {
  return as_multivector(x);
}

/// Checks `|<A x, y> - <x, A^T y>| <= tolerance |A x| |y|`, with dots in double.
template <class Scalar>
void check_adjoint(const PlainCsr& plain, TransposeMethod method, SpmvVariant variant) {
  const double tolerance = std::is_same_v<Scalar, float> ? 1e-6 : 1e-13;
  const TestSpace exec;
  const auto A = make_operator<Scalar>(plain, method, variant);
  const auto x =
      to_device<TestSpace, Scalar>(exec, random_vector(static_cast<std::size_t>(plain.columns), 1));
  const auto y =
      to_device<TestSpace, Scalar>(exec, random_vector(static_cast<std::size_t>(plain.rows), 2));
  const Vector<Scalar, MemorySpace> Ax("Ax", plain.rows), ATy("ATy", plain.columns);
  A.apply(exec, Scalar(1), as_const(x), Scalar(0), as_multivector(Ax));
  A.apply_transpose(exec, Scalar(1), as_const(y), Scalar(0), as_multivector(ATy));
  const auto inner = [](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
  };
  const auto hx = to_std_vector(x), hy = to_std_vector(y), hAx = to_std_vector(Ax),
             hATy = to_std_vector(ATy);
  EXPECT_LE(std::abs(inner(hAx, hy) - inner(hx, hATy)),
            tolerance * std::sqrt(inner(hAx, hAx)) * std::sqrt(inner(hy, hy)) + 1e-300)
      << plain.name << ", " << to_string(method) << ", " << to_string(variant);
}

template <class Scalar>
void check_transposed_product(const PlainCsr& plain, TransposeMethod method, int s) {
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> A = make_operator<Scalar>(plain, method);
  const auto transposed = plain.transposed();
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.rows), 1);
  std::vector<double> wide;
  for (const auto value : x_plain) wide.insert(wide.end(), s, value);
  const auto x = to_device<TestSpace, Scalar>(exec, wide);
  const Vector<Scalar, MemorySpace> y("y", static_cast<std::size_t>(plain.columns) * s);
  A.apply_transpose(exec, Scalar(1),
                    MultiVectorView<const Scalar, MemorySpace>(x.data(), plain.rows, s), Scalar(0),
                    MultiVectorView<Scalar, MemorySpace>(y.data(), plain.columns, s));
  const auto computed = to_std_vector(y);
  for (int j = 0; j < s; ++j) {
    std::vector<Scalar> column;
    for (std::size_t i = static_cast<std::size_t>(j); i < computed.size(); i += s)
      column.push_back(computed[i]);
    EXPECT_LE(worst_row_error(column, reference_product(transposed, 1, x_plain, 0, {})), 1)
        << plain.name;
  }
}

/// Checks a range of rows with s vectors, forward and transposed, stored and atomic. The forward
/// product is compared with these rows of the whole product, the transposed one with the whole
/// product of data whose other rows are zero.
template <class Scalar>
void check_row_range(const PlainCsr& plain, TransposeMethod method, int s) {
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> A = make_operator<Scalar>(plain, method);
  const RowRange rows{plain.rows / 3, 2 * plain.rows / 3};
  const Ordinal count = rows.end - rows.begin;
  const auto image = random_vector(static_cast<std::size_t>(plain.columns) * s, 3);
  const auto start = random_vector(static_cast<std::size_t>(plain.rows) * s, 4);
  const auto x = to_device<TestSpace, Scalar>(exec, image);
  const auto y = to_device<TestSpace, Scalar>(
      exec, std::vector<double>(start.begin() + rows.begin * s, start.begin() + rows.end * s));
  A.apply(exec, Scalar(0.5), MultiVectorView<const Scalar, MemorySpace>(x.data(), plain.columns, s),
          Scalar(-1), MultiVectorView<Scalar, MemorySpace>(y.data(), count, s), rows);
  const auto projected = to_std_vector(y);
  for (int j = 0; j < s; ++j) {
    auto reference =
        reference_product(plain, 0.5, column_of(image, j, s), -1, column_of(start, j, s));
    const auto keep = [&](auto& of_rows) {
      of_rows =
          std::decay_t<decltype(of_rows)>(of_rows.begin() + rows.begin, of_rows.begin() + rows.end);
    };
    keep(reference.y);
    keep(reference.magnitude);
    keep(reference.row_length);
    EXPECT_LE(worst_row_error(column_of(projected, j, s), reference), 1)
        << plain.name << ", " << to_string(method) << ", column " << j << " of " << s;
  }

  auto masked = random_vector(static_cast<std::size_t>(plain.rows) * s, 1);
  const auto part = to_device<TestSpace, Scalar>(
      exec, std::vector<double>(masked.begin() + rows.begin * s, masked.begin() + rows.end * s));
  for (std::int32_t i = 0; i < plain.rows * s; ++i)
    if (i < rows.begin * s || i >= rows.end * s) masked[i] = 0;
  const Vector<Scalar, MemorySpace> z("z", static_cast<std::size_t>(plain.columns) * s);
  A.apply_transpose(exec, Scalar(1),
                    MultiVectorView<const Scalar, MemorySpace>(part.data(), count, s), Scalar(0),
                    MultiVectorView<Scalar, MemorySpace>(z.data(), plain.columns, s), rows);
  const auto back_projected = to_std_vector(z);
  for (int j = 0; j < s; ++j)
    EXPECT_LE(
        worst_row_error(column_of(back_projected, j, s),
                        reference_product(plain.transposed(), 1, column_of(masked, j, s), 0, {})),
        1)
        << plain.name << ", " << to_string(method) << ", column " << j << " of " << s;
}

PlainCsr square_matrix() {
  return battery::make("square", 90, 90, [](int i) { return 1 + i % 40; });
}

/// Kaczmarz by the textbook: serial, with dense x, in double.
std::vector<double> reference_kaczmarz(const PlainCsr& A, const std::vector<std::int32_t>& order,
                                       double relaxation, double minimum, double maximum,
                                       const std::vector<double>& b, std::vector<double> x) {
  for (const auto i : order) {
    double dot = 0, norm = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      dot += A.values[k] * x[A.indices[k]];
      norm += A.values[k] * A.values[k];
    }
    if (norm == 0) continue;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      x[A.indices[k]] = std::clamp(x[A.indices[k]] + relaxation * (b[i] - dot) / norm * A.values[k],
                                   minimum, maximum);
  }
  return x;
}

template <class Scalar>
void check_kaczmarz(const AnyOperator<TestSpace, Scalar>& A, const PlainCsr& plain, bool shuffled,
                    bool clamped) {
  const TestSpace exec;
  std::vector<std::int32_t> order(static_cast<std::size_t>(plain.rows));
  for (std::int32_t i = 0; i < plain.rows; ++i) order[i] = i;
  if (shuffled) std::shuffle(order.begin(), order.end(), std::mt19937(3));
  const auto b = random_vector(static_cast<std::size_t>(plain.rows), 1);
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 2);
  const auto device_x = to_device<TestSpace, Scalar>(exec, x);
  const auto device_order = to_device<TestSpace, Ordinal>(exec, order);
  KaczmarzSweep<Scalar, MemorySpace> sweep;
  if (shuffled) sweep.order = device_order;
  sweep.relaxation = Scalar(0.75);
  if (clamped) sweep.minimum = Scalar(-0.5), sweep.maximum = Scalar(0.25);
  kaczmarz_sweep<TestSpace, Scalar>(exec, A, nullptr, sweep, to_device<TestSpace, Scalar>(exec, b),
                                    device_x);
  const double infinity = std::numeric_limits<double>::infinity();
  const auto expected = reference_kaczmarz(plain, order, 0.75, clamped ? -0.5 : -infinity,
                                           clamped ? 0.25 : infinity, b, x);
  const auto computed = to_std_vector(device_x);
  const double tolerance = sizeof(Scalar) == sizeof(float) ? 2e-4 : 1e-11;
  for (std::size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(computed[j], expected[j], tolerance) << j;
}

}  // namespace

TEST(MatrixOperator, forward_and_transposed_are_adjoint) {
  for (const auto& plain : battery::matrices())
    for (const auto method : methods())
      for (const auto variant :
           {SpmvVariant::scalar, SpmvVariant::team_vector, SpmvVariant::staged,
            SpmvVariant::merge_path, SpmvVariant::spmv4gpu, SpmvVariant::merge_atomic}) {
        check_adjoint<float>(plain, method, variant);
        check_adjoint<double>(plain, method, variant);
      }
}

TEST(MatrixOperator, transposed_products) {
  for (const auto& plain : battery::matrices())
    for (const auto method : methods())
      for (const int s : {1, 4}) check_transposed_product<float>(plain, method, s);
}

TEST(MatrixOperator, ranges_of_rows) {
  for (const auto& plain : battery::matrices())
    for (const auto method : methods()) {
      for (const int s : {1, 3}) {
        check_row_range<float>(plain, method, s);
        check_row_range<double>(plain, method, s);
      }
    }
}

TEST(MatrixOperator, tells_its_memory_and_bytes) {
  const auto plain = square_matrix();
  const auto stored = make_operator<float>(plain, TransposeMethod::stored);
  const auto atomic = make_operator<float>(plain, TransposeMethod::atomic);
  const std::size_t matrix = plain.values.size() * 8 + 91 * 8;
  EXPECT_GE(atomic.memory_bytes(), matrix);
  EXPECT_EQ(stored.memory_bytes() - atomic.memory_bytes() >= matrix, true);
  EXPECT_EQ(atomic.apply_bytes(), matrix + 180 * 4);
}

TEST(MatrixOperator, diagonal_of_matrix_and_by_products) {
  const TestSpace exec;
  const auto plain = square_matrix();
  std::vector<double> expected(90, 0);
  for (std::int32_t i = 0; i < 90; ++i)
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      if (plain.indices[k] == i) expected[i] = plain.values[k];
  const auto A = make_operator<double>(plain, TransposeMethod::stored);
  const auto check = [&](const AnyOperator<TestSpace, double>& any) {
    const Vector<double, MemorySpace> d("d", 90);
    two_component_diagonal<TestSpace, double>(exec, any, d);
    EXPECT_EQ(to_std_vector(d), expected);
  };
  check(A);
  check(PlainProducts<double>(A));
  check(ForwardOnly<double>(A));
}

TEST(MatrixOperator, symmetric_scaling) {
  const TestSpace exec;
  const auto plain = square_matrix();
  const auto scale_plain = random_vector(90, 8);
  auto scaled_plain = plain;
  for (std::int32_t i = 0; i < 90; ++i)
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      scaled_plain.values[k] *= scale_plain[i] * scale_plain[plain.indices[k]];
  const auto x_plain = random_vector(90, 9);
  const auto y_plain = random_vector(90, 10);
  const auto reference = reference_product(scaled_plain, 2, x_plain, 0.5, y_plain);
  const auto reference_transposed =
      reference_product(scaled_plain.transposed(), 2, x_plain, 0.5, y_plain);
  const auto scale = to_device<TestSpace, double>(exec, scale_plain);
  const auto x = to_device<TestSpace, double>(exec, x_plain);
  const auto A = make_operator<double>(plain, TransposeMethod::stored);
  const AnyOperator<TestSpace, double> any(A);
  const auto scaled = any.capabilities().scaling->scaled(exec, scale);
  const auto y = to_device<TestSpace, double>(exec, y_plain);
  scaled.apply(exec, 2.0, as_const(x), 0.5, as_multivector(y));
  EXPECT_LE(worst_row_error(to_std_vector(y), reference), 1);
  const auto z = to_device<TestSpace, double>(exec, y_plain);
  scaled.apply_transpose(exec, 2.0, as_const(x), 0.5, as_multivector(z));
  EXPECT_LE(worst_row_error(to_std_vector(z), reference_transposed), 1);
  EXPECT_THROW(any.capabilities().scaling->scaled(
                   exec, to_device<TestSpace, double>(exec, random_vector(1, 1))),
               DimensionMismatch);
}

TEST(MatrixOperator, product_with_dot) {
  const TestSpace exec;
  // Enough rows that the tiles of many threads consist of whole rows.
  constexpr int n = 4000;
  const auto plain = battery::make("square", n, n, [](int i) { return i % 8; });
  const auto x_plain = random_vector(n, 9);
  const auto x = to_device<TestSpace, double>(exec, x_plain);
  const Vector<double, MemorySpace> y("y", n);
  const AnyOperator<TestSpace, double> A = make_operator<double>(plain, TransposeMethod::stored);
  ASSERT_NE(A.capabilities().dot, nullptr);
  const Offset count = A.capabilities().dot->num_sums();
  const Vector<double, MemorySpace> sums("sums", count);
  A.capabilities().dot->apply(exec, x, y, sums);
  const auto reference = reference_product(plain, 1, x_plain, 0, {});
  EXPECT_LE(worst_row_error(to_std_vector(y), reference), 1);
  double expected = 0, dot = 0;
  for (int i = 0; i < n; ++i) expected += x_plain[i] * reference.y[i];
  for (const double part : to_std_vector(sums)) dot += part;
  EXPECT_NEAR(dot, expected, 1e-9);
  // An operator with only plain products has no product with a dot.
  const AnyOperator<TestSpace, double> products =
      PlainProducts<double>(make_operator<double>(plain, TransposeMethod::stored));
  EXPECT_EQ(products.capabilities().dot, nullptr);
}

TEST(MatrixOperator, kaczmarz_equals_the_book) {
  const auto plain = battery::make("rays", 150, 60, [](int i) { return i % 13; });
  for (const bool shuffled : {false, true})
    for (const bool clamped : {false, true}) {
      const auto A = make_operator<double>(plain, TransposeMethod::stored);
      check_kaczmarz<double>(A, plain, shuffled, clamped);
      check_kaczmarz<double>(PlainProducts<double>(A), plain, shuffled, clamped);
      check_kaczmarz<double>(AnyOperator<TestSpace, double>(A), plain, shuffled, clamped);
      check_kaczmarz<float>(make_operator<float>(plain, TransposeMethod::atomic), plain, shuffled,
                            clamped);
    }
}

TEST(AnyOperator, says_what_is_missing) {
  const TestSpace exec;
  const auto plain = square_matrix();
  const AnyOperator<TestSpace, float> A =
      ForwardOnly<float>(make_operator<float>(plain, TransposeMethod::atomic));
  EXPECT_FALSE(A.has_transpose());
  const Vector<float, MemorySpace> x("x", 90), y("y", 90);
  EXPECT_THROW(A.apply_transpose(exec, 1.0F, as_const(x), 0.0F, as_multivector(y)), Error);
  EXPECT_THROW(A.apply(exec, 1.0F, as_const(x), 0.0F, as_multivector(y), RowRange{0, 90}), Error);
  EXPECT_THROW((kaczmarz_sweep<TestSpace, float>(exec, A, nullptr, {}, x, y)), Error);
  EXPECT_EQ(A.capabilities().rows, nullptr);
  EXPECT_EQ(A.capabilities().diagonal, nullptr);
  EXPECT_EQ(A.capabilities().scaling, nullptr);
  EXPECT_EQ(A.capabilities().slabs, nullptr);
  EXPECT_EQ(A.capabilities().csr, nullptr);
  EXPECT_FALSE(A.capabilities().only_launches);
}

TEST(RowRange, one_placeholder_stands_for_all) {
  EXPECT_TRUE(all_rows.is_all());
  EXPECT_EQ(all_rows.resolved(7), (RowRange{0, 7}));
  for (const RowRange rows : {RowRange{10, -3}, {0, -3}, {1, -1}, {0, 0}, {0, 7}}) {
    EXPECT_FALSE(rows.is_all()) << rows.begin << ", " << rows.end;
    EXPECT_EQ(rows.resolved(7), rows);
  }
}
