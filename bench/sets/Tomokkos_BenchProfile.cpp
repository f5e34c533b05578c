// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Columns of the rows of a profile. Rows draw units of adjacent columns from a window. All in
// integers.
#include "Tomokkos_BenchProfile.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <random>

#include "Tomokkos_BenchRandom.hpp"

namespace Tomokkos::Bench {
namespace {

/// Draws distinct units of `width` adjacent columns from a window around a column.
class UnitSampler {
 public:
  UnitSampler(Ordinal columns, Ordinal width, Ordinal bandwidth)
      : columns_(columns),
        width_(width),
        units_((static_cast<Offset>(columns) + width - 1) / width),
        window_(bandwidth > 0 ? (static_cast<Offset>(bandwidth) + width - 1) / width : units_),
        taken_(static_cast<std::size_t>(units_), -1) {}

  /// Draws units that together hold at least \p count columns. The unit with \p centre comes first,
  /// the others in the order in which they are drawn.
  void draw(Offset count, Offset centre, std::mt19937_64& random) {
    drawn_.clear();
    if (count == 0) return;
    // Add one unit: the last unit of a matrix may be narrower.
    const Offset needed = (count + width_ - 1) / width_ + 1;
    const Offset window = std::min(units_, std::max(window_, needed));
    const Offset middle = centre / width_;
    const Offset first = std::clamp<Offset>(middle - window / 2, 0, units_ - window);
    ++round_;
    Offset held = take(middle);
    if (2 * needed > window) {
      // Nearly all units are needed: shuffle them instead of drawing until the last ones are found.
      rest_.clear();
      for (Offset unit = first; unit < first + window; ++unit)
        if (unit != middle) rest_.push_back(unit);
      for (std::size_t i = 0; i < rest_.size() && held < count; ++i) {
        std::swap(rest_[i], rest_[i + below(random, rest_.size() - i)]);
        held += take(rest_[i]);
      }
    }
    while (held < count) {
      const auto unit =
          first + static_cast<Offset>(below(random, static_cast<std::uint64_t>(window)));
      if (taken_[static_cast<std::size_t>(unit)] != round_) held += take(unit);
    }
  }

  const std::vector<Offset>& drawn() const { return drawn_; }
  Offset begin_of(Offset unit) const { return unit * width_; }
  Offset size_of(Offset unit) const { return std::min<Offset>(width_, columns_ - unit * width_); }

 private:
  Offset take(Offset unit) {
    taken_[static_cast<std::size_t>(unit)] = round_;
    drawn_.push_back(unit);
    return size_of(unit);
  }

  Offset columns_, width_, units_, window_;
  Offset round_ = -1;
  std::vector<Offset> taken_;  // last round in which each unit was drawn
  std::vector<Offset> drawn_, rest_;
};

Offset floor_divide(Offset a, Offset b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// Writes the columns of a row of the pattern `views`. Columns are views x detectors, both of
/// number `side`; rows are the pixels of an image of the same side. In each of evenly spread views
/// a pixel meets two adjacent detectors. The circle is parametrised by `((1 - u^2), 2 u) / (1 +
/// u^2)`, u from -1 to 1, so that all values stay rational.
void pixel_columns(Ordinal row, Ordinal rows, Ordinal side, Ordinal length,
                   std::vector<Ordinal>& columns) {
  const Offset q = side;
  const Offset pixel = static_cast<Offset>(row) * (q * q) / rows;
  const Offset x = 2 * (pixel % q) - q, y = 2 * (pixel / q) - q;
  const Offset views = (static_cast<Offset>(length) + 1) / 2;
  for (Offset k = 0; k < views; ++k) {
    const Offset view = k * q / views;
    const Offset p = 2 * view - q;
    const Offset place = floor_divide(x * (q * q - p * p) + y * 2 * p * q, 2 * (q * q + p * p));
    const Offset detector = std::clamp<Offset>(q / 2 + place, 0, q - 2);
    columns.push_back(static_cast<Ordinal>(view * q + detector));
    columns.push_back(static_cast<Ordinal>(view * q + detector + 1));
  }
  columns.resize(static_cast<std::size_t>(length));
}

Ordinal side_of_views(const Profile& profile) {
  Ordinal side = 1;
  while (static_cast<Offset>(side + 1) * (side + 1) <= profile.columns) ++side;
  require(side >= 2 && side < 65536 && static_cast<Offset>(side) * side == profile.columns &&
              profile.longest <= 2 * static_cast<Offset>(side),
          "the pattern views needs a square number of columns, side^2, and at most 2 side entries "
          "per row");
  return side;
}

class ColumnFiller {
 public:
  explicit ColumnFiller(const Profile& profile)
      : profile_(profile),
        random_(profile.seed ^ 0x9e3779b97f4a7c15ULL),
        sampler_(profile.columns, unit_width(profile),
                 profile.pattern == ColumnPattern::random ? 0 : profile.bandwidth) {
    if (profile.pattern == ColumnPattern::views) side_ = side_of_views(profile);
  }

  /// Calls \p store with the sorted columns of each row, in the order of the rows.
  template <class Store>
  void fill(const std::vector<Ordinal>& lengths, const Store& store) {
    const Ordinal shared = profile_.pattern == ColumnPattern::blocks ? profile_.block : 1;
    for (Offset first = 0; first < profile_.rows; first += shared) {
      const Offset last = std::min<Offset>(first + shared, profile_.rows);
      Ordinal longest = 0;
      for (Offset row = first; row < last; ++row)
        longest = std::max(longest, lengths[static_cast<std::size_t>(row)]);
      if (side_ == 0) sampler_.draw(longest, first * profile_.columns / profile_.rows, random_);
      for (Offset row = first; row < last; ++row) {
        const Ordinal length = lengths[static_cast<std::size_t>(row)];
        columns_.clear();
        if (side_ > 0)
          pixel_columns(static_cast<Ordinal>(row), profile_.rows, side_, length, columns_);
        else
          take_units(length);
        std::sort(columns_.begin(), columns_.end());
        store(columns_);
      }
    }
  }

 private:
  static Ordinal unit_width(const Profile& profile) {
    const bool in_units =
        profile.pattern == ColumnPattern::clusters || profile.pattern == ColumnPattern::blocks;
    return in_units ? profile.block : 1;
  }

  /// Copies the columns of the first drawn units; the last one is cut to fit.
  void take_units(Ordinal length) {
    for (const Offset unit : sampler_.drawn())
      for (Offset c = 0; c < sampler_.size_of(unit); ++c) {
        if (static_cast<Ordinal>(columns_.size()) == length) return;
        columns_.push_back(static_cast<Ordinal>(sampler_.begin_of(unit) + c));
      }
  }

  const Profile& profile_;
  std::mt19937_64 random_;
  UnitSampler sampler_;
  Ordinal side_ = 0;  // of an image; 0: unused by the pattern
  std::vector<Ordinal> columns_;
};

}  // namespace

template <class Scalar>
HostCsrMatrix<Scalar> generate(const Profile& profile) {
  const auto lengths = row_lengths(profile);
  const auto entries = static_cast<std::size_t>(profile.entries);
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("Tomokkos::CsrMatrix::row_offsets",
                                                         lengths.size() + 1);
  const Kokkos::View<Ordinal*, Kokkos::HostSpace> columns("Tomokkos::CsrMatrix::columns", entries);
  const Kokkos::View<Scalar*, Kokkos::HostSpace> values("Tomokkos::CsrMatrix::values", entries);
  std::mt19937_64 random(profile.seed + 1);
  std::size_t row = 0, k = 0;
  ColumnFiller(profile).fill(lengths, [&](const std::vector<Ordinal>& of_row) {
    for (const Ordinal column : of_row) {
      columns(k) = column;
      values(k) = static_cast<Scalar>(0.5 + unit(random));
      ++k;
    }
    offsets(++row) = static_cast<Offset>(k);
  });
  return {profile.rows, profile.columns, offsets, columns, values};
}

#define TOMOKKOS_INSTANTIATE(SCALAR) template HostCsrMatrix<SCALAR> generate(const Profile&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
