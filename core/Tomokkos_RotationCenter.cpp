// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace Tomokkos {
namespace {

constexpr double pi = 3.141592653589793238462643383279502884;
// Enough to average noise out; more only costs time.
constexpr std::size_t most_pairs = 16;
// A candidate must keep this share of the energy in the overlap, else nearly empty overlaps of air
// would win.
constexpr double least_energy = 0.3;

struct Pair {
  std::vector<double> view;
  std::vector<double> opposite;
};

/// The sinogram as a function of the angle.
template <class Scalar>
class Views {
 public:
  Views(std::span<const Scalar> sinogram, std::size_t columns, std::span<const double> angles)
      : sinogram_(sinogram), columns_(columns), angles_(angles) {}

  std::vector<double> view(std::size_t i) const {
    const auto row = sinogram_.subspan(i * columns_, columns_);
    return {row.begin(), row.end()};
  }

  /// The view at \p angle: measured, interpolated between neighbours, or extrapolated by one and a
  /// half steps at most; nothing further outside.
  std::optional<std::vector<double>> at(double angle) const {
    const std::size_t last = angles_.size() - 1;
    const auto above = std::lower_bound(angles_.begin(), angles_.end(), angle);
    std::size_t j = static_cast<std::size_t>(above - angles_.begin());
    j = std::clamp<std::size_t>(j, 1, last);
    const double step = angles_[j] - angles_[j - 1];
    const double position = (angle - angles_[j - 1]) / step;
    // A gap that is much wider than the usual step is not bridged.
    const double usual = (angles_[last] - angles_[0]) / static_cast<double>(last);
    constexpr double rounding = 1e-9;
    const bool on_a_view = std::abs(position) < rounding || std::abs(position - 1) < rounding;
    if (!on_a_view && (step > 2 * usual || position < -1.5 || position > 2.5)) {
      return std::nullopt;
    }
    std::vector<double> result(columns_);
    for (std::size_t k = 0; k < columns_; ++k) {
      const double a = static_cast<double>(sinogram_[(j - 1) * columns_ + k]);
      const double b = static_cast<double>(sinogram_[j * columns_ + k]);
      result[k] = a + position * (b - a);
    }
    return result;
  }

 private:
  std::span<const Scalar> sinogram_;
  std::size_t columns_;
  std::span<const double> angles_;
};

template <class Scalar>
std::vector<Pair> opposite_pairs(const Views<Scalar>& views, std::span<const double> angles) {
  // Measured and interpolated pairs are better than extrapolated ones, so those are taken alone
  // where there are any.
  std::vector<std::pair<std::size_t, double>> inside;
  std::vector<std::pair<std::size_t, double>> outside;
  const double first = angles.front();
  const double last = angles.back();
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    for (const double turn : {-pi, pi}) {
      const double target = angles[i] + turn;
      if (target >= first - rounding && target <= last + rounding) {
        // Each pair once.
        if (turn > 0) inside.emplace_back(i, target);
      } else {
        outside.emplace_back(i, target);
      }
    }
  }
  std::vector<Pair> pairs;
  const auto add = [&](const std::pair<std::size_t, double>& candidate) {
    auto opposite = views.at(candidate.second);
    if (opposite) pairs.push_back({views.view(candidate.first), std::move(*opposite)});
  };
  const std::size_t stride = std::max<std::size_t>(1, inside.size() / most_pairs);
  for (std::size_t n = 0; n < inside.size() && pairs.size() < most_pairs; n += stride) {
    add(inside[n]);
  }
  if (!pairs.empty()) return pairs;
  for (const auto& candidate : outside) {
    if (pairs.size() < most_pairs) add(candidate);
  }
  return pairs;
}

/// The measure of the documentation for 2c = \p twice_center; infinite where the overlap tells
/// nothing.
double mismatch(const std::vector<Pair>& pairs, std::ptrdiff_t columns, std::ptrdiff_t twice_center,
                double total_energy) {
  const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, twice_center - (columns - 1));
  const std::ptrdiff_t end = std::min(columns, twice_center + 1);
  double difference = 0;
  double energy = 0;
  for (const Pair& pair : pairs) {
    for (std::ptrdiff_t k = begin; k < end; ++k) {
      const double p = pair.view[static_cast<std::size_t>(k)];
      const double q = pair.opposite[static_cast<std::size_t>(twice_center - k)];
      difference += (p - q) * (p - q);
      energy += p * p + q * q;
    }
  }
  if (!(energy >= least_energy * total_energy)) return std::numeric_limits<double>::infinity();
  return difference / energy;
}

}  // namespace

template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, std::size_t columns,
                                    std::span<const double> angles) {
  require(angles.size() >= 2 && columns >= 3,
          "finding the rotation centre needs two views of three detector elements at least");
  require_equal("length of the sinogram", static_cast<long long>(sinogram.size()),
                "views times columns", static_cast<long long>(angles.size() * columns));
  require(std::adjacent_find(angles.begin(), angles.end(),
                             [](double a, double b) { return !(a < b); }) == angles.end(),
          "the angles must ascend to find the rotation centre");
  require(std::all_of(sinogram.begin(), sinogram.end(),
                      [](Scalar value) { return std::isfinite(value); }),
          "the sinogram holds values that are not finite: no rotation centre can be found");
  const Views<Scalar> views(sinogram, columns, angles);
  const std::vector<Pair> pairs = opposite_pairs(views, angles);
  require(!pairs.empty(),
          "no view has an opposite one (the scan covers less than 180 degrees): the rotation "
          "centre must be given");
  double total = 0;
  for (const Pair& pair : pairs) {
    for (std::size_t k = 0; k < columns; ++k) {
      total += pair.view[k] * pair.view[k] + pair.opposite[k] * pair.opposite[k];
    }
  }
  require(total > 0, "the sinogram is zero: no rotation centre can be found");

  const auto n = static_cast<std::ptrdiff_t>(columns);
  const std::ptrdiff_t count = 2 * n - 1;
  std::vector<double> cost(static_cast<std::size_t>(count));
  for (std::ptrdiff_t m = 0; m < count; ++m) {
    cost[static_cast<std::size_t>(m)] = mismatch(pairs, n, m, total);
  }
  const auto lowest = std::min_element(cost.begin(), cost.end());
  const auto best = static_cast<std::size_t>(lowest - cost.begin());
  const double highest = *std::max_element(cost.begin(), cost.end(), [](double a, double b) {
    return (std::isfinite(a) ? a : -1.0) < (std::isfinite(b) ? b : -1.0);
  });
  require(highest > *lowest, "the sinogram is constant: no rotation centre can be found");
  RotationCenter result;
  result.center = 0.5 * static_cast<double>(best);
  result.mismatch = *lowest;
  result.pairs = pairs.size();
  if (best > 0 && best + 1 < cost.size() && std::isfinite(cost[best - 1]) &&
      std::isfinite(cost[best + 1])) {
    const double curvature = cost[best - 1] - 2 * cost[best] + cost[best + 1];
    if (curvature > 0) {
      result.center += 0.25 * (cost[best - 1] - cost[best + 1]) / curvature;
    }
  }
  return result;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                 \
  template RotationCenter find_rotation_center(std::span<const Scalar>, std::size_t, \
                                               std::span<const double>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
