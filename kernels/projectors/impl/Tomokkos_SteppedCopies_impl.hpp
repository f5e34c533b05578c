// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of an image and of rays with margins of zeros, which stepped products read.
#pragma once

#include <impl/Tomokkos_ViewSteps_impl.hpp>

namespace Tomokkos::Impl {

/// Zeros on each side of a line of the image. A ray may be outside by less than one pixel, and its
/// second pixel follows.
constexpr Ordinal image_margin = 3;

/// Copy of an image: its rows, then its columns, each with margins.
struct ImageCopy {
  Ordinal rows, columns;

  KOKKOS_FUNCTION Offset row(Ordinal r) const {
    return static_cast<Offset>(r) * (columns + 2 * image_margin) + image_margin;
  }
  KOKKOS_FUNCTION Offset column(Ordinal c) const {
    return static_cast<Offset>(rows) * (columns + 2 * image_margin) +
           static_cast<Offset>(c) * (rows + 2 * image_margin) + image_margin;
  }
  Offset size() const { return column(columns) - image_margin; }
};

/// Copies one line of an image, or its margins.
template <class Scalar>
struct CopyImage {
  ImageCopy to;
  Ordinal vectors;
  const Ordinal* columns;  // of pixels; null: natural order
  const Scalar* x;
  Scalar* copy;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal wide = to.columns + 2 * image_margin, high = to.rows + 2 * image_margin;
    const Offset by_rows = static_cast<Offset>(to.rows) * wide;
    const bool first = i < by_rows;
    const auto line = static_cast<Ordinal>(first ? i / wide : (i - by_rows) / high);
    const auto at = static_cast<Ordinal>(first ? i % wide : (i - by_rows) % high) - image_margin;
    const Ordinal row = first ? line : at, column = first ? at : line;
    const bool inside = row >= 0 && row < to.rows && column >= 0 && column < to.columns;
    Ordinal from = inside ? row * to.columns + column : -1;
    if (inside && columns != nullptr) from = columns[from];
    for (Ordinal v = 0; v < vectors; ++v)
      copy[i * vectors + v] = from < 0 ? Scalar(0) : x[static_cast<Offset>(from) * vectors + v];
  }
};

/// Copies the rays of the runs of a range, times their largest weights.
template <Beam beam, class Scalar>
struct CopyRays {
  SteppedScan scan;
  const ViewSteps* steps;
  const ViewRows* runs;
  const Ordinal* rows;  // of natural rays; null: natural order
  Ordinal margin;
  RowRange range;
  Ordinal first_run;
  Ordinal vectors;
  const Scalar* x;
  Scalar* copy;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal pitch = scan.detectors + 2 * margin;
    const ViewRows run = runs[first_run + i / pitch];
    const auto detector = static_cast<Ordinal>(i % pitch) - margin;
    const ViewSteps& view = steps[run.view];
    Ordinal row = -1;
    if (detector >= 0 && detector < scan.detectors && !view.is_exact) {
      const Ordinal ray = run.view * scan.detectors + detector;
      row = rows == nullptr ? ray : rows[ray];
      if (row < run.begin || row >= run.end || row < range.begin || row >= range.end) row = -1;
    }
    double largest = view.scale;
    if (beam == Beam::fan && row >= 0) {
      const RaySteps ray = fan_steps(scan, view.cosine, view.sine, detector);
      largest = ray.is_exact ? 1 : ray.scale;
    }
    const auto scale = static_cast<Scalar>(largest);
    for (Ordinal v = 0; v < vectors; ++v)
      copy[i * vectors + v] =
          row < 0 ? Scalar(0) : scale * x[static_cast<Offset>(row - range.begin) * vectors + v];
  }
};

}  // namespace Tomokkos::Impl
