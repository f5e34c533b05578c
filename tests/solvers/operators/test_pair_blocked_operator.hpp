// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of rows as an operator: products, memory, reported figures, errors, and the stored rays of
// a symmetric scan. Its transposed products are also tested with all methods for A^T x.
#include <gtest/gtest.h>

#include <Tomokkos_Art.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SystemMatrix.hpp>

#include "AllocationCount.hpp"
#include "FlatFormat.hpp"
#include "PairBlockedTesting.hpp"
#include "TransposedVariants.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class PairBlockedOperators : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PairBlockedOperators, Scalars);

template <class Scalar>
using Operator = MatrixOperator<TestSpace, PairBlockedMatrix<Scalar, TestMemory>>;
template <class Scalar>
using In = MultiVectorView<const Scalar, TestMemory>;
template <class Scalar>
using Out = MultiVectorView<Scalar, TestMemory>;
constexpr std::array both{TransposeMethod::atomic, TransposeMethod::fixed_point};

OperatorOptions transposed_by(TransposeMethod method) {
  OperatorOptions options;
  options.transpose = method;
  return options;
}

FlatFormat paired_options(TransposeMethod method) {
  FlatFormat options;
  options.format = MatrixFormat::pair_blocked;
  options.transpose = method;
  return options;
}

template <class Scalar>
std::vector<Scalar> column(const std::vector<Scalar>& all, int j, int s) {
  std::vector<Scalar> picked;
  for (std::size_t i = static_cast<std::size_t>(j); i < all.size(); i += s)
    picked.push_back(all[i]);
  return picked;
}

/// Computes `alpha A X + beta Y`, or with A^T.
template <class Scalar>
std::vector<Scalar> product(const AnyOperator<TestSpace, Scalar>& A, bool transposed, double alpha,
                            const std::vector<double>& x, double beta, const std::vector<double>& y,
                            int s) {
  const TestSpace exec;
  const auto from = to_device<TestSpace, Scalar>(exec, x);
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  const In<Scalar> X(from.data(), x.size() / static_cast<std::size_t>(s), s);
  const Out<Scalar> Y(to.data(), y.size() / static_cast<std::size_t>(s), s);
  if (transposed)
    A.apply_transpose(exec, static_cast<Scalar>(alpha), X, static_cast<Scalar>(beta), Y);
  else
    A.apply(exec, static_cast<Scalar>(alpha), X, static_cast<Scalar>(beta), Y);
  return to_std_vector(to);
}

/// Checks the error against the bound of the products in CSR plus that of fixed-point sums.
template <class Scalar>
void expect_product(const PlainCsr& A, const std::vector<Scalar>& computed, double alpha,
                    const std::vector<double>& x, double beta, const std::vector<double>& y,
                    bool in_units, const std::string& what) {
  const ReferenceProduct expected = reference_product(A, alpha, x, beta, y);
  double largest = 0, sum = 0;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double row = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) row += std::abs(A.values[k]);
    sum = std::max(sum, row);
  }
  const double step = in_units ? std::abs(alpha) * 0x1p-60 * largest * sum : 0;
  const double u = std::numeric_limits<Scalar>::epsilon();
  ASSERT_EQ(computed.size(), expected.y.size()) << what;
  for (std::size_t i = 0; i < computed.size(); ++i)
    ASSERT_LE(std::abs(static_cast<double>(computed[i]) - expected.y[i]),
              static_cast<double>(expected.row_length[i] + 2) * (u * expected.magnitude[i] + step))
        << what << ", entry " << i;
}

TYPED_TEST(PairBlockedOperators, multiply_one_and_several_vectors) {
  for (const PlainCsr& plain : pair_battery()) {
    const PlainCsr transposed = plain.transposed();
    for (const TransposeMethod method : both) {
      const AnyOperator<TestSpace, TypeParam> A =
          Operator<TypeParam>(TestSpace(), pair_up<TypeParam>(plain), transposed_by(method));
      for (const int s : {1, 2, 8, 9})
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}}) {
          A.reserve(TestSpace(), s / 2);
          const auto x = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
          const auto y = random_vector(static_cast<std::size_t>(plain.rows) * s, 2);
          const auto there = product(A, false, alpha, x, beta, y, s);
          const auto back = product(A, true, alpha, y, beta, x, s);
          for (int j = 0; j < s; ++j) {
            const std::string what = plain.name + ", " + std::string(to_string(method)) +
                                     ", vector " + std::to_string(j);
            expect_product(plain, column(there, j, s), alpha, column(x, j, s), beta,
                           column(y, j, s), false, what);
            expect_product(transposed, column(back, j, s), alpha, column(y, j, s), beta,
                           column(x, j, s), method == TransposeMethod::fixed_point,
                           what + ", transposed");
          }
        }
    }
  }
}

/// Equal bits in every run, for a single vector or among others.
TYPED_TEST(PairBlockedOperators, repeat_their_bits_but_for_atomic_additions) {
  const PlainCsr plain = crowded();
  const AnyOperator<TestSpace, TypeParam> A = Operator<TypeParam>(
      TestSpace(), pair_up<TypeParam>(plain), transposed_by(TransposeMethod::fixed_point));
  constexpr int s = 5;
  const auto x = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows) * s, 2);
  for (const bool transposed : {false, true}) {
    const auto& from = transposed ? y : x;
    const auto& to = transposed ? x : y;
    const auto first = product(A, transposed, 1.5, from, 0.5, to, s);
    for (int run = 0; run < 5; ++run)
      EXPECT_EQ(product(A, transposed, 1.5, from, 0.5, to, s), first);
    for (int j = 0; j < s; ++j)
      EXPECT_EQ(product(A, transposed, 1.5, column(from, j, s), 0.5, column(to, j, s), 1),
                column(first, j, s));
  }
}

TYPED_TEST(PairBlockedOperators, tell_sums_and_bytes) {
  const TestSpace exec;
  PlainCsr plain = crossing();
  for (auto& value : plain.values) value = 0.25 + std::abs(value);
  const std::size_t vectors = (255 + 700) * sizeof(TypeParam);
  for (const TransposeMethod method : both) {
    const Operator<TypeParam> A(exec, pair_up<TypeParam>(plain), transposed_by(method));
    const std::size_t matrix = A.matrix().memory_bytes();
    const std::size_t sums = method == TransposeMethod::atomic ? 0 : 9 * 700 + 8;
    EXPECT_EQ(A.memory_bytes(), matrix + sums);
    EXPECT_EQ(A.apply_bytes(), matrix + vectors);
    EXPECT_EQ(A.apply_bytes(3), matrix + 3 * vectors);
    EXPECT_EQ(A.apply_transpose_bytes(), matrix + vectors + 2 * sums);
    EXPECT_EQ(A.apply_transpose_bytes(3), matrix + 3 * (vectors + 2 * sums));
    A.reserve(exec, 1);
    EXPECT_EQ(A.memory_bytes(), matrix + sums);
    A.reserve(exec, 3);
    EXPECT_EQ(A.memory_bytes(), matrix + 3 * sums);
    EXPECT_EQ(A.apply_transpose_bytes(3), matrix + 3 * (vectors + 2 * sums));
    A.reserve(exec, 100);
    EXPECT_EQ(A.memory_bytes(), matrix + 8 * sums);
    const auto rows = sums_of<TypeParam>(exec, A, false);
    const auto columns = sums_of<TypeParam>(exec, A, true);
    const auto expect = [](const PlainCsr& M, const std::vector<TypeParam>& sums_of_rows) {
      expect_product(M, sums_of_rows, 1,
                     std::vector<double>(static_cast<std::size_t>(M.columns), 1), 0,
                     std::vector<double>(static_cast<std::size_t>(M.rows)), true, "sums");
    };
    expect(plain, to_std_vector(rows));
    expect(plain.transposed(), to_std_vector(columns));
  }
}

TYPED_TEST(PairBlockedOperators, are_made_as_they_are_asked_for) {
  const TestSpace exec;
  const PlainCsr plain = crowded();
  const auto csr = on_device<TypeParam>(plain);
  const auto size = pair_blocked_size<TestSpace, TypeParam>(exec, csr);
  for (const auto& [asked, expected] :
       {std::pair{TransposeMethod::automatic, TransposeMethod::fixed_point},
        {TransposeMethod::fixed_point, TransposeMethod::fixed_point},
        {TransposeMethod::atomic, TransposeMethod::atomic}}) {
    const auto made = make_format_operator<TestSpace, TypeParam>(exec, csr, paired_options(asked));
    EXPECT_EQ(made.transpose, expected);
    EXPECT_EQ(figure_of<std::int64_t>(made, "pairs"), size.pairs);
    EXPECT_EQ(figure_of<std::vector<std::int64_t>>(made, "sub_matrices"),
              (std::vector<std::int64_t>{size.mixed_begin, size.mixed_end - size.mixed_begin,
                                         size.width - size.mixed_end}));
    EXPECT_EQ(made.fill, static_cast<double>(size.stored) / static_cast<double>(plain.nonzeros()));
    EXPECT_TRUE(made.A.has_transpose());
  }
  const auto alone = make_format_operator<TestSpace, TypeParam>(
      exec, csr, paired_options(TransposeMethod::stored), false);
  EXPECT_FALSE(alone.transpose.has_value());
  EXPECT_FALSE(alone.A.has_transpose());
  EXPECT_EQ(alone.A.apply_transpose_bytes(), 0U);
  EXPECT_EQ(alone.A.memory_bytes(), size.bytes);
}

/// The size in the refusal is the size that the operator needs.
TYPED_TEST(PairBlockedOperators, are_refused_with_the_figure) {
  const TestSpace exec;
  const PlainCsr plain = crowded();
  const auto csr = on_device<TypeParam>(plain);
  for (const TransposeMethod method : {TransposeMethod::atomic, TransposeMethod::fixed_point}) {
    FlatFormat options = paired_options(method);
    options.available_bytes = 1000;
    std::string message;
    try {
      make_format_operator<TestSpace, TypeParam>(exec, csr, options);
    } catch (const MemoryError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(std::to_string(plain.nonzeros()) + " entries"), std::string::npos);
    const std::size_t at = message.find(" bytes)");
    ASSERT_NE(at, std::string::npos) << message;
    const std::uint64_t needed = std::stoull(message.substr(message.rfind('(', at) + 1));
    options.available_bytes = needed;
    const auto made = make_format_operator<TestSpace, TypeParam>(exec, csr, options);
    // A vector of ones exists while the column sums are bounded.
    const std::uint64_t ones = method == TransposeMethod::atomic ? 0 : 301 * sizeof(TypeParam);
    EXPECT_EQ(made.A.memory_bytes() + ones, needed);
    options.available_bytes = needed - 1;
    EXPECT_THROW((make_format_operator<TestSpace, TypeParam>(exec, csr, options)), MemoryError);
  }
}

TYPED_TEST(PairBlockedOperators, hold_the_memory_that_they_announce) {
  const TestSpace exec;
  const auto csr = on_device<TypeParam>(crossing());
  for (const TransposeMethod method : {TransposeMethod::atomic, TransposeMethod::fixed_point})
    for (const int vectors : {1, 3}) {
      const LiveBytes live("Tomokkos::");
      const auto A =
          make_format_operator<TestSpace, TypeParam>(exec, csr, paired_options(method)).A;
      A.reserve(exec, vectors);
      Kokkos::fence();
      // Kokkos rounds sizes up and allocates some bytes even for an empty array.
      EXPECT_LE(A.memory_bytes(), live.bytes());
      EXPECT_LE(live.bytes(), A.memory_bytes() + 512);
    }
}

TEST(PairBlockedOperator, says_what_it_cannot_do) {
  const TestSpace exec;
  const auto csr = on_device<float>(crowded());
  for (const TransposeMethod method : {TransposeMethod::stored, TransposeMethod::private_images,
                                       TransposeMethod::windowed, TransposeMethod::direct})
    EXPECT_THROW((make_format_operator<TestSpace, float>(exec, csr, paired_options(method))), Error)
        << to_string(method);
  // The other formats have no 64-bit fixed-point sums either.
  for (const MatrixFormat format : {MatrixFormat::sell, MatrixFormat::packed_csr}) {
    FlatFormat options = paired_options(TransposeMethod::fixed_point);
    options.format = format;
    EXPECT_THROW((make_format_operator<TestSpace, float>(exec, csr, options)), Error)
        << to_string(format);
  }
  OperatorOptions of_csr;
  of_csr.transpose = TransposeMethod::fixed_point;
  EXPECT_THROW((CsrOperator<TestSpace, float>(exec, csr, of_csr)), Error);
  FlatFormat narrow = paired_options(TransposeMethod::automatic);
  narrow.largest_fill = 1.0001;
  EXPECT_THROW((make_format_operator<TestSpace, float>(exec, csr, narrow)), Error);

  const AnyOperator<TestSpace, float> A =
      make_format_operator<TestSpace, float>(exec, csr, paired_options(TransposeMethod::atomic)).A;
  EXPECT_TRUE(A.supports_ranges());
  EXPECT_EQ(A.capabilities().slabs, nullptr);
  EXPECT_EQ(A.capabilities().diagonal, nullptr);
  EXPECT_EQ(A.capabilities().scaling, nullptr);
  const Vector<float, TestMemory> x("x", 70), y("y", 301), part("part", 10);
  const VectorView<const float, TestMemory> of_columns(x), of_rows(y);
  EXPECT_NO_THROW(A.apply(exec, 1, as_multivector(of_columns), 0, as_multivector(part), {0, 10}));
  EXPECT_THROW(A.apply(exec, 1, as_multivector(of_columns), 0, as_multivector(part), {292, 302}),
               Error);
  EXPECT_THROW(A.apply(exec, 1, as_multivector(of_rows), 0, as_multivector(y)), DimensionMismatch);
  EXPECT_THROW(A.apply_transpose(exec, 1, as_multivector(of_columns), 0, as_multivector(x)),
               DimensionMismatch);
  // Sweeps go by levels; without them they would be products with one row after the other.
  EXPECT_THROW((kaczmarz_sweep<TestSpace, float>(exec, A, nullptr, {}, of_rows, x)), Error);
}

template <class Scalar, class Solver, class Params>
std::vector<Scalar> solved(const AnyOperator<TestSpace, Scalar>& A, const Params& params) {
  const TestSpace exec;
  auto b = random_vector(static_cast<std::size_t>(A.num_rows()), 5);
  for (double& value : b) value = 0.25 + std::abs(value);
  const auto device_b = to_device<TestSpace, Scalar>(exec, b);
  const auto x = to_device<TestSpace, Scalar>(
      exec, std::vector<double>(static_cast<std::size_t>(A.num_cols()), 0.5));
  Solver solver(exec, A.num_rows(), A.num_cols(), params);
  solver.solve(exec, A, device_b, x);
  return to_std_vector(x);
}

template <class Scalar>
double distance(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(static_cast<double>(a[i]) - b[i], 2);
    norm += std::pow(static_cast<double>(b[i]), 2);
  }
  return std::sqrt(difference / norm);
}

/// Row-action methods and subsets give what they give with CSR.
TYPED_TEST(PairBlockedOperators, serve_row_actions_and_subsets) {
  const TestSpace exec;
  PlainCsr plain = crowded();
  for (auto& value : plain.values) value = 0.25 + std::abs(value);
  const AnyOperator<TestSpace, TypeParam> csr =
      CsrOperator<TestSpace, TypeParam>(exec, on_device<TypeParam>(plain));
  const double close = std::is_same_v<TypeParam, float> ? 2e-5 : 1e-12;
  ArtParams art;
  art.sweeps = 2;
  art.relaxation = 0.5;
  BlockArtParams block;
  block.sweeps = 2;
  block.block_rows = 10;
  SartParams sart;
  sart.sweeps = 2;
  sart.view_rows = 13;
  MlemParams osem;
  osem.iterations = 2;
  osem.subsets = 7;
  for (const TransposeMethod method : both) {
    const auto paired = [&](bool spread) {
      return AnyOperator<TestSpace, TypeParam>(
          Operator<TypeParam>(exec, pair_up<TypeParam>(plain, spread), transposed_by(method)));
    };
    const AnyOperator<TestSpace, TypeParam> A = paired(true);
    const auto expected = solved<TypeParam, Art<TestSpace, TypeParam>>(csr, art);
    EXPECT_LT(distance(solved<TypeParam, Art<TestSpace, TypeParam>>(A, art), expected), close);
    // Entries in the order of CSR give its bits.
    EXPECT_EQ((solved<TypeParam, Art<TestSpace, TypeParam>>(paired(false), art)), expected);
    EXPECT_LT(distance(solved<TypeParam, BlockArt<TestSpace, TypeParam>>(A, block),
                       solved<TypeParam, BlockArt<TestSpace, TypeParam>>(csr, block)),
              close);
    const auto views = solved<TypeParam, Sart<TestSpace, TypeParam>>(A, sart);
    EXPECT_LT(distance(views, solved<TypeParam, Sart<TestSpace, TypeParam>>(csr, sart)), close);
    const auto subsets = solved<TypeParam, Mlem<TestSpace, TypeParam>>(A, osem);
    EXPECT_LT(distance(subsets, solved<TypeParam, Mlem<TestSpace, TypeParam>>(csr, osem)), close);
    if (method == TransposeMethod::atomic) continue;
    EXPECT_EQ((solved<TypeParam, Sart<TestSpace, TypeParam>>(A, sart)), views);
    EXPECT_EQ((solved<TypeParam, Mlem<TestSpace, TypeParam>>(A, osem)), subsets);
  }
}

/// One ray of each orbit in pairs: products of the whole matrix with one vector and with a stack.
TYPED_TEST(PairBlockedOperators, serve_the_stored_rays_of_a_symmetric_scan) {
  const TestSpace exec;
  const VolumeGeometry volume{20, 20, 1.0};
  ScanGeometry scan;
  scan.beam = Beam::parallel;
  scan.views = ViewAngles::evenly_spaced(12, Angle::turns(1, 48));
  scan.detectors = 30;
  const auto A =
      build_symmetric_projection<TestSpace, TypeParam>(exec, volume, scan, Projector::linear);
  const PlainCsr plain =
      to_plain(build_system_matrix<TestSpace, TypeParam>(exec, volume, scan, Projector::linear));
  for (const TransposeMethod method : {TransposeMethod::atomic, TransposeMethod::fixed_point}) {
    const AnyOperator<TestSpace, TypeParam> op = SymmetricOperator<TestSpace, TypeParam>(
        A.symmetry,
        make_format_operator<TestSpace, TypeParam>(exec, A.stored, paired_options(method)).A);
    for (const int s : {1, 3}) {
      const auto x = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
      const auto y = random_vector(static_cast<std::size_t>(plain.rows) * s, 2);
      const auto there = product(op, false, -1.5, x, 0.25, y, s);
      const auto back = product(op, true, -1.5, y, 0.25, x, s);
      for (int j = 0; j < s; ++j) {
        expect_product(plain, column(there, j, s), -1.5, column(x, j, s), 0.25, column(y, j, s),
                       false, "stored rays");
        // The sums over the rays of an orbit are formed first, from up to eight values per entry.
        expect_product(plain.transposed(), column(back, j, s), -1.5, column(y, j, s), 0.25,
                       column(x, j, s), true, "stored rays, transposed");
      }
      if (method == TransposeMethod::fixed_point) {
        EXPECT_EQ(product(op, true, -1.5, y, 0.25, x, s), back);
      }
    }
  }
}

}  // namespace
