// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_RingScanner.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

// The largest number whose square is a valid row index.
constexpr std::int64_t max_crystals = 46340;

/// Formats a computed length without the digits of its rounding error.
std::string rounded(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, 6);
  return {buffer.data(), result.ptr};
}

void require_positive(const std::string& name, double value) {
  if (!(std::isfinite(value) && value > 0))
    throw Refused(name + " is " + Impl::number_text(value) + "; it must be positive and finite");
}

void require_count(const std::string& name, Ordinal count, std::int64_t most) {
  if (count < 1 || count > most)
    throw Refused(Impl::text("{} is {}; it must be between 1 and {}", name, count, most));
}

/// Length of \p count crystals side by side.
double extent(Ordinal count, double pitch, double size) { return (count - 1.0) * pitch + size; }

// Lengths that are mathematically equal may differ in their last bits.
bool exceeds(double a, double b) { return a > b * (1 + 1e-12); }

void check_counts(const RingScanner& scanner) {
  constexpr const char* directions[] = {"around the axis", "along the axis"};
  require_count("modules", scanner.modules, max_crystals);
  require_count("rings", scanner.rings, max_crystals);
  for (std::size_t d = 0; d < 2; ++d)
    require_count(std::string("crystals of a module ") + directions[d], scanner.crystals[d],
                  max_crystals);
  if (scanner.layers.empty()) throw Refused("the scanner has no layers of crystals");
  // No overflow: the factors are at most 2^16 and 2^32.
  const std::int64_t around = static_cast<std::int64_t>(scanner.modules) * scanner.crystals[0];
  const std::int64_t along = static_cast<std::int64_t>(scanner.rings) * scanner.crystals[1];
  const auto layers = static_cast<std::int64_t>(scanner.layers.size());
  if (along > max_crystals || around > max_crystals / along || layers > max_crystals ||
      around * along > max_crystals / layers)
    throw Refused(
        Impl::text("{} crystals around the axis x {} along it x {} layers are more than {}, the "
                   "largest number whose pairs fit into the rows of a matrix",
                   around, along, layers, max_crystals));
}

void check_crystals(const RingScanner& scanner) {
  constexpr const char* directions[] = {" around the axis", " along the axis"};
  for (std::size_t d = 0; d < 2; ++d) {
    require_positive(std::string("the size of a crystal") + directions[d], scanner.crystal_size[d]);
    require_positive(std::string("the pitch of crystals") + directions[d],
                     scanner.crystal_pitch[d]);
    if (exceeds(scanner.crystal_size[d], scanner.crystal_pitch[d]))
      throw Refused("crystals of " + Impl::number_text(scanner.crystal_size[d]) +
                    " at a pitch of " + Impl::number_text(scanner.crystal_pitch[d]) +
                    directions[d] + " overlap");
  }
  const double height =
      extent(scanner.crystals[1], scanner.crystal_pitch[1], scanner.crystal_size[1]);
  if (scanner.rings > 1) {
    require_positive("ring_pitch", scanner.ring_pitch);
    if (exceeds(height, scanner.ring_pitch))
      throw Refused("rings of modules of " + rounded(height) + " at a pitch of " +
                    Impl::number_text(scanner.ring_pitch) + " overlap");
  }
}

void check_layers(const RingScanner& scanner) {
  double end = 0;
  for (std::size_t k = 0; k < scanner.layers.size(); ++k) {
    const CrystalLayer& layer = scanner.layers[k];
    const std::string name = Impl::text("layer {}", k + 1);
    require_positive("the radius of " + name, layer.radius);
    require_positive("the length of the crystals of " + name, layer.length);
    if (k > 0 && exceeds(end, layer.radius))
      throw Refused(name + " begins at the radius " + Impl::number_text(layer.radius) +
                    ", but the crystals of the previous layer reach " + rounded(end));
    end = layer.radius + layer.length;
  }
  if (scanner.modules < 3) return;
  const double width =
      extent(scanner.crystals[0], scanner.crystal_pitch[0], scanner.crystal_size[0]);
  const double room =
      2 * scanner.layers.front().radius * std::tan(std::numbers::pi / scanner.modules);
  if (exceeds(width, room))
    throw Refused(Impl::text(
        "{} modules of width {} do not fit side by side at the radius {}, where each has {}",
        scanner.modules, rounded(width), Impl::number_text(scanner.layers.front().radius),
        rounded(room)));
}

}  // namespace

std::int64_t RingScanner::num_crystals() const {
  return static_cast<std::int64_t>(modules) * crystals[0] * rings * crystals[1] *
         static_cast<std::int64_t>(layers.size());
}

std::vector<CrystalPlace> RingScanner::places() const {
  const ViewAngles angles =
      ViewAngles::evenly_spaced(modules, first_module, ViewAngles::full_turn());
  std::vector<ViewDirection> directions;
  for (Ordinal module = 0; module < modules; ++module)
    directions.push_back(angles.direction(module));
  // Differences of integers and half-integers are exact, so symmetric positions are symmetric bit
  // for bit.
  const auto middle = [](Ordinal index, Ordinal count) { return index - 0.5 * (count - 1.0); };
  std::vector<CrystalPlace> result;
  result.reserve(static_cast<std::size_t>(num_crystals()));
  for (const CrystalLayer& layer : layers)
    for (Ordinal along = 0; along < crystals_along(); ++along)
      for (Ordinal around = 0; around < crystals_around(); ++around) {
        const ViewDirection& direction = directions[static_cast<std::size_t>(around / crystals[0])];
        const double cosine = direction.cosine(), sine = direction.sine();
        const double out = layer.radius + 0.5 * layer.length;
        const double side = middle(around % crystals[0], crystals[0]) * crystal_pitch[0];
        // A single ring has no pitch; its centre is at 0.
        const double ring = rings > 1 ? middle(along / crystals[1], rings) * ring_pitch : 0.0;
        const double z = ring + middle(along % crystals[1], crystals[1]) * crystal_pitch[1];
        result.push_back({out * cosine - side * sine, out * sine + side * cosine, z, cosine, sine,
                          layer.length});
      }
  return result;
}

std::vector<RaySample> ray_samples(Ordinal rays) {
  if (rays == 1) return {RaySample{}};
  if (rays < 1 || rays > max_rays_per_pair || rays % 8 != 0)
    throw Refused(
        Impl::text("a pair of crystals has {} rays; 1 or a multiple of 8 up to {} are possible",
                   rays, max_rays_per_pair));
  // Inverse powers 1 to 6 of the root, times 2^64: products modulo 1 are exact.
  constexpr std::array<std::uint64_t, 6> steps{0xe60e2b722b53aeec, 0xcebd76d9edb6a8ef,
                                               0xb9c9aa3a51d00b65, 0xa6f5777f6f889840,
                                               0x9609c71eb7d03f7a, 0x86d516e50b04ab1b};
  std::vector<RaySample> samples;
  for (Ordinal point = 1; point <= rays / 8; ++point) {
    std::array<double, 6> position{};
    for (std::size_t d = 0; d < 6; ++d) {
      const auto turned = static_cast<std::int64_t>(steps[d] * static_cast<std::uint64_t>(point));
      position[d] = static_cast<double>(turned >> 11) * 0x1p-53;
    }
    for (unsigned image = 0; image < 8; ++image) {
      RaySample sample{{position[0], position[1], position[2]},
                       {position[3], position[4], position[5]}};
      if ((image & 1U) != 0) std::swap(sample.from, sample.to);
      for (std::size_t d = 0; d < 2; ++d)
        if ((image >> (d + 1) & 1U) != 0) {
          sample.from[d] = -sample.from[d];
          sample.to[d] = -sample.to[d];
        }
      samples.push_back(sample);
    }
  }
  return samples;
}

void check(const RingScanner& scanner) {
  check_counts(scanner);
  check_crystals(scanner);
  check_layers(scanner);
  ray_samples(scanner.rays);
  if (scanner.field_of_view) require_positive("field_of_view", *scanner.field_of_view);
}

void check(const VolumeGeometry3D& volume, const RingScanner& scanner) {
  check(volume);
  check(scanner);
  const double last = scanner.layers.back().radius + scanner.layers.back().length;
  double least = std::min(volume.pixel, volume.thickness);
  double most = std::max(scanner.field_of_view.value_or(0.0), last);
  for (std::size_t d = 0; d < 2; ++d) {
    least = std::min(least, scanner.crystal_size[d]);
    most = std::max(most, scanner.crystal_pitch[d]);
  }
  most = std::max({most, volume.slices * volume.thickness, volume.rows * volume.pixel,
                   volume.columns * volume.pixel, scanner.rings * scanner.ring_pitch});
  // Ensures that rounding cannot decide which voxels a ray intersects.
  if (!(most <= 1e6 * least))
    throw Refused("the scanner and the volume have lengths from " + Impl::number_text(least) +
                  " to " + Impl::number_text(most) +
                  ", which are not comparable: a factor of 1e6 is allowed");
  if (!(least >= 1e-15 && most <= 1e15))
    throw Refused("the scanner and the volume have lengths from " + Impl::number_text(least) +
                  " to " + Impl::number_text(most) +
                  "; give them in a unit in which they lie between 1e-15 and 1e15");
}

RingScanner make_scanner(ScannerKind kind) {
  RingScanner scanner;
  if (kind == ScannerKind::ring) return scanner;
  scanner.modules = 18;
  scanner.crystals = {4, 8};
  scanner.crystal_pitch = {2.3, 2.3};
  scanner.crystal_size = {2.0, 2.0};
  scanner.layers = {{35.5, 6.0}, {43.5, 8.0}};
  scanner.rays = 96;
  if (kind == ScannerKind::madpet2_small) {
    scanner.crystals = {2, 4};
    scanner.crystal_pitch = {4.6, 4.6};
    scanner.crystal_size = {4.0, 4.0};
    scanner.rays = 32;
  } else if (kind == ScannerKind::madpet2_large) {
    scanner.rings = 2;
    scanner.ring_pitch = 20.0;
    scanner.crystal_pitch = {3.0, 2.4};
    scanner.crystal_size = {2.8, 2.2};
    scanner.rays = 144;
    scanner.layers = {{45.5, 6.0}, {53.5, 8.0}};
  }
  return scanner;
}

VolumeGeometry3D make_scanner_volume(ScannerKind kind) {
  switch (kind) {
    case ScannerKind::ring:
      break;
    case ScannerKind::madpet2:
      return {40, 140, 140, 0.5, 0.5};
    case ScannerKind::madpet2_small:
      return {20, 70, 70, 1.0, 1.0};
    case ScannerKind::madpet2_large:
      return {80, 180, 180, 0.5, 0.5};
  }
  return {};
}

}  // namespace Tomokkos
