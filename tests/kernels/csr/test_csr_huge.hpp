// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix with more nonzeros than 32 bits can count: 4.4e9 of them, 35 GB in float. Its entries
// follow a rule and are small multiples of 1/8. Every sum is therefore exact in any order, and the
// expected product follows from the rule without a second matrix. A small matrix with the same rule
// is tested on every machine.
#include <gtest/gtest.h>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>

#include "HugeMemory.hpp"

using namespace Tomokkos;

namespace {

using TestMemory = TestSpace::memory_space;
using Matrix = CsrMatrix<float, TestMemory>;

constexpr Ordinal step = 1100;
/// Inverse of 7 modulo `step`.
constexpr Offset inverse_of_7 = 943;
static_assert(7 * inverse_of_7 % step == 1);

/// Row i has an entry in each column j with `j % step == 7 i % step`, hence column j in each row
/// with `i % step == 943 j % step`.
struct Rule {
  Ordinal row_length;

  KOKKOS_FUNCTION constexpr Ordinal size() const { return row_length * step; }  // rows and columns
  KOKKOS_FUNCTION constexpr Offset nonzeros() const {
    return static_cast<Offset>(size()) * row_length;
  }
  KOKKOS_FUNCTION static Ordinal first_of_row(Ordinal i) {
    return static_cast<Ordinal>(static_cast<Offset>(i) * 7 % step);
  }
  KOKKOS_FUNCTION static Ordinal first_of_column(Ordinal j) {
    return static_cast<Ordinal>(j * inverse_of_7 % step);
  }
};

KOKKOS_FUNCTION float entry(Ordinal i, Ordinal j) { return ((i + j / step) % 17 - 8) / 8.0F; }
KOKKOS_FUNCTION float element(Ordinal i, int vector) { return ((i + 3 * vector) % 29 - 14) / 2.0F; }

struct FillRows {
  Rule rule;
  Kokkos::View<Offset*, TestMemory> offsets;
  Kokkos::View<Ordinal*, TestMemory> columns;
  Kokkos::View<float*, TestMemory> values;
  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const auto i = static_cast<Ordinal>(at / rule.row_length);
    const auto k = static_cast<Ordinal>(at % rule.row_length);
    const Ordinal j = k * step + Rule::first_of_row(i);
    columns(at) = j;
    values(at) = entry(i, j);
    if (k == 0) offsets(i + 1) = at + rule.row_length;
    if (at == 0) offsets(0) = 0;
  }
};

struct FillVectors {
  MultiVectorView<float, TestMemory> X;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t v = 0; v < X.extent(1); ++v)
      X(i, v) = element(static_cast<Ordinal>(i), static_cast<int>(v));
  }
};

/// Counts the rows of `Y = A X` or `Y = A^T X` that contradict the rule.
struct CountWrong {
  Rule rule;
  MultiVectorView<const float, TestMemory> Y;
  bool transposed;
  KOKKOS_FUNCTION void operator()(const Offset i, Offset& wrong) const {
    const auto row = static_cast<Ordinal>(i);
    const Ordinal first = transposed ? Rule::first_of_column(row) : Rule::first_of_row(row);
    for (std::size_t v = 0; v < Y.extent(1); ++v) {
      double sum = 0;
      for (Ordinal k = 0; k < rule.row_length; ++k) {
        const Ordinal j = k * step + first;
        const float value = transposed ? entry(j, row) : entry(row, j);
        sum += static_cast<double>(value) * element(j, static_cast<int>(v));
      }
      if (Y(i, v) != static_cast<float>(sum)) {
        ++wrong;
        return;
      }
    }
  }
};

class CsrOfRule {
 public:
  explicit CsrOfRule(Ordinal row_length) : rule_{row_length} {
    const Ordinal size = rule_.size();
    const Offset nonzeros = rule_.nonzeros();
    const auto offsets =
        allocate<Kokkos::View<Offset*, TestMemory>>(exec, "test::offsets", size + 1);
    const auto columns =
        allocate<Kokkos::View<Ordinal*, TestMemory>>(exec, "test::columns", nonzeros);
    const auto values = allocate<Kokkos::View<float*, TestMemory>>(exec, "test::values", nonzeros);
    Kokkos::parallel_for("test::fill_rows", Impl::element_range(exec, nonzeros),
                         FillRows{rule_, offsets, columns, values});
    A = {size, size, offsets, columns, values};
    x = MultiVector<float, TestMemory>("test::x", size, 1);
    y = MultiVector<float, TestMemory>("test::y", size, 1);
    X = MultiVector<float, TestMemory>("test::X", size, vectors);
    Y = MultiVector<float, TestMemory>("test::Y", size, vectors);
    for (const auto& v : {x, X})
      Kokkos::parallel_for("test::fill_vectors", Impl::element_range(exec, size),
                           FillVectors{as_multivector(v)});
    exec.fence();
  }

  void check_products() {
    ASSERT_EQ(A.num_nonzeros(), rule_.nonzeros());
    check_products(A, false);
    spmv_transpose_atomic(exec, A, all_rows, 1.0F, as_multivector(x), 0.0F, as_multivector(y));
    EXPECT_EQ(count_wrong(y, true), 0) << "transposed, atomic";
    SpmvOptions by_sections;
    by_sections.variant = SpmvVariant::merge_atomic;
    const SpmvPlan<TestSpace, Matrix> plan(exec, A, by_sections);
    Kokkos::deep_copy(exec, y, -1.0F);
    spmv_transpose_sections(exec, plan, A, 1.0F, as_vector(x), 0.0F, as_vector(y));
    EXPECT_EQ(count_wrong(y, true), 0) << "transposed, by sections";
    EXPECT_GT(count_wrong(y, false), 0) << "the rule tells A^T x from A x";
  }

  void check_transposes() {
    // On a GPU `automatic` means `multisplit` if there is enough memory for its workspace.
    for (const auto& [variant, name] : EnumNames<TransposeVariant>::names) {
      if (!has_transpose_variant(variant, !Impl::is_host_space<TestSpace>)) continue;
      const std::size_t workspace = transpose_workspace_bytes<TestSpace, float>(exec, A, {variant});
      if (variant != TransposeVariant::automatic &&
          available_memory(exec) < A.memory_bytes() + workspace)
        continue;
      const auto T = transpose(exec, A, {variant});
      ASSERT_EQ(T.num_nonzeros(), rule_.nonzeros());
      check_products(T, true);
    }
  }

 private:
  static constexpr int vectors = 4;

  Offset count_wrong(const MultiVector<float, TestMemory>& result, bool transposed) {
    Offset wrong = 0;
    Kokkos::parallel_reduce("test::count_wrong", Impl::element_range(exec, rule_.size()),
                            CountWrong{rule_, as_multivector(result), transposed}, wrong);
    exec.fence();
    return wrong;
  }

  void check_products(const Matrix& M, bool transposed) {
    for (const auto variant : {SpmvVariant::scalar, SpmvVariant::team_vector,
                               SpmvVariant::merge_path, SpmvVariant::merge_atomic}) {
      SpmvOptions options;
      options.variant = variant;
      const SpmvPlan<TestSpace, Matrix> plan(exec, M, options);
      Kokkos::deep_copy(exec, y, -1.0F);
      spmv(exec, plan, M, 1.0F, as_vector(x), 0.0F, as_vector(y));
      EXPECT_EQ(count_wrong(y, transposed), 0) << to_string(variant);
    }
    Kokkos::deep_copy(exec, Y, -1.0F);
    spmm(exec, M, all_rows, 1.0F, as_multivector(X), 0.0F, as_multivector(Y));
    EXPECT_EQ(count_wrong(Y, transposed), 0) << "several vectors";
  }

  Rule rule_;
  TestSpace exec;
  Matrix A;
  MultiVector<float, TestMemory> x, y, X, Y;
};

constexpr Ordinal huge_length = 2000;
static_assert(Rule{huge_length}.nonzeros() > (Offset{1} << 32));

/// Bytes of the matrix, its transpose, the vectors, and the workspace of a transposition.
constexpr std::uint64_t huge_bytes = 8ULL * Rule{huge_length}.nonzeros() * 5 / 2;

TEST(CsrHuge, the_rule_holds_for_short_rows) {
  CsrOfRule few(10);
  few.check_products();
  few.check_transposes();
}
TEST(CsrHuge, products_of_more_entries_than_32_bits_count) {
  TOMOKKOS_NEEDS_HUGE_MEMORY(TestSpace(), huge_bytes);
  CsrOfRule(huge_length).check_products();
}
TEST(CsrHuge, transposes_of_more_entries_than_32_bits_count) {
  TOMOKKOS_NEEDS_HUGE_MEMORY(TestSpace(), huge_bytes);
  CsrOfRule(huge_length).check_transposes();
}

}  // namespace
