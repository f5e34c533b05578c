// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every variant of the transposition gives the bytes of a plain one, with any parts and bands, and
// takes the workspace that it announces.
#include <gtest/gtest.h>

#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <bit>
#include <impl/Tomokkos_TransposeSplit_impl.hpp>
#include <map>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using TestMemory = TestSpace::memory_space;

std::vector<TransposeVariant> variants() {
  std::vector<TransposeVariant> all;
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (has_transpose_variant(variant, !Impl::is_host_space<TestSpace>)) all.push_back(variant);
  return all;
}

/// Every variant, those of hosts in more shares than they would choose.
std::vector<TransposeOptions> all_options() {
  std::vector<TransposeOptions> all;
  for (const TransposeVariant variant : variants()) {
    all.push_back({variant});
    if (!has_transpose_variant(variant, true))
      for (const int parts : {1, 4, 32}) all.push_back({variant, parts});
    if (variant == TransposeVariant::banded)
      for (const Ordinal columns : {1, 7, 1000}) all.push_back({variant, 5, columns});
  }
  return all;
}

std::string describe(const TransposeOptions& options, const std::string& name) {
  return name + " by " + std::string(to_string(options.variant)) + ", parts " +
         std::to_string(options.parts) + ", bands of " + std::to_string(options.band_columns);
}

template <class Scalar>
void expect_equal(const PlainCsr& expected, const CsrMatrix<Scalar, TestMemory>& computed,
                  const std::string& what) {
  EXPECT_EQ(computed.num_rows, expected.rows) << what;
  EXPECT_EQ(computed.num_cols, expected.columns) << what;
  EXPECT_EQ(to_std_vector(computed.row_offsets), expected.offsets) << what;
  // Without printing them: they are many.
  EXPECT_TRUE(to_std_vector(computed.columns) == expected.indices) << what;
  const std::vector<Scalar> values(expected.values.begin(), expected.values.end());
  EXPECT_TRUE(to_std_vector(computed.values) == values) << what;
}

template <class Scalar>
void check(const PlainCsr& plain, const std::vector<TransposeOptions>& all) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, Scalar>(exec, plain);
  const PlainCsr expected = plain.transposed();
  const PlainCsr twice = expected.transposed();  // A, its rows now sorted
  for (const TransposeOptions& options : all) {
    const std::string what = describe(options, plain.name);
    const auto transposed = transpose<TestSpace, Scalar>(exec, A, options);
    expect_equal<Scalar>(expected, transposed, what);
    expect_equal<Scalar>(twice, transpose<TestSpace, Scalar>(exec, transposed, options),
                         what + ", twice");
  }
}

void check_pattern(const PlainCsr& plain, const std::vector<TransposeOptions>& all) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, float>(exec, plain);
  const PlainCsr expected = plain.transposed();
  for (const TransposeOptions& options : all) {
    const auto T = transpose_pattern<TestSpace>(
        exec, {A.num_rows, A.num_cols, A.row_offsets, A.columns}, options);
    EXPECT_EQ(T.num_rows, plain.columns);
    EXPECT_EQ(T.num_cols, plain.rows);
    EXPECT_EQ(to_std_vector(T.row_offsets), expected.offsets) << describe(options, plain.name);
    EXPECT_TRUE(to_std_vector(T.columns) == expected.indices) << describe(options, plain.name);
  }
}

/// What the battery for products has no need of.
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
  // Descending rows: the farthest from sorted.
  all.push_back(battery::make("descending", 200, 3000, [](int i) { return i; }));
  for (std::int32_t i = 0; i < all.back().rows; ++i) {
    const auto begin = all.back().offsets[i], end = all.back().offsets[i + 1];
    std::reverse(all.back().indices.begin() + begin, all.back().indices.begin() + end);
    std::reverse(all.back().values.begin() + begin, all.back().values.begin() + end);
  }
  return all;
}

/// Calls of the allocator while it lives, by label.
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

TEST(Transpose, EqualsThePlainTransposeOnTheBattery) {
  for (const auto& plain : battery::matrices()) {
    check<float>(plain, all_options());
    check<double>(plain, all_options());
    check_pattern(plain, all_options());
  }
}

TEST(Transpose, EqualsThePlainTransposeOnWideAndTallMatrices) {
  for (const auto& plain : wide_matrices()) {
    check<float>(plain, all_options());
    check<double>(plain, all_options());
    check_pattern(plain, all_options());
  }
}

TEST(Transpose, LongColumnsComeOutSorted) {
  // A column of 40 000 entries among short ones: far beyond what is sorted by one thread.
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

TEST(Transpose, DigitsThatDoNotFitBesideTheRow) {
  const std::vector<TransposeOptions> split{{TransposeVariant::multisplit}};
  // Two splits, 23 bits of the row and 10 below the first digit.
  check<float>(battery::make("rows beyond 2^22", (1 << 22) + 5, 1 << 20,
                             [](int i) { return i % 64 == 0 ? 1 : 0; }),
               split);
  // Three splits: 20 bits of the row and 14 below the first digit, 7 below the second.
  const auto wide = battery::make("columns beyond 2^21", 600000, 2100000,
                                  [](int i) { return i % 9 == 0 ? 2 : 0; });
  check<double>(wide, split);
  check_pattern(wide, split);
}

TEST(Transpose, OffsetsBeyond32Bits) {
  // The groups and places of splits, of a matrix that no memory here would hold.
  const TestSpace exec;
  const std::vector<Offset> lengths{3000000000, 0, 5, 9000000000, 0, 1};
  const Offset num_segments = 6, group_entries = Offset(1) << 28;
  std::vector<Offset> ends{0};
  Offset num_groups = num_segments;
  for (const Offset length : lengths) ends.push_back(ends.back() + length);
  num_groups += ends.back() / group_entries;
  const auto offsets = to_device<TestSpace, Offset>(exec, ends);
  const Vector<Ordinal, TestMemory> first_group("test::first_group", num_segments + 1);
  const Vector<Ordinal, TestMemory> segment_of_group("test::segment_of_group", num_groups);
  const Impl::SplitGroups groups{offsets.data(), first_group.data(), segment_of_group.data(),
                                 group_entries};
  Kokkos::parallel_scan("test::number_groups", Impl::element_range(exec, num_segments),
                        Impl::NumberGroups{groups, num_segments, num_groups});
  Kokkos::parallel_for("test::find_segments", Impl::element_range(exec, num_groups),
                       Impl::FindSegments{groups, static_cast<Ordinal>(num_segments)});
  // All entries of a group in its bucket 2, but for one in bucket 0.
  constexpr int buckets = 3;
  std::vector<Offset> counts;
  std::vector<Offset> expected{0};
  const auto segments = to_std_vector(segment_of_group);
  const auto firsts = to_std_vector(first_group);
  std::vector<Offset> in_bucket(num_segments * buckets);
  Offset seen = 0;
  for (Offset group = 0; group < num_groups; ++group) {
    const auto segment = static_cast<std::size_t>(segments[group]);
    const Offset begin = ends[segment] + (group - firsts[segment]) * group_entries;
    const Offset size =
        std::max<Offset>(0, std::min(begin + group_entries, ends[segment + 1]) - begin);
    const Offset first = std::min<Offset>(size, 1);
    for (const Offset count : {first, Offset(0), size - first}) counts.push_back(count);
    in_bucket[segment * buckets] += first;
    in_bucket[segment * buckets + 2] += size - first;
    seen += size;
  }
  EXPECT_EQ(seen, ends.back()) << "every entry is in a group";
  EXPECT_EQ(firsts.front(), 0);
  EXPECT_EQ(firsts.back(), num_groups);
  for (const Offset count : in_bucket) expected.push_back(expected.back() + count);
  const auto of_group = to_device<TestSpace, Offset>(exec, counts);
  const Vector<Offset, TestMemory> bucket_offsets("test::bucket_offsets", expected.size());
  Kokkos::parallel_scan("test::places", Impl::element_range(exec, num_groups * buckets),
                        Impl::ScanBuckets{groups,
                                          {0, buckets, 1, of_group.data(), nullptr},
                                          num_groups,
                                          bucket_offsets.data(),
                                          num_segments * buckets});
  exec.fence();
  EXPECT_EQ(to_std_vector(bucket_offsets), expected);
  // Each group of a bucket goes on where the one before it stops.
  const auto places = to_std_vector(of_group);
  for (Offset group = 1; group < num_groups; ++group)
    for (int b = 0; b < buckets; ++b) {
      const Offset at = group * buckets + b;
      if (segments[group] == segments[group - 1])
        EXPECT_EQ(places[at], places[at - buckets] + counts[at - buckets]);
      else
        EXPECT_EQ(places[at], expected[static_cast<std::size_t>(segments[group]) * buckets + b]);
    }
}

TEST(Transpose, WorkspacesOfMatricesThatAreNotThere) {
  const TestSpace exec;
  // The thesis' large matrix: 4-byte rows and values of all entries, digits and counts.
  const MatrixShape large{5308416, 2592000, 12300000000};
  const auto bytes =
      transpose_workspace_bytes(exec, large, sizeof(float), {TransposeVariant::multisplit});
  EXPECT_GT(bytes, 8U * 12300000000U);
  EXPECT_LT(bytes,
            transpose_workspace_bytes(exec, large, sizeof(double), {TransposeVariant::multisplit}));
  EXPECT_GT(bytes, transpose_workspace_bytes(exec, large, 0, {TransposeVariant::multisplit}));
  EXPECT_THROW(transpose_workspace_bytes(exec, large, 2), Error);
}

TEST(Transpose, EveryBitOfAValueIsKept) {
  const TestSpace exec;
  const auto plain = battery::make("bits", 90, 70, [](int i) { return i % 40; });
  auto A = to_device<TestSpace, float>(exec, plain);
  // Infinities, negative zeros, NaNs with a message, numbers below the normal ones.
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
    const auto T = transpose<TestSpace, float>(exec, A, options);
    EXPECT_EQ(bits(transpose<TestSpace, float>(exec, T, options)), bits(A))
        << describe(options, "bits");
    EXPECT_NE(bits(T), bits(A));
  }
}

TEST(Transpose, AnEntryThatStandsTwiceIsKeptTwice) {
  // Against the contract of CSR, but nothing else is lost by it.
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
    const auto T = transpose<TestSpace, double>(exec, A, options);
    if (options.variant != TransposeVariant::claims)
      expect_equal<double>(plain.transposed(), T, describe(options, plain.name));
    EXPECT_EQ(to_std_vector(T.row_offsets), plain.transposed().offsets);
  }
}

TEST(Transpose, TheWorkspaceIsWhatWasAnnounced) {
  const TestSpace exec;
  auto matrices = battery::matrices();
  for (auto& plain : wide_matrices()) matrices.push_back(plain);
  for (const auto& plain : matrices) {
    const auto A = to_device<TestSpace, double>(exec, plain);
    for (const TransposeOptions& options : all_options()) {
      const auto announced = transpose_workspace_bytes<TestSpace, double>(exec, A, options);
      const Allocations allocations;
      const auto T = transpose<TestSpace, double>(exec, A, options);
      std::uint64_t all = 0;
      for (const auto& [label, bytes] : allocations.bytes()) all += bytes;
      EXPECT_EQ(allocations.of("Tomokkos::transpose::workspace"), announced)
          << describe(options, plain.name);
      // Kokkos rounds arrays up to 8 bytes, and has bytes of its own for empty ones.
      EXPECT_GE(all, announced + T.memory_bytes()) << describe(options, plain.name);
      EXPECT_LE(all, announced + T.memory_bytes() + (plain.nonzeros() > 0 ? 16 : 512))
          << describe(options, plain.name);
    }
  }
}

TEST(Transpose, IntoArraysThatAreThere) {
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
    // What lies behind the workspace is not touched, and what it held does not matter.
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

TEST(Transpose, WhatABackendDoesNotHaveIsRefused) {
  const TestSpace exec;
  const auto plain = battery::make("refused", 30, 20, [](int i) { return i % 5; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (!has_transpose_variant(variant, !Impl::is_host_space<TestSpace>)) {
      EXPECT_THROW((transpose<TestSpace, float>(exec, A, {variant})), Error) << name;
    }
  EXPECT_THROW((transpose<TestSpace, float>(exec, A, {TransposeVariant::automatic, -1})), Error);
}
