// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of formats that `info` predicts equal the sizes of converted matrices.
#include <gtest/gtest.h>

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_PackedRowsSizes.hpp>
#include <map>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

TEST(FormatSizes, equal_the_sizes_of_converted_matrices) {
  const TOMOKKOS_HOST_SPACE exec;
  const PaddingLimit any{1e30};
  for (const auto& plain : battery::matrices()) {
    if (plain.name == "rows in no order") continue;
    const auto A = to_device<TOMOKKOS_HOST_SPACE, float>(exec, plain);
    std::map<std::string, FormatSize> sizes;
    for (const auto& size : format_sizes({A.num_rows, A.num_cols, A.row_offsets, A.columns}))
      sizes[size.name] = size;
    // At least these formats have a predicted size for every matrix.
    EXPECT_GE(sizes.size(), 8U);
    const auto expect = [&](const char* name, const auto& M) {
      EXPECT_EQ(sizes.at(name).bytes(sizeof(float)), M.memory_bytes())
          << plain.name << ", " << name;
      EXPECT_EQ(sizes.at(name).bytes(sizeof(double)) - sizes.at(name).bytes(sizeof(float)),
                static_cast<std::size_t>(M.num_stored()) * 4)
          << plain.name << ", " << name;
    };
    EXPECT_EQ(sizes.at("csr").bytes(sizeof(float)), A.memory_bytes()) << plain.name;
    expect("coo", coo_from_csr(exec, A));
    if (static_cast<double>(A.num_rows) * A.num_cols < 2e7) {
      expect("ell", ell_from_csr(exec, A, any));
      expect("ell_r", ell_r_from_csr(exec, A, {false, any}));
    }
    expect("hyb", hyb_from_csr(exec, A, {2.0 / 3.0, any}));
    SellOptions sell;
    sell.chunk = 32;
    sell.limit = any;
    expect("sell", sell_from_csr(exec, A, sell));
    expect("bcsr_2x2", bcsr_from_csr<2>(exec, A, {any}));
    expect("bcsr_4x4", bcsr_from_csr<4>(exec, A, {any}));
  }
}

TEST(FormatSizes, of_packed_rows_equal_the_sizes_of_converted_matrices) {
  using HostSpace = TOMOKKOS_HOST_SPACE;
  const HostSpace exec;
  for (const auto& plain : battery::matrices()) {
    if (plain.name == "rows in no order") continue;
    const auto floats = to_device<HostSpace, float>(exec, plain);
    const auto doubles = to_device<HostSpace, double>(exec, plain);
    const auto half = packed_csr_from_csr<HostSpace, float, StoredPrecision::half>(exec, floats);
    for (const auto& sizes : {packed_rows_sizes<HostSpace, float>(exec, floats, {}),
                              packed_rows_sizes<HostSpace, double>(exec, doubles, {})}) {
      ASSERT_EQ(sizes.names(),
                (std::vector<std::string>{"packed_csr", "packed_csr_half", "packed_csr_scaled"}))
          << plain.name;
      const auto bytes = [&](const char* name, const char* scalar) {
        return static_cast<std::size_t>(
            std::get<std::int64_t>(sizes.find(name)->find(scalar)->value()));
      };
      EXPECT_EQ(bytes("packed_csr", "float"),
                (packed_csr_from_csr<HostSpace, float>(exec, floats).memory_bytes()))
          << plain.name;
      EXPECT_EQ(bytes("packed_csr", "double"),
                (packed_csr_from_csr<HostSpace, double>(exec, doubles).memory_bytes()))
          << plain.name;
      for (const char* const name : {"packed_csr_half", "packed_csr_scaled"}) {
        ASSERT_EQ(sizes.find(name)->items().size(), 1U);
        EXPECT_EQ(bytes(name, "float"), half.memory_bytes()) << plain.name;
      }
    }
  }
}
