// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DIA: positions of entries, violations of its contract, refused matrices, and its choice. Tests
// that apply to all formats are in test_every_format.hpp.
#include <gtest/gtest.h>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_Stencil.hpp>

#include <optional>

#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace dia_testing {

/// Example of the documentation.
inline PlainCsr three_by_three() {
  PlainCsr A;
  A.name = "three by three";
  A.columns = 3;
  for (const auto& row : std::vector<std::vector<double>>{{1, 2, 0}, {4, 3, 5}, {0, 6, 7}}) {
    for (int j = 0; j < 3; ++j)
      if (row[j] != 0) A.add(j, row[j]);
    A.end_row();
  }
  return A;
}

template <class Matrix>
void expect_refused(const Matrix& A, const std::string& message) {
  try {
    validate(TestSpace(), A);
    ADD_FAILURE() << "accepted: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

template <class View, class Value>
auto changed(const View& view, std::size_t index, Value value) {
  auto copy = to_std_vector(view);
  copy.at(index) = value;
  return to_device<TestSpace, typename View::non_const_value_type>(TestSpace(), copy);
}

TEST(Dia, holds_every_diagonal_whole) {
  const TestSpace exec;
  const auto A = dia_from_csr(exec, to_device<TestSpace, float>(exec, three_by_three()));
  EXPECT_EQ(to_std_vector(A.offsets), (std::vector<Ordinal>{-1, 0, 1}));
  EXPECT_EQ(A.num_chunks(), 1);
  const auto values = to_std_vector(A.values);
  const std::vector<std::vector<float>> expected{{0, 4, 6}, {1, 3, 7}, {2, 5, 0}};
  for (Ordinal d = 0; d < 3; ++d)
    for (Ordinal row = 0; row < 3; ++row)
      EXPECT_EQ(values[A.position(d, row)], expected[d][row]) << d << ", " << row;
  EXPECT_EQ(A.memory_bytes(), 3 * 4 + 3 * sizeof(float) * static_cast<std::size_t>(A.chunk));
}

TEST(Dia, keeps_its_contract) {
  const TestSpace exec;
  const auto A = dia_from_csr(exec, to_device<TestSpace, double>(exec, three_by_three()));
  EXPECT_NO_THROW(validate(exec, A));
  auto wrong = A;
  wrong.offsets = changed(A.offsets, 0, 0);
  expect_refused(wrong, "diagonal 1 lies outside of the matrix or out of order");
  wrong.offsets = changed(A.offsets, 2, 3);
  expect_refused(wrong, "diagonal 2 lies outside of the matrix or out of order");
  wrong = A;
  wrong.values = changed(A.values, A.position(2, 2), 1.0);
  expect_refused(wrong, "1 places outside of the matrix are not 0");
  wrong = A;
  wrong.values = changed(A.values, A.position(0, 0), 1.0);
  expect_refused(wrong, "1 places outside of the matrix are not 0");
  wrong = A;
  wrong.nonzeros = 6;
  expect_refused(wrong, "it holds 7 entries, but declares 6");
  wrong = A;
  wrong.chunk = 7;
  EXPECT_THROW(validate(exec, wrong), DimensionMismatch);
}

TEST(Dia, refuses_a_matrix_that_is_no_band_with_its_fill) {
  const TestSpace exec;
  PlainCsr plain;
  plain.name = "antidiagonal";
  plain.columns = 100;
  for (int i = 0; i < 100; ++i) {
    plain.add(99 - i, 1);
    plain.end_row();
  }
  const auto csr = to_device<TestSpace, float>(exec, plain);
  try {
    dia_from_csr(exec, csr);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("dia would store 10000 entries for 100 nonzeros, 100 times as many; the "
                        "limit is 8"),
              std::string::npos)
        << error.what();
  }
  DiaOptions wide;
  wide.limit = any_fill;
  EXPECT_EQ(dia_from_csr(exec, csr, wide).num_diagonals(), 100);
}

TEST(Dia, is_chosen_for_stencils_alone) {
  const TestSpace exec;
  const auto stencil = build_stencil_matrix<TestSpace, float>(exec, 27, 120, 120, 120);
  const auto statistics = format_statistics(exec, stencil);
  EXPECT_EQ(statistics.of<DiaFormat>().diagonals, 27);
  EXPECT_EQ(format_of(choose_format(exec, stencil)), MatrixFormat::dia);
  EXPECT_NE(format_of(choose_format(exec, stencil, 1.0)), MatrixFormat::dia) << "its fill is more";
  EXPECT_NE(format_of(choose_format(exec, stencil, {}, true)), MatrixFormat::dia)
      << "several vectors were not measured";
  const auto rays_csr = to_device<TestSpace, float>(exec, rays());
  EXPECT_NE(format_of(choose_format(exec, rays_csr)), MatrixFormat::dia);
}

TEST(Dia, has_a_size_where_it_is_a_band) {
  const auto size_of = [](const PlainCsr& plain) -> std::optional<FormatSize> {
    const auto A = to_device<TOMOKKOS_HOST_SPACE, float>(TOMOKKOS_HOST_SPACE(), plain);
    for (const FormatSize& size : format_sizes({A.num_rows, A.num_cols, A.row_offsets, A.columns}))
      if (size.name == "dia") return size;
    return {};
  };
  const auto size = size_of(three_by_three());
  ASSERT_TRUE(size.has_value());
  EXPECT_EQ(size->stored, 3 * 32);
  EXPECT_EQ(size->bytes(4), 3 * 32 * 4 + 3 * 4U);
  EXPECT_FALSE(size_of(rays(50, 4000)).has_value());
}

}  // namespace dia_testing
