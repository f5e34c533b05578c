// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stored orbits of rays with masks. They equal the whole matrix without the masked rows and
// columns, entry by entry, and so do their products.
#include <set>

#include "SymmetricScans.hpp"

using namespace Tomokkos;
using namespace symmetric_testing;

namespace {

/// Kept pixels of an image: the inscribed circle, or orbits without a pattern.
std::vector<char> pixel_mask(Ordinal side, bool disc) {
  std::vector<char> mask(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (Ordinal row = 0; row < side; ++row)
    for (Ordinal column = 0; column < side; ++column) {
      const Ordinal x = std::abs(2 * column - side + 1), y = std::abs(2 * row - side + 1);
      const Ordinal orbit = std::max(x, y) * side + std::min(x, y);
      mask[static_cast<std::size_t>(row * side + column)] =
          disc ? x * x + y * y <= side * side : (orbit * 7) % 5 != 0;
    }
  return mask;
}

/// Masks a view and a detector, or rays without a pattern, or whole orbits: all rays except those
/// of the outermost detectors.
std::vector<char> ray_mask(const ScanGeometry& scan, int kind) {
  std::vector<char> mask;
  for (Ordinal view = 0; view < scan.views.count(); ++view)
    for (Ordinal d = 0; d < scan.detectors; ++d)
      mask.push_back(kind == 0   ? view != 5 && d != 3
                     : kind == 1 ? (view * scan.detectors + d) % 7 < 3
                                 : d > 1 && d < scan.detectors - 2);
  return mask;
}

/// Rows and columns of A that are kept.
PlainCsr kept_part(const PlainCsr& A, const std::vector<char>& rows,
                   const std::vector<char>& columns) {
  std::vector<Ordinal> numbers;
  Ordinal count = 0;
  for (Ordinal j = 0; j < A.columns; ++j)
    numbers.push_back(columns.empty() || columns[static_cast<std::size_t>(j)] != 0 ? count++ : -1);
  PlainCsr part{A.name, 0, count, {0}, {}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
    if (!rows.empty() && rows[i] == 0) continue;
    for (auto e = static_cast<std::size_t>(A.offsets[i]);
         e < static_cast<std::size_t>(A.offsets[i + 1]); ++e) {
      const Ordinal number = numbers[static_cast<std::size_t>(A.indices[e])];
      if (number < 0) continue;
      part.indices.push_back(number);
      part.values.push_back(A.values[e]);
    }
    part.offsets.push_back(static_cast<Offset>(part.indices.size()));
    ++part.rows;
  }
  return part;
}

struct ScanMask {
  std::vector<char> rays, pixels;
};

std::vector<ScanMask> masks_of(const ScanGeometry& scan, Ordinal side) {
  return {{{}, pixel_mask(side, true)},
          {ray_mask(scan, 0), {}},
          {ray_mask(scan, 1), pixel_mask(side, false)},
          {ray_mask(scan, 2), pixel_mask(side, true)}};
}

template <class Scalar>
void check_masked(const SymmetricScan& of, Ordinal side) {
  const TestSpace exec;
  const VolumeGeometry volume{side, side, 0.8};
  const auto unmasked =
      build_symmetric_projection<TestSpace, Scalar>(exec, volume, of.scan, Projector::linear);
  const PlainCsr whole = plain_of<Scalar>(
      build_system_matrix<TestSpace, Scalar>(exec, volume, of.scan, Projector::linear));
  for (const ScanMask& mask : masks_of(of.scan, side)) {
    const auto A = build_symmetric_projection<TestSpace, Scalar>(
        exec, volume, of.scan, Projector::linear, mask.rays, mask.pixels);
    validate<TestSpace, Scalar>(exec, A);
    const PlainCsr C = kept_part(whole, mask.rays, mask.pixels);
    const PlainCsr found = plain_of<Scalar>(expanded_projection<TestSpace, Scalar>(exec, A));
    EXPECT_EQ(found.rows, C.rows);
    EXPECT_EQ(found.columns, C.columns);
    EXPECT_EQ(found.offsets, C.offsets);
    EXPECT_EQ(found.indices, C.indices);
    EXPECT_EQ(found.values, C.values);
    const RowStatistics statistics = expanded_statistics<TestSpace, Scalar>(exec, A);
    EXPECT_EQ(statistics.rows, C.rows);
    EXPECT_EQ(statistics.columns, C.columns);
    EXPECT_EQ(statistics.nonzeros, static_cast<Offset>(C.values.size()));
    // There are neither columns for masked pixels nor rows for masked orbits.
    EXPECT_EQ(A.stored.num_cols, C.columns);
    if (!mask.pixels.empty()) {
      EXPECT_LT(A.stored.num_nonzeros(), unmasked.stored.num_nonzeros());
    }
    std::set<Ordinal> orbits;
    for (const Ordinal slot : to_std_vector(A.symmetry.slots)) orbits.insert(slot / 8);
    EXPECT_EQ(A.stored.num_rows, static_cast<Ordinal>(orbits.size()));
    for (const auto& made : operators_of<Scalar>(exec, A)) {
      const AnyOperator<TestSpace, Scalar> op = made;
      ASSERT_EQ(op.num_rows(), C.rows);
      ASSERT_EQ(op.num_cols(), C.columns);
      for (const int s : {1, 3})
        for (const RowRange rows : {all_rows, RowRange{9, 38}}) {
          const PlainCsr part = some_rows(C, rows);
          const std::string what = of.name + ", " + std::to_string(s) + " vectors";
          expect_products(exec, op, part, s, rows, what);
        }
    }
  }
}

TEST(SymmetricMasks, leave_the_entries_of_the_whole_matrix_double) {
  for (const SymmetricScan& of : symmetric_scans())
    for (const Ordinal side : {12, 13}) check_masked<double>(of, side);
}
TEST(SymmetricMasks, leave_the_entries_of_the_whole_matrix_float) {
  for (const SymmetricScan& of : symmetric_scans()) check_masked<float>(of, 13);
}

TEST(SymmetricMasks, of_orbits_of_rays_take_the_stored_rays_along) {
  const ScanGeometry scan = scan_of(Beam::parallel, 16, true, true, 10);
  const RayOrbits all = find_ray_orbits({8, 8, 1.0}, scan);
  ASSERT_EQ(all.stored.size(), 10u);
  // Two of the five detectors on each side are masked.
  const RayOrbits orbits = kept_orbits(all, ray_mask(scan, 2));
  EXPECT_EQ(orbits.stored.size(), 6u);
  EXPECT_EQ(orbits.slots.size(), 16u * 6u);
  // A masked view removes rays from orbits, but no whole orbit.
  std::vector<char> view(160, 1);
  std::fill_n(view.begin() + 30, 10, 0);
  EXPECT_EQ(kept_orbits(all, view).stored, all.stored);
  EXPECT_EQ(kept_orbits(all, view).slots.size(), 150u);
  EXPECT_EQ(kept_orbits(all, {}).slots, all.slots);
  EXPECT_THROW(kept_orbits(all, std::vector<char>(159, 1)), DimensionMismatch);
}

TEST(SymmetricMasks, of_pixels_have_the_symmetries_or_are_refused) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(Beam::parallel, 12, false, false, 9);
  const auto refusal = [&](const std::vector<char>& mask) {
    return error_of([&] {
      build_symmetric_projection<TestSpace, double>(exec, {8, 8, 1.0}, scan, Projector::line, {},
                                                    mask);
    });
  };
  EXPECT_EQ(refusal(pixel_mask(8, true)), "");
  // If one of eight pixels is masked, the error names the first of the others.
  for (unsigned g = 0; g < num_square_symmetries; ++g) {
    std::vector<char> mask(64, 1);
    const Ordinal gone = symmetric_pixel(8, g, 1);
    mask[static_cast<std::size_t>(gone)] = 0;
    const std::string text = refusal(mask);
    EXPECT_TRUE(contains(
        text, g == 0 ? "pixel (0, 6) (row, column) is kept" : "pixel (0, 1) (row, column) is kept"))
        << text;
    EXPECT_TRUE(contains(text, "its image (" + std::to_string(gone / 8) + ", " +
                                   std::to_string(gone % 8) +
                                   ") under the symmetries of the square is not"))
        << text;
  }
  EXPECT_THROW(require_symmetric_pixels(8, std::vector<char>(63, 1)), DimensionMismatch);
  EXPECT_THROW(make_ray_symmetry(exec, 8, find_ray_orbits({8, 8, 1.0}, scan), {0, 7, 56}), Error);
}

TEST(SymmetricMasks, validate_finds_what_is_broken) {
  const TestSpace exec;
  const auto A = build_symmetric_projection<TestSpace, double>(
      exec, {8, 8, 1.0}, scan_of(Beam::parallel, 12, false, false, 9), Projector::line, {},
      pixel_mask(8, true));
  EXPECT_EQ(error_of([&] { validate(exec, A.symmetry); }), "");
  // The corner and its neighbours are masked.
  const auto columns = to_std_vector(A.symmetry.columns);
  ASSERT_EQ(columns[0], not_mapped);
  ASSERT_EQ(columns[1], not_mapped);
  ASSERT_EQ(columns[2], 0);
  const auto with_columns = [&](std::vector<Ordinal> changed) {
    auto B = A.symmetry;
    B.columns = to_device<TestSpace, Ordinal>(exec, changed);
    return error_of([&] { validate(exec, B); });
  };
  auto changed = columns;
  changed[0] = 0;
  EXPECT_TRUE(contains(with_columns(changed), "pixel 0"));
  changed = columns;
  std::swap(changed[3], changed[4]);
  EXPECT_TRUE(contains(with_columns(changed), "pixel 3"));
  EXPECT_NE(with_columns(std::vector<Ordinal>(63, 0)), "");
  EXPECT_TRUE(contains(with_columns({}), "leaves pixels out"));
  // A map of pixels that contains a pixel without its images.
  auto B = A.symmetry;
  auto order = to_std_vector(A.symmetry.pixels.to_natural);
  const auto last =
      static_cast<std::size_t>(std::find(order.begin(), order.end(), 61) - order.begin());
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(last));
  B.pixels = make_index_map(exec, 64, order);
  EXPECT_TRUE(contains(error_of([&] { validate(exec, B); }), "pixel 2 is kept without its images"));
}

}  // namespace
