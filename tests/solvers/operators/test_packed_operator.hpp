// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed rows as an operator: memory, reported figures and errors. Its products are tested with all
// methods for A^T x and with all formats.
#include <gtest/gtest.h>

#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_Transpose.hpp>

#include "AllocationCount.hpp"
#include "FlatFormat.hpp"
#include "TransposedVariants.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

using MemorySpace = TestSpace::memory_space;
constexpr bool on_host = Impl::is_host_space<TestSpace>;
template <StoredPrecision Values>
using Packed = PackedCsrMatrix<float, MemorySpace, Values>;

/// Matrix of 17 views of 30 detectors with rows of 20 to 60 entries; one row is empty.
PlainCsr scan() {
  auto plain = battery::make("scan", 510, 400, [](int i) { return i == 9 ? 0 : 20 + i % 41; });
  for (auto& value : plain.values) value = 0.25 + std::abs(value);
  return plain;
}

std::vector<TransposeMethod> methods() {
  std::vector<TransposeMethod> all{TransposeMethod::atomic, TransposeMethod::stored};
  if (on_host) all.push_back(TransposeMethod::private_images);
  return all;
}

OperatorOptions transposed_by(TransposeMethod method) {
  OperatorOptions options;
  options.transpose = method;
  return options;
}

FlatFormat packed_options(TransposeMethod method, StoredPrecision values = StoredPrecision::plain) {
  FlatFormat options;
  options.format = MatrixFormat::packed_csr;
  options.transpose = method;
  options.values = values;
  return options;
}

template <class Scalar>
void expect_equal(const CsrMatrix<Scalar, MemorySpace>& A, const CsrMatrix<Scalar, MemorySpace>& B,
                  const std::string& what) {
  EXPECT_EQ(A.num_cols, B.num_cols) << what;
  EXPECT_EQ(to_std_vector(A.row_offsets), to_std_vector(B.row_offsets)) << what;
  EXPECT_EQ(to_std_vector(A.columns), to_std_vector(B.columns)) << what;
  EXPECT_EQ(to_std_vector(A.values), to_std_vector(B.values)) << what;
}

/// Checks that packing the transpose of A rounds its values like packing A.
template <StoredPrecision Values>
void check_transposed_copy(const PlainCsr& plain) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, plain);
  const auto packed = packed_csr_from_csr<TestSpace, float, Values>(exec, csr);
  const auto copy =
      packed_csr_from_csr<TestSpace, float, Values>(exec, transpose<TestSpace, float>(exec, csr));
  EXPECT_EQ(copy.least, packed.least);
  EXPECT_EQ(copy.step, packed.step);
  expect_equal(to_csr<TestSpace, float, Values>(exec, copy),
               transpose<TestSpace, float>(exec, to_csr<TestSpace, float, Values>(exec, packed)),
               plain.name + ", " + std::string(to_string(Values)));
}

TEST(PackedCsrOperator, the_stored_transpose_is_that_of_the_packed_matrix) {
  for (const PlainCsr& plain :
       {scan(), battery::make("any", 90, 130, [](int i) { return i % 30; })}) {
    check_transposed_copy<StoredPrecision::plain>(plain);
    check_transposed_copy<StoredPrecision::half>(plain);
    check_transposed_copy<StoredPrecision::scaled>(plain);
  }
}

/// Checks the sums of the stored values, rounded or not.
template <StoredPrecision Values>
void check_sums() {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, scan());
  const auto packed = packed_csr_from_csr<TestSpace, float, Values>(exec, csr);
  const PlainCsr stored = to_plain(to_csr<TestSpace, float, Values>(exec, packed));
  const MatrixOperator<TestSpace, Packed<Values>> A(exec, packed,
                                                    transposed_by(TransposeMethod::atomic));
  const auto rows = sums_of<float>(exec, A, false), columns = sums_of<float>(exec, A, true);
  const auto expect = [](const PlainCsr& M, const std::vector<float>& sums) {
    for (int i = 0; i < M.rows; ++i) {
      double sum = 0;
      for (auto k = M.offsets[i]; k < M.offsets[i + 1]; ++k) sum += M.values[k];
      EXPECT_NEAR(sums[i], sum, 1e-5 * sum) << to_string(Values) << ", " << i;
    }
  };
  expect(stored, to_std_vector(rows));
  expect(stored.transposed(), to_std_vector(columns));
}

TEST(PackedCsrOperator, tells_sums_of_the_packed_matrix) {
  check_sums<StoredPrecision::plain>();
  check_sums<StoredPrecision::half>();
  check_sums<StoredPrecision::scaled>();
}

/// Checks that the size in the refusal is the size that the operator needs.
template <class Scalar>
void check_figures(StoredPrecision values, TransposeMethod method) {
  const TestSpace exec;
  const PlainCsr plain = scan();
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  const std::string what = std::string(to_string(values)) + ", " + std::string(to_string(method));
  FlatFormat options = packed_options(method, values);
  options.available_bytes = 1000;
  // With a stored transpose, the first size is only what is known before the transpose exists.
  for (int refusals = 0; refusals < 3; ++refusals) {
    std::string message;
    try {
      const auto made = make_format_operator<TestSpace, Scalar>(exec, csr, options);
      EXPECT_GT(refusals, 0) << what;
      EXPECT_LE(made.A.memory_bytes(), *options.available_bytes) << what;
      if (method != TransposeMethod::stored) {
        EXPECT_EQ(made.A.memory_bytes(), *options.available_bytes) << what;
      }
      --*options.available_bytes;
      EXPECT_THROW((make_format_operator<TestSpace, Scalar>(exec, csr, options)), MemoryError);
      return;
    } catch (const MemoryError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(std::to_string(plain.nonzeros()) + " entries"), std::string::npos);
    const std::size_t at = message.find(" bytes)");
    // Small sizes are given only in bytes.
    ASSERT_NE(at, std::string::npos) << message;
    options.available_bytes = std::stoull(message.substr(message.rfind('(', at) + 1));
  }
  ADD_FAILURE() << what;
}

TEST(PackedCsrOperator, is_refused_with_the_figure) {
  for (const TransposeMethod method : methods()) {
    check_figures<double>(StoredPrecision::plain, method);
    for (const auto& [values, name] : EnumNames<StoredPrecision>::names)
      check_figures<float>(values, method);
  }
}

TEST(PackedCsrOperator, holds_the_memory_that_it_announces) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, scan());
  for (const TransposeMethod method : methods())
    for (const auto& [values, name] : EnumNames<StoredPrecision>::names)
      for (const int vectors : {1, 3}) {
        const LiveBytes live("Tomokkos::");
        const auto A =
            make_format_operator<TestSpace, float>(exec, csr, packed_options(method, values)).A;
        A.reserve(exec, vectors);
        Kokkos::fence();
        // Kokkos rounds sizes up and allocates some bytes even for an empty array.
        EXPECT_LE(A.memory_bytes(), live.bytes()) << name;
        EXPECT_LE(live.bytes(), A.memory_bytes() + 1024) << name;
      }
}

/// A product allocates memory for itself, not for the other product.
TEST(PackedCsrOperator, a_product_allocates_what_it_uses) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, scan());
  const Vector<float, MemorySpace> image("x", 1200), data("y", 1530);
  const MultiVectorView<float, MemorySpace> x(image.data(), 400, 3), y(data.data(), 510, 3);
  const std::size_t work = 910 * sizeof(float);
  for (const TransposeMethod method : methods()) {
    const std::string what(to_string(method));
    const auto make = [&] {
      return make_format_operator<TestSpace, float>(exec, csr, packed_options(method)).A;
    };
    const auto back = make();
    const std::size_t before = back.memory_bytes();
    back.apply_transpose(exec, 1, y, 0, x);
    // The images of one vector already exist.
    const bool is_private = method == TransposeMethod::private_images;
    const std::size_t images =
        is_private ? 400 * sizeof(float) *
                         static_cast<std::size_t>(private_image_count(device_traits(exec), false))
                   : 0;
    EXPECT_EQ(back.memory_bytes(), before + (method == TransposeMethod::stored ? work : 2 * images))
        << what;
    const auto there = make();
    there.apply(exec, 1, x, 0, y);
    EXPECT_EQ(there.memory_bytes(), before + work) << what;
    there.reserve(exec, 3);
    EXPECT_EQ(there.memory_bytes(), before + work + 2 * images) << what;
    Kokkos::fence();
  }
}

TEST(PackedCsrOperator, stands_in_tiles_of_rays_where_these_are_known) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, scan());
  FlatFormat options = packed_options(TransposeMethod::stored);
  const auto natural = make_format_operator<TestSpace, float>(exec, csr, options);
  EXPECT_EQ(figure_of<std::string>(natural, "rows"), "natural");
  options.views = 17;
  options.detectors = 30;
  const auto tiled = make_format_operator<TestSpace, float>(exec, csr, options);
  EXPECT_EQ(figure_of<std::string>(tiled, "rows"), "tiled_rays");
  const auto order = make_index_map(exec, 510, tiled_ray_order(17, 30));
  const auto expected = packed_csr_from_csr<TestSpace, float>(exec, csr, {}, order);
  EXPECT_EQ(figure_of<std::string>(tiled, "layout"), to_string(expected.layout()));
  EXPECT_EQ(tiled.fill, fill_of(expected));
  // The order does not change x and y.
  const auto x = to_device<TestSpace, float>(exec, random_vector(400, 1));
  const auto product = [&](const AnyOperator<TestSpace, float>& A) {
    const Vector<float, MemorySpace> y("y", 510);
    A.apply(exec, 1.0F, MultiVectorView<const float, MemorySpace>(x.data(), 400, 1), 0.0F,
            as_multivector(y));
    return to_std_vector(y);
  };
  const auto a = product(natural.A), b = product(tiled.A);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5 * (1 + std::abs(a[i])));
  options.views = 16;
  EXPECT_EQ(
      figure_of<std::string>(make_format_operator<TestSpace, float>(exec, csr, options), "rows"),
      "natural");
}

TEST(PackedCsrOperator, solves_a_system_as_csr_does) {
  const TestSpace exec;
  const auto csr = build_stencil_matrix<TestSpace, double>(exec, 27, 13, 12, 11);
  const auto b = to_device<TestSpace, double>(exec, random_vector(csr.num_rows, 3));
  const auto solve = [&](const AnyOperator<TestSpace, double>& A) {
    const PreconditionedSystem<TestSpace, double> system(exec, A);
    EXPECT_TRUE(system.is_scaled());
    PcgParams params;
    params.stop.relative_residual = 1e-10;
    Pcg<TestSpace, double> pcg(exec, A.num_rows(), params);
    const auto x = to_device<TestSpace, double>(
        exec, std::vector<double>(static_cast<std::size_t>(A.num_rows()), 0.0));
    EXPECT_EQ(pcg.solve(exec, system, b, x).reason, StopReason::converged);
    return to_std_vector(x);
  };
  const auto expected = solve(CsrOperator<TestSpace, double>(exec, csr));
  FlatFormat options = packed_options(TransposeMethod::stored);
  const auto made = make_format_operator<TestSpace, double>(exec, csr, options, false);
  EXPECT_FALSE(made.A.has_transpose());
  const auto x = solve(made.A);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], expected[i], 1e-8);
}

TEST(PackedCsrOperator, says_what_it_cannot_do) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, scan());
  const auto make = [&](const FlatFormat& options) {
    return make_format_operator<TestSpace, float>(exec, csr, options);
  };
  EXPECT_THROW(make(packed_options(TransposeMethod::windowed)), Error);
  if (!on_host) {
    EXPECT_THROW(make(packed_options(TransposeMethod::private_images)), Error);
  }
  const auto A = make(packed_options(TransposeMethod::stored, StoredPrecision::half)).A;
  EXPECT_FALSE(A.supports_ranges());
  EXPECT_EQ(A.capabilities().diagonal, nullptr);
  EXPECT_EQ(A.capabilities().scaling, nullptr);
  const Vector<float, MemorySpace> x("x", 400), part("part", 10), y("y", 510);
  const VectorView<const float, MemorySpace> in(x), out(y);
  EXPECT_THROW(A.apply(exec, 1.0F, as_multivector(in), 0.0F, as_multivector(part), {0, 10}), Error);
  EXPECT_THROW(A.apply(exec, 1.0F, as_multivector(out), 0.0F, as_multivector(y)),
               DimensionMismatch);
  EXPECT_THROW((kaczmarz_sweep<TestSpace, float>(exec, A, nullptr, {}, out, x)), Error);
  const auto doubles = to_device<TestSpace, double>(exec, scan());
  EXPECT_THROW((make_format_operator<TestSpace, double>(
                   exec, doubles, packed_options(TransposeMethod::stored, StoredPrecision::half))),
               Error);
  // A choice by the available memory.
  FlatFormat options = packed_options(TransposeMethod::automatic);
  EXPECT_EQ(make(options).transpose, TransposeMethod::stored);
  options.available_bytes = make(packed_options(TransposeMethod::atomic)).A.memory_bytes();
  EXPECT_EQ(make(options).transpose, TransposeMethod::atomic);
}

}  // namespace
