// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row lengths with given statistics. Sorted lengths are interpolated between quantiles. Then
// entries are added or removed evenly until the sum is right, and moved between random pairs of
// rows until sigma is right. No length leaves the range of its neighbouring quantiles, so neither
// step undoes the other.
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "Tomokkos_BenchProfile.hpp"
#include "Tomokkos_BenchRandom.hpp"

namespace Tomokkos::Bench {
namespace {

/// Lengths of the sorted rows, with the bounds of each length.
struct SortedLengths {
  std::vector<Ordinal> length, low, high;
};

/// Rows [begin, end) with a given sum of lengths.
struct Group {
  std::size_t begin, end;
  Offset sum;
};

/// Sorted row whose length is given.
struct Knot {
  std::size_t row;
  Ordinal length;
};

[[noreturn]] void refuse(const Profile& profile, const std::string& what) {
  throw Error(
      Impl::text("no matrix of {} rows and {} entries {}", profile.rows, profile.entries, what));
}

/// Row below which the fraction \p share of the rows lies, counted as in `hyb` and `format_sizes`.
std::size_t row_at(double share, Ordinal rows) {
  const double place = share * rows;
  auto row = static_cast<std::size_t>(place);
  if (static_cast<double>(row) == place && row > 0) --row;
  return std::min(row, static_cast<std::size_t>(rows) - 1);
}

std::size_t split_row(const Profile& profile) { return row_at(2.0 / 3.0, profile.rows); }

std::vector<Knot> knots_of(const Profile& profile) {
  const auto last = static_cast<std::size_t>(profile.rows) - 1;
  std::vector<Knot> knots{{0, profile.shortest}};
  for (const LengthQuantile& q : profile.quantiles)
    knots.push_back({row_at(q.share, profile.rows), q.length});
  if (profile.regular_width > 0) knots.push_back({split_row(profile), profile.regular_width});
  knots.push_back({last, profile.longest});
  std::stable_sort(knots.begin(), knots.end(),
                   [](const Knot& a, const Knot& b) { return a.row < b.row; });
  for (std::size_t k = 1; k < knots.size(); ++k)
    if (knots[k].length < knots[k - 1].length)
      refuse(profile, "can have row lengths whose quantiles decrease");
  return knots;
}

SortedLengths interpolate(const Profile& profile) {
  const auto rows = static_cast<std::size_t>(profile.rows);
  SortedLengths sorted;
  for (auto* values : {&sorted.length, &sorted.low, &sorted.high}) values->resize(rows);
  const auto knots = knots_of(profile);
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const Knot a = knots[k], b = knots[k + 1];
    const auto steps = static_cast<Offset>(b.row - a.row);
    for (std::size_t row = a.row; row <= b.row; ++row) {
      const Offset part =
          steps > 0 ? (b.length - a.length) * static_cast<Offset>(row - a.row) / steps : 0;
      sorted.length[row] = static_cast<Ordinal>(a.length + part);
      sorted.low[row] = a.length;
      sorted.high[row] = b.length;
    }
  }
  for (const Knot& knot : knots)
    sorted.length[knot.row] = sorted.low[knot.row] = sorted.high[knot.row] = knot.length;
  return sorted;
}

std::vector<Group> groups_of(const Profile& profile) {
  const auto rows = static_cast<std::size_t>(profile.rows);
  if (profile.regular_width <= 0) return {{0, rows, profile.entries}};
  const std::size_t split = split_row(profile) + 1;
  const auto inside = static_cast<Offset>(
      std::llround(profile.regular_share * static_cast<double>(profile.entries)));
  const Offset below =
      inside - static_cast<Offset>(profile.regular_width) * static_cast<Offset>(rows - split);
  return {{0, split, below}, {split, rows, profile.entries - below}};
}

/// Lengthens or shortens rows that may still change, evenly, until the sum of the group is right.
void meet_sum(const Profile& profile, const Group& group, SortedLengths& sorted) {
  Offset missing = group.sum;
  for (std::size_t i = group.begin; i < group.end; ++i) missing -= sorted.length[i];
  std::vector<std::size_t> movable;
  while (missing != 0) {
    const bool up = missing > 0;
    movable.clear();
    for (std::size_t i = group.begin; i < group.end; ++i)
      if (up ? sorted.length[i] < sorted.high[i] : sorted.length[i] > sorted.low[i])
        movable.push_back(i);
    if (movable.empty())
      refuse(profile, std::string("can have row lengths with these quantiles: the ") +
                          (group.begin > 0 ? "longer" : "shorter") + " rows hold too " +
                          (up ? "few" : "many"));
    const auto count = static_cast<Offset>(movable.size());
    const Offset all = std::abs(missing) / count;
    const Offset some = std::abs(missing) % count;
    for (Offset m = 0; m < count; ++m) {
      const std::size_t i = movable[static_cast<std::size_t>(m)];
      const Offset extra = (m + 1) * some / count - m * some / count;
      const Offset room = up ? sorted.high[i] - sorted.length[i] : sorted.length[i] - sorted.low[i];
      const Offset step = std::min(all + extra, room);
      sorted.length[i] += static_cast<Ordinal>(up ? step : -step);
      missing -= up ? step : -step;
    }
  }
}

double sigma_of(const Profile& profile, Offset squares) {
  const double mean = static_cast<double>(profile.entries) / profile.rows;
  return std::sqrt(std::max(0.0, static_cast<double>(squares) / profile.rows - mean * mean));
}

/// Moves single entries between random rows of a group until the sum of squares is close to its
/// target.
void meet_sigma(const Profile& profile, const std::vector<Group>& groups, SortedLengths& sorted,
                std::mt19937_64& random) {
  const double rows = profile.rows;
  const double mean = static_cast<double>(profile.entries) / rows;
  const auto wanted =
      static_cast<Offset>(std::llround(rows * (profile.sigma * profile.sigma + mean * mean)));
  const auto near = static_cast<Offset>(0.0005 * rows * profile.sigma * profile.sigma) + 2;
  Offset squares = 0;
  for (const Ordinal length : sorted.length) squares += static_cast<Offset>(length) * length;
  // Enough to cross the widest profile; the loop ends here if the target cannot be reached.
  const Offset most_tries = 400 * static_cast<Offset>(profile.rows) + 100000;
  for (Offset tries = 0; std::abs(wanted - squares) > near && tries < most_tries; ++tries) {
    const Group& group = groups[below(random, groups.size())];
    const std::size_t size = group.end - group.begin;
    std::size_t a = group.begin + below(random, size), b = group.begin + below(random, size);
    if (a == b) continue;
    if (sorted.length[a] > sorted.length[b]) std::swap(a, b);
    const Offset gap = sorted.length[b] - sorted.length[a];
    const bool spread = wanted > squares;
    if (!spread && gap < 2) continue;
    Ordinal& from = sorted.length[spread ? a : b];
    Ordinal& to = sorted.length[spread ? b : a];
    const std::size_t giver = spread ? a : b, taker = spread ? b : a;
    if (from <= sorted.low[giver] || to >= sorted.high[taker]) continue;
    const Offset change = spread ? 2 * gap + 2 : 2 - 2 * gap;
    if (std::abs(wanted - squares - change) >= std::abs(wanted - squares)) continue;
    --from;
    ++to;
    squares += change;
  }
  const double sigma = sigma_of(profile, squares);
  // Tolerate 1 %, or half of the last digit of a printed figure if that is more.
  if (std::abs(sigma - profile.sigma) > std::max(0.01 * profile.sigma, 0.005))
    refuse(profile, Impl::text("can have row lengths with these quantiles and the standard "
                               "deviation {}; the closest one found is {}",
                               std::to_string(profile.sigma), std::to_string(sigma)));
}

/// Shuffles runs of rows of about the same length.
std::vector<Ordinal> shuffle_runs(const Profile& profile, const std::vector<Ordinal>& sorted,
                                  std::mt19937_64& random) {
  const auto run = static_cast<std::size_t>(profile.run);
  std::vector<std::size_t> order((sorted.size() + run - 1) / run);
  for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
  for (std::size_t r = order.size(); r > 1; --r) std::swap(order[r - 1], order[below(random, r)]);
  std::vector<Ordinal> result;
  result.reserve(sorted.size());
  for (const std::size_t r : order)
    for (std::size_t i = r * run; i < std::min((r + 1) * run, sorted.size()); ++i)
      result.push_back(sorted[i]);
  return result;
}

}  // namespace

std::vector<Ordinal> row_lengths(const Profile& profile) {
  require(profile.rows >= 1 && profile.columns >= 1,
          "a generated matrix must have at least one row and one column");
  require(profile.run >= 1 && profile.block >= 1, "runs and blocks must hold at least one row");
  require(profile.shortest >= 0 && profile.shortest <= profile.longest &&
              profile.longest <= profile.columns,
          "the lengths of rows must lie between 0 and the number of columns");
  std::mt19937_64 random(profile.seed);
  SortedLengths sorted = interpolate(profile);
  const auto groups = groups_of(profile);
  for (const Group& group : groups) meet_sum(profile, group, sorted);
  meet_sigma(profile, groups, sorted, random);
  std::sort(sorted.length.begin(), sorted.length.end());
  return shuffle_runs(profile, sorted.length, random);
}

}  // namespace Tomokkos::Bench
