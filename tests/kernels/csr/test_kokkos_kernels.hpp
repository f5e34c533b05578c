// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions from and to matrices of Kokkos Kernels, tested with a class that has the members used
// by them. Only the example needs the library itself.
#include <gtest/gtest.h>

#include <Tomokkos_KokkosKernels.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;

template <class Value, class Index, class Size>
struct TheirMatrix {
  using value_type = Value;
  using ordinal_type = Index;
  using size_type = Size;
  using memory_space = MemorySpace;
  using Device = Kokkos::Device<TestSpace, MemorySpace>;

  struct Graph {
    Kokkos::View<Index*, Kokkos::LayoutLeft, Device, void> entries;
    Kokkos::View<const Size*, Kokkos::LayoutLeft, Device, void> row_map;
  } graph;
  Kokkos::View<Value*, Kokkos::LayoutRight, Device, void> values;
  Ordinal num_cols = 0;

  TheirMatrix() = default;
  TheirMatrix(const std::string&, Ordinal rows, Ordinal columns, Size nonzeros,
              const decltype(values)& v, const decltype(Graph::row_map)& r,
              const decltype(Graph::entries)& e)
      : graph{e, r}, values(v), num_cols(columns) {
    EXPECT_EQ(rows, numRows());
    EXPECT_EQ(nonzeros, static_cast<Size>(e.extent(0)));
  }

  Ordinal numRows() const {
    return graph.row_map.extent(0) == 0 ? 0 : static_cast<Ordinal>(graph.row_map.extent(0)) - 1;
  }
  Ordinal numCols() const { return num_cols; }
};

template <class Scalar, class Size>
void check_both_ways(const PlainCsr& plain) {
  const TestSpace exec;
  const TheirMatrix<Scalar, Ordinal, Size> theirs(
      "test::theirs", plain.rows, plain.columns, static_cast<Size>(plain.nonzeros()),
      to_device<TestSpace, Scalar>(exec, plain.values),
      to_device<TestSpace, std::remove_const_t<Size>>(exec, plain.offsets),
      to_device<TestSpace, Ordinal>(exec, plain.indices));
  const auto ours = from_kokkos_kernels(exec, theirs);
  EXPECT_EQ(ours.num_rows, plain.rows);
  EXPECT_EQ(ours.num_cols, plain.columns);
  EXPECT_EQ(ours.values.data(), theirs.values.data());
  EXPECT_EQ(ours.columns.data(), theirs.graph.entries.data());
  EXPECT_EQ(to_std_vector(ours.row_offsets), plain.offsets);
  const bool same_offsets = std::is_same_v<std::remove_const_t<Size>, Offset>;
  EXPECT_EQ(static_cast<const void*>(ours.row_offsets.data()) == theirs.graph.row_map.data(),
            same_offsets);

  using Back = TheirMatrix<const Scalar, const Ordinal, Size>;
  const auto back = to_kokkos_kernels<Back>(exec, ours);
  EXPECT_EQ(back.values.data(), theirs.values.data());
  EXPECT_EQ(back.graph.entries.data(), theirs.graph.entries.data());
  EXPECT_EQ(to_std_vector(back.graph.row_map), to_std_vector(theirs.graph.row_map));
  EXPECT_EQ(back.numCols(), plain.columns);
}

TEST(KokkosKernels, shares_values_and_columns_both_ways) {
  for (const PlainCsr& plain : battery::matrices()) {
    check_both_ways<double, std::size_t>(plain);
    check_both_ways<double, Offset>(plain);
    check_both_ways<float, std::int32_t>(plain);
    check_both_ways<float, const std::int32_t>(plain);
  }
}

TEST(KokkosKernels, takes_a_matrix_without_arrays) {
  const TestSpace exec;
  for (const bool same_offsets : {false, true}) {
    const auto ours = same_offsets
                          ? from_kokkos_kernels(exec, TheirMatrix<double, Ordinal, Offset>())
                          : from_kokkos_kernels(exec, TheirMatrix<double, Ordinal, int>());
    EXPECT_EQ(to_std_vector(ours.row_offsets), std::vector<Offset>{0});
    validate(exec, ours);
  }
}

TEST(KokkosKernels, refuses_arrays_that_do_not_fit) {
  const TestSpace exec;
  TheirMatrix<double, Ordinal, int> theirs;
  theirs.values = decltype(theirs.values)("test::values", 3);
  EXPECT_THROW(from_kokkos_kernels(exec, theirs), DimensionMismatch);
  // 200 nonzeros in offsets of 7 bits.
  const auto A =
      to_device<TestSpace, double>(exec, battery::make("row", 1, 300, [](int) { return 200; }));
  EXPECT_THROW((to_kokkos_kernels<TheirMatrix<const double, const Ordinal, signed char>>(exec, A)),
               Error);
}

}  // namespace
