// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the volume, the geometry and the scanner of a tomography.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_NumberList.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <utility>

namespace Tomokkos {
namespace {

ConfigNode angle_node(const ConfigAngle& angle) { return ConfigNode::plain(angle.text); }

void describe_angle(Keys& key, const char* name, ConfigAngle& angle, const char* help) {
  key.value(
      name, "an angle: radians, or a number with a unit (180 deg, 3.1 rad, 0.5 turn)", help,
      [&angle, name](const ConfigReader& reader) {
        angle = read_angle(*reader.find(name), reader.path_of(name));
      },
      [&angle] { return angle_node(angle); });
}

/// Reads two or three whole numbers from 1. Their count is checked against the geometry later. If
/// two are given where three are needed, their values are not read.
std::vector<Ordinal> read_lengths(const ConfigReader& reader, const std::string& expected,
                                  bool must_be_three) {
  const ConfigNode& size = *reader.find("size");
  const std::string path = reader.path_of("size");
  if (!size.is_list() || size.items().size() < 2 || size.items().size() > 3)
    fail_at(size, path, "expected " + expected + ", found " + size.describe());
  if (must_be_three && size.items().size() == 2) return {1, 1};
  std::vector<Ordinal> lengths;
  for (std::size_t i = 0; i < size.items().size(); ++i)
    lengths.push_back(static_cast<Ordinal>(
        integer_of(size.items()[i], path + "[" + std::to_string(i) + "]", 1, max_ordinal)));
  return lengths;
}

/// Reads a list of two numbers.
std::array<double, 2> two_numbers(const ConfigReader& reader, const char* key, const char* names,
                                  const KeyRange& range) {
  const ConfigNode& node = *reader.find(key);
  const std::string path = reader.path_of(key);
  if (!node.is_list() || node.items().size() != 2)
    fail_at(node, path, "expected " + std::string(names) + ", found " + node.describe());
  return {number_of(node.items()[0], path + "[0]", range),
          number_of(node.items()[1], path + "[1]", range)};
}

void set_lengths(const std::vector<Ordinal>& lengths, VolumeConfig& volume) {
  volume.slices.reset();
  if (lengths.size() == 3) volume.slices = lengths[0];
  volume.size = {lengths[lengths.size() - 2], lengths.back()};
}

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

/// One number for squares, or height and width.
void describe_pixel(Keys& key, VolumeConfig& volume) {
  key.value(
      "pixel", "a number greater than 0, or [y, x]", "Side of a square pixel, or height and width.",
      [&volume](const ConfigReader& reader) {
        const ConfigNode& node = *reader.find("pixel");
        if (!node.is_list()) {
          volume.pixel = reader.number("pixel", 1.0, KeyRange::positive());
          volume.pixel_height.reset();
          return;
        }
        const auto sides = two_numbers(reader, "pixel", "[y, x]", KeyRange::positive());
        volume.pixel = sides[1];
        volume.pixel_height = sides[0];
      },
      [&volume] {
        return volume.pixel_height
                   ? ConfigNode::numbers(std::array{*volume.pixel_height, volume.pixel})
                   : ConfigNode::number(volume.pixel);
      });
}

void describe_center(Keys& key, VolumeConfig& volume) {
  key.value(
      "center", "[x, y]", "Centre of the image; [0, 0] is the axis of rotation.",
      [&volume](const ConfigReader& reader) {
        volume.center = two_numbers(reader, "center", "[x, y]", {});
      },
      [&volume] { return ConfigNode::numbers(volume.center); });
}

constexpr const char* geometry_types = "parallel_beam, fan_beam, cone_beam or vectors";
constexpr const char* geometry_type_help =
    "Shape of the beam, or source and detector of each view from a file; by default parallel.";

// Parallel and fan beams.

bool is_angles_file(const std::filesystem::path& file) {
  return lower_extension(file) == ".npy" || is_number_list(file);
}

/// Reads the name of a file, or `auto` for the angles in the HDF5 file of the data.
void read_angles_file(const ConfigReader& reader, std::string_view key, ScanConfig& scan) {
  const ConfigNode& node = *reader.find(key);
  if (node.is_scalar() && node.scalar() == "auto")
    scan.angles_from_data = true;
  else if (node.is_scalar() && is_angles_file(node.scalar()))
    scan.angles_file = reader.file(key);
  else
    reader.fail(key, "expected a .npy, .txt or .csv file or auto, found " + node.describe());
}

ConfigNode angles_file_node(const ScanConfig& scan) {
  return scan.angles_from_data ? ConfigNode::text("auto") : Impl::file_node(scan.angles_file);
}

void read_angles(const ConfigReader& reader, ScanConfig& scan) {
  const ConfigNode& angles = *reader.find("angles");
  const std::string path = reader.path_of("angles");
  if (angles.is_scalar() && (angles.scalar() == "auto" || is_angles_file(angles.scalar()))) {
    read_angles_file(reader, "angles", scan);
  } else if (angles.is_list() && !angles.items().empty()) {
    for (std::size_t i = 0; i < angles.items().size(); ++i)
      scan.angles.push_back(read_angle(angles.items()[i], path + "[" + std::to_string(i) + "]"));
  } else {
    fail_at(
        angles, path,
        "expected a list of angles, a .npy, .txt or .csv file, {file: FILE, unit: deg} or auto, "
        "found " +
            angles.describe());
  }
}

ConfigNode angles_node(const ScanConfig& scan) {
  if (scan.angles_unit) return ConfigNode::map(true);
  if (scan.angles_from_data || !scan.angles_file.empty()) return angles_file_node(scan);
  if (scan.angles.empty()) return {};
  ConfigNode list = ConfigNode::list();
  for (const ConfigAngle& angle : scan.angles) list.push_back(angle_node(angle));
  return list;
}

void describe_angles_section(Keys& key, ScanConfig& scan) {
  key.value(
      "file", "a .npy, .txt or .csv file or auto",
      "Angles of the views; auto: from the HDF5 file of the data.",
      [&](const ConfigReader& reader) { read_angles_file(reader, "file", scan); },
      [&] { return angles_file_node(scan); });
  key.required("deg or rad").optional_name("unit", scan.angles_unit, "", "Unit of the angles.");
}

/// Condition of keys of a scan that turns around the axis.
Keys& turning(Keys& key, const ScanConfig& scan) {
  return key.when(
      !scan.by_vectors, "no type: vectors",
      "has no effect on type: vectors, whose file has source and detector of each view");
}

void describe_angles(Keys& key, ScanConfig& scan) {
  turning(key, scan).section_or(
      "angles", "a list of angles, a .npy, .txt or .csv file, auto, or {file, unit}",
      "Angles of all views, instead of views, start and range; auto: from the HDF5 file.",
      [&](const ConfigReader& reader) { read_angles(reader, scan); },
      [&] { return angles_node(scan); }, [&](Keys& keys) { describe_angles_section(keys, scan); },
      true);
  const bool is_listed = scan.has_listed_angles() || scan.angles_unit;
  const auto counted = [&]() -> Keys& {
    if (scan.by_vectors) return turning(key, scan);
    return key.when(!is_listed, "no angles",
                    "and geometry.angles both set the angles; give one of the two");
  };
  counted().count_or_auto("views", scan.views, "Number of views; auto: as in the data.");
  describe_angle(counted(), "start", scan.start, "Angle of the first view.");
  describe_angle(counted(), "range", scan.range,
                 "Angle that the views divide evenly; its end is not a view.");
  turning(key, scan)
      .printed(scan.direction != AngleDirection::counterclockwise)
      .name(
          "direction", scan.direction,
          "Direction in which the angles count, those of a file too: clockwise turns their sign.");
}

void describe_center(Keys& key, ScanConfig& scan) {
  turning(key, scan).value(
      "rotation_center", "the index of a detector element, or auto",
      "Index, from 0, of the detector element onto which the rotation axis projects; auto: "
      "determined from the data.",
      [&](const ConfigReader& reader) {
        scan.find_rotation_center = is_auto(reader, "rotation_center");
        if (!scan.find_rotation_center)
          scan.rotation_center = reader.optional_number("rotation_center");
      },
      [&] {
        return scan.find_rotation_center ? ConfigNode::text("auto")
                                         : Impl::number_or_null(scan.rotation_center);
      });
  (scan.by_vectors
       ? turning(key, scan)
       : key.when(!scan.find_rotation_center && !scan.rotation_center, "no rotation_center",
                  "and rotation_center both set the centre; give one of the two"))
      .value(
          "detector_offset", "a number", "Shift of the detector in elements.",
          [&](const ConfigReader& reader) {
            scan.detector_offset = reader.optional_number("detector_offset");
          },
          [&] { return ConfigNode::number(scan.detector_offset.value_or(0)); });
}

void describe_geometry(Keys& key, ScanConfig& scan) {
  key.value(
      "type", geometry_types, geometry_type_help,
      [](const ConfigReader& reader) {
        reader.one_of("type", "", {"parallel_beam", "fan_beam", "cone_beam", "vectors"});
      },
      [&] { return scan.by_vectors ? ConfigNode::text("vectors") : Impl::name_of(scan.beam); });
  const auto vectors = [&](const char* hint) -> Keys& {
    return key.when(scan.by_vectors, "type: vectors", "belongs to type: vectors").required(hint);
  };
  vectors("parallel or fan")
      .value(
          "beam", "parallel or fan", "Meaning of the six numbers of a view.",
          [&scan](const ConfigReader& reader) {
            scan.beam = reader.one_of("beam", "", {"parallel", "fan"}) == "fan" ? Beam::fan
                                                                                : Beam::parallel;
          },
          [&scan] { return ConfigNode::text(scan.beam == Beam::fan ? "fan" : "parallel"); });
  vectors("a .npy file with six numbers for each view")
      .file("file", scan.vectors_file, "a .npy file",
            "Views x 6 numbers: direction of the rays or position of the source, centre of the "
            "detector, step from one element to the next.");
  describe_angles(key, scan);
  key.count_or_auto(
      "detectors", scan.detectors,
      "Number of detector elements; auto: as in the data, or enough to cover the image.");
  turning(key, scan).number("detector_width", scan.detector_width, KeyRange::positive(),
                            "Width of a detector element; along the arc if it is curved.");
  describe_center(key, scan);
  const auto of_fan = [&]() -> Keys& {
    if (scan.by_vectors) return turning(key, scan);
    return key.when(scan.beam == Beam::fan, "type: fan_beam",
                    "has no effect on a parallel beam; for a fan beam give type: fan_beam");
  };
  const auto fan = [&](const char* hint) -> Keys& { return of_fan().required(hint); };
  of_fan().name("detector_shape", scan.detector_shape,
                "Flat, or curved: an arc around the source, with elements at equal angles.");
  fan("the distance of the source from the axis of rotation")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  fan("the distance of the detector from the axis of rotation; 0: at the axis")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

/// The matrix defines the rays; only the shape of its data can be given.
void describe_geometry(Keys& key, MatrixFileConfig& file) {
  const auto none = [&](const char* name) {
    key.when(false, "no matrix from a file",
             "has no effect on a matrix from a file; only views and detectors do, as the shape of "
             "its data")
        .value(name, "", "", {}, {});
  };
  none("type");
  for (const auto& [name, count, help] :
       {std::tuple{"views", &file.views, "Number of views of the rows of the matrix."},
        std::tuple{"detectors", &file.detectors, "Number of rows of the matrix in each view."}})
    key.printed(count->has_value()).count_or_auto(name, *count, help);
  for (const char* name : {"start", "range", "angles", "direction", "detector_width",
                           "detector_offset", "rotation_center", "source_to_origin",
                           "origin_to_detector", "detector_shape", "beam", "file"})
    none(name);
}

void describe_geometry(Keys&, ScannerConfig&) {}

void describe_geometry(Keys& key, ConeBeamRows& cone) {
  constexpr const char* axes = "[along u, along v]";
  ConeBeamScan& scan = cone.scan;
  const auto none = [&](const char* name, const std::string& why) {
    key.when(false, "no cone beam", why).value(name, "", "", {}, {});
  };
  key.value(
      "type", geometry_types, geometry_type_help, [](const ConfigReader&) {},
      [] { return ConfigNode::text("cone_beam"); });
  for (const char* name : {"start", "range", "angles", "direction"})
    none(name, "has no effect on a cone beam, whose views divide a full turn evenly");
  none("detector_shape", "has no effect on a cone beam, whose detector is flat");
  for (const char* name : {"beam", "file"}) none(name, "belongs to type: vectors");
  none("rotation_center",
       "has no effect on a cone beam; give detector_offset: " + std::string(axes));
  key.required("the number of views in a full turn")
      .integer("views", scan.views, 1, max_ordinal,
               "Number of views, which divide a full turn evenly.");
  key.required("the number of detector elements, [along u, along v]")
      .pair("detectors", scan.detectors, axes, "Number of detector elements.");
  key.pair("detector_width", scan.detector_width, KeyRange::positive(), axes,
           "Width of a detector element.");
  key.pair("detector_offset", scan.detector_offset, {}, axes, "Shift of the detector in elements.");
  key.integer("rays", scan.rays, 1, max_cone_beam_rays,
              "Number of rays along each side of a detector element.");
  key.required("the distance of the source from the axis of rotation")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  key.required("the distance of the detector from the axis of rotation; 0: at the axis")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

// Scanners.

void read_layers(const ConfigReader& reader, std::vector<CrystalLayer>& layers) {
  const ConfigNode& node = *reader.find("layers");
  const std::string path = reader.path_of("layers");
  if (!node.is_list() || node.items().empty())
    fail_at(node, path, "expected a list of {radius, length}, found " + node.describe());
  layers.clear();
  for (std::size_t k = 0; k < node.items().size(); ++k) {
    const ConfigReader layer(node.items()[k], path + "[" + std::to_string(k) + "]",
                             {"radius", "length"});
    layer.require_key("radius", "the distance from the axis to the entrance faces of the crystals");
    layer.require_key("length", "the length of the crystals in the radial direction");
    layers.push_back({layer.number("radius", 0.0, KeyRange::positive()),
                      layer.number("length", 0.0, KeyRange::positive())});
  }
}

ConfigNode layers_node(const std::vector<CrystalLayer>& layers) {
  ConfigNode list = ConfigNode::list();
  for (const CrystalLayer& layer : layers) {
    ConfigNode entry = ConfigNode::map(true);
    entry.set("radius", ConfigNode::number(layer.radius));
    entry.set("length", ConfigNode::number(layer.length));
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

void describe_volume(Keys& key, ProblemSection& problem) {
  VolumeConfig& volume = problem.volume;
  auto* const cone = std::get_if<ConeBeamRows>(&problem.geometry);
  const bool is_pet = problem.as<ScannerConfig>() != nullptr;
  const bool is_read = problem.traits().is_read;
  if (cone)
    key.required("the {rings, radius, slices, height} of a cylinder in polar voxels")
        .section(
            "polar", [cone](Keys& keys) { describe(keys, cone->volume); },
            "Cylinder of polar voxels to reconstruct.");
  const std::string form = is_pet            ? "[slices, rows, columns]"
                           : cone || is_read ? "[rows, columns] or [slices, rows, columns]"
                                             : "[rows, columns]";
  if (!volume.size && problem.as<ScanConfig>())
    key.required("[rows, columns] of the image, for example [256, 256]");
  key.printed(volume.size.has_value())
      .value(
          "size", form,
          cone ? "Size of the pictures around the cylinder in pixels."
               : "Size of the image in pixels, or of the volume in voxels.",
          [=, &volume](const ConfigReader& reader) {
            set_lengths(read_lengths(reader, form, is_pet), volume);
          },
          [&volume] {
            return volume.size ? ConfigNode::integers(volume.lengths()) : ConfigNode();
          });
  const std::string follows =
      "has no effect on a cone beam: it follows from volume.polar, since pictures show the whole "
      "cylinder";
  const auto pixels = [&]() -> Keys& {
    return key.when(!is_read && !cone, "a geometry of pixels",
                    cone ? follows : "has no effect on a matrix from a file (problem.matrix)");
  };
  if (problem.as<ScanConfig>()) {
    describe_pixel(pixels(), volume);
    describe_center(key, volume);
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

void describe_geometry(Keys& key, GeometryConfig& geometry) {
  std::visit([&](auto& kind) { describe_geometry(key, kind); }, geometry);
}

void describe_scanner(Keys& key, ScannerConfig& config) {
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
      [&](const ConfigReader& reader) {
        config.first_module =
            read_angle(*reader.find("first_module"), reader.path_of("first_module"));
        scanner.first_module = config.first_module.angle;
      },
      [&] { return angle_node(config.first_module); });
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
      .value(
          "layers", "a list of {radius, length}",
          "Layers of crystals: radius is the distance of their entrance faces from the axis, "
          "length their radial length.",
          [&](const ConfigReader& reader) { read_layers(reader, scanner.layers); },
          [&] { return layers_node(scanner.layers); });
  key.integer("rays", scanner.rays, 1, max_ordinal,
              "Number of rays for each pair of crystals: 1, or a multiple of 8.");
  key.printed(scanner.field_of_view.has_value())
      .optional_number("field_of_view", scanner.field_of_view, KeyRange::positive(),
                       "Radius around the axis beyond which rays are ignored.");
}

std::vector<std::string_view> geometry_keys(const ProblemSection& problem) {
  GeometryConfig geometry = problem.geometry;
  Impl::NameKeys keys;
  describe_geometry(keys, geometry);
  return keys.names;
}

ScanConfig default_scan(Beam beam) {
  ScanConfig scan;
  scan.beam = beam;
  const char* const range = beam == Beam::fan ? "360 deg" : "180 deg";
  scan.range = {range, Angle::parse(range)};
  return scan;
}

GeometryConfig default_geometry(const ConfigReader& problem) {
  // Returns the text of \p key in \p section, or of \p section itself if it is given as a name.
  const auto text_at = [&](const char* section, const char* key) -> std::string {
    const ConfigNode* node = problem.find(section);
    if (node && node->is_map()) node = node->find(key);
    return node && node->is_scalar() ? node->scalar() : "";
  };
  if (problem.has("scanner")) {
    ScannerConfig scanner;
    scanner.kind = from_string<ScannerKind>(text_at("scanner", "kind")).value_or(scanner.kind);
    scanner.scanner = make_scanner(scanner.kind);
    return scanner;
  }
  const std::string type = text_at("geometry", "type");
  if (type == "cone_beam") {
    ConeBeamRows cone;
    cone.scan.detector_width = {1, 1};
    return cone;
  }
  if (problem.has("block_row")) return BlockRowConfig{};
  if (problem.has("matrix")) return MatrixFileConfig{};
  if (type == "vectors") {
    const ConfigNode* const beam = problem.find("geometry")->find("beam");
    const bool is_fan = beam && beam->is_scalar() && beam->scalar() == "fan";
    ScanConfig scan = default_scan(is_fan ? Beam::fan : Beam::parallel);
    scan.by_vectors = true;
    return scan;
  }
  return default_scan(from_string<Beam>(type).value_or(Beam::parallel));
}

}  // namespace Tomokkos
