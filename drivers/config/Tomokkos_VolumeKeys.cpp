// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the volume and the scanner of a tomography.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <utility>

namespace Tomokkos {
namespace {

/// Reads two or three whole numbers from 1. Their count is checked against the geometry later. If
/// two are given where three are needed, their values are not read.
void read_size(const ConfigNode& size, const std::string& path, const std::string& expected,
               bool must_be_three, VolumeConfig& volume) {
  if (!size.is_list() || size.items().size() < 2 || size.items().size() > 3)
    fail_at(size, path, "expected " + expected + ", found " + size.describe());
  std::vector<Ordinal> lengths(size.items().size(), 1);
  if (!must_be_three || lengths.size() == 3)
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = static_cast<Ordinal>(
          integer_of(size.items()[i], path + "[" + std::to_string(i) + "]", 1, max_ordinal));
  volume.slices.reset();
  if (lengths.size() == 3) volume.slices = lengths[0];
  volume.size = {lengths[lengths.size() - 2], lengths.back()};
}

/// Reads a list of two numbers.
std::array<double, 2> two_numbers(const ConfigNode& node, const std::string& path,
                                  const char* names, const KeyRange& range = {}) {
  if (!node.is_list() || node.items().size() != 2)
    fail_at(node, path, "expected " + std::string(names) + ", found " + node.describe());
  return {number_of(node.items()[0], path + "[0]", range),
          number_of(node.items()[1], path + "[1]", range)};
}

/// One number for squares, or height and width.
void describe_pixel(Keys& key, VolumeConfig& volume) {
  key.value(
      "pixel", "a number greater than 0, or [y, x]", "Side of a square pixel, or height and width.",
      [&volume](const ConfigNode& node, const std::string& path) {
        if (!node.is_list()) {
          volume.pixel = number_of(node, path, KeyRange::positive());
          volume.pixel_height.reset();
          return;
        }
        const auto sides = two_numbers(node, path, "[y, x]", KeyRange::positive());
        volume.pixel = sides[1];
        volume.pixel_height = sides[0];
      },
      [&volume] {
        return volume.pixel_height
                   ? ConfigNode::numbers(std::array{*volume.pixel_height, volume.pixel})
                   : ConfigNode::number(volume.pixel);
      });
}

std::vector<CrystalLayer> read_layers(const ConfigNode& node, const std::string& path) {
  if (!node.is_list() || node.items().empty())
    fail_at(node, path, "expected a list of {radius, length}, found " + node.describe());
  std::vector<CrystalLayer> layers(node.items().size());
  for (std::size_t k = 0; k < layers.size(); ++k)
    read_map(node.items()[k], path + "[" + std::to_string(k) + "]", layers[k]);
  return layers;
}

ConfigNode layers_node(const std::vector<CrystalLayer>& layers) {
  ConfigNode list = ConfigNode::list();
  for (CrystalLayer layer : layers)
    list.push_back(Impl::written([&](Keys& keys) { describe(keys, layer); }, true));
  return list;
}

}  // namespace

void describe(Keys& key, PolarVolume& polar) {
  constexpr long long most = max_ordinal;
  key.required("the number of rings, of equal width, around the axis")
      .integer("rings", polar.rings, 1, most, "Number of rings of voxels around the axis.");
  key.required("the radius of the cylinder")
      .number("radius", polar.radius, KeyRange::positive(), "Radius of the cylinder.");
  key.required("the number of slices along the axis")
      .integer("slices", polar.slices, 1, most, "Number of slices of voxels along the axis.");
  key.required("the height of the cylinder along the axis")
      .number("height", polar.height, KeyRange::positive(), "Height of the cylinder.");
  key.number("aspect", polar.aspect, KeyRange::positive(),
             "Ratio of the width of a voxel along its ring to the width of the ring.");
}

void describe_volume(Keys& key, ProblemSection& problem) {
  VolumeConfig& volume = problem.volume;
  auto* const cone = std::get_if<ConeBeamRows>(&problem.geometry);
  const bool is_pet = problem.as<ScannerConfig>() != nullptr;
  const bool is_read = problem.traits().is_read;
  const bool is_plane = !is_pet && !cone && !is_read;
  if (cone)
    key.required("the {rings, radius, slices, height} of a cylinder in polar voxels")
        .section("polar", cone->volume, "Cylinder of polar voxels to reconstruct.");
  const std::string form = is_pet            ? "[slices, rows, columns]"
                           : cone || is_read ? "[rows, columns] or [slices, rows, columns]"
                                             : "[rows, columns]";
  if (!volume.size && is_plane)
    key.required("[rows, columns] of the image, for example [256, 256]");
  key.printed(volume.size.has_value())
      .value(
          "size", form,
          cone ? "Size of the pictures around the cylinder in pixels."
               : "Size of the image in pixels, or of the volume in voxels.",
          [=, &volume](const ConfigNode& node, const std::string& path) {
            read_size(node, path, form, is_pet, volume);
          },
          [&volume]() -> ConfigNode {
            if (!volume.size) return {};
            const auto [rows, columns] = *volume.size;
            if (!volume.slices) return ConfigNode::integers(*volume.size);
            return ConfigNode::integers(std::array{*volume.slices, rows, columns});
          });
  const std::string follows =
      "has no effect on a cone beam: it follows from volume.polar, since pictures show the whole "
      "cylinder";
  const auto pixels = [&]() -> Keys& {
    return key.when(!is_read && !cone, "a geometry of pixels",
                    cone ? follows : "has no effect on a matrix from a file (problem.matrix)");
  };
  if (is_plane) {
    describe_pixel(pixels(), volume);
    key.value(
        "center", volume.center, "[x, y]", "Centre of the image; [0, 0] is the axis of rotation.",
        [](const ConfigNode& node, const std::string& path) {
          return two_numbers(node, path, "[x, y]");
        },
        [](const auto& center) { return ConfigNode::numbers(center); });
  } else {
    pixels().number("pixel", volume.pixel, KeyRange::positive(), "Side of a pixel.");
    key.when(false, "a parallel or fan beam",
             is_pet || cone ? "has no effect here: the volume lies around the axis"
                            : "has no effect on a matrix from a file (problem.matrix)")
        .value("center", "", "", {}, {});
  }
  if (is_pet || cone)
    key.when(is_pet, "problem.scanner", follows)
        .number("thickness", volume.thickness, KeyRange::positive(), "Thickness of a slice.");
}

void describe(Keys& key, CrystalLayer& layer) {
  key.required("the distance from the axis to the entrance faces of the crystals")
      .number("radius", layer.radius, KeyRange::positive(), "Radius of the entrance faces.");
  key.required("the length of the crystals in the radial direction")
      .number("length", layer.length, KeyRange::positive(), "Radial length of the crystals.");
}

void describe(Keys& key, ScannerConfig& config) {
  constexpr const char* axes = "[around the axis, along it]";
  RingScanner& scanner = config.scanner;
  const bool is_ring = config.kind == ScannerKind::ring;
  // A named scanner has defaults for these keys.
  const auto needed = [&](const char* hint) -> Keys& { return is_ring ? key.required(hint) : key; };
  key.name("kind", config.kind,
           "Name of a scanner, or ring for a scanner described by the other keys.");
  needed("the number of modules around the axis")
      .integer("modules", scanner.modules, 1, max_ordinal, "Number of modules around the axis.");
  key.value(
      "first_module", "an angle", "Angle of the first module.",
      [&](const ConfigNode& node, const std::string& path) {
        config.first_module = read_angle(node, path);
        scanner.first_module = config.first_module.angle;
      },
      [&] { return ConfigNode::plain(config.first_module.text); });
  key.integer("rings", scanner.rings, 1, max_ordinal, "Number of rings of modules along the axis.");
  key.when(scanner.rings > 1, "several rings", "has no effect on a single ring")
      .number("ring_pitch", scanner.ring_pitch, KeyRange::not_negative(),
              "Distance between the centres of neighbouring rings.");
  needed("the number of crystals in a layer of a module, [around the axis, along it]")
      .pair("crystals", scanner.crystals, axes, "Number of crystals in a layer of a module.");
  needed("the distance between the centres of crystals")
      .pair("crystal_pitch", scanner.crystal_pitch, KeyRange::positive(), axes,
            "Distance between the centres of crystals.");
  needed("the size of a crystal, [around the axis, along it]")
      .pair("crystal_size", scanner.crystal_size, KeyRange::positive(), axes,
            "Size of the entrance face of a crystal.");
  needed("a list of {radius, length}")
      .value("layers", scanner.layers, "a list of {radius, length}",
             "Layers of crystals: radius is the distance of their entrance faces from the axis, "
             "length their radial length.",
             read_layers, layers_node);
  key.integer("rays", scanner.rays, 1, max_ordinal,
              "Number of rays for each pair of crystals: 1, or a multiple of 8.");
  key.printed(scanner.field_of_view.has_value())
      .optional_number("field_of_view", scanner.field_of_view, KeyRange::positive(),
                       "Radius around the axis beyond which rays are ignored.");
}

}  // namespace Tomokkos
