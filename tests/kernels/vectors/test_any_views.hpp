// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls without template arguments, with every View that can be a vector: const, unmanaged, with a
// stride of 1, a part of another View, with other memory traits. Other Views are refused.
#include <gtest/gtest.h>

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_DiaFormat.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_PaddedFormats.hpp>
#include <Tomokkos_SpmmCsr.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <Tomokkos_SpmvPrivate.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_VectorOps.hpp>

#include "DeviceCsr.hpp"
#include "FileTesting.hpp"

using namespace Tomokkos;

namespace any_views_testing {

using MemorySpace = TestSpace::memory_space;
using Testing::message_of;

constexpr int n = 4;

/// Operator with a scalar on the diagonal: the product multiplies by it.
template <class Scalar>
CsrMatrix<Scalar, MemorySpace> diagonal_matrix(Scalar value, int columns = n) {
  PlainCsr A;
  A.columns = columns;
  for (int i = 0; i < n; ++i) {
    A.add(i, static_cast<double>(value));
    A.end_row();
  }
  return to_device<TestSpace, Scalar>(TestSpace(), A);
}

/// Calls \p check with Views of every kind of the same n entries, all equal to \p value.
template <class Scalar, class Check>
void for_each_view(Scalar value, const Check& check) {
  const Kokkos::View<Scalar*, MemorySpace> owned("owned", 2 * n);
  const auto renewed = [&](const auto& view) {
    Kokkos::deep_copy(owned, value);
    check(view);
  };
  const auto part = Kokkos::subview(owned, std::make_pair(1, 1 + n));
  renewed(part);
  renewed(Kokkos::View<Scalar*, Kokkos::LayoutLeft, MemorySpace>(part));
  renewed(Kokkos::View<Scalar*, Kokkos::LayoutRight, MemorySpace>(part));
  renewed(Kokkos::View<Scalar*, Kokkos::LayoutStride, MemorySpace>(part));
  renewed(
      Kokkos::View<Scalar*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(part.data(), n));
  renewed(Kokkos::View<Scalar*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Restrict>>(part));
  renewed(Kokkos::View<Scalar*, TestSpace>(part));
  renewed(VectorView<Scalar, MemorySpace>(part));
  const Kokkos::View<Scalar* [2], Kokkos::LayoutLeft, MemorySpace> columns("columns", n);
  Kokkos::deep_copy(columns, value);
  check(Kokkos::subview(columns, Kokkos::ALL(), 1));
  const auto mirror = Kokkos::create_mirror(owned);
  if constexpr (Kokkos::SpaceAccessibility<TestSpace,
                                           typename decltype(mirror)::memory_space>::accessible) {
    Kokkos::deep_copy(mirror, value);
    check(Kokkos::subview(mirror, std::make_pair(0, n)));
  }
}

/// Also uses the Views that only functions that read accept.
template <class Scalar, class Check>
void for_each_input(Scalar value, const Check& check) {
  for_each_view(value, check);
  const Kokkos::View<Scalar*, MemorySpace> owned("owned", n);
  Kokkos::deep_copy(owned, value);
  check(Kokkos::View<const Scalar*, MemorySpace>(owned));
  check(
      Kokkos::View<const Scalar*, MemorySpace, Kokkos::MemoryTraits<Kokkos::RandomAccess>>(owned));
  check(VectorView<const Scalar, MemorySpace>(owned));
}

template <class Scalar>
class AnyViews : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AnyViews, Scalars);

TYPED_TEST(AnyViews, serve_in_every_product_of_csr) {
  using Scalar = TypeParam;
  using Values = std::vector<Scalar>;
  const TestSpace exec;
  const auto A = diagonal_matrix<Scalar>(2);
  const SpmvPlan plan(exec, A);
  SpmvOptions by_sections;
  by_sections.variant = SpmvVariant::merge_atomic;
  const SpmvPlan sections(exec, A, by_sections);
  for_each_input(Scalar(3), [&](const auto& x) {
    for_each_view(Scalar(1), [&](const auto& y) {
      spmv(exec, plan, A, 1, x, 1, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 7));
      spmv_rows(exec, plan, A, {0, n}, 1.0, x, 0.0, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 6));
      spmv_columns(exec, plan, A, {0, n}, 1.0F, x, 1.0F, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 12));
      spmv_transpose_sections(exec, sections, A, 1, x, 0, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 6));
      csr_scaled(exec, A, x, y);
      csr_diagonal(exec, A, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 2));
      csr_diagonal_blocks(exec, A, 1, y);
      fill(exec, y, 0);
      csr_kaczmarz_sweep(exec, A, Kokkos::View<Ordinal*, MemorySpace>(), 1, -10, 10, x, y);
      EXPECT_EQ(to_std_vector(y), Values(n, Scalar(1.5)));
    });
  });
}

TYPED_TEST(AnyViews, serve_in_products_of_other_formats) {
  using Scalar = TypeParam;
  using Values = std::vector<Scalar>;
  const TestSpace exec;
  const auto A = diagonal_matrix<Scalar>(2);
  const auto check = [&](const auto& B) {
    const SpmvPlan plan(exec, B);
    const auto back = to_csr(exec, B);
    EXPECT_EQ(back.num_nonzeros(), n);
    for_each_input(Scalar(3), [&](const auto& x) {
      for_each_view(Scalar(1), [&](const auto& y) {
        spmv(exec, plan, B, 1, x, 1, y);
        EXPECT_EQ(to_std_vector(y), Values(n, 7));
      });
    });
  };
  check(ell_from_csr(exec, A));
  SellOptions few_rows;
  few_rows.limit.largest_fill = 32;
  check(sell_from_csr(exec, A, few_rows));
  check(dia_from_csr(exec, A));
}

TYPED_TEST(AnyViews, serve_as_multivectors) {
  using Scalar = TypeParam;
  using Values = std::vector<Scalar>;
  const TestSpace exec;
  const auto A = diagonal_matrix<Scalar>(2);
  const Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace> X("X", n, 3), Y("Y", n, 3);
  Kokkos::deep_copy(X, Scalar(3));
  const Kokkos::View<const Scalar**, Kokkos::LayoutRight, MemorySpace> read_only = X;
  const Kokkos::View<Scalar**, Kokkos::LayoutStride, MemorySpace> strided = Y;
  spmm(exec, A, all_rows, 1.0, read_only, 0.0, strided);
  spmm_columns(exec, A, {0, n}, 1, read_only, 1, Y);
  EXPECT_EQ(to_std_vector(Y), Values(3 * n, 12));
  spmv_transpose_atomic(exec, A, all_rows, 1, read_only, 0, strided);
  EXPECT_EQ(to_std_vector(Y), Values(3 * n, 6));
  spmv_transpose_windowed(exec, WindowedPlan(exec, A), A, all_rows, 1, read_only, 1, strided);
  EXPECT_EQ(to_std_vector(Y), Values(3 * n, 12));
  if constexpr (Impl::is_host_space<TestSpace>) {
    const PrivateImages<TestSpace, Scalar> images(exec, 2, n, 3);
    spmv_transpose_private(exec, images, A, all_rows, 1, read_only, 0, strided);
    EXPECT_EQ(to_std_vector(Y), Values(3 * n, 6));
  }
  const auto C = block_circulant_from_csr(exec, A, 2, CirculantOrder::blocks);
  spmv(exec, BlockCirculantPlan(exec, C, CirculantVariant::automatic, 3), C, 1, read_only, 0,
       strided);
  EXPECT_EQ(to_std_vector(Y), Values(3 * n, 6));
  const Vector<double, MemorySpace> result("result", 3);
  dot_columns(exec, ReductionWorkspace<MemorySpace>(exec, 3), read_only, strided, result);
  EXPECT_EQ(to_host_vector(exec, result), std::vector<double>(3, n * 18));
}

TYPED_TEST(AnyViews, serve_in_operations_on_vectors) {
  using Scalar = TypeParam;
  using Values = std::vector<Scalar>;
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec);
  const Vector<double, MemorySpace> result("result", 1);
  const auto map = identity_map(exec, n);
  for_each_input(Scalar(3), [&](const auto& x) {
    for_each_view(Scalar(1), [&](const auto& y) {
      axpby(exec, 2, x, 1, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 7));
      dot(exec, workspace, x, y, result);
      EXPECT_EQ(to_host(exec, result), 21 * n);
      sum(exec, workspace, x, result);
      EXPECT_EQ(to_host(exec, result), 3 * n);
      squared_distance(exec, workspace, x, y, result);
      EXPECT_EQ(to_host(exec, result), 16 * n);
      gather(exec, map, x, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 3));
      fill(exec, y, 5);
      scatter(exec, map, x, y);
      EXPECT_EQ(to_std_vector(y), Values(n, 3));
    });
  });
  const Vector<float, MemorySpace> single("single", n);
  const Vector<double, MemorySpace> twice("double", n);
  fill(exec, twice, 1.5);
  convert(exec, twice, single);
  fill(exec, twice, 0);
  convert(exec, single, twice);
  EXPECT_EQ(to_std_vector(twice), std::vector<double>(n, 1.5));
}

TYPED_TEST(AnyViews, statistics_and_conversions_deduce_from_the_matrix) {
  const TestSpace exec;
  const auto A = diagonal_matrix<TypeParam>(2);
  EXPECT_EQ(row_statistics(exec, A).longest, 1);
  EXPECT_EQ(format_statistics(exec, A).rows.nonzeros, n);
  EXPECT_EQ(transpose(exec, A).num_cols, n);
  EXPECT_EQ(to_std_vector(csr_row_squared_norms(exec, A)), std::vector<double>(n, 4));
  EXPECT_EQ(to_csr(exec, hyb_from_csr(exec, A)).num_nonzeros(), n);
}

/// Returns the message of the product with \p A, which must not touch y.
template <class Scalar, class X, class Y>
std::string refusal(const CsrMatrix<Scalar, MemorySpace>& A, const X& x, const Y& y) {
  const TestSpace exec;
  const SpmvPlan plan(exec, A);
  return message_of<Error>([&] { spmv(exec, plan, A, 1, x, 0, y); });
}

TYPED_TEST(AnyViews, are_refused_with_the_reason) {
  using Scalar = TypeParam;
  using View = Kokkos::View<Scalar*, MemorySpace>;
  const auto A = diagonal_matrix<Scalar>(2, n + 1);
  const View x("x", n + 1), y("y", n), both("both", 2 * n);
  EXPECT_EQ(refusal(A, x, x), "length of y is 5, but rows of A is 4");
  EXPECT_EQ(refusal(A, y, y), "length of x is 4, but columns of A is 5");
  const Kokkos::View<Scalar* [3], Kokkos::LayoutRight, MemorySpace> X("X", n);
  EXPECT_EQ(refusal(A, x, Kokkos::subview(X, Kokkos::ALL(), 1)),
            "the vector 'X' of length 4 has a stride of 3: its entries must lie side by side, but "
            "those of a column of a row-major multivector do not; copy it into a vector of its "
            "own, or pass all columns");
  EXPECT_EQ(refusal(A, Kokkos::subview(both, std::make_pair(0, n + 1)),
                    Kokkos::subview(both, std::make_pair(n, 2 * n))),
            "x and y overlap in memory; a product needs two separate arrays");
  EXPECT_EQ(to_std_vector(y), std::vector<Scalar>(n, 0));
  EXPECT_EQ(to_std_vector(both), std::vector<Scalar>(2 * n, 0));
  const TestSpace exec;
  const Kokkos::View<Scalar**, Kokkos::LayoutRight, MemorySpace> wide("wide", n + 1, 2);
  EXPECT_EQ(message_of<Refused>([&] {
              spmm(exec, A, all_rows, 1, wide, 0,
                   Kokkos::subview(wide, std::make_pair(1, n + 1), Kokkos::ALL()));
            }),
            "X and Y overlap in memory; a product needs two separate arrays");
  EXPECT_EQ(message_of<DimensionMismatch>([&] { axpby(exec, 1, x, 1, y); }),
            "length of y is 4, but the length of x is 5");
}

/// True if the product accepts these types.
template <class X, class Y>
concept Multiplies = requires(const TestSpace& exec, const CsrMatrix<double, MemorySpace>& A,
                              const SpmvPlan<TestSpace, CsrMatrix<double, MemorySpace>>& plan,
                              const X& x, const Y& y) {
  spmv(exec, plan, A, 1, x, 0, y);
};

using Doubles = Kokkos::View<double*, MemorySpace>;
static_assert(Multiplies<Doubles, Doubles>);
static_assert(Multiplies<Kokkos::View<const double*, MemorySpace>, Doubles>);
static_assert(!Multiplies<Doubles, Kokkos::View<const double*, MemorySpace>>);
static_assert(!Multiplies<Kokkos::View<float*, MemorySpace>, Doubles>);
static_assert(!Multiplies<Kokkos::View<double**, MemorySpace>, Doubles>);

}  // namespace any_views_testing
