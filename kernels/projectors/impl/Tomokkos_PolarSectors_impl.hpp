// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sectors of a ring that some rays may touch. The set is slightly too large; the lengths decide.
#pragma once

#include <impl/Tomokkos_PolarRays_impl.hpp>

namespace Tomokkos::Impl {

/// Margin of three times the error of `approximate_turn`.
inline constexpr double turn_margin = 0x1p-20;

/// Returns the angle of (x, y) as a fraction of a turn, in [0, 1]; (x, y) is not 0.
KOKKOS_INLINE_FUNCTION double approximate_turn(double x, double y) {
  // The angle of (|x|, |y|) is pi / 4 - atan(w). atan is its Chebyshev series, with an error of
  // 3.1e-7 of a turn.
  const double across = Impl::fabs(x), up = Impl::fabs(y);
  const double w = (across - up) / (across + up);
  const double square = w * w;
  const double series =
      ((((-0.00182484 * square + 0.00826818) * square - 0.01841891) * square + 0.03075435) *
           square -
       0.05292989) *
          square +
      0.15915088;
  const double turn = 0.125 - w * series;
  if (x < 0) return y < 0 ? 0.5 + turn : 0.5 - turn;
  return y < 0 ? 1 - turn : turn;
}

/// Hull of arcs of a circle, counter-clockwise, in sectors.
struct SectorArc {
  double reference = 0;
  double low = 1, high = 0;  // from the reference; initially empty

  KOKKOS_FUNCTION bool is_empty() const { return low > high; }

  /// Adds an arc of less than half of the circle.
  KOKKOS_FUNCTION void add(double from, double to, double sectors) {
    double span = to - from;
    if (span < 0) span += sectors;
    // A tiny arc whose ends have been exchanged by rounding.
    if (2 * span > sectors) span = 0;
    if (is_empty()) {
      reference = from;
      low = 0;
      high = span;
      return;
    }
    double offset = from - reference;
    if (2 * offset < -sectors) offset += sectors;
    if (2 * offset > sectors) offset -= sectors;
    low = smaller(low, offset);
    high = larger(high, offset + span);
  }

  /// Adds the arc of a ray between two values of t; does nothing if they are equal.
  KOKKOS_FUNCTION void add(const PolarRay& ray, double begin, double end, double sectors) {
    if (!(begin < end)) return;
    if (ray.distance == 0) {
      const double side = begin < 0 ? -1 : 1;
      const double at = sectors * approximate_turn(side * ray.dx, side * ray.dy);
      add(at, at, sectors);
      return;
    }
    const double at_begin = sectors * approximate_turn(ray.distance * ray.dy + begin * ray.dx,
                                                       begin * ray.dy - ray.distance * ray.dx);
    const double at_end = sectors * approximate_turn(ray.distance * ray.dy + end * ray.dx,
                                                     end * ray.dy - ray.distance * ray.dx);
    if (ray.distance > 0) {
      add(at_begin, at_end, sectors);
    } else {
      add(at_end, at_begin, sectors);
    }
  }
};

/// Sectors of a ring in up to four ascending ranges that do not touch. Sector q is sub-sector q mod
/// s of block q / s.
class SectorRanges {
 public:
  KOKKOS_FUNCTION SectorRanges(const PolarRing& ring, const SectorArc& near, const SectorArc& far)
      : per_rotation_(ring.sectors_per_rotation), sectors_(ring.sectors) {
    add(near);
    add(far);
    sort_and_merge();
  }

  /// Calls visit(c, block, sector) for all sectors, in the order of (c, block).
  template <class Visit>
  KOKKOS_FUNCTION void visit(const Visit& visit) const {
    for (Ordinal c = 0; c < per_rotation_; ++c)
      for (int i = 0; i < count_; ++i) {
        const Range& range = ranges_[i];
        const Ordinal first = range.first_block + (c < range.first_c ? 1 : 0);
        const Ordinal last = range.last_block - (c > range.last_c ? 1 : 0);
        for (Ordinal block = first; block <= last; ++block)
          visit(c, block, block * per_rotation_ + c);
      }
  }

 private:
  struct Range {
    Ordinal first, last;
    Ordinal first_block, first_c, last_block, last_c;
  };

  KOKKOS_FUNCTION void add(const SectorArc& arc) {
    if (arc.is_empty()) return;
    const double margin = turn_margin * sectors_;
    const double low = Impl::floor(arc.reference + arc.low - margin);
    const double high = Impl::floor(arc.reference + arc.high + margin);
    if (high - low + 1 >= sectors_) {
      ranges_[count_++] = {0, sectors_ - 1, 0, 0, 0, 0};
      return;
    }
    auto first = static_cast<Ordinal>(low), last = static_cast<Ordinal>(high);
    const Ordinal shift = first < 0 ? sectors_ : first >= sectors_ ? -sectors_ : 0;
    first += shift;
    last += shift;
    if (last >= sectors_) {
      ranges_[count_++] = {0, last - sectors_, 0, 0, 0, 0};
      last = sectors_ - 1;
    }
    ranges_[count_++] = {first, last, 0, 0, 0, 0};
  }

  KOKKOS_FUNCTION void sort_and_merge() {
    for (int i = 1; i < count_; ++i)
      for (int k = i; k > 0 && ranges_[k].first < ranges_[k - 1].first; --k) {
        const Range range = ranges_[k];
        ranges_[k] = ranges_[k - 1];
        ranges_[k - 1] = range;
      }
    int merged = 0;
    for (int i = 0; i < count_; ++i) {
      const Range range = ranges_[i];
      if (merged > 0 && range.first <= ranges_[merged - 1].last + 1) {
        if (range.last > ranges_[merged - 1].last) ranges_[merged - 1].last = range.last;
      } else {
        ranges_[merged++] = range;
      }
    }
    count_ = merged;
    for (int i = 0; i < count_; ++i) {
      Range& range = ranges_[i];
      range.first_block = range.first / per_rotation_;
      range.first_c = range.first - range.first_block * per_rotation_;
      range.last_block = range.last / per_rotation_;
      range.last_c = range.last - range.last_block * per_rotation_;
    }
  }

  Ordinal per_rotation_, sectors_;
  int count_ = 0;
  Range ranges_[4];
};

}  // namespace Tomokkos::Impl
