// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed products cut into slabs of columns: together they equal the whole product bit by bit,
// for any cut. Operators that cannot be cut report it.
#include <Tomokkos_ConcurrentInstances.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <cstring>
#include <functional>

#include "FlatFormat.hpp"
#include "RayTilesTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

constexpr bool on_host = Impl::is_host_space<TestSpace>;

template <class Scalar>
class ColumnSlabs : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ColumnSlabs, Scalars);

template <class Scalar>
using Any = AnyOperator<TestSpace, Scalar>;
template <class Scalar, StoredPrecision Values = StoredPrecision::plain>
using Tiles = RayTilesMatrix<Scalar, TestMemory, Values>;

template <class Scalar>
std::vector<std::uint64_t> bits_of(const std::vector<Scalar>& values) {
  std::vector<std::uint64_t> bits(values.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&bits[i], &values[i], sizeof(Scalar));
  return bits;
}

/// Computes `Y = alpha A^T X + beta Y` with s vectors.
template <class Scalar>
struct Product {
  const Any<Scalar>& A;
  double alpha, beta;
  int s;
  std::vector<double> x, y;

  /// If `beta == 0`, Y starts as NaN, of which nothing may remain.
  Product(const Any<Scalar>& op, double a, double b, int vectors)
      : A(op),
        alpha(a),
        beta(b),
        s(vectors),
        x(random_vector(static_cast<std::size_t>(op.num_rows()) * vectors, 1)),
        y(random_vector(static_cast<std::size_t>(op.num_cols()) * vectors, 2)) {
    if (beta == 0) std::fill(y.begin(), y.end(), std::nan(""));
  }

  /// Calls `multiply(exec, alpha, X, beta, Y)`, where Y is a vector of the columns.
  template <class Multiply>
  std::vector<Scalar> result_of(const Multiply& multiply) const {
    const TestSpace exec;
    const auto from = to_device<TestSpace, Scalar>(exec, x);
    const auto to = to_device<TestSpace, Scalar>(exec, y);
    multiply(exec, static_cast<Scalar>(alpha),
             MultiVectorView<const Scalar, TestMemory>(from.data(), A.num_rows(), s),
             static_cast<Scalar>(beta), to);
    return to_std_vector(to);
  }
  std::vector<Scalar> whole() const {
    return result_of([&](const TestSpace& exec, Scalar a, const auto& X, Scalar b, const auto& to) {
      A.apply_transpose(exec, a, X, b,
                        MultiVectorView<Scalar, TestMemory>(to.data(), A.num_cols(), s));
    });
  }
  /// If \p beside is set, each slab uses its own instance.
  std::vector<Scalar> in_slabs(const std::vector<RowRange>& slabs, bool beside = false) const {
    return result_of([&](const TestSpace& exec, Scalar a, const auto& X, Scalar b, const auto& to) {
      const ConcurrentInstances<TestSpace> instances(exec, beside ? slabs.size() : 0);
      // The remains of an earlier product must not matter.
      const Vector<Scalar, TestMemory> large("large", static_cast<std::size_t>(A.num_cols()) * s);
      const Vector<Scalar, TestMemory> rows("rows", static_cast<std::size_t>(A.num_rows()) * s);
      Kokkos::deep_copy(exec, large, Scalar(1e6));
      A.apply(exec, Scalar(1),
              MultiVectorView<const Scalar, TestMemory>(large.data(), A.num_cols(), s), Scalar(0),
              MultiVectorView<Scalar, TestMemory>(rows.data(), A.num_rows(), s));
      A.capabilities().slabs->prepare(exec, X);
      instances.follow(exec);
      for (std::size_t i = 0; i < slabs.size(); ++i)
        A.capabilities().slabs->apply_transpose(
            beside ? instances[i] : exec, a, X, b,
            MultiVectorView<Scalar, TestMemory>(to.data() + Offset{slabs[i].begin} * s,
                                                slabs[i].end - slabs[i].begin, s),
            slabs[i]);
      if (beside)
        for (std::size_t i = 0; i < slabs.size(); ++i)
          Impl::fence(instances[i], "a slab is formed");
    });
  }
};

/// Different cuts of the columns: one slab, many, slabs that grow from the last one on, and empty
/// slabs between, before and behind others.
std::vector<std::vector<RowRange>> cuts(Ordinal columns, Ordinal unit) {
  const auto cut_by = [&](const std::function<Ordinal(int)>& units) {
    std::vector<RowRange> slabs;
    Ordinal begin = 0;
    for (int k = 0; begin < columns; ++k) {
      const auto end =
          static_cast<Ordinal>(std::min<Offset>(columns, begin + Offset{unit} * units(k)));
      slabs.push_back({begin, end});
      begin = end;
    }
    return slabs;
  };
  // Limits the number of launches.
  const Ordinal many = std::max<Ordinal>(1, columns / unit / 50);
  std::vector<std::vector<RowRange>> all{{{0, columns}}, cut_by([&](int) { return many; })};
  auto uneven = cut_by([](int k) { return 1 + 3 * k * k; });
  std::reverse(uneven.begin(), uneven.end());
  all.push_back(std::move(uneven));
  std::vector<RowRange> with_empty{{0, 0}};
  for (const RowRange& slab : cut_by([&](int k) { return 2 * many + k % 3; })) {
    with_empty.push_back(slab);
    with_empty.push_back({slab.end, slab.end});
  }
  all.push_back(std::move(with_empty));
  return all;
}

/// Calls `judge(computed, alpha, x, beta, y)` for each vector of whole products, and compares the
/// products with their slabs.
template <class Scalar, class Judge>
void expect_slabs(const Any<Scalar>& A, const std::string& what, const Judge& judge) {
  ASSERT_NE(A.capabilities().slabs, nullptr) << what;
  const Ordinal unit = A.capabilities().slabs->unit();
  ASSERT_GT(unit, 0) << what;
  for (const int s : {1, 3})
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}}) {
      const Product<Scalar> product(A, alpha, beta, s);
      const auto whole = product.whole();
      for (int v = 0; v < s; ++v)
        judge(column_of(whole, v, s), alpha, column_of(product.x, v, s), beta,
              column_of(product.y, v, s));
      int cut = 0;
      for (const auto& slabs : cuts(A.num_cols(), unit)) {
        EXPECT_EQ(bits_of(product.in_slabs(slabs)), bits_of(whole))
            << what << ", vectors " << s << ", beta " << beta << ", cut " << cut;
        EXPECT_EQ(A.capabilities().slabs->run_together(s), s == 1) << what;
        // Only few slabs, because instances are slow to create.
        if (s == 1 && beta == 0 && slabs.size() > 1 && slabs.size() < 10) {
          EXPECT_EQ(bits_of(product.in_slabs(slabs, true)), bits_of(whole))
              << what << ", beside, cut " << cut;
        }
        ++cut;
      }
    }
}

template <class Scalar>
void expect_csr_slabs(const PlainCsr& plain, const OperatorOptions& options, const Any<Scalar>& A) {
  const PlainCsr transposed = plain.transposed();
  const std::string what =
      plain.name + ", " + std::string(to_string(options.transpose_spmv.variant));
  expect_slabs<Scalar>(
      A, what,
      [&](const std::vector<Scalar>& computed, double alpha, const std::vector<double>& x,
          double beta, const std::vector<double>& y) {
        EXPECT_LE(worst_row_error(computed, reference_product(transposed, alpha, x, beta, y)), 1)
            << what;
      });
}

TYPED_TEST(ColumnSlabs, of_a_stored_transpose_are_the_whole) {
  const TestSpace exec;
  OperatorOptions options;
  options.transpose = TransposeMethod::stored;
  std::vector<SpmvVariant> variants{SpmvVariant::scalar, SpmvVariant::team_vector,
                                    SpmvVariant::crs_vector, SpmvVariant::staged};
  // Tiles of whole rows, and a copy in which a thread sums a row in the same order as in the
  // matrix.
  if (on_host) variants.insert(variants.end(), {SpmvVariant::merge_path, SpmvVariant::spmv4gpu});
  for (const PlainCsr& plain : format_battery()) {
    const auto csr = on_device<TypeParam>(plain);
    for (const auto variant : variants) {
      options.transpose_spmv.variant = variant;
      options.transpose_spmv.items_per_tile = variant == SpmvVariant::merge_path ? 2000000 : 0;
      const CsrOperator<TestSpace, TypeParam> A(exec, csr, options);
      const bool in_teams = variant == SpmvVariant::staged && !on_host;
      EXPECT_EQ(A.slab_multiple(), in_teams ? A.options().transpose_spmv.rows_per_team : 1);
      expect_csr_slabs<TypeParam>(plain, options, A);
    }
  }
}

/// Only on a GPU: a team of staged rows with far more entries than its scratch memory holds, and
/// interleaved entries.
TYPED_TEST(ColumnSlabs, of_arranged_rows_are_the_whole) {
  const TestSpace exec;
  const PlainCsr plain = rays(400, 3000);
  const auto csr = on_device<TypeParam>(plain);
  OperatorOptions staged, interleaved;
  staged.transpose = interleaved.transpose = TransposeMethod::stored;
  staged.transpose_spmv.variant = SpmvVariant::staged;
  staged.transpose_spmv.items_per_tile = 64;
  expect_csr_slabs<TypeParam>(plain, staged, CsrOperator<TestSpace, TypeParam>(exec, csr, staged));
  interleaved.interleaved = true;
  interleaved.transpose_spmv.variant = SpmvVariant::team_vector;
  const CsrOperator<TestSpace, TypeParam> A(exec, csr, interleaved);
  EXPECT_EQ(A.is_interleaved(), !on_host);
  expect_csr_slabs<TypeParam>(plain, interleaved, A);
}

template <class Matrix>
Matrix tiles_of(const PlainCsr& plain, const RayTilesOptions& options) {
  using Scalar = typename Matrix::scalar_type;
  return ray_tiles_from_csr<TestSpace, Scalar, Matrix::stored_precision>(
      TestSpace(), on_device<Scalar>(plain), options);
}

template <class Matrix>
void expect_tile_slabs(const PlainCsr& from, const RayTilesOptions& options) {
  using Scalar = typename Matrix::scalar_type;
  const TestSpace exec;
  const auto tiles = tiles_of<Matrix>(from, options);
  // The values of the tiles may be rounded.
  PlainCsr plain = from;
  const auto values =
      to_std_vector(to_csr<TestSpace, Scalar, Matrix::stored_precision>(exec, tiles).values);
  plain.values.assign(values.begin(), values.end());
  const PlainCsr transposed = plain.transposed();
  const Any<Scalar> A(MatrixOperator<TestSpace, Matrix>(exec, tiles));
  EXPECT_EQ(A.capabilities().slabs->unit(), tiles.tile);
  const std::string what = from.name + ", tile " + std::to_string(options.tile);
  expect_slabs<Scalar>(
      A, what,
      [&](const std::vector<Scalar>& computed, double alpha, const std::vector<double>& x,
          double beta, const std::vector<double>& y) {
        expect_product(transposed, computed, alpha, x, beta, y, true, what);
      });
}

TYPED_TEST(ColumnSlabs, of_ray_tiles_are_the_whole) {
  for (const PlainCsr& plain : format_battery())
    if (plain.rows < 700)
      for (const RayTilesOptions& options : {RayTilesOptions{64, 7}, RayTilesOptions{1000, 100000}})
        expect_tile_slabs<Tiles<TypeParam>>(plain, options);
  expect_tile_slabs<Tiles<TypeParam>>(rays(), {largest_tile, 90});
  // More segments of a group in a tile than a block holds.
  expect_tile_slabs<Tiles<TypeParam>>(rays(3000, 700), {512, 1400});
}

TYPED_TEST(ColumnSlabs, of_ray_tiles_with_several_shares_are_the_whole) {
  // On hosts: the second and the last of four tiles are empty.
  PlainCsr plain = rays(2000, 400);
  plain.columns = 1250;
  for (std::size_t k = 0; k < plain.indices.size(); k += 3) plain.indices[k] += 800;
  for (std::int32_t i = 0; i < plain.rows; ++i) {
    const auto begin = plain.indices.begin() + plain.offsets[i];
    std::sort(begin, plain.indices.begin() + plain.offsets[i + 1]);
  }
  const RayTilesOptions options{400, 20};
  if (on_host) {
    const auto tiles = tiles_of<Tiles<TypeParam>>(plain, options);
    const RayTilesPlan<TestSpace, Tiles<TypeParam>> plan(TestSpace(), tiles);
    const auto& begins = plan.share_begins();
    ASSERT_EQ(begins.size(), 5u);
    EXPECT_GT(begins[1], 10);
    EXPECT_EQ(begins[2] - begins[1], 1);
    EXPECT_GT(begins[3] - begins[2], 3);
  }
  expect_tile_slabs<Tiles<TypeParam>>(plain, options);
}

TEST(ColumnSlabsOfRounded, are_the_whole) {
  expect_tile_slabs<Tiles<float, StoredPrecision::half>>(rays(), {512, 90});
  expect_tile_slabs<Tiles<float, StoredPrecision::half>>(rays(60, 900), {64, 7});
  expect_tile_slabs<Tiles<float, StoredPrecision::scaled>>(rays(), {512, 90});
}

TYPED_TEST(ColumnSlabs, of_data_that_are_not_finite_are_the_whole) {
  const Any<TypeParam> A(MatrixOperator<TestSpace, Tiles<TypeParam>>(
      TestSpace(), tiles_of<Tiles<TypeParam>>(rays(200, 5000), {512, 40})));
  Product<TypeParam> product(A, 2, 0.5, 1);
  const auto clean = product.whole();
  product.x[77] = std::numeric_limits<double>::infinity();
  const auto whole = product.whole();
  const auto met = std::count_if(whole.begin(), whole.end(),
                                 [](TypeParam value) { return !std::isfinite(value); });
  EXPECT_GT(met, 100);
  EXPECT_LT(met, 4000);
  for (const auto& slabs : cuts(5000, 512)) {
    const auto parts = product.in_slabs(slabs);
    for (std::size_t j = 0; j < parts.size(); ++j)
      ASSERT_TRUE(parts[j] == whole[j] || (std::isnan(parts[j]) && std::isnan(whole[j]))) << j;
  }
  // Values that were not finite leave no trace in the plan.
  EXPECT_EQ(bits_of(Product<TypeParam>(A, 2, 0.5, 1).in_slabs(cuts(5000, 512)[1])), bits_of(clean));
}

/// Returns the message that a call throws, with "mismatch: ..." for shapes.
std::string told(const std::function<void()>& call) {
  try {
    call();
  } catch (const DimensionMismatch& error) {
    return std::string("mismatch: ") + error.what();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

template <class Scalar>
std::string told_of(const Any<Scalar>& A, RowRange columns, Ordinal rows_of_y) {
  const TestSpace exec;
  const Vector<Scalar, TestMemory> x("x", A.num_rows()), y("y", rows_of_y);
  const auto X = as_multivector(VectorView<const Scalar, TestMemory>(x));
  A.capabilities().slabs->prepare(exec, X);
  return told([&] {
    A.capabilities().slabs->apply_transpose(
        exec, Scalar(1), X, Scalar(0), as_multivector(VectorView<Scalar, TestMemory>(y)), columns);
  });
}

TYPED_TEST(ColumnSlabs, must_be_cut_where_they_can_be) {
  const PlainCsr plain = rays(30, 200);
  const Any<TypeParam> tiles(MatrixOperator<TestSpace, Tiles<TypeParam>>(
      TestSpace(), tiles_of<Tiles<TypeParam>>(plain, {64, 8})));
  const Any<TypeParam> stored(
      CsrOperator<TestSpace, TypeParam>(TestSpace(), on_device<TypeParam>(plain), [] {
        OperatorOptions options;
        options.transpose = TransposeMethod::stored;
        options.transpose_spmv.variant = SpmvVariant::scalar;
        return options;
      }()));
  const auto range = [](RowRange columns) {
    return "[" + std::to_string(columns.begin) + ", " + std::to_string(columns.end) + ")";
  };
  for (const RowRange columns : {RowRange{0, 63}, {1, 64}, {64, 199}, {65, 65}, {192, 193}}) {
    const std::string message = told_of(tiles, columns, columns.end - columns.begin);
    EXPECT_NE(message.find("slab of columns " + range(columns)), std::string::npos) << message;
    EXPECT_NE(message.find("unit 64,"), std::string::npos) << message;
    EXPECT_EQ(told_of(stored, columns, columns.end - columns.begin), "nothing");
  }
  for (const RowRange columns :
       {RowRange{0, 201}, {-64, 64}, {128, 64}, {256, 256}, {0, -3}, {192, 256}})
    for (const auto& A : {tiles, stored}) {
      const std::string message = told_of(A, columns, std::max(0, columns.end - columns.begin));
      EXPECT_NE(message.find("range of columns " + range(columns)), std::string::npos) << message;
      EXPECT_NE(message.find("the 200 columns of A"), std::string::npos) << message;
    }
  for (const auto& A : {tiles, stored}) {
    for (const RowRange columns : {RowRange{64, 128}, {192, 200}, {0, 0}, {200, 200}}) {
      EXPECT_EQ(told_of(A, columns, columns.end - columns.begin), "nothing");
      EXPECT_EQ(told_of(A, columns, columns.end - columns.begin + 1).rfind("mismatch", 0), 0u);
    }
    EXPECT_EQ(told_of(A, all_rows, 200), "nothing");
    EXPECT_EQ(told_of(A, {0, 64}, 200).rfind("mismatch", 0), 0u);
    const TestSpace exec;
    const Vector<TypeParam, TestMemory> x("x", 60), y("y", 200);
    const auto mismatch = [&](Ordinal rows, int s_of_x, int s_of_y) {
      EXPECT_EQ(told([&] {
                  A.capabilities().slabs->apply_transpose(
                      exec, TypeParam(1),
                      MultiVectorView<const TypeParam, TestMemory>(x.data(), rows, s_of_x),
                      TypeParam(0), MultiVectorView<TypeParam, TestMemory>(y.data(), 64, s_of_y),
                      {64, 128});
                }).rfind("mismatch", 0),
                0u)
          << rows << ", " << s_of_x << ", " << s_of_y;
    };
    mismatch(29, 1, 1);
    mismatch(30, 2, 1);
    mismatch(30, 1, 2);
  }
}

/// Without the common step, a GPU would use the unit of another vector without any error.
TYPED_TEST(ColumnSlabs, of_ray_tiles_come_after_what_they_have_in_common) {
  const TestSpace exec;
  const Any<TypeParam> A(MatrixOperator<TestSpace, Tiles<TypeParam>>(
      exec, tiles_of<Tiles<TypeParam>>(rays(30, 200), {64, 8})));
  const Vector<TypeParam, TestMemory> of_rows("x", 30), others("other", 30), of_columns("y", 200);
  const auto x = as_multivector(of_rows), other = as_multivector(others);
  const auto y = as_multivector(of_columns);
  const MultiVectorView<TypeParam, TestMemory> slab(y.data() + 64, 64, 1), some(x.data(), 8, 1);
  const auto& slabs = *A.capabilities().slabs;
  const auto form_slab = [&] {
    return told([&] { slabs.apply_transpose(exec, 1, x, 0, slab, {64, 128}); });
  };
  const std::string message = "slabs of A^T y need a y that has been prepared for them";
  const auto is_refused = [&] { return form_slab().find(message) != std::string::npos; };
  EXPECT_TRUE(is_refused());
  slabs.prepare(exec, x);
  for (int again = 0; again < 2; ++again) EXPECT_EQ(form_slab(), "nothing");
  const std::vector<std::function<void()>> ends{[&] { slabs.prepare(exec, other); },
                                                [&] { A.apply(exec, 1, y, 0, other); },
                                                [&] { A.apply_transpose(exec, 1, x, 0, y); },
                                                [&] {
                                                  A.apply_transpose(exec, 1, some, 0, y, {0, 8});
                                                }};
  for (const auto& end : ends) {
    slabs.prepare(exec, x);
    end();
    EXPECT_TRUE(is_refused());
  }
}

TYPED_TEST(ColumnSlabs, are_refused_where_there_are_none) {
  const TestSpace exec;
  const PlainCsr plain = rays(40, 600);
  const auto csr = on_device<TypeParam>(plain);
  const auto none = [&](const Any<TypeParam>& A, const std::string& what) {
    if (A.capabilities().slabs == nullptr) return;
    EXPECT_EQ(A.capabilities().slabs->unit(), 0) << what;
    for (const RowRange columns : {RowRange{0, 600}, {0, 100}, {0, 0}})
      EXPECT_NE(told_of(A, columns, columns.end).find("cannot be cut into slabs of columns"),
                std::string::npos)
          << what;
  };
  OperatorOptions options;
  std::vector<TransposeMethod> methods{TransposeMethod::atomic, TransposeMethod::windowed};
  if (on_host) methods.push_back(TransposeMethod::private_images);
  for (const auto method : methods) {
    options.transpose = method;
    none(CsrOperator<TestSpace, TypeParam>(exec, csr, options), std::string(to_string(method)));
  }
  // The whole product cuts rows into pieces; a slab would not.
  options.transpose = TransposeMethod::stored;
  options.transpose_spmv.variant = SpmvVariant::merge_atomic;
  none(CsrOperator<TestSpace, TypeParam>(exec, csr, options), "merge_atomic");
  options.transpose_spmv.variant = SpmvVariant::merge_path;
  options.transpose_spmv.items_per_tile = 64;
  if (!on_host) options.transpose_spmv.items_per_tile = 4096;
  none(CsrOperator<TestSpace, TypeParam>(exec, csr, options), "merge_path");
  if (!on_host) {
    options.transpose_spmv = {};
    options.transpose_spmv.variant = SpmvVariant::spmv4gpu;
    none(CsrOperator<TestSpace, TypeParam>(exec, csr, options), "spmv4gpu");
  }
  none(CsrOperator<TestSpace, TypeParam>(exec, csr), "a transpose that is not built yet");
  none(make_format_operator<TestSpace, TypeParam>(exec, csr, FlatFormat{}).A, "sell");
}

}  // namespace
