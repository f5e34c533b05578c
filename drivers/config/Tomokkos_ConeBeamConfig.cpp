// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ReadPair.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

constexpr const char* axes = "[along u, along v]";

Ordinal read_count(const ConfigReader& reader, std::string_view key, Ordinal fallback) {
  return static_cast<Ordinal>(reader.integer(key, fallback, 1, max_ordinal));
}

ConeBeamScan read_scan(const ConfigReader& problem) {
  const ConfigReader reader =
      problem.section("geometry", {"type", "views", "start", "range", "angles", "detectors",
                                   "detector_width", "detector_offset", "rotation_center", "rays",
                                   "source_to_origin", "origin_to_detector"});
  for (const char* key : {"start", "range", "angles"})
    reader.refuse_key(key, "has no effect on a cone beam, whose views are equal parts of a turn");
  reader.refuse_key("rotation_center",
                    "has no effect on a cone beam; give detector_offset: " + std::string(axes));
  reader.require_key("views", "their number, all around");
  reader.require_key("detectors", std::string(axes) + " of the elements of a view");
  reader.require_key("source_to_origin", "a cone beam has a source");
  reader.require_key("origin_to_detector", "0 puts the detector at the origin");
  ConeBeamScan scan;
  scan.views = read_count(reader, "views", 1);
  read_pair(reader, "detectors", axes, scan.detectors,
            [](const ConfigNode& node, const std::string& path) {
              return static_cast<Ordinal>(integer_of(node, path, 1, max_ordinal));
            });
  scan.detector_width = {1, 1};
  read_pair(reader, "detector_width", axes, scan.detector_width,
            [](const ConfigNode& node, const std::string& path) {
              return number_of(node, path, NumberRange::positive());
            });
  read_pair(reader, "detector_offset", axes, scan.detector_offset,
            [](const ConfigNode& node, const std::string& path) { return number_of(node, path); });
  scan.rays = static_cast<Ordinal>(reader.integer("rays", scan.rays, 1, max_cone_beam_rays));
  scan.source_to_origin = reader.number("source_to_origin", 0.0, NumberRange::positive());
  scan.origin_to_detector = reader.number("origin_to_detector", 0.0, NumberRange::not_negative());
  return scan;
}

PolarVolume read_polar(const ConfigReader& volume, Ordinal rotations) {
  volume.require_key("polar", "{rings, radius, slices, height} of a cylinder in polar voxels");
  const ConfigReader reader =
      volume.section("polar", {"rings", "radius", "slices", "height", "aspect"});
  reader.require_key("rings", "of equal width around the axis");
  reader.require_key("radius", "of the cylinder");
  reader.require_key("slices", "along the axis");
  reader.require_key("height", "of the cylinder, along the axis");
  PolarVolume result;
  result.rings = read_count(reader, "rings", 1);
  result.radius = reader.number("radius", 0.0, NumberRange::positive());
  result.slices = read_count(reader, "slices", 1);
  result.height = reader.number("height", 0.0, NumberRange::positive());
  result.aspect = reader.number("aspect", result.aspect, NumberRange::positive());
  result.rotations = rotations;
  return result;
}

/// The box of the pictures, around the cylinder: `[rows, columns]` of as many slices as this has,
/// or `[slices, rows, columns]`.
void read_box(const ConfigReader& reader, const PolarVolume& polar, VolumeConfig& result) {
  std::vector<Ordinal> lengths(2, std::min(polar.rings, Ordinal{1} << 14) * 2);
  if (const ConfigNode* size = reader.find("size")) {
    const std::string path = reader.path_of("size");
    if (!size->is_list() || size->items().size() < 2 || size->items().size() > 3)
      fail_at(*size, path,
              "expected [rows, columns] or [slices, rows, columns] of the pictures, found " +
                  size->describe());
    lengths.clear();
    for (std::size_t i = 0; i < size->items().size(); ++i)
      lengths.push_back(static_cast<Ordinal>(
          integer_of(size->items()[i], path + "[" + std::to_string(i) + "]", 1, max_ordinal)));
  }
  if (lengths.size() == 2) lengths.insert(lengths.begin(), polar.slices);
  result.slices = lengths[0];
  result.size = {lengths[1], lengths[2]};
  result.pixel = 2 * polar.radius / std::min(lengths[1], lengths[2]);
  result.thickness = polar.height / lengths[0];
}

}  // namespace

bool is_cone_beam(const ConfigReader& problem) {
  const ConfigNode* geometry = problem.find("geometry");
  if (geometry == nullptr || !geometry->is_map()) return false;
  const ConfigNode* type = geometry->find("type");
  return type != nullptr && type->is_scalar() && type->scalar() == "cone_beam";
}

void read_cone_beam(const ConfigReader& problem, ProblemSection& result) {
  for (const char* key : {"matrix", "block_row"})
    problem.refuse_key(key, "and geometry.type: cone_beam are two system matrices; give one");
  problem.refuse_key("scanner", "and geometry.type: cone_beam are two scanners; give one");
  problem.refuse_key("projector",
                     "has no effect on a cone beam: an entry is the length of a ray in a voxel, "
                     "the mean over geometry.rays");
  problem.refuse_key("sinogram",
                     "is for views of a plane; the data of a cone beam, an array (v, u, view), "
                     "are problem.rhs");
  ConeBeamRows config;
  config.scan = read_scan(problem);
  const ConfigReader volume = problem.section("volume", {"polar", "size", "pixel", "thickness"});
  for (const char* key : {"pixel", "thickness"})
    volume.refuse_key(key, "follows from volume.polar: pictures show the whole cylinder");
  config.volume = read_polar(volume, config.scan.views);
  const auto check_key = [](const ConfigReader& reader, const char* key, const auto& check_it) {
    try {
      check_it();
    } catch (const Error& error) {
      reader.fail(key, error.what());
    }
  };
  check_key(volume, "polar", [&] { check(config.volume); });
  check_key(problem, "geometry", [&] { check(config.volume, config.scan); });
  read_box(volume, config.volume, result.volume);
  result.geometry = config;
  check_key(volume, "size", [&] { check(result.scanner_volume()); });
}

void read_solid_phantom(const ConfigReader& reader, std::string_view key, PhantomConfig& result) {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<SolidPhantomKind>::names) names.push_back(name);
  for (const auto& [kind, name] : EnumNames<PhantomKind>::names)
    if (is_made_of_ellipses(kind) && !from_string<SolidPhantomKind>(name)) names.push_back(name);
  const std::string name = reader.one_of(key, "shepp_logan", names);
  result.solid = from_string<SolidPhantomKind>(name);
  if (!result.solid) result.kind = *from_string<PhantomKind>(name);
}

void add_geometry(const ConeBeamRows& cone_beam, const ProblemSection& problem, ConfigNode& node) {
  const ConeBeamScan& scan = cone_beam.scan;
  const PolarVolume& polar = cone_beam.volume;
  ConfigNode cylinder = ConfigNode::map();
  cylinder.set("rings", ConfigNode::integer(polar.rings));
  cylinder.set("radius", ConfigNode::number(polar.radius));
  cylinder.set("slices", ConfigNode::integer(polar.slices));
  cylinder.set("height", ConfigNode::number(polar.height));
  cylinder.set("aspect", ConfigNode::number(polar.aspect));
  ConfigNode volume = ConfigNode::map();
  volume.set("polar", std::move(cylinder));
  volume.set("size", ConfigNode::integers(problem.volume.lengths()));
  node.set("volume", std::move(volume));

  ConfigNode geometry = ConfigNode::map();
  geometry.set("type", ConfigNode::text("cone_beam"));
  geometry.set("views", ConfigNode::integer(scan.views));
  geometry.set("detectors", ConfigNode::integers(scan.detectors));
  geometry.set("detector_width", ConfigNode::numbers(scan.detector_width));
  geometry.set("detector_offset", ConfigNode::numbers(scan.detector_offset));
  geometry.set("rays", ConfigNode::integer(scan.rays));
  geometry.set("source_to_origin", ConfigNode::number(scan.source_to_origin));
  geometry.set("origin_to_detector", ConfigNode::number(scan.origin_to_detector));
  node.set("geometry", std::move(geometry));
}

}  // namespace Tomokkos
