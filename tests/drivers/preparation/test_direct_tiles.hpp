// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles built from a geometry by blocks of rows have the same bits as tiles converted from the
// matrix.
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RunInput.hpp>
#include <cstdint>
#include <utility>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr std::uint64_t plenty = std::uint64_t{1} << 50;

const std::string pet =
    "problem: {type: tomography, scanner: {kind: madpet2_small, crystals: [1, 2], rays: 8}, "
    "volume: {size: [6, 20, 22], pixel: 3, thickness: 1.4}, phantom: disc}\n"
    "solver: {type: mlem, iterations: 1}\n";
const std::string ct =
    "problem: {type: tomography, volume: {size: [40, 37]}, geometry: {views: 30, detectors: 41}, "
    "phantom: disc}\nsolver: {type: sirt, iterations: 1}\n";
const std::string fan =
    "problem: {type: tomography, volume: {size: [31, 33]}, geometry: {type: fan_beam, views: 20, "
    "detectors: 50, source_to_origin: 60, origin_to_detector: 40}, phantom: disc}\n"
    "solver: {type: sirt, iterations: 1}\n";

template <class Scalar>
std::vector<Scalar> on_host(const Vector<Scalar, TestSpace::memory_space>& x) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  return {host.data(), host.data() + host.extent(0)};
}

/// Returns A x followed by A^T y, for pseudorandom x and y.
template <class Scalar>
std::vector<Scalar> products(const AnyOperator<TestSpace, Scalar>& A) {
  using Values = Vector<Scalar, TestSpace::memory_space>;
  const TestSpace exec;
  const auto pseudorandom = [&](Ordinal size) {
    const Values x("x", size);
    const auto host = Kokkos::create_mirror_view(x);
    std::uint32_t state = 1;
    for (Ordinal i = 0; i < size; ++i) {
      state = state * 1664525U + 1013904223U;
      host(i) = static_cast<Scalar>(state >> 8) / static_cast<Scalar>(1 << 24);
    }
    Kokkos::deep_copy(x, host);
    return x;
  };
  const Values forward("forward", A.num_rows()), back("back", A.num_cols());
  A.apply(exec, Scalar(1), as_multivector(pseudorandom(A.num_cols())), Scalar(0),
          as_multivector(forward));
  A.apply_transpose(exec, Scalar(1), as_multivector(pseudorandom(A.num_rows())), Scalar(0),
                    as_multivector(back));
  exec.fence();
  auto result = on_host<Scalar>(forward);
  const auto transposed = on_host<Scalar>(back);
  result.insert(result.end(), transposed.begin(), transposed.end());
  return result;
}

/// Compares tiles built directly with tiles of the matrix: in plenty of memory, in just enough,
/// and, with \p until_all_kept, also in enough to keep all blocks of rows.
template <class Scalar>
void expect_same(const std::string& text, const std::vector<std::string>& settings,
                 bool until_all_kept = false) {
  const TestSpace exec;
  std::vector<std::string> all{"run.scalar=" + std::string(scalar_name<Scalar>())};
  all.insert(all.end(), settings.begin(), settings.end());
  const RunConfig config = configured(text, all);
  const RunInput input = read_input(config);
  const SystemTask task = system_task(config, input);
  ASSERT_TRUE(builds_tiles_directly(task));
  const auto ordered = make_ordered_matrix<TestSpace, Scalar>(exec, task);
  const std::uint64_t fingerprint = csr_fingerprint<TestSpace, Scalar>(exec, ordered.A);
  const auto expected = prepare_operator<TestSpace, Scalar>(exec, task, ordered.A);
  const std::vector<Scalar> expected_products = products<Scalar>(expected.A);
  const auto order = built_order(exec, task);
  EXPECT_EQ(order.rows.has_value(), ordered.order.rows.has_value());
  EXPECT_EQ(order.columns.has_value(), ordered.order.columns.has_value());
  const auto offsets = counted_offsets<TestSpace, Scalar>(exec, task, MatrixUse::tiles);
  const auto build = [&](std::uint64_t available) {
    auto tiles = make_direct_tiles<TestSpace, Scalar>(exec, task, order, offsets, true, available);
    EXPECT_EQ(products<Scalar>(tiles.made.A), expected_products) << available << " bytes";
    EXPECT_EQ(tiles.fingerprint, fingerprint);
    EXPECT_EQ(tiles.statistics.nonzeros, expected.statistics.nonzeros);
    EXPECT_EQ(tiles.statistics.shortest, expected.statistics.shortest);
    EXPECT_EQ(tiles.statistics.longest, expected.statistics.longest);
    EXPECT_EQ(tiles.statistics.mean, expected.statistics.mean);
    EXPECT_EQ(tiles.statistics.sigma, expected.statistics.sigma);
    EXPECT_EQ(tiles.statistics.empty_rows, expected.statistics.empty_rows);
    EXPECT_EQ(tiles.made.A.memory_bytes(), expected.A.memory_bytes());
    return std::make_pair(tiles.blocks, tiles.kept);
  };
  EXPECT_EQ(build(plenty), (std::make_pair<std::size_t, std::size_t>(1, 1)));
  bool refused = false, built_twice = false, all_kept = false;
  for (std::uint64_t available = expected.A.memory_bytes() / 2;
       available < plenty && !(until_all_kept ? all_kept : built_twice);
       available += available / 8) {
    try {
      const auto counts = build(available);
      EXPECT_GT(counts.first, std::size_t(1)) << available;
      (counts.second < counts.first ? built_twice : all_kept) = true;
    } catch (const MemoryError& error) {
      EXPECT_CONTAINS(error.what(), "ray tiles of ");
      EXPECT_FALSE(built_twice || all_kept) << error.what();
      refused = true;
    }
  }
  EXPECT_TRUE(refused && built_twice && all_kept == until_all_kept);
}

TEST(DirectTiles, equal_those_of_the_matrix_for_a_scanner) {
  expect_same<float>(pet, {"operator={format: ray_tiles}"}, true);
  expect_same<double>(pet, {"operator={format: ray_tiles, tile: 300, group_rows: 100}"});
  expect_same<float>(pet, {"operator={format: ray_tiles, values: half, ordering: natural}"});
  expect_same<float>(pet, {"operator={format: ray_tiles, values: scaled, tile: 200}"});
}

TEST(DirectTiles, equal_those_of_the_matrix_for_a_scan) {
  expect_same<float>(ct, {"operator={format: ray_tiles, tile: 128}"}, true);
  expect_same<double>(ct, {"operator={format: ray_tiles, tile: 128}", "problem.projector=strip"});
  expect_same<float>(ct, {"operator={format: ray_tiles, values: half, tile: 256, "
                          "ordering: {columns: hilbert, rows: tiles}}",
                          "problem.projector=linear"});
  expect_same<float>(fan, {"operator={format: ray_tiles, values: scaled, ordering: natural}"});
}

TEST(DirectTiles, are_built_only_from_a_geometry_in_an_order_of_its_grids) {
  const auto is_direct = [](const std::vector<std::string>& settings) {
    const RunConfig config = configured(ct, settings);
    return builds_tiles_directly(system_task(config, read_input(config)));
  };
  EXPECT_TRUE(is_direct({"operator={format: ray_tiles}"}));
  EXPECT_FALSE(is_direct({}));
  EXPECT_FALSE(is_direct({"operator={format: automatic}"}));
  EXPECT_FALSE(is_direct({"operator={format: ray_tiles, ordering: by_length}"}));
  const RunConfig of_file =
      configured("problem: {type: tomography, matrix: a.npz, rhs: b.npy}\nsolver: {type: mlem}\n",
                 {"operator={format: ray_tiles}"});
  RunInput input;
  input.rows_are_rays = true;
  EXPECT_FALSE(builds_tiles_directly(system_task(of_file, input)));
}

}  // namespace
