// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "ScannerReference.hpp"

namespace {

using namespace Tomokkos;

template <class Scalar>
HostCsrMatrix<Scalar> host_matrix(const VolumeGeometry3D& volume, const RingScanner& scanner,
                                  RowRange rows = all_rows) {
  const TestSpace exec;
  const auto A = build_scanner_matrix<TestSpace, Scalar>(exec, volume, scanner, rows);
  validate(exec, A, ColumnOrder::sorted);
  return copy_to<Kokkos::HostSpace>(exec, A);
}

/// Row with all its zeros.
template <class Scalar>
std::vector<double> dense_row(const HostCsrMatrix<Scalar>& A, Ordinal row) {
  std::vector<double> result(static_cast<std::size_t>(A.num_cols), 0.0);
  for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
    result[static_cast<std::size_t>(A.columns(k))] = A.values(k);
  return result;
}

template <class Scalar>
double row_sum(const HostCsrMatrix<Scalar>& A, Ordinal row) {
  double sum = 0;
  for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) sum += A.values(k);
  return sum;
}

RingScanner small_scanner(Ordinal modules, Ordinal rays) {
  RingScanner scanner;
  scanner.modules = modules;
  scanner.crystals = {2, 2};
  scanner.crystal_pitch = {1.9, 1.7};
  scanner.crystal_size = {1.8, 1.5};
  scanner.layers = {{10.0, 2.0}, {12.5, 3.0}};
  scanner.rays = rays;
  return scanner;
}

/// Pairs of crystals across the ring, next to each other, in different layers, and with little
/// overlap.
std::vector<std::pair<Ordinal, Ordinal>> some_pairs(Ordinal crystals) {
  std::vector<std::pair<Ordinal, Ordinal>> pairs;
  for (Ordinal i = 0; i < crystals; i += 3)
    for (Ordinal j = i + 1; j < crystals; j += 1 + (i + j) % 7) pairs.emplace_back(i, j);
  return pairs;
}

/// Compares each entry with each ray clipped at each voxel.
TEST(ScannerMatrix, entries_are_mean_lengths) {
  const std::vector<VolumeGeometry3D> volumes{
      {5, 7, 6, 1.3, 1.1}, {1, 1, 1, 3.0, 2.0}, {4, 3, 21, 0.9, 0.8}, {6, 30, 2, 0.7, 0.75}};
  for (const Ordinal rays : {1, 16})
    for (const Ordinal modules : {1, 5, 8})
      for (const auto& volume : volumes) {
        RingScanner scanner = small_scanner(modules, rays);
        scanner.first_module = Angle::degrees(7);
        if (modules == 5) scanner.field_of_view = 4.0;
        if (modules == 8) {
          scanner.rings = 2;
          scanner.ring_pitch = 3.6;
          scanner.crystals = {1, 2};
        }
        const auto A = host_matrix<double>(volume, scanner);
        const auto crystals = static_cast<Ordinal>(scanner.num_crystals());
        ASSERT_EQ(A.num_rows, crystals * crystals);
        ASSERT_EQ(A.num_cols, volume.num_voxels());
        for (const auto& [i, j] : some_pairs(crystals)) {
          const auto expected = ScannerReference::row(volume, scanner, i, j);
          const auto row = dense_row(A, i * crystals + j);
          for (std::size_t v = 0; v < row.size(); ++v) {
            ASSERT_NEAR(row[v], expected[v], 1e-12) << i << ", " << j << ", voxel " << v;
            // Every entry that is larger than rounding is stored.
            ASSERT_TRUE(row[v] > 0 || expected[v] < 1e-11) << i << ", " << j << ", voxel " << v;
          }
          ASSERT_NEAR(row_sum(A, i * crystals + j), ScannerReference::chord(volume, scanner, i, j),
                      1e-11);
        }
      }
}

TEST(ScannerMatrix, only_the_upper_triangle_has_entries) {
  const RingScanner scanner = small_scanner(6, 8);
  const auto A = host_matrix<float>({4, 8, 8, 1.0, 1.0}, scanner);
  const auto crystals = static_cast<Ordinal>(scanner.num_crystals());
  Ordinal used = 0;
  for (Ordinal i = 0; i < crystals; ++i)
    for (Ordinal j = 0; j < crystals; ++j) {
      const Offset length = A.row_offsets(i * crystals + j + 1) - A.row_offsets(i * crystals + j);
      ASSERT_TRUE(i < j || length == 0) << i << ", " << j;
      used += length > 0 ? 1 : 0;
    }
  EXPECT_GT(used, scanner.num_pairs() / 5);
  EXPECT_LT(used, scanner.num_pairs());
}

/// A field of view within the volume makes it a cylinder: a ray between two points has its chord,
/// and a plane ring sees twice the root of the radius and the distance.
TEST(ScannerMatrix, row_sums_are_chords_of_a_cylinder) {
  RingScanner scanner = small_scanner(8, 1);
  scanner.crystals = {1, 1};
  scanner.layers = {{10.0, 2.0}};
  scanner.field_of_view = 4.0;
  const auto A = host_matrix<double>({3, 17, 15, 0.6, 1.0}, scanner);
  const auto places = scanner.places();
  for (Ordinal i = 0; i < 8; ++i)
    for (Ordinal j = i + 1; j < 8; ++j) {
      const auto& a = places[static_cast<std::size_t>(i)];
      const auto& b = places[static_cast<std::size_t>(j)];
      const double distance = std::fabs(a.x * b.y - a.y * b.x) / std::hypot(b.x - a.x, b.y - a.y);
      const double chord = distance < 4 ? 2 * std::sqrt((4 - distance) * (4 + distance)) : 0;
      EXPECT_NEAR(row_sum(A, i * 8 + j), chord, 1e-12) << i << ", " << j;
    }
}

/// The projection of a cylinder of voxels is close to its line integrals.
TEST(ScannerMatrix, a_uniform_cylinder_is_seen_as_such) {
  RingScanner scanner = small_scanner(12, 32);
  scanner.crystals = {2, 1};
  scanner.layers = {{10.0, 1.0}};
  const VolumeGeometry3D volume{6, 60, 60, 0.2, 0.5};
  const auto A = host_matrix<float>(volume, scanner);
  const double radius = 4.5;
  RingScanner within = scanner;
  within.field_of_view = radius;
  const auto crystals = static_cast<Ordinal>(scanner.num_crystals());
  for (const auto& [i, j] : some_pairs(crystals)) {
    double sum = 0;
    const Ordinal row = i * crystals + j;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const Ordinal voxel = A.columns(k) % (volume.rows * volume.columns);
      const double x = volume.slice().x(voxel % volume.columns);
      const double y = volume.slice().y(voxel / volume.columns);
      if (std::hypot(x, y) <= radius) sum += A.values(k);
    }
    // A ray near the edge meets voxels that lie partly inside.
    EXPECT_NEAR(sum, ScannerReference::chord(volume, within, i, j), 2 * volume.pixel)
        << i << ", " << j;
  }
}

/// Rays within planes between voxels contribute half to either side, and nothing beyond the border.
TEST(ScannerMatrix, rays_within_planes_are_shared) {
  RingScanner scanner;
  scanner.modules = 4;
  scanner.crystals = {1, 1};
  scanner.crystal_pitch = scanner.crystal_size = {1.0, 1.0};
  scanner.layers = {{10.0, 1.0}};
  scanner.rays = 1;
  // Crystals on the axes: rays 0 - 2 and 1 - 3 run along them, in the plane z = 0.
  for (const Ordinal slices : {1, 2})
    for (const Ordinal rows : {3, 4}) {
      const auto A = host_matrix<double>({slices, rows, rows, 1.0, 1.0}, scanner);
      const auto along_x = dense_row(A, 0 * 4 + 2), along_y = dense_row(A, 1 * 4 + 3);
      for (Ordinal slice = 0; slice < slices; ++slice)
        for (Ordinal row = 0; row < rows; ++row)
          for (Ordinal column = 0; column < rows; ++column) {
            const auto voxel = static_cast<std::size_t>((slice * rows + row) * rows + column);
            const auto share = [&](Ordinal index) {
              const double distance = std::fabs(index - 0.5 * (rows - 1));
              return distance == 0 ? 1.0 : distance == 0.5 ? 0.5 : 0.0;
            };
            EXPECT_NEAR(along_x[voxel], share(row) / slices, 1e-14);
            EXPECT_NEAR(along_y[voxel], share(column) / slices, 1e-14);
          }
    }
  // Along the border one half is lost.
  scanner.crystal_pitch = scanner.crystal_size = {2.0, 2.0};
  scanner.crystals = {2, 2};
  scanner.layers = {{11.0, 1.0}};
  const auto A = host_matrix<double>({2, 2, 2, 1.0, 1.0}, scanner);
  const auto crystals = static_cast<Ordinal>(scanner.num_crystals());
  // Around: 0 at (11.5, -1), 1 at (11.5, 1), ..., 4 at (-11.5, 1), 5 at (-11.5, -1); z is -1.
  const auto along_edge = dense_row(A, 1 * crystals + 4);
  for (std::size_t voxel = 0; voxel < 8; ++voxel)
    EXPECT_NEAR(along_edge[voxel], voxel < 2 ? 0.25 : 0.0, 1e-14);
}

/// A rotation that maps voxels to voxels and modules to modules maps rows to rows.
TEST(ScannerMatrix, turns_and_mirror_images_of_the_ring) {
  const Ordinal n = 9, slices = 4;
  RingScanner scanner = small_scanner(8, 16);
  scanner.layers = {{10.0, 2.0}};
  const auto A = host_matrix<double>({slices, n, n, 1.0, 0.9}, scanner);
  const Ordinal around = scanner.crystals_around(), along = scanner.crystals_along();
  const Ordinal crystals = around * along;
  const auto row_of = [&](Ordinal a, Ordinal b) {
    return dense_row(A, std::min(a, b) * crystals + std::max(a, b));
  };
  for (const auto& [i, j] : some_pairs(crystals)) {
    const auto row = row_of(i, j);
    const auto quarter = [&](Ordinal crystal) {
      return crystal / around * around + (crystal % around + around / 4) % around;
    };
    // Reflect at z = 0, and at y = 0, which module 0 faces.
    const auto behind = [&](Ordinal crystal) {
      return (along - 1 - crystal / around) * around + crystal % around;
    };
    const auto below = [&](Ordinal crystal) {
      return crystal / around * around + (1 - crystal % around + around) % around;
    };
    const auto turned = row_of(quarter(i), quarter(j));
    const auto mirrored = row_of(behind(i), behind(j));
    const auto upset = row_of(below(i), below(j));
    for (Ordinal slice = 0; slice < slices; ++slice)
      for (Ordinal y = 0; y < n; ++y)
        for (Ordinal x = 0; x < n; ++x) {
          const auto at = [&](const std::vector<double>& values, Ordinal s, Ordinal r, Ordinal c) {
            return values[static_cast<std::size_t>((s * n + r) * n + c)];
          };
          // Counter-clockwise: what was on the right is at the top.
          const double value = at(row, slice, y, x);
          ASSERT_NEAR(at(turned, slice, n - 1 - x, y), value, 1e-13) << i << ", " << j;
          ASSERT_NEAR(at(mirrored, slices - 1 - slice, y, x), value, 1e-13) << i << ", " << j;
          ASSERT_NEAR(at(upset, slice, n - 1 - y, x), value, 1e-13) << i << ", " << j;
        }
  }
}

/// Rows are independent of each other, and therefore of the threads and processes that build them:
/// each row separately, and blocks of rows, equal those of the whole matrix bit for bit.
TEST(ScannerMatrix, blocks_are_rows_of_the_whole) {
  const RingScanner scanner = small_scanner(6, 24);
  const VolumeGeometry3D volume{5, 11, 12, 0.8, 0.9};
  const auto A = host_matrix<double>(volume, scanner);
  const auto known_offsets = scanner_row_offsets(TestSpace(), volume, scanner);
  const auto row_map = identity_map(TestSpace(), A.num_rows);
  const auto voxel_map = identity_map(TestSpace(), A.num_cols);
  const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), known_offsets);
  ASSERT_EQ(offsets.extent(0), A.row_offsets.extent(0));
  for (Ordinal row = 0; row <= A.num_rows; ++row) ASSERT_EQ(offsets(row), A.row_offsets(row));
  std::vector<RowRange> blocks{{0, 0}, {A.num_rows, A.num_rows}, {5, 21}, {100, 1126}};
  for (Ordinal row = 0; row < A.num_rows; row += 61) blocks.push_back({row, row + 1});
  for (const RowRange block : blocks) {
    SCOPED_TRACE("rows " + std::to_string(block.begin) + " to " + std::to_string(block.end));
    const auto B = host_matrix<double>(volume, scanner, block);
    ASSERT_EQ(B.num_rows, block.end - block.begin);
    ASSERT_EQ(B.num_cols, A.num_cols);
    const auto C = copy_to<Kokkos::HostSpace>(
        TestSpace(), build_mapped_scanner_matrix<TestSpace, double>(
                         TestSpace(), volume, scanner, row_map, voxel_map, block, known_offsets));
    ASSERT_EQ(C.num_rows, B.num_rows);
    ASSERT_EQ(C.num_cols, B.num_cols);
    ASSERT_EQ(C.num_nonzeros(), B.num_nonzeros());
    const Offset first = A.row_offsets(block.begin);
    for (Ordinal row = 0; row <= B.num_rows; ++row) {
      ASSERT_EQ(B.row_offsets(row), A.row_offsets(block.begin + row) - first);
      ASSERT_EQ(C.row_offsets(row), B.row_offsets(row));
    }
    for (Offset k = 0; k < B.num_nonzeros(); ++k) {
      ASSERT_EQ(B.columns(k), A.columns(first + k));
      ASSERT_EQ(B.values(k), A.values(first + k));
      ASSERT_EQ(C.columns(k), B.columns(k));
      ASSERT_EQ(C.values(k), B.values(k));
    }
  }
}

TEST(ScannerMatrix, float_and_double_have_the_same_pattern) {
  const RingScanner scanner = small_scanner(7, 8);
  const VolumeGeometry3D volume{4, 9, 14, 0.9, 1.1};
  const auto A = host_matrix<double>(volume, scanner);
  const auto B = host_matrix<float>(volume, scanner);
  ASSERT_EQ(A.num_nonzeros(), B.num_nonzeros());
  for (Ordinal row = 0; row <= A.num_rows; ++row) ASSERT_EQ(A.row_offsets(row), B.row_offsets(row));
  for (Offset k = 0; k < A.num_nonzeros(); ++k) {
    ASSERT_EQ(A.columns(k), B.columns(k));
    ASSERT_GT(A.values(k), 0);
    ASSERT_EQ(static_cast<float>(A.values(k)), B.values(k));
  }
}

TEST(ScannerMatrix, maps_give_the_mapped_matrix) {
  const TestSpace exec;
  const RingScanner scanner = small_scanner(4, 8);
  const VolumeGeometry3D volume{3, 6, 7, 1.0, 1.0};
  const auto A = build_scanner_matrix<TestSpace, float>(exec, volume, scanner);
  std::vector<Ordinal> rows, voxels;
  for (Ordinal row = A.num_rows; row-- > 0;)
    if (row % 3 != 0) rows.push_back(row);
  for (Ordinal k = 0; k < A.num_cols; ++k)
    if (k % 10 != 7) voxels.push_back(static_cast<Ordinal>(k * 5LL % A.num_cols));
  const auto row_map = make_index_map(exec, A.num_rows, rows);
  const auto voxel_map = make_index_map(exec, A.num_cols, voxels);
  const auto expected = copy_to<Kokkos::HostSpace>(exec, csr_mapped(exec, A, row_map, voxel_map));
  const Ordinal half = row_map.size() / 2;
  const auto offsets = scanner_row_offsets(exec, volume, scanner);
  const auto rows_alone = copy_to<Kokkos::HostSpace>(
      exec, csr_mapped(exec, A, row_map, identity_map(exec, A.num_cols)));
  for (const RowRange part : {RowRange{0, half}, RowRange{half, row_map.size()}}) {
    const auto C = copy_to<Kokkos::HostSpace>(
        exec, build_mapped_scanner_matrix<TestSpace, float>(
                  exec, volume, scanner, row_map, identity_map(exec, A.num_cols), part, offsets));
    const Offset first_of_rows = rows_alone.row_offsets(part.begin);
    ASSERT_EQ(C.num_rows, part.end - part.begin);
    for (Ordinal row = 0; row <= C.num_rows; ++row)
      ASSERT_EQ(C.row_offsets(row), rows_alone.row_offsets(part.begin + row) - first_of_rows);
    for (Offset k = 0; k < C.num_nonzeros(); ++k) {
      ASSERT_EQ(C.columns(k), rows_alone.columns(first_of_rows + k));
      ASSERT_EQ(C.values(k), rows_alone.values(first_of_rows + k));
    }
    const auto B =
        copy_to<Kokkos::HostSpace>(exec, build_mapped_scanner_matrix<TestSpace, float>(
                                             exec, volume, scanner, row_map, voxel_map, part));
    const Offset first = expected.row_offsets(part.begin);
    ASSERT_EQ(B.num_rows, part.end - part.begin);
    for (Ordinal row = 0; row <= B.num_rows; ++row)
      ASSERT_EQ(B.row_offsets(row), expected.row_offsets(part.begin + row) - first);
    for (Offset k = 0; k < B.num_nonzeros(); ++k) {
      ASSERT_EQ(B.columns(k), expected.columns(first + k));
      ASSERT_EQ(B.values(k), expected.values(first + k));
    }
  }
}

/// Builds with the offsets of the whole matrix give the bytes of both passes, as a whole and in
/// blocks.
TEST(ScannerMatrix, known_offsets_give_the_mapped_matrix) {
  const TestSpace exec;
  const RingScanner scanner = small_scanner(5, 8);
  const VolumeGeometry3D volume{5, 18, 17, 0.8, 0.9};
  const auto num_rows = static_cast<Ordinal>(scanner.num_rows());
  const auto num_voxels = static_cast<Ordinal>(volume.num_voxels());
  std::vector<Ordinal> rows, voxels;
  for (Ordinal row = num_rows; row-- > 0;)
    if (row % 7 != 2) rows.push_back(row);
  for (Ordinal k = 0; k < num_voxels; ++k)
    voxels.push_back(static_cast<Ordinal>(k * 7LL % num_voxels));
  const auto row_map = make_index_map(exec, num_rows, rows);
  const auto voxel_map = make_index_map(exec, num_voxels, voxels);
  const auto offsets = scanner_row_offsets(exec, volume, scanner);
  const Ordinal third = row_map.size() / 3;
  for (const RowRange part :
       {all_rows, RowRange{0, third}, RowRange{third, third}, RowRange{third, row_map.size()}}) {
    const auto B = copy_to<Kokkos::HostSpace>(
        exec, build_mapped_scanner_matrix<TestSpace, float>(exec, volume, scanner, row_map,
                                                            voxel_map, part, offsets));
    const auto A =
        copy_to<Kokkos::HostSpace>(exec, build_mapped_scanner_matrix<TestSpace, float>(
                                             exec, volume, scanner, row_map, voxel_map, part));
    ASSERT_EQ(B.num_rows, A.num_rows);
    ASSERT_EQ(B.num_cols, A.num_cols);
    ASSERT_EQ(B.num_nonzeros(), A.num_nonzeros());
    for (Ordinal row = 0; row <= A.num_rows; ++row)
      ASSERT_EQ(B.row_offsets(row), A.row_offsets(row));
    for (Offset k = 0; k < A.num_nonzeros(); ++k) {
      ASSERT_EQ(B.columns(k), A.columns(k));
      ASSERT_EQ(B.values(k), A.values(k));
    }
  }
  // Rows that lose voxels are counted.
  voxels.pop_back();
  const auto mask = make_index_map(exec, num_voxels, voxels);
  const RowRange part{third, row_map.size()};
  const auto B =
      copy_to<Kokkos::HostSpace>(exec, build_mapped_scanner_matrix<TestSpace, float>(
                                           exec, volume, scanner, row_map, mask, part, offsets));
  const auto A = copy_to<Kokkos::HostSpace>(exec, build_mapped_scanner_matrix<TestSpace, float>(
                                                      exec, volume, scanner, row_map, mask, part));
  ASSERT_EQ(B.num_nonzeros(), A.num_nonzeros());
  for (Offset k = 0; k < A.num_nonzeros(); ++k) ASSERT_EQ(B.values(k), A.values(k));
}

/// Mean number of nonzeros per row: about 1208 over all 1152^2 rows of MADPET-II and 2317 over the
/// 2304^2 rows of the large case, estimated from a sample of rows.
TEST(ScannerMatrix, the_named_scanners_have_their_nonzeros) {
  const TestSpace exec;
  struct Published {
    ScannerKind kind;
    std::int64_t rows, voxels;
    double nonzeros;
    Ordinal steps;
  };
  for (const auto& [kind, rows, voxels, nonzeros, steps] :
       {Published{ScannerKind::madpet2, 1327104, 784000, 1.603e9, 500},
        Published{ScannerKind::madpet2_large, 5308416, 2592000, 1.23e10, 300}}) {
    const RingScanner scanner = make_scanner(kind);
    const VolumeGeometry3D volume = make_scanner_volume(kind);
    EXPECT_EQ(scanner.num_rows(), rows);
    EXPECT_EQ(volume.num_voxels(), voxels);
    // Multiples of the golden section, modulo 1, sample the pairs evenly.
    std::vector<Ordinal> sampled;
    for (Ordinal k = 0; k < steps; ++k)
      sampled.push_back(static_cast<Ordinal>(static_cast<double>(rows) *
                                             std::fmod(0.6180339887498949 * (k + 1), 1.0)));
    const auto row_map = make_index_map(exec, static_cast<Ordinal>(rows), sampled);
    const auto voxel_map = identity_map(exec, static_cast<Ordinal>(voxels));
    const auto A =
        build_mapped_scanner_matrix<TestSpace, float>(exec, volume, scanner, row_map, voxel_map);
    const double mean = static_cast<double>(A.num_nonzeros()) / steps;
    EXPECT_NEAR(mean * static_cast<double>(rows) / nonzeros, 1, 0.05) << to_string(kind);
  }
  const RingScanner small = make_scanner(ScannerKind::madpet2_small);
  const VolumeGeometry3D volume = make_scanner_volume(ScannerKind::madpet2_small);
  EXPECT_EQ(small.num_crystals(), 288);
  EXPECT_NO_THROW(check(volume, small));
}

TEST(ScannerMatrix, refuses_what_cannot_be_built) {
  const VolumeGeometry3D volume{2, 2, 2, 1.0, 1.0};
  const RingScanner scanner = small_scanner(4, 1);
  const auto refused = [&](const auto& build, const std::string& word) {
    try {
      build();
      ADD_FAILURE() << "accepted; the message should hold " << word;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const TestSpace exec;
  for (const RowRange rows : {RowRange{-1, 5}, RowRange{5, 3}, RowRange{0, 1025}})
    refused([&] { build_scanner_matrix<TestSpace, float>(exec, volume, scanner, rows); },
            "rows " + std::to_string(rows.begin) + " to");
  refused(
      [&] {
        build_scanner_matrix<TestSpace, float>(exec, {0, 2, 2, 1.0, 1.0}, scanner);
      },
      "0 x 2 x 2");
  refused([&] { scanner_row_offsets(exec, volume, RingScanner{}); }, "modules");
  const auto part = scanner_row_offsets(exec, volume, scanner, {0, 5});
  const auto short_map = identity_map(exec, 3);
  const auto voxel_map = identity_map(exec, 8);
  const auto row_map = identity_map(exec, 1024);
  refused(
      [&] {
        build_mapped_scanner_matrix<TestSpace, float>(exec, volume, scanner, row_map, voxel_map,
                                                      all_rows, part);
      },
      "row offsets");
  refused(
      [&] {
        build_mapped_scanner_matrix<TestSpace, float>(exec, volume, scanner, short_map, voxel_map);
      },
      "row map");
}

}  // namespace
