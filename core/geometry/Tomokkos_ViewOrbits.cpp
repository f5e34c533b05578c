// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ViewOrbits.hpp>
#include <algorithm>
#include <impl/Tomokkos_ViewSearch_impl.hpp>
#include <utility>

namespace Tomokkos {

namespace {

/// Images of each view under each map, among the views asked for.
using AllImages = std::array<std::vector<std::vector<Impl::ViewImage>>, num_square_symmetries>;

ViewOrbits group(const std::vector<Ordinal>& views, Ordinal num_views, const AllImages& found,
                 std::vector<unsigned> maps) {
  ViewOrbits result;
  result.maps = std::move(maps);
  result.images.resize(static_cast<std::size_t>(num_views));
  for (std::size_t k = 0; k < views.size(); ++k) {
    if (result.images[static_cast<std::size_t>(views[k])].group != ViewOrbits::none) continue;
    const auto next = static_cast<Ordinal>(result.stored.size());
    result.stored.push_back(views[k]);
    for (std::size_t m = 0; m < result.maps.size(); ++m)
      for (const Impl::ViewImage& image : found[result.maps[m]][k]) {
        ViewOrbits::Image& at = result.images[static_cast<std::size_t>(image.view)];
        if (at.group == ViewOrbits::none) at = {next, static_cast<int>(m), image.reversed};
      }
  }
  return result;
}

}  // namespace

double shared_cost(int vectors) {
  return vectors >= 8 ? 0.55 : vectors >= 4 ? 0.6 : vectors >= 2 ? 0.7 : 1;
}

double ViewOrbits::cost(int vectors) const {
  const auto of_maps = static_cast<int>(maps.size());
  return static_cast<double>(stored.size()) * of_maps * shared_cost(of_maps * vectors);
}

double ViewOrbits::cost_of_all(int vectors) const {
  const auto views = std::count_if(images.begin(), images.end(),
                                   [](const Image& image) { return image.group != none; });
  return static_cast<double>(views) * shared_cost(vectors);
}

ViewOrbits find_view_orbits(const VolumeGeometry& volume, const ScanGeometry& scan,
                            const std::vector<Ordinal>& views) {
  std::vector<Ordinal> sorted = views;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<char> wanted(static_cast<std::size_t>(scan.views.count()), 0);
  for (const Ordinal view : sorted) wanted[static_cast<std::size_t>(view)] = 1;

  const bool square =
      volume.rows == volume.columns && volume.has_square_pixels() && volume.is_centered();
  const Impl::ViewSearch search(scan);
  AllImages found;
  for (unsigned g = 0; g < (square ? num_square_symmetries : 1U); ++g)
    for (const Ordinal view : sorted) {
      std::vector<Impl::ViewImage> images = search.images(view, g);
      std::erase_if(images, [&](const Impl::ViewImage& image) {
        return wanted[static_cast<std::size_t>(image.view)] == 0;
      });
      found[g].push_back(std::move(images));
    }

  ViewOrbits best = group(sorted, scan.views.count(), found, {0});
  if (!square) return best;
  // The last four: maps that take the first eighth of a turn to the first half; rotations;
  // reflections at the axes; all.
  constexpr unsigned half_turn = flip_x | flip_y;
  std::vector<std::vector<unsigned>> choices;
  for (unsigned g = 1; g < num_square_symmetries; ++g) choices.push_back({0, g});
  choices.push_back({0, flip_x, swap_axes, swap_axes | flip_y});
  choices.push_back({0, half_turn, swap_axes | flip_x, swap_axes | flip_y});
  choices.push_back({0, flip_x, flip_y, half_turn});
  choices.push_back({0, 1, 2, 3, 4, 5, 6, 7});
  for (std::vector<unsigned>& maps : choices) {
    ViewOrbits grouped = group(sorted, scan.views.count(), found, std::move(maps));
    if (grouped.cost(1) < best.cost(1)) best = std::move(grouped);
  }
  return best;
}

}  // namespace Tomokkos
