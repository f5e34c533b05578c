// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests that compare both backends: the backends and small scans.
#pragma once

#include <Tomokkos_SystemMatrix.hpp>

#include "DeviceCsr.hpp"

namespace cross_backend {

using namespace Tomokkos;

using Host = Kokkos::OpenMP;
using Device = Kokkos::Cuda;

inline ScanGeometry scan(Beam beam) {
  ScanGeometry geometry;
  geometry.beam = beam;
  geometry.views = ViewAngles::evenly_spaced(24, Angle::degrees(0.25), ViewAngles::full_turn());
  geometry.detectors = 67;
  geometry.detector_width = 0.9;
  if (beam == Beam::fan) {
    geometry.source_to_origin = 90;
    geometry.origin_to_detector = 40;
    geometry.detector_width = 1.3;
  }
  return geometry;
}

inline const VolumeGeometry volume{40, 44, 1.0};

/// System matrix of a scan, for plain loops.
inline PlainCsr plain_scan() {
  const auto csr =
      build_system_matrix<Host, float>(Host(), volume, scan(Beam::parallel), Projector::linear);
  PlainCsr plain;
  plain.name = "scan";
  plain.rows = csr.num_rows;
  plain.columns = csr.num_cols;
  const auto offsets = to_std_vector(csr.row_offsets);
  const auto columns = to_std_vector(csr.columns);
  const auto values = to_std_vector(csr.values);
  plain.offsets.assign(offsets.begin(), offsets.end());
  plain.indices.assign(columns.begin(), columns.end());
  plain.values.assign(values.begin(), values.end());
  return plain;
}

}  // namespace cross_backend
