// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Philox.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Tomokkos {
namespace {

/// Item number of `CounterRandom` for shuffling views. No bin and no pixel has this number.
constexpr std::uint64_t shuffled_item = ~std::uint64_t{0};

std::vector<Ordinal> in_sequence(Ordinal count) {
  std::vector<Ordinal> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), Ordinal{0});
  return order;
}

std::vector<Ordinal> shuffled(Ordinal count, std::uint64_t seed) {
  std::vector<Ordinal> order = in_sequence(count);
  CounterRandom random(seed, shuffled_item);
  for (std::size_t last = order.size(); last > 1; --last) {
    const auto drawn = static_cast<std::size_t>(random.uniform() * static_cast<double>(last));
    std::swap(order[last - 1], order[std::min(drawn, last - 1)]);
  }
  return order;
}

/// Views not yet visited. Finds the next one at or after a given view in nearly constant time.
class FreeViews {
 public:
  explicit FreeViews(Ordinal count) : next_(in_sequence(count + 1)) {}

  /// Removes and returns the first free view from \p view on, continuing with view 0 after the last
  /// one.
  Ordinal take(Ordinal view) {
    Ordinal found = find(view);
    if (static_cast<std::size_t>(found) + 1 == next_.size()) found = find(0);
    next_[static_cast<std::size_t>(found)] = found + 1;
    return found;
  }

 private:
  Ordinal find(Ordinal view) {
    Ordinal root = view;
    while (next_[static_cast<std::size_t>(root)] != root)
      root = next_[static_cast<std::size_t>(root)];
    while (next_[static_cast<std::size_t>(view)] != view) {
      const Ordinal step = next_[static_cast<std::size_t>(view)];
      next_[static_cast<std::size_t>(view)] = root;
      view = step;
    }
    return root;
  }

  std::vector<Ordinal> next_;  // a view refers to itself if free; one past the last view means none
};

std::vector<Ordinal> by_golden_ratio(Ordinal count) {
  constexpr std::uint64_t ratio = 0x9e3779b97f4a7c15U;  // (sqrt(5) - 1) / 2 in units of 2^-64
  FreeViews free_views(count);
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(count));
  std::uint64_t position = 0;
  for (Ordinal k = 0; k < count; ++k, position += ratio) {
    const std::uint64_t view = (position >> 32U) * static_cast<std::uint64_t>(count) >> 32U;
    order.push_back(free_views.take(static_cast<Ordinal>(view)));
  }
  return order;
}

std::vector<Ordinal> by_levels(Ordinal count) {
  std::uint64_t positions = 1;
  while (positions < static_cast<std::uint64_t>(count)) positions *= 2;
  std::vector<char> visited(static_cast<std::size_t>(count), 0);
  std::vector<Ordinal> order;
  order.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t k = 0; k < positions; ++k) {
    std::uint64_t position = 0;
    for (std::uint64_t bit = 1; bit < positions; bit *= 2)
      if ((k & bit) != 0) position += positions / (2 * bit);
    const auto view =
        static_cast<std::size_t>(position * static_cast<std::uint64_t>(count) / positions);
    if (count == 0 || visited[view] != 0) continue;
    visited[view] = 1;
    order.push_back(static_cast<Ordinal>(view));
  }
  return order;
}

}  // namespace

std::vector<Ordinal> view_visits(Ordinal views, ViewOrder order, std::uint64_t seed) {
  require(views >= 0, Impl::text("{} views cannot be ordered", views));
  switch (order) {
    case ViewOrder::sequential:
      return in_sequence(views);
    case ViewOrder::random:
      return shuffled(views, seed);
    case ViewOrder::golden:
      return by_golden_ratio(views);
    case ViewOrder::multilevel:
      return by_levels(views);
  }
  throw Refused("unknown order of views");
}

std::vector<Ordinal> ray_visits(Ordinal detectors, WithinView order, Ordinal stride) {
  require(detectors >= 0, Impl::text("{} rays cannot be ordered", detectors));
  require(stride >= 1, Impl::text("the stride within a view is {}; it is at least 1", stride));
  if (order == WithinView::sequential) return in_sequence(detectors);
  std::vector<Ordinal> visits;
  visits.reserve(static_cast<std::size_t>(detectors));
  for (Offset first = 0; first < std::min<Offset>(stride, detectors); ++first)
    for (Offset ray = first; ray < detectors; ray += stride)
      visits.push_back(static_cast<Ordinal>(ray));
  return visits;
}

std::vector<Ordinal> row_visits(Ordinal views, Ordinal detectors, ViewOrder view_order,
                                WithinView within_view, Ordinal stride, std::uint64_t seed) {
  const std::vector<Ordinal> rays = ray_visits(detectors, within_view, stride);
  const std::vector<Ordinal> order = view_visits(views, view_order, seed);
  require(static_cast<Offset>(views) * detectors <= std::numeric_limits<Ordinal>::max(),
          Impl::text("{} views x {} detectors are more rays than 32-bit indices can number", views,
                     detectors));
  std::vector<Ordinal> rows;
  rows.reserve(order.size() * rays.size());
  for (const Ordinal view : order)
    for (const Ordinal ray : rays) rows.push_back(view * detectors + ray);
  return rows;
}

Ordinal independent_stride(Projector projector, double pixel, double spacing) {
  require(std::isfinite(pixel) && std::isfinite(spacing) && pixel > 0 && spacing > 0,
          "the pixel size and the distance of neighbouring rays must be positive and finite");
  const double diagonal = std::sqrt(2.0) * pixel;
  const double reach = projector == Projector::linear  ? 2 * pixel
                       : projector == Projector::strip ? diagonal + spacing
                                                       : diagonal;
  // The tolerance keeps rounding from raising a whole number of spacings to the next integer.
  const double stride = std::ceil(reach / spacing * (1 - 1e-12));
  return static_cast<Ordinal>(std::clamp(stride, 1.0, 2147483647.0));
}

}  // namespace Tomokkos
