// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contract of CSR: which matrices `validate` accepts, and how it describes errors in others.
#include <gtest/gtest.h>

#include <Tomokkos_RowStatistics.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

PlainCsr valid() {
  return battery::make("valid", 20, 30, [](int i) { return i % 6; });
}

void expect_refused(const PlainCsr& plain, const std::string& message,
                    ColumnOrder order = ColumnOrder::sorted) {
  const TestSpace exec;
  try {
    validate(exec, to_device<TestSpace, float>(exec, plain), order);
    FAIL() << "accepted: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

}  // namespace

TEST(CsrContract, accepts_the_battery) {
  const TestSpace exec;
  for (const auto& plain : battery::matrices()) {
    const auto A = to_device<TestSpace, double>(exec, plain);
    if (plain.name != "rows in no order") {
      EXPECT_NO_THROW(validate(exec, A)) << plain.name;
    }
    if (plain.nonzeros() < 10000) {
      EXPECT_NO_THROW(validate(exec, A, ColumnOrder::any)) << plain.name;
    }
  }
}

TEST(CsrContract, errors_name_the_row_and_the_entry) {
  auto broken = valid();
  broken.indices[broken.offsets[5]] = 30;
  expect_refused(broken, "row 5, entry 0: column 30 is outside 0 to 29");
  broken = valid();
  broken.indices[broken.offsets[5]] = -1;
  expect_refused(broken, "row 5, entry 0: column -1 is outside");
  broken = valid();
  broken.indices[broken.offsets[5] + 1] = broken.indices[broken.offsets[5]];
  expect_refused(broken, "occurs twice in its row", ColumnOrder::any);
  broken = valid();
  std::swap(broken.indices[broken.offsets[5]], broken.indices[broken.offsets[5] + 1]);
  expect_refused(broken, "but columns must ascend");
  // Sorted rows compare a column only with the one before it, so this repetition counts as
  // disorder.
  broken = valid();
  broken.indices[broken.offsets[5] + 2] = broken.indices[broken.offsets[5]];
  expect_refused(broken, "row 5, entry 2: column " +
                             std::to_string(broken.indices[broken.offsets[5]]) + " follows column");
  expect_refused(broken,
                 "row 5, entry 2: column " + std::to_string(broken.indices[broken.offsets[5]]) +
                     " occurs twice in its row",
                 ColumnOrder::any);
  broken = valid();
  broken.indices[broken.offsets[5] + 1] = broken.indices[broken.offsets[5]];
  expect_refused(broken, "row 5, entry 1: column " +
                             std::to_string(broken.indices[broken.offsets[5]]) +
                             " occurs twice in its row");
  broken = valid();
  std::swap(broken.indices[broken.offsets[5]], broken.indices[broken.offsets[5] + 1]);
  EXPECT_NO_THROW(
      validate(TestSpace(), to_device<TestSpace, float>(TestSpace(), broken), ColumnOrder::any));
  broken = valid();
  broken.offsets[1] = -1;
  expect_refused(broken, "do not form a range");
  broken = valid();
  broken.offsets[0] = 1;
  expect_refused(broken, "row_offsets(0) is 1");
  broken = valid();
  broken.offsets.back() += 1;
  expect_refused(broken, "row_offsets(num_rows)");
  broken = valid();
  broken.offsets.pop_back();
  expect_refused(broken, "length of row_offsets is 20, but number of rows + 1 is 21");
}

TEST(CsrContract, copies_to_the_host_and_back) {
  const TestSpace exec;
  const auto plain = valid();
  const auto A = to_device<TestSpace, float>(exec, plain);
  const auto back = copy_to<TestSpace::memory_space>(exec, copy_to<Kokkos::HostSpace>(exec, A));
  EXPECT_EQ(to_std_vector(back.row_offsets), plain.offsets);
  EXPECT_EQ(to_std_vector(back.columns), plain.indices);
  const auto wide = convert_values<double>(exec, back);
  EXPECT_EQ(to_std_vector(wide.values), plain.values);
  EXPECT_EQ(to_std_vector(convert_values<float>(exec, wide).values), to_std_vector(A.values));
}

TEST(RowStatistics, equal_plain_sums) {
  const TestSpace exec;
  for (const auto& plain : battery::matrices()) {
    const auto statistics =
        row_statistics<TestSpace, float>(exec, to_device<TestSpace, float>(exec, plain));
    EXPECT_EQ(statistics.rows, plain.rows);
    EXPECT_EQ(statistics.columns, plain.columns);
    EXPECT_EQ(statistics.nonzeros, plain.nonzeros());
    if (plain.rows == 0) continue;
    std::int64_t shortest = plain.nonzeros() + 1, longest = 0;
    std::int32_t empty = 0;
    const double mean = static_cast<double>(plain.nonzeros()) / plain.rows;
    double variance = 0;
    for (std::int32_t i = 0; i < plain.rows; ++i) {
      const auto length = plain.offsets[i + 1] - plain.offsets[i];
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      empty += length == 0;
      variance += (static_cast<double>(length) - mean) * (static_cast<double>(length) - mean);
    }
    EXPECT_EQ(statistics.shortest, shortest) << plain.name;
    EXPECT_EQ(statistics.longest, longest) << plain.name;
    EXPECT_EQ(statistics.empty_rows, empty) << plain.name;
    EXPECT_DOUBLE_EQ(statistics.mean, mean) << plain.name;
    EXPECT_NEAR(statistics.sigma, std::sqrt(variance / plain.rows), 1e-9 * (1 + mean))
        << plain.name;
  }
}
