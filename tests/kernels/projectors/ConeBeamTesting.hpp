// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cone-beam matrices on the host, and small scans of various kinds.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_ConeBeamMatrix.hpp>
#include <map>
#include <vector>

#include "DeviceCsr.hpp"

namespace {

using namespace Tomokkos;

/// Block row on the host.
struct HostRows {
  Ordinal block_rows, block_cols, blocks, pitch;
  std::vector<Offset> offsets;
  std::vector<std::uint32_t> positions;
  std::vector<double> values;

  double sum(Ordinal row) const {
    double result = 0;
    for (Offset e = begin(row); e < begin(row + 1); ++e) result += values[at(e)];
    return result;
  }

  /// Entries of row i of view p of C by column, numbered as in CirculantOrder::rotations.
  std::map<Ordinal, double> expanded(Ordinal row, Ordinal view) const {
    std::map<Ordinal, double> result;
    for (Offset e = begin(row); e < begin(row + 1); ++e) {
      const auto column = static_cast<Ordinal>(positions[at(e)]) / pitch;
      const auto block = static_cast<Ordinal>(positions[at(e)]) % pitch;
      result[column * blocks + (block + view) % blocks] = values[at(e)];
    }
    return result;
  }

  Offset begin(Ordinal row) const { return offsets[static_cast<std::size_t>(row)]; }
  static std::size_t at(Offset e) { return static_cast<std::size_t>(e); }
};

/// Builds the matrix and checks its contract.
template <class Scalar>
HostRows build(const PolarVolume& volume, const ConeBeamScan& scan, RowRange elements = all_rows) {
  const auto A = build_cone_beam_matrix<TestSpace, Scalar>(TestSpace(), volume, scan, elements);
  const auto values = to_std_vector(A.values);
  HostRows rows{A.block_rows,
                A.block_cols,
                A.blocks,
                A.pitch,
                to_std_vector(A.row_offsets),
                to_std_vector(A.positions),
                {values.begin(), values.end()}};
  EXPECT_EQ(A.blocks, volume.rotations);
  EXPECT_EQ(A.pitch, circulant_pitch(A.blocks));
  EXPECT_EQ(A.block_cols, PolarGrid(volume).block_cols());
  EXPECT_EQ(rows.offsets.size(), static_cast<std::size_t>(A.block_rows) + 1);
  EXPECT_EQ(rows.offsets.front(), 0);
  EXPECT_EQ(rows.offsets.back(), A.num_stored());
  EXPECT_EQ(A.positions.extent(0), A.values.extent(0));
  for (Ordinal row = 0; row < A.block_rows; ++row)
    for (Offset e = rows.begin(row); e < rows.begin(row + 1); ++e) {
      const auto position = static_cast<Offset>(rows.positions[HostRows::at(e)]);
      EXPECT_TRUE(position % A.pitch < A.blocks && position / A.pitch < A.block_cols) << position;
      EXPECT_TRUE(e == rows.begin(row) || rows.positions[HostRows::at(e - 1)] < position) << row;
      EXPECT_GT(rows.values[HostRows::at(e)], 0) << row;
    }
  return rows;
}

ConeBeamScan scan_of(Ordinal views, Ordinal u, Ordinal v) {
  ConeBeamScan scan;
  scan.views = views;
  scan.detectors = {u, v};
  scan.detector_width = {2.3, 2.1};
  scan.source_to_origin = 20;
  scan.origin_to_detector = 11;
  return scan;
}

struct Case {
  PolarVolume volume;
  ConeBeamScan scan;
};

/// Few and many sectors, one and several per rotation, thin and thick slices. Offsets keep the rays
/// out of borders.
std::vector<Case> cases() {
  std::vector<Case> all{
      {{8, 9, 5, 4, 7, 1}, scan_of(7, 9, 8)},    {{8, 5, 9, 7, 3, 0.5}, scan_of(3, 11, 6)},
      {{9, 14, 3, 1, 1, 2}, scan_of(1, 8, 9)},   {{7, 3, 12, 5, 24, 0.3}, scan_of(24, 12, 4)},
      {{9, 20, 4, 16, 2, 1}, scan_of(2, 7, 13)}, {{6, 6, 1, 1, 5, 1}, scan_of(5, 8, 7)}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].scan.detector_offset = {0.137, -0.041};
    all[i].scan.rays = static_cast<Ordinal>(i % 3) + 1;
  }
  return all;
}

}  // namespace
