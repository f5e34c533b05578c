// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace Tomokkos {
namespace {

constexpr double pi = 3.141592653589793238462643383279502884;
constexpr double rounding = 1e-9;
// Sufficient to find the minimum; all pairs refine it.
constexpr std::size_t most_coarse_pairs = 16;
// A candidate must keep this fraction of the energy in the overlap. Otherwise nearly empty overlaps
// of air would win.
constexpr double least_energy = 0.3;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double quantile(std::vector<double> values, double share) {
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// Replaces missing values by interpolation along the detector; false if there are no values.
bool fill_missing(std::span<double> view) {
  std::ptrdiff_t last = -1;
  const auto n = static_cast<std::ptrdiff_t>(view.size());
  const auto at = [&](std::ptrdiff_t k) -> double& { return view[static_cast<std::size_t>(k)]; };
  for (std::ptrdiff_t k = 0; k <= n; ++k) {
    if (k < n && std::isnan(at(k))) continue;
    for (std::ptrdiff_t m = last + 1; m < k; ++m) {
      if (last < 0 && k == n) return false;
      if (last < 0)
        at(m) = at(k);
      else if (k == n)
        at(m) = at(last);
      else
        at(m) = at(last) +
                (at(k) - at(last)) * static_cast<double>(m - last) / static_cast<double>(k - last);
    }
    last = k;
  }
  return true;
}

/// Views around an angle: value = (1 - weight) first + weight second.
struct Bracket {
  std::size_t first, second;
  double weight;
};

/// Views of one turn, ordered by angle and starting after the widest gap.
class Turn {
 public:
  template <class Scalar>
  Turn(std::span<const Scalar> sinogram, std::size_t columns, const std::vector<double>& angles)
      : columns_(columns) {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < angles.size(); ++i) {
      double angle = std::fmod(angles[i], 2 * pi);
      if (angle < 0) angle += 2 * pi;
      // Rounding may leave a multiple of a turn just below a whole turn.
      if (angle > 2 * pi - rounding) angle = 0;
      order.emplace_back(angle, i);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [angle, row] : order) {
      if (!angles_.empty() && angle - angles_.back() < rounding) continue;
      const auto begin = sinogram.begin() + static_cast<std::ptrdiff_t>(row * columns);
      std::vector<double> view(begin, begin + static_cast<std::ptrdiff_t>(columns));
      if (!fill_missing(view)) continue;
      angles_.push_back(angle);
      views_.push_back(std::move(view));
    }
    begin_after_widest_gap();
  }

  std::size_t size() const { return views_.size(); }
  std::size_t columns() const { return columns_; }
  double angle(std::size_t i) const { return angles_[i]; }
  const std::vector<double>& view(std::size_t i) const { return views_[i]; }
  /// True if the views surround the object.
  bool is_whole() const { return whole_; }
  /// Angle from the first to the last view.
  double span() const { return angles_.back() - angles_.front(); }

  /// Removes views that differ from all their neighbours.
  std::size_t discard_outliers() {
    constexpr std::size_t window = 5;
    const std::size_t n = size();
    if (n < 2 * window) return 0;
    std::vector<double> difference(n);
    std::vector<double> column(window);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t begin = std::min(i > window / 2 ? i - window / 2 : 0, n - window);
      double energy = 0;
      for (std::size_t k = 0; k < columns_; ++k) {
        for (std::size_t j = 0; j < window; ++j) column[j] = views_[begin + j][k];
        std::nth_element(column.begin(), column.begin() + window / 2, column.end());
        const double expected = column[window / 2];
        difference[i] += (views_[i][k] - expected) * (views_[i][k] - expected);
        energy += expected * expected;
      }
      if (energy > 0) difference[i] /= energy;
    }
    const double limit = std::max(0.2, 10 * median(difference));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (difference[i] > limit) continue;
      if (kept != i) {
        angles_[kept] = angles_[i];
        views_[kept] = std::move(views_[i]);
      }
      ++kept;
    }
    // If many views differ, none is an outlier.
    angles_.resize(kept);
    views_.resize(kept);
    return n - kept;
  }

  /// Finds the views around \p angle (any turn); empty in a gap much wider than the usual step.
  std::optional<Bracket> bracket(double angle) const {
    const std::size_t last = size() - 1;
    const double usual = span() / static_cast<double>(last);
    double target = angles_.front() + std::fmod(angle - angles_.front(), 2 * pi);
    if (target < angles_.front() - rounding) target += 2 * pi;
    if (target > angles_.back() + rounding) {
      if (!whole_) return std::nullopt;
      const double step = angles_.front() + 2 * pi - angles_.back();
      return Bracket{last, 0, (target - angles_.back()) / step};
    }
    const auto above = std::lower_bound(angles_.begin(), angles_.end(), target);
    const std::size_t j =
        std::clamp<std::size_t>(static_cast<std::size_t>(above - angles_.begin()), 1, last);
    const double step = angles_[j] - angles_[j - 1];
    const double position = (target - angles_[j - 1]) / step;
    const bool on_a_view = std::abs(position) < rounding || std::abs(position - 1) < rounding;
    if (!on_a_view && step > 3 * usual) return std::nullopt;
    return Bracket{j - 1, j, position};
  }

  double interpolated(const Bracket& at, std::size_t column) const {
    const double a = views_[at.first][column];
    return a + at.weight * (views_[at.second][column] - a);
  }
  std::vector<double> interpolated(const Bracket& at) const {
    std::vector<double> result(columns_);
    for (std::size_t k = 0; k < columns_; ++k) result[k] = interpolated(at, k);
    return result;
  }

  /// Extrapolates \p count views from \p first on to \p angle by a least-squares line.
  std::vector<double> continued(std::size_t first, std::size_t count, double angle) const {
    double mean = 0;
    for (std::size_t i = first; i < first + count; ++i)
      mean += angles_[i] / static_cast<double>(count);
    double squares = 0;
    for (std::size_t i = first; i < first + count; ++i)
      squares += (angles_[i] - mean) * (angles_[i] - mean);
    std::vector<double> result(columns_);
    for (std::size_t i = first; i < first + count; ++i) {
      const double weight =
          1 / static_cast<double>(count) + (angle - mean) * (angles_[i] - mean) / squares;
      for (std::size_t k = 0; k < columns_; ++k) result[k] += weight * views_[i][k];
    }
    return result;
  }

 private:
  void begin_after_widest_gap() {
    if (size() < 2) return;
    std::size_t widest = size() - 1;
    double gap = angles_.front() + 2 * pi - angles_.back();
    for (std::size_t i = 0; i + 1 < size(); ++i) {
      if (angles_[i + 1] - angles_[i] <= gap + rounding) continue;
      gap = angles_[i + 1] - angles_[i];
      widest = i;
    }
    const auto first = static_cast<std::ptrdiff_t>((widest + 1) % size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(first); ++i) angles_[i] += 2 * pi;
    std::rotate(angles_.begin(), angles_.begin() + first, angles_.end());
    std::rotate(views_.begin(), views_.begin() + first, views_.end());
    whole_ = gap <= 2.5 * span() / static_cast<double>(size() - 1);
  }

  std::size_t columns_;
  std::vector<double> angles_;
  std::vector<std::vector<double>> views_;
  bool whole_ = false;
};

/// Shape of a fan beam: gives the angle of a ray within its view.
struct FanShape {
  double source_distance = 0;    // 0: parallel beam
  double detector_distance = 0;  // from the source, in elements

  explicit FanShape(const ScanGeometry& scan) {
    if (scan.beam != Beam::fan) return;
    source_distance = scan.source_to_origin / scan.detector_width;
    detector_distance = source_distance + scan.origin_to_detector / scan.detector_width;
  }
  bool is_parallel() const { return detector_distance == 0; }
  /// Angle of the ray at \p position elements from the centre.
  double angle(double position) const {
    return is_parallel() ? 0.0 : std::atan(position / detector_distance);
  }
};

/// Views that have an opposite view.
class Registration {
 public:
  Registration(const Turn& turn, const FanShape& fan) : turn_(turn), fan_(fan) {
    if (!fan.is_parallel()) {
      all_.resize(turn.size());
      std::iota(all_.begin(), all_.end(), 0);
      return;
    }
    for (std::size_t i = 0; i < turn.size(); ++i)
      if (const auto opposite = turn.bracket(turn.angle(i) + pi))
        pairs_.push_back({turn.view(i), turn.interpolated(*opposite)});
    if (!pairs_.empty()) return;
    // For half a turn without its end, the views at both ends are extrapolated to the angle between
    // them. For evenly rotating views the extrapolation error is the same on both sides.
    const double usual = turn.span() / static_cast<double>(turn.size() - 1);
    const double gap = turn.angle(0) + pi - turn.angle(turn.size() - 1);
    if (std::abs(gap) > 4.5 * usual) return;
    seam_views_ = std::min<std::size_t>(turn.size() / 2, 3);
    const double middle = turn.angle(turn.size() - 1) + gap / 2;
    pairs_.push_back({smoothed(turn.continued(0, seam_views_, middle - pi)),
                      smoothed(turn.continued(turn.size() - seam_views_, seam_views_, middle))});
  }

  /// Number of pairs compared at the end. For fan beams, number of views with at least one ray that
  /// has an opposite one.
  std::size_t pairs() const { return seam_views_ > 0 ? seam_views_ : compared_; }
  double mismatch() const { return lowest_; }
  double typical_mismatch() const { return typical_; }

  /// Finds the best centre; empty if there is none.
  std::optional<double> find() {
    compared_ = 0;
    if (count() == 0) return std::nullopt;
    const auto n = static_cast<std::ptrdiff_t>(turn_.columns());
    const std::size_t pair_stride = std::max<std::size_t>(1, count() / most_coarse_pairs);
    const std::ptrdiff_t column_stride =
        fan_.is_parallel() ? 1 : std::max<std::ptrdiff_t>(1, n / 256);
    const Search coarse =
        search(0, 2 * n - 1, pair_stride, column_stride, energy(pair_stride, column_stride));
    if (!std::isfinite(coarse.lowest)) return std::nullopt;
    // Sums of equal values may differ by rounding.
    require(coarse.highest > coarse.lowest + 1e-12,
            "the sinogram is constant: no rotation centre can be found");
    constexpr std::ptrdiff_t around = 6;
    const Search fine = search(std::max<std::ptrdiff_t>(0, coarse.best - around),
                               std::min(2 * n - 1, coarse.best + around + 1), 1, 1, energy(1, 1));
    if (!std::isfinite(fine.lowest)) return std::nullopt;
    lowest_ = fine.lowest;
    typical_ = coarse.typical;
    double center = 0.5 * static_cast<double>(fine.best);
    const double curvature = fine.before - 2 * fine.lowest + fine.after;
    if (std::isfinite(curvature) && curvature > 0)
      center += 0.25 * (fine.before - fine.after) / curvature;
    return center;
  }

 private:
  struct Search {
    std::ptrdiff_t best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    double highest = -1, typical = -1;
    double before = std::numeric_limits<double>::infinity(), after = before;
  };

  struct Pair {
    std::vector<double> view, opposite;
  };

  /// Smoothing prevents a single pair from following its noise.
  static std::vector<double> smoothed(std::vector<double> view) {
    const std::vector<double> before = view;
    for (std::size_t k = 1; k + 1 < view.size(); ++k)
      view[k] = 0.25 * (before[k - 1] + 2 * before[k] + before[k + 1]);
    return view;
  }

  std::size_t count() const { return fan_.is_parallel() ? pairs_.size() : all_.size(); }

  const std::vector<double>& view(std::size_t pair) const {
    return fan_.is_parallel() ? pairs_[pair].view : turn_.view(all_[pair]);
  }

  double energy(std::size_t pair_stride, std::ptrdiff_t column_stride) const {
    double sum = 0;
    for (std::size_t p = 0; p < count(); p += pair_stride)
      for (std::size_t k = 0; k < turn_.columns(); k += static_cast<std::size_t>(column_stride))
        sum += view(p)[k] * view(p)[k];
    return 2 * sum;
  }

  Search search(std::ptrdiff_t begin, std::ptrdiff_t end, std::size_t pair_stride,
                std::ptrdiff_t column_stride, double total_energy) {
    std::vector<double> cost;
    for (std::ptrdiff_t twice = begin; twice < end; ++twice)
      cost.push_back(mismatch(twice, pair_stride, column_stride, total_energy));
    Search result;
    const auto lowest = std::min_element(cost.begin(), cost.end());
    const auto place = static_cast<std::size_t>(lowest - cost.begin());
    result.best = begin + static_cast<std::ptrdiff_t>(place);
    result.lowest = *lowest;
    std::vector<double> finite = cost;
    std::erase_if(finite, [](double value) { return !std::isfinite(value); });
    if (!finite.empty()) {
      result.highest = *std::max_element(finite.begin(), finite.end());
      result.typical = median(std::move(finite));
    }
    if (place > 0) result.before = cost[place - 1];
    if (place + 1 < cost.size()) result.after = cost[place + 1];
    return result;
  }

  /// Mismatch as documented in the header for 2c = \p twice; infinite if the overlap is not
  /// sufficient.
  double mismatch(std::ptrdiff_t twice, std::size_t pair_stride, std::ptrdiff_t column_stride,
                  double total_energy) {
    const auto columns = static_cast<std::ptrdiff_t>(turn_.columns());
    const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(0, twice - (columns - 1));
    const std::ptrdiff_t end = std::min(columns, twice + 1);
    double difference = 0, energy = 0;
    compared_ = 0;
    for (std::size_t p = 0; p < count(); p += pair_stride) {
      bool seen = false;
      for (std::ptrdiff_t k = begin; k < end; k += column_stride) {
        const auto mirrored = static_cast<std::size_t>(twice - k);
        double q = 0;
        if (fan_.is_parallel()) {
          q = pairs_[p].opposite[mirrored];
        } else {
          const double ray = fan_.angle(static_cast<double>(k) - 0.5 * static_cast<double>(twice));
          const auto opposite = turn_.bracket(turn_.angle(all_[p]) + pi - 2 * ray);
          if (!opposite) continue;
          q = turn_.interpolated(*opposite, mirrored);
        }
        seen = true;
        const double value = view(p)[static_cast<std::size_t>(k)];
        difference += (value - q) * (value - q);
        energy += value * value + q * q;
      }
      if (seen) ++compared_;
    }
    if (!(energy >= least_energy * total_energy)) return std::numeric_limits<double>::infinity();
    return difference / energy;
  }

  const Turn& turn_;
  const FanShape& fan_;
  std::vector<Pair> pairs_;       // for a parallel beam
  std::vector<std::size_t> all_;  // views of a fan beam
  std::size_t seam_views_ = 0;    // views on each side that close half a turn
  std::size_t compared_ = 0;
  double lowest_ = std::numeric_limits<double>::quiet_NaN(), typical_ = lowest_;
};

/// Centres of mass of parallel views.
class MassCenters {
 public:
  explicit MassCenters(std::size_t columns) : columns_(columns) {}

  void add(double angle, std::vector<double> view) {
    const std::size_t width = std::max<std::size_t>(2, columns_ / 64);
    double left = 0, right = 0;
    for (std::size_t k = 0; k < width; ++k) {
      left += view[k] / static_cast<double>(width);
      right += view[columns_ - 1 - k] / static_cast<double>(width);
    }
    left_.push_back(left);
    right_.push_back(right);
    edges_.push_back(std::max(std::abs(left), std::abs(right)));
    peaks_.push_back(*std::max_element(view.begin(), view.end()));
    angles_.push_back(angle);
    views_.push_back(std::move(view));
  }

  /// The constant of the fit c + x cos t + y sin t; empty if the views do not determine it.
  std::optional<double> constant() {
    if (angles_.size() < 6) return std::nullopt;
    weigh();
    // The object must end within the detector, and all views must see all of it.
    if (quantile(edges_, 0.9) > 0.1 * median(peaks_)) return std::nullopt;
    const double typical = median(masses_);
    if (!(typical > 0) || quantile(masses_, 0.9) > 1.1 * typical ||
        quantile(masses_, 0.1) < 0.9 * typical)
      return std::nullopt;
    std::vector<double> weights(angles_.size(), 1.0);
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (std::abs(masses_[i] - typical) > 0.2 * typical) weights[i] = 0;
    std::array<double, 3> fit{};
    for (int round = 0; round < 12; ++round) {
      const auto solved = solve(weights);
      if (!solved) return std::nullopt;
      fit = *solved;
      std::vector<double> residuals(angles_.size());
      for (std::size_t i = 0; i < residuals.size(); ++i)
        residuals[i] = std::abs(centers_[i] - value(fit, angles_[i]));
      // Tukey's weights: zero beyond about 4.7 standard deviations.
      const double limit = 7 * median(residuals) + 1e-9;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double u = residuals[i] / limit;
        weights[i] = u < 1 && masses_[i] > 0 ? (1 - u * u) * (1 - u * u) : 0;
      }
    }
    return fit[0];
  }

 private:
  /// Computes mass and centre of each view. Line integrals of air on both sides differ from 0 only
  /// by errors of the flat fields, which are the same in all views.
  void weigh() {
    const double air = 0.5 * (median(left_) + median(right_));
    for (const std::vector<double>& view : views_) {
      double mass = 0, moment = 0;
      for (std::size_t k = 0; k < columns_; ++k) {
        mass += view[k] - air;
        moment += (view[k] - air) * static_cast<double>(k);
      }
      masses_.push_back(mass);
      centers_.push_back(mass > 0 ? moment / mass : 0);
    }
  }

  static double value(const std::array<double, 3>& fit, double angle) {
    return fit[0] + fit[1] * std::cos(angle) + fit[2] * std::sin(angle);
  }

  /// Weighted least squares by normal equations of three unknowns.
  std::optional<std::array<double, 3>> solve(const std::vector<double>& weights) const {
    std::array<std::array<double, 4>, 3> rows{};
    for (std::size_t i = 0; i < angles_.size(); ++i) {
      const std::array<double, 3> basis{1, std::cos(angles_[i]), std::sin(angles_[i])};
      for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) rows[a][b] += weights[i] * basis[a] * basis[b];
        rows[a][3] += weights[i] * basis[a] * centers_[i];
      }
    }
    const double scale = rows[0][0];
    for (std::size_t a = 0; a < 3; ++a) {
      // Over a small range of angles, a shift and the sine cannot be distinguished.
      if (!(rows[a][a] > 1e-3 * scale)) return std::nullopt;
      for (std::size_t b = a + 1; b < 3; ++b) {
        const double factor = rows[b][a] / rows[a][a];
        for (std::size_t column = a; column < 4; ++column)
          rows[b][column] -= factor * rows[a][column];
      }
    }
    std::array<double, 3> result{};
    for (std::size_t a = 3; a-- > 0;) {
      double sum = rows[a][3];
      for (std::size_t b = a + 1; b < 3; ++b) sum -= rows[a][b] * result[b];
      result[a] = sum / rows[a][a];
    }
    return result;
  }

  std::size_t columns_;
  std::vector<std::vector<double>> views_;
  std::vector<double> angles_, left_, right_, edges_, peaks_, masses_, centers_;
};

std::optional<double> center_of_mass(const Turn& turn) {
  MassCenters masses(turn.columns());
  for (std::size_t i = 0; i < turn.size(); ++i) masses.add(turn.angle(i), turn.view(i));
  return masses.constant();
}

/// Sorts the rays of a fan beam into parallel views about \p center first.
std::optional<double> center_of_mass(const Turn& turn, const FanShape& fan, double center) {
  if (!turn.is_whole()) return std::nullopt;
  const std::size_t columns = turn.columns();
  const double middle = 0.5 * (static_cast<double>(columns) - 1);
  const double shrink = fan.source_distance / fan.detector_distance;
  MassCenters masses(columns);
  for (std::size_t i = 0; i < turn.size(); ++i) {
    std::vector<double> view(columns);
    for (std::size_t k = 0; k < columns; ++k) {
      const double sine = (static_cast<double>(k) - middle) * shrink / fan.source_distance;
      if (std::abs(sine) >= 1) continue;
      const double angle = std::asin(sine);
      const double position = center + fan.detector_distance * std::tan(angle);
      const double below = std::floor(position);
      if (below < 0 || below + 1 > static_cast<double>(columns - 1)) continue;
      const auto bracket = turn.bracket(turn.angle(i) + angle);
      if (!bracket) return std::nullopt;
      const double a = turn.interpolated(*bracket, static_cast<std::size_t>(below));
      const double b = turn.interpolated(*bracket, static_cast<std::size_t>(below) + 1);
      view[k] = a + (position - below) * (b - a);
    }
    masses.add(turn.angle(i), std::move(view));
  }
  const auto constant = masses.constant();
  if (!constant) return std::nullopt;
  // In units of detector elements again.
  return center + (*constant - middle);
}

}  // namespace

std::optional<double> RotationCenter::disagreement() const {
  if (!registered || !center_of_mass) return std::nullopt;
  return std::abs(*registered - *center_of_mass);
}

template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, const ScanGeometry& scan) {
  require(!scan.has_vectors() && scan.detector_shape == DetectorShape::flat,
          "a rotation centre can be found for a flat detector that turns around the origin");
  const auto columns = static_cast<std::size_t>(scan.detectors);
  const std::vector<double> angles = scan.views.radians();
  require(angles.size() >= 2 && columns >= 3,
          "finding the rotation centre needs at least two views of three detector elements");
  require_equal("length of the sinogram", static_cast<long long>(sinogram.size()),
                "views times detectors", static_cast<long long>(angles.size() * columns));
  require(std::none_of(sinogram.begin(), sinogram.end(),
                       [](Scalar value) { return std::isinf(value); }),
          "the sinogram contains infinite values: no rotation centre can be found");
  Turn turn(sinogram, columns, angles);
  RotationCenter result;
  result.discarded_views = turn.size() >= 2 ? turn.discard_outliers() : 0;
  result.views = turn.size();
  require(turn.size() >= 2, "fewer than two views contain values: no rotation centre can be found");
  double energy = 0;
  for (std::size_t i = 0; i < turn.size(); ++i)
    for (const double value : turn.view(i)) energy += value * value;
  require(energy > 0, "the sinogram is zero: no rotation centre can be found");

  const FanShape fan(scan);
  Registration registration(turn, fan);
  result.registered = registration.find();
  result.mismatch = registration.mismatch();
  result.typical_mismatch = registration.typical_mismatch();
  if (result.registered) result.pairs = registration.pairs();
  if (fan.is_parallel())
    result.center_of_mass = center_of_mass(turn);
  else if (result.registered)
    result.center_of_mass = center_of_mass(turn, fan, *result.registered);
  require(
      result.registered || result.center_of_mass,
      "no view has an opposite view (the scan covers less than 180 degrees), and the centres of "
      "mass of the views do not determine it: the rotation centre must be given");
  const bool use_mass = result.center_of_mass && !result.is_supported();
  result.center = use_mass ? *result.center_of_mass : *result.registered;
  return result;
}

template <class Scalar>
RotationCenter find_rotation_center(std::span<const Scalar> sinogram, std::size_t detectors,
                                    std::span<const double> angles) {
  require(!angles.empty(),
          "finding the rotation centre needs at least two views of three detector elements");
  ScanGeometry scan;
  scan.views = ViewAngles::list({angles.begin(), angles.end()});
  scan.detectors = static_cast<Ordinal>(detectors);
  return find_rotation_center(sinogram, scan);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                          \
  template RotationCenter find_rotation_center(std::span<const Scalar>, const ScanGeometry&); \
  template RotationCenter find_rotation_center(std::span<const Scalar>, std::size_t,          \
                                               std::span<const double>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
