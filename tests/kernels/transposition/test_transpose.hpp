// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every variant of the transposition gives the bytes of a plain one, for any parts and bands, and
// uses the workspace that it announces.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "TransposeTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

/// Wide matrices, which the battery for products does not need.
std::vector<PlainCsr> wide_matrices() {
  std::vector<PlainCsr> all;
  all.push_back(battery::make("columns beyond 2^16", 400, 70001, [](int i) { return i % 60; }));
  all.push_back(battery::make(
      "columns beyond 2^16, in no order", 300, 70001, [](int i) { return i % 90; }, false));
  all.push_back(battery::make("rows beyond 2^16", 70001, 300, [](int i) { return i % 4; }));
  all.push_back(battery::make("dense", 150, 130, [](int) { return 130; }));
  all.push_back(battery::make("as many columns as a digit has values", 90, 1024,
                              [](int i) { return 11 * i; }));
  all.push_back(battery::make("one more", 90, 1025, [](int i) { return 11 * i; }));
  // Rows in descending order, which is the farthest from sorted.
  all.push_back(battery::make("descending", 200, 3000, [](int i) { return i; }));
  for (std::int32_t i = 0; i < all.back().rows; ++i) {
    const auto begin = all.back().offsets[i], end = all.back().offsets[i + 1];
    std::reverse(all.back().indices.begin() + begin, all.back().indices.begin() + end);
    std::reverse(all.back().values.begin() + begin, all.back().values.begin() + end);
  }
  return all;
}

/// Calls of the allocator during its lifetime, by label.
class Allocations {
 public:
  Allocations() {
    bytes_.clear();
    Kokkos::Tools::Experimental::set_allocate_data_callback(record);
  }
  ~Allocations() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;

  const std::map<std::string, std::uint64_t>& bytes() const { return bytes_; }
  std::uint64_t of(const std::string& label) const {
    const auto found = bytes_.find(label);
    return found == bytes_.end() ? 0 : found->second;
  }

 private:
  static void record(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                     std::uint64_t bytes) {
    if (std::string(label).find("Tomokkos::") == 0) bytes_[label] += bytes;
  }
  static inline std::map<std::string, std::uint64_t> bytes_;
};

}  // namespace

TEST(Transpose, equals_the_plain_transpose_on_the_battery) {
  for (const auto& plain : battery::matrices()) {
    check<float>(plain, all_options());
    check<double>(plain, all_options());
    check_pattern(plain, all_options());
  }
}

TEST(Transpose, equals_the_plain_transpose_on_wide_and_tall_matrices) {
  for (const auto& plain : wide_matrices()) {
    check<float>(plain, all_options());
    check<double>(plain, all_options());
    check_pattern(plain, all_options());
  }
}

TEST(Transpose, long_columns_come_out_sorted) {
  // A column of 40 000 entries among short ones: far more than one thread sorts.
  auto plain = battery::make("long columns", 40000, 50, [](int i) { return i % 3; });
  PlainCsr tall;
  tall.name = plain.name;
  tall.columns = plain.columns;
  for (std::int32_t i = 0; i < plain.rows; ++i) {
    tall.add(17, 0.5 + i % 7);
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      if (plain.indices[k] > 17) tall.add(plain.indices[k], plain.values[k]);
    tall.end_row();
  }
  check<float>(tall, all_options());
  check<double>(tall, all_options());
}

TEST(Transpose, a_dense_row_among_tiny_ones) {
  for (const int row : {0, 1500, 2999})
    for (const bool sorted : {true, false}) {
      const auto plain = battery::make(
          "dense row " + std::to_string(row), 3000, 20000,
          [&](int i) { return i == row ? 20000 : i % 2; }, sorted);
      check<float>(plain, all_options());
      check_pattern(plain, all_options());
    }
}

TEST(Transpose, few_entries_in_many_columns_and_rows) {
  // Three digits. In the transposition back, nearly all rows are empty.
  const auto plain = battery::make("5 million columns", 40, 5000000, [](int i) { return i % 3; });
  std::vector<TransposeOptions> all;
  for (const TransposeVariant variant : variants()) all.push_back({variant});
  check<float>(plain, all);
  check_pattern(plain, all);
}

TEST(Transpose, workspaces_of_matrices_that_are_not_there) {
  const TestSpace exec;
  // The large matrix of the thesis: rows of 4 bytes and values of all entries, digits and counts.
  const MatrixShape large{5308416, 2592000, 12300000000};
  const auto bytes =
      transpose_workspace_bytes(exec, large, sizeof(float), {TransposeVariant::multisplit});
  EXPECT_GT(bytes, 8U * 12300000000U);
  EXPECT_LT(bytes,
            transpose_workspace_bytes(exec, large, sizeof(double), {TransposeVariant::multisplit}));
  EXPECT_GT(bytes, transpose_workspace_bytes(exec, large, 0, {TransposeVariant::multisplit}));
  EXPECT_THROW(transpose_workspace_bytes(exec, large, 2), Error);
}

TEST(Transpose, every_bit_of_a_value_is_kept) {
  const TestSpace exec;
  const auto plain = battery::make("bits", 90, 70, [](int i) { return i % 40; });
  auto A = to_device<TestSpace, float>(exec, plain);
  // Infinities, negative zeros, NaNs with a payload, subnormal numbers.
  constexpr std::uint32_t patterns[] = {0x7f800000, 0xff800000, 0x80000000, 0x7fc12345,
                                        0xffc54321, 0x00000001, 0x807fffff};
  const Vector<float, TestMemory> values("test::values", A.values.extent(0));
  const auto host = Kokkos::create_mirror_view(values);
  for (std::size_t k = 0; k < host.extent(0); ++k)
    host(k) = std::bit_cast<float>(patterns[k % std::size(patterns)]);
  Kokkos::deep_copy(exec, values, host);
  exec.fence();
  A.values = values;
  const auto bits = [](const CsrMatrix<float, TestMemory>& M) {
    std::vector<std::uint32_t> result;
    for (const float value : to_std_vector(M.values))
      result.push_back(std::bit_cast<std::uint32_t>(value));
    return result;
  };
  for (const TransposeOptions& options : all_options()) {
    const auto T = transpose(exec, A, options);
    EXPECT_EQ(bits(transpose(exec, T, options)), bits(A)) << describe(options, "bits");
    EXPECT_NE(bits(T), bits(A));
  }
}

TEST(Transpose, an_entry_that_stands_twice_is_kept_twice) {
  // Repeated columns violate the contract of CSR, but nothing else may be lost because of them.
  PlainCsr plain;
  plain.name = "twice";
  plain.columns = 4;
  for (int i = 0; i < 50; ++i) {
    for (const int column : {2, 1, 2, 2, 0}) plain.add(column, i + 0.125 * plain.nonzeros());
    plain.end_row();
  }
  const TestSpace exec;
  const auto A = to_device<TestSpace, double>(exec, plain);
  for (const TransposeOptions& options : all_options()) {
    const auto T = transpose(exec, A, options);
    if (options.variant != TransposeVariant::claims)
      expect_equal<double>(plain.transposed(), T, describe(options, plain.name));
    EXPECT_EQ(to_std_vector(T.row_offsets), plain.transposed().offsets);
  }
}

TEST(Transpose, the_workspace_is_what_was_announced) {
  const TestSpace exec;
  auto matrices = battery::matrices();
  for (auto& plain : wide_matrices()) matrices.push_back(plain);
  for (const auto& plain : matrices) {
    const auto A = to_device<TestSpace, double>(exec, plain);
    for (const TransposeOptions& options : all_options()) {
      const auto announced = transpose_workspace_bytes<TestSpace, double>(exec, A, options);
      const Allocations allocations;
      const auto T = transpose(exec, A, options);
      std::uint64_t all = 0;
      for (const auto& [label, bytes] : allocations.bytes()) all += bytes;
      EXPECT_EQ(allocations.of("Tomokkos::transpose::workspace"), announced)
          << describe(options, plain.name);
      // Kokkos rounds arrays up to 8 bytes and allocates bytes even for empty ones.
      EXPECT_GE(all, announced + T.memory_bytes()) << describe(options, plain.name);
      EXPECT_LE(all, announced + T.memory_bytes() + (plain.nonzeros() > 0 ? 16 : 512))
          << describe(options, plain.name);
    }
  }
}

TEST(Transpose, into_arrays_that_are_there) {
  const TestSpace exec;
  const auto plain = battery::make("into", 700, 2100, [](int i) { return i % 60; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  const auto nonzeros = static_cast<std::size_t>(plain.nonzeros());
  for (const TransposeOptions& options : all_options()) {
    const auto bytes = transpose_workspace_bytes<TestSpace, float>(exec, A, options);
    const Vector<Offset, TestMemory> offsets("test::offsets", 2101);
    const Vector<Ordinal, TestMemory> columns("test::columns", nonzeros);
    const Vector<float, TestMemory> values("test::values", nonzeros);
    const Vector<char, TestMemory> workspace("test::workspace", bytes + 100);
    // Memory behind the workspace is not touched, and the previous contents of the workspace do not
    // matter.
    Kokkos::deep_copy(workspace, char(77));
    const auto run = [&](std::size_t given) {
      transpose_into<TestSpace, float>(exec, A, offsets, columns, values,
                                       VectorView<char, TestMemory>(workspace.data(), given),
                                       options);
      exec.fence();
    };
    const Allocations allocations;
    for (int again = 0; again < 2; ++again) {
      run(bytes);
      expect_equal<float>(plain.transposed(), {plain.columns, plain.rows, offsets, columns, values},
                          describe(options, "into"));
    }
    EXPECT_EQ(allocations.bytes().size(), 0U) << allocations.bytes().begin()->first;
    const auto after = to_std_vector(workspace);
    for (std::size_t i = bytes; i < after.size(); ++i) ASSERT_EQ(after[i], 77) << i;
    if (bytes > 0) {
      EXPECT_THROW(run(bytes - 1), Error);
    }
    EXPECT_THROW((transpose_into<TestSpace, float>(
                     exec, A, offsets, columns, values,
                     VectorView<char, TestMemory>(workspace.data() + 1, bytes), options)),
                 Error);
    EXPECT_THROW((transpose_into<TestSpace, float>(
                     exec, A, VectorView<Offset, TestMemory>(offsets.data(), 2100), columns, values,
                     workspace, options)),
                 DimensionMismatch);
  }
}

TEST(Transpose, what_a_backend_does_not_have_is_refused) {
  const TestSpace exec;
  const auto plain = battery::make("refused", 30, 20, [](int i) { return i % 5; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (!has_transpose_variant(variant, !Impl::is_host_space<TestSpace>)) {
      EXPECT_THROW((transpose(exec, A, {variant})), Error) << name;
    }
  EXPECT_THROW((transpose(exec, A, {TransposeVariant::automatic, -1})), Error);
}
