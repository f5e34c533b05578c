// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered views of truncated data: the data are continued beyond the ends of the detector.
//
// The square of the projection of an ellipse is a - b s^2. Beyond an end the data continue as
// sqrt(a - b s^2), with a and b fitted to the last elements and s measured from the axis (Hsieh et
// al. 2004 continue by a cylinder of water). For an ellipse around the axis, the continuation is
// exact. In a fan beam this holds for the weighted data times 1 + (s / D)^2, with D the distance of
// the source from the detector. A tail ends at a length of the detector at most.
#pragma once

#include <Tomokkos_DataEnds.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <vector>

namespace Tomokkos::Impl {

/// Elements whose peak one thread finds.
constexpr Ordinal tail_chunk = 64;

/// Data beyond one end of a view, d elements from the last one and s = base + d elements from the
/// axis: sqrt(square - decline (s^2 - base^2)) / (1 + curve s^2); none if `square` is 0.
struct DataTail {
  double square = 0, decline = 0, base = 0, curve = 0;

  KOKKOS_FUNCTION double at(double d) const {
    const double rest = square - decline * d * (2 * base + d), s = base + d;
    return rest > 0 ? Impl::sqrt(rest) / (1 + curve * s * s) : 0;
  }
};

/// Levels at the ends of a view, before it is known whether they are truncated. Index 0 is the end
/// of the first element, index 1 that of the last one.
struct ViewEnds {
  double peak = 0;
  double level[2] = {};
  DataTail tail[2];
};

/// Rays of one slice, `group` views side by side: element k of the detector is at `before` + k.
template <class Values>
struct WeightedViews {
  Ordinal detectors, before, pitch, views;
  const Values* weighted;
  static constexpr int group = sizeof(Values::of) / sizeof(Values::of[0]);

  KOKKOS_FUNCTION double at(Ordinal view, Ordinal element) const {
    const Offset i = static_cast<Offset>(view / group) * pitch + before + element;
    return static_cast<double>(weighted[i].of[view % group]);
  }
};

/// Number of chunks of a view.
KOKKOS_INLINE_FUNCTION Ordinal tail_chunks(Ordinal detectors) {
  return (detectors - 1) / tail_chunk + 1;
}

/// Largest value of each chunk of a view.
template <class Values>
struct FindPeaks {
  WeightedViews<Values> data;
  double* peaks;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal chunks = tail_chunks(data.detectors);
    const Ordinal view = i / chunks, begin = i % chunks * tail_chunk;
    const Ordinal end = begin + tail_chunk < data.detectors ? begin + tail_chunk : data.detectors;
    double peak = 0;
    for (Ordinal k = begin; k < end; ++k) {
      const double value = data.at(view, k);
      if (value > peak) peak = value;
    }
    peaks[i] = peak;
  }
};

/// Level and continuation at both ends of a view.
template <class Values>
struct FitEnds {
  WeightedViews<Values> data;
  double distance[2];  // of the last element of each end from the axis, in elements
  double curve;        // squared width of an element over D, 0 for a parallel beam
  const double* peaks;
  ViewEnds* ends;

  KOKKOS_FUNCTION DataTail fit(Ordinal view, int side) const {
    const Ordinal detectors = data.detectors;
    Ordinal count = detectors / 8 < 3 ? 3 : (detectors / 8 > 16 ? 16 : detectors / 8);
    if (count > detectors) count = detectors;
    DataTail tail;
    tail.curve = curve;
    // An axis close to an end, or beside the detector, would bend the tail too much.
    tail.base = distance[side] > detectors / 8.0 ? distance[side] : detectors / 8.0;
    double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0;
    for (Ordinal k = 0; k < count; ++k) {
      const double s = tail.base - k;
      const double value = data.at(view, side == 0 ? k : detectors - 1 - k) * (1 + curve * s * s);
      const double x = k * (k - 2 * tail.base), y = value < 0 ? -value * value : value * value;
      sum_x += x;
      sum_y += y;
      sum_xx += x * x;
      sum_xy += x * y;
    }
    const double spread = count * sum_xx - sum_x * sum_x;
    const double slope = spread > 0 ? (count * sum_xy - sum_x * sum_y) / spread : 0;
    tail.square = (sum_y - slope * sum_x) / count;
    if (!(tail.square > 0)) return DataTail{};
    // The tail reaches zero after a sixteenth of the detector at least, and its length at most.
    const double least = detectors / 16.0 > 1 ? detectors / 16.0 : 1, most = detectors;
    const double flat = tail.square / (most * (2 * tail.base + most));
    const double steep = tail.square / (least * (2 * tail.base + least));
    tail.decline = -slope < flat ? flat : (-slope > steep ? steep : -slope);
    return tail;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal view) const {
    ViewEnds result;
    const Ordinal chunks = tail_chunks(data.detectors), count = end_elements(data.detectors);
    for (Ordinal chunk = 0; chunk < chunks; ++chunk) {
      const double peak = peaks[static_cast<Offset>(view) * chunks + chunk];
      if (peak > result.peak) result.peak = peak;
    }
    for (int side = 0; side < 2; ++side) {
      const Ordinal last = data.detectors - 1;
      double mean = 0, outermost[3];
      for (Ordinal k = 0; k < count; ++k) mean += data.at(view, side == 0 ? k : last - k) / count;
      for (Ordinal i = 0; i < 3; ++i) {
        const Ordinal k = i < last ? i : last;
        outermost[i] = data.at(view, side == 0 ? k : last - k);
      }
      result.level[side] = end_level(mean, outermost);
      result.tail[side] = fit(view, side);
    }
    ends[view] = result;
  }
};

/// Keeps the tails of views whose neighbourhood is truncated (`data_ends`).
struct ChooseTails {
  Ordinal views;
  bool allowed[2];  // per side
  const ViewEnds* ends;
  DataTail* tails;  // two of each view

  KOKKOS_FUNCTION void operator()(const Ordinal view) const {
    const Ordinal beside = neighbouring_views(views);
    const Ordinal first = view > beside ? view - beside : 0;
    const Ordinal last = view + beside < views ? view + beside : views - 1;
    double level[2] = {}, peak = 0;
    for (Ordinal v = first; v <= last; ++v) {
      level[0] += ends[v].level[0];
      level[1] += ends[v].level[1];
      peak += ends[v].peak;
    }
    for (int side = 0; side < 2; ++side)
      tails[2 * static_cast<Offset>(view) + side] =
          allowed[side] && peak > 0 && level[side] > truncation_level * peak ? ends[view].tail[side]
                                                                             : DataTail{};
  }
};

/// First distances from the end of the blocks into which a tail is cut, and the last distance + 1:
/// single elements at the end, then blocks that grow with the distance.
inline std::vector<Ordinal> tail_blocks(Ordinal length) {
  std::vector<Ordinal> begins{1};
  while (begins.back() <= length)
    begins.push_back(begins.back() + (begins.back() < 16 ? 1 : begins.back() / 8));
  return begins;
}

/// Adds the filtered tails to the filtered views. A block of a tail counts with its middle value
/// and the sum of its weights.
template <class Scalar>
struct AddTails {
  Ordinal outputs;            // elements of a filtered view
  Ordinal detectors, before;  // of the data in it
  Ordinal blocks;
  const Ordinal* begins;  // blocks + 1
  const double* sums;     // sums[m]: of the first m weights of the filter
  const DataTail* tails;
  Scalar* filtered;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const auto view = static_cast<Ordinal>(i / outputs), output = static_cast<Ordinal>(i % outputs);
    double total = 0;
    for (int side = 0; side < 2; ++side) {
      const DataTail tail = tails[2 * static_cast<Offset>(view) + side];
      if (tail.square == 0) continue;
      const Ordinal distance = side == 0 ? output - before : before + detectors - 1 - output;
      if (distance < 0) continue;
      for (Ordinal block = 0; block < blocks; ++block) {
        const Ordinal begin = begins[block], end = begins[block + 1];
        const double value = tail.at(0.5 * (begin + end - 1));
        if (value == 0) break;
        total += value * (sums[distance + end] - sums[distance + begin]);
      }
    }
    if (total != 0) filtered[i] += static_cast<Scalar>(total);
  }
};

}  // namespace Tomokkos::Impl
