// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of pixels and rays: the masked matrix equals the whole matrix without the masked columns
// and rows.
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_RunInput.hpp>
#include <cmath>
#include <map>
#include <numeric>

#include "ConfigTesting.hpp"
#include "DeviceCsr.hpp"
#include "FileTesting.hpp"
#include "PlainCsr.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string ct =
    "problem: {type: tomography, volume: {size: [19, 23]}, geometry: {views: 14, detectors: 27}, "
    "phantom: disc}\nsolver: {type: sirt, iterations: 1}\n";
const std::string fan =
    "problem: {type: tomography, volume: {size: [21, 16]}, geometry: {type: fan_beam, views: 11, "
    "detectors: 30, source_to_origin: 60, origin_to_detector: 40}, projector: strip, phantom: "
    "disc}\n"
    "solver: {type: sirt, iterations: 1}\n";
const std::string pet =
    "problem: {type: tomography, scanner: {kind: madpet2_small, crystals: [1, 2], rays: 1}, "
    "volume: {size: [4, 10, 12], pixel: 6, thickness: 1.4}, phantom: disc}\n"
    "solver: {type: mlem, iterations: 1}\n";

/// Irregular mask that keeps about two thirds of its entries.
std::vector<double> irregular_mask(std::size_t size, unsigned state) {
  std::vector<double> mask(size);
  for (auto& value : mask) {
    state = state * 1664525U + 1013904223U;
    value = (state >> 16) % 3 == 0 ? 0 : -0.5;
  }
  return mask;
}

std::vector<Ordinal> kept(const std::vector<double>& mask, Ordinal all) {
  std::vector<Ordinal> result;
  for (Ordinal i = 0; i < all; ++i)
    if (mask.empty() || mask[static_cast<std::size_t>(i)] != 0) result.push_back(i);
  return result;
}

using Entries = std::map<std::pair<Ordinal, Ordinal>, double>;

/// Entries of A by natural row and column.
template <class Scalar>
Entries entries_of(const CsrMatrix<Scalar, TestSpace::memory_space>& A,
                   const std::vector<Ordinal>& rows, const std::vector<Ordinal>& columns) {
  const auto offsets = to_std_vector(A.row_offsets);
  const auto indices = to_std_vector(A.columns);
  const auto values = to_std_vector(A.values);
  Entries result;
  for (Ordinal row = 0; row < A.num_rows; ++row)
    for (Offset k = offsets[static_cast<std::size_t>(row)];
         k < offsets[static_cast<std::size_t>(row) + 1]; ++k)
      result[{rows[static_cast<std::size_t>(row)],
              columns[static_cast<std::size_t>(indices[static_cast<std::size_t>(k)])]}] =
          static_cast<double>(values[static_cast<std::size_t>(k)]);
  return result;
}

std::vector<Ordinal> natural_indices(const std::optional<IndexMap<TestSpace::memory_space>>& map,
                                     Ordinal count) {
  if (map) return to_std_vector(map->to_natural);
  std::vector<Ordinal> result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

struct MaskFiles {
  TemporaryFolder folder;
  std::vector<std::string> settings;
  std::vector<double> pixels, rays;

  MaskFiles(const RunInput& input, std::vector<std::size_t> image, bool with_pixels,
            bool with_rays) {
    if (with_pixels) {
      pixels = irregular_mask(static_cast<std::size_t>(input.num_voxels()), 5);
      write_npy<double>(folder / "mask.npy", pixels, image);
      settings.push_back("problem.mask=" + (folder / "mask.npy").string());
    }
    if (with_rays) {
      const auto views = static_cast<std::size_t>(input.views),
                 detectors = static_cast<std::size_t>(input.detectors);
      rays = irregular_mask(views * detectors, 9);
      for (std::size_t i = detectors; i < 2 * detectors; ++i) rays[i] = 0;  // a whole view
      write_npy<double>(folder / "rays.npy", rays, {views, detectors});
      settings.push_back("problem.ray_mask=" + (folder / "rays.npy").string());
    }
  }
};

/// Expects that an ordered matrix with masks contains the entries of the whole matrix that the
/// masks keep, and no others.
void expect_removed(const std::string& text, const std::vector<std::size_t>& image,
                    const std::vector<std::string>& settings) {
  const TestSpace exec;
  const RunConfig whole = configured(text, settings);
  const RunInput all = read_input(whole);
  const auto A = make_matrix<TestSpace, double>(exec, system_task(whole, all), MatrixUse::matrix);
  const Entries natural =
      entries_of<double>(A, natural_indices({}, A.num_rows), natural_indices({}, A.num_cols));
  for (const auto& [with_pixels, with_rays] :
       {std::pair{true, true}, {true, false}, {false, true}}) {
    const MaskFiles files(all, image, with_pixels, with_rays);
    std::vector<std::string> masked = settings;
    masked.insert(masked.end(), files.settings.begin(), files.settings.end());
    const RunConfig config = configured(text, masked);
    const RunInput input = read_input(config);
    const auto [B, order] =
        make_ordered_matrix<TestSpace, double>(exec, system_task(config, input));
    const auto rows = kept(files.rays, A.num_rows), columns = kept(files.pixels, A.num_cols);
    ASSERT_EQ(B.num_rows, static_cast<Ordinal>(rows.size()));
    ASSERT_EQ(B.num_cols, static_cast<Ordinal>(columns.size()));
    Entries expected = natural;
    for (auto at = expected.begin(); at != expected.end();) {
      const auto& [row, column] = at->first;
      const bool stays =
          (files.rays.empty() || files.rays[static_cast<std::size_t>(row)] != 0) &&
          (files.pixels.empty() || files.pixels[static_cast<std::size_t>(column)] != 0);
      at = stays ? std::next(at) : expected.erase(at);
    }
    EXPECT_LT(expected.size(), natural.size());
    auto row_order = natural_indices(order.rows, B.num_rows);
    auto column_order = natural_indices(order.columns, B.num_cols);
    EXPECT_EQ(entries_of<double>(B, row_order, column_order), expected);
    // The orders contain all rows and columns that are kept, even empty ones, and no others.
    std::sort(row_order.begin(), row_order.end());
    std::sort(column_order.begin(), column_order.end());
    EXPECT_EQ(row_order, rows);
    EXPECT_EQ(column_order, columns);
  }
}

TEST(Masks, remove_rows_and_columns_of_scans) {
  for (const char* ordering : {"natural", "tiles", "hilbert", "squares", "by_length",
                               "{columns: hilbert, rows: by_length}"})
    expect_removed(ct, {19, 23}, {std::string("operator.ordering=") + ordering});
  expect_removed(ct, {19, 23}, {"solver.subsets=4"});
  expect_removed(fan, {21, 16}, {"operator.ordering={columns: tiles}"});
}

TEST(Masks, remove_rows_and_columns_of_scanners) {
  for (const char* ordering : {"natural", "{columns: tiles}", "by_length"})
    expect_removed(pet, {4, 10, 12}, {std::string("operator.ordering=") + ordering});
  expect_removed(pet, {4, 10, 12}, {"solver.subsets=4"});
}

TEST(Masks, of_rays_allow_direct_tiles_but_masks_of_pixels_do_not) {
  const TestSpace exec;
  const std::vector<std::string> settings{"operator={format: ray_tiles, tile: 64}"};
  const RunInput all = read_input(configured(ct, settings));
  const MaskFiles pixels(all, {19, 23}, true, false), rays(all, {19, 23}, false, true);
  const RunConfig of_pixels = configured(ct, {settings[0], pixels.settings[0]});
  EXPECT_FALSE(builds_tiles_directly(system_task(of_pixels, read_input(of_pixels))));
  const RunConfig config = configured(ct, {settings[0], rays.settings[0]});
  const RunInput input = read_input(config);
  const SystemTask task = system_task(config, input);
  EXPECT_TRUE(builds_tiles_directly(task));
  const auto tiles = make_direct_tiles<TestSpace, float>(
      exec, task, built_order(exec, task),
      counted_offsets<TestSpace, float>(exec, task, MatrixUse::tiles), true);
  const auto A = make_ordered_matrix<TestSpace, float>(exec, task).A;
  EXPECT_EQ(tiles.statistics.rows, A.num_rows);
  EXPECT_EQ(tiles.statistics.nonzeros, A.num_nonzeros());
  EXPECT_EQ(tiles.fingerprint, (csr_fingerprint<TestSpace, float>(exec, A)));
}

TEST(Masks, keep_the_boundaries_of_subsets_between_views) {
  // There are five views of three rays. The mask removes the second view and two more rays.
  std::vector<char> mask(15, 1);
  for (const std::size_t i : {0U, 3U, 4U, 5U, 14U}) mask[i] = 0;
  std::vector<Ordinal> order(15);
  std::iota(order.begin(), order.end(), 0);
  EXPECT_EQ(begins_of_kept(order, RowSubsets(15, 5, 3), mask),
            (std::vector<Ordinal>{0, 2, 2, 5, 8}));
  EXPECT_EQ(begins_of_kept(order, RowSubsets(15, 2, 3), mask), (std::vector<Ordinal>{0, 5}));
  std::reverse(order.begin(), order.end());
  EXPECT_EQ(begins_of_kept(order, RowSubsets(15, 5, 3), mask),
            (std::vector<Ordinal>{0, 2, 5, 8, 8}));
  EXPECT_EQ(kept_of({3, 2, 1, 0}, mask), (std::vector<Ordinal>{2, 1}));
  EXPECT_EQ(positions_among_kept({2, 1, 13}, mask), (std::vector<Ordinal>{1, 0, 9}));
  EXPECT_EQ(count_kept(mask, 0), 10);
  EXPECT_EQ(count_kept({}, 7), 7);
}

TEST(Masks, refuses_files_with_wrong_shapes_or_values) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::vector<std::size_t>& shape, std::vector<double> values,
                           const std::vector<std::string>& words) {
    const auto file = folder / "m.npy";
    write_npy<double>(file, values, shape);
    const std::string message = message_of<Error>([&] {
      read_mask(file, "problem.mask", {2, 3}, "rows x columns of the image");
    });
    for (const std::string& word : words) EXPECT_CONTAINS(message, word);
  };
  const std::string name = (folder / "m.npy").string();
  refuses({3, 2}, std::vector<double>(6, 1),
          {"problem.mask: " + name + " is 3 x 2, expected 2 x 3 (rows x columns of the image)"});
  refuses({6}, std::vector<double>(6, 1), {"is 6, expected 2 x 3"});
  refuses({2, 3}, std::vector<double>(6, 0), {name, "keeps nothing", "2 x 3"});
  refuses({2, 3}, {1, 0, std::nan(""), 1, 1, 1}, {"problem.mask", name, "not finite"});
  write_bytes(folder / "m.npy", "no array");
  EXPECT_THROW(read_mask(folder / "m.npy", "problem.mask", {2, 3}, ""), InputError);
  EXPECT_THROW(read_mask(folder / "none.npy", "problem.mask", {2, 3}, ""), Error);
}

}  // namespace
