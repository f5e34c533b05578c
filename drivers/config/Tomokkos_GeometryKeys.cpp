// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the geometries of a tomography. Everything that the configuration asks a geometry
// about its keys is here.
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_NumberList.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <tuple>

namespace Tomokkos {
namespace {

ConfigNode angle_node(const ConfigAngle& angle) { return ConfigNode::plain(angle.text); }

void describe_angle(Keys& key, const char* name, ConfigAngle& angle, const char* help) {
  key.value(name, angle, "an angle: radians, or a number with a unit (180 deg, 3.1 rad, 0.5 turn)",
            help, read_angle, angle_node);
}

const std::vector<std::string_view> geometry_types{"parallel_beam", "fan_beam", "cone_beam",
                                                   "vectors", "rays"};

/// Describes the key `type`, whose value is read by `default_geometry` already.
void describe_type(Keys& key, std::string_view type) {
  key.value(
      "type", join_names(geometry_types),
      "Shape of the beam, or the positions of all views or rays from a file; by default parallel.",
      [](const ConfigNode& node, const std::string& path) { one_of(node, path, geometry_types); },
      [type] { return ConfigNode::text(std::string(type)); });
}

/// Keys of a scan that rays from a file do not have.
constexpr std::initializer_list<const char*> keys_of_turning{"start",
                                                             "range",
                                                             "angles",
                                                             "direction",
                                                             "detector_width",
                                                             "detector_offset",
                                                             "rotation_center",
                                                             "source_to_origin",
                                                             "origin_to_detector",
                                                             "detector_shape",
                                                             "beam"};

/// Refuses keys that belong to other geometries.
void refuse(Keys& key, std::initializer_list<const char*> names, const char* condition,
            const std::string& refusal) {
  for (const char* name : names) key.when(false, condition, refusal).value(name, "", "", {}, {});
}

// Parallel and fan beams.

bool is_angles_file(const std::filesystem::path& file) {
  return lower_extension(file) == ".npy" || is_number_list(file);
}

/// Reads the name of a file, or `auto` for the angles in the HDF5 file of the data.
void read_angles_file(const ConfigNode& node, const std::string& path, ScanConfig& scan) {
  if (is_auto(node))
    scan.angles_from_data = true;
  else if (node.is_scalar() && is_angles_file(node.scalar()))
    scan.angles_file = file_of(node, path);
  else
    fail_at(node, path, "expected a .npy, .txt or .csv file or auto, found " + node.describe());
}

ConfigNode angles_file_node(const ScanConfig& scan) {
  return scan.angles_from_data ? ConfigNode::text("auto") : Impl::file_node(scan.angles_file);
}

void read_angles(const ConfigNode& angles, const std::string& path, ScanConfig& scan) {
  if (angles.is_scalar() && (is_auto(angles) || is_angles_file(angles.scalar()))) {
    read_angles_file(angles, path, scan);
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
      [&](const ConfigNode& node, const std::string& path) { read_angles_file(node, path, scan); },
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
  key.identity(Identity::run);
  turning(key, scan).section_or(
      "angles", "a list of angles, a .npy, .txt or .csv file, auto, or {file, unit}",
      "Angles of all views, instead of views, start and range; auto: from the HDF5 file.",
      [&](const ConfigNode& node, const std::string& path) { read_angles(node, path, scan); },
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
      [&](const ConfigNode& node, const std::string& path) {
        scan.find_rotation_center = is_auto(node);
        if (!scan.find_rotation_center) scan.numbers.rotation_center = number_of(node, path);
      },
      [&] {
        return scan.find_rotation_center ? ConfigNode::text("auto")
                                         : Impl::number_or_null(scan.numbers.rotation_center);
      });
  (scan.by_vectors
       ? turning(key, scan)
       : key.when(!scan.find_rotation_center && !scan.numbers.rotation_center, "no rotation_center",
                  "and rotation_center both set the centre; give one of the two"))
      .value("detector_offset", scan.numbers.detector_offset, "a number",
             "Shift of the detector in elements.", Impl::number_parser(),
             [](std::optional<double> offset) { return ConfigNode::number(offset.value_or(0)); });
}

/// Describes the distances of a scan with a source. \p next begins a key.
template <class Scan>
void describe_distances(const std::function<Keys&()>& next, Scan& scan) {
  next()
      .required("the distance of the source from the axis of rotation")
      .number("source_to_origin", scan.source_to_origin, KeyRange::positive(),
              "Distance of the source from the axis of rotation.");
  next()
      .required("the distance of the detector from the axis of rotation; 0: at the axis")
      .number("origin_to_detector", scan.origin_to_detector, KeyRange::not_negative(),
              "Distance of the detector from the axis of rotation.");
}

void describe_geometry(Keys& key, ScanConfig& scan) {
  ScanGeometry& numbers = scan.numbers;
  describe_type(key, scan.by_vectors ? "vectors" : to_string(scan.numbers.beam));
  const auto vectors = [&](const char* hint) -> Keys& {
    return key.when(scan.by_vectors, "type: vectors", "belongs to type: vectors").required(hint);
  };
  vectors("parallel or fan")
      .value(
          "beam", numbers.beam, "parallel or fan", "Meaning of the six numbers of a view.",
          [](const ConfigNode& node, const std::string& path) {
            return one_of(node, path, {"parallel", "fan"}) == "fan" ? Beam::fan : Beam::parallel;
          },
          [](Beam beam) { return ConfigNode::text(beam == Beam::fan ? "fan" : "parallel"); });
  key.identity(Identity::run);
  vectors("a .npy file with six numbers for each view")
      .file("file", scan.vectors_file, "a .npy file",
            "Views x 6 numbers: direction of the rays or position of the source, centre of the "
            "detector, step from one element to the next.");
  describe_angles(key, scan);
  key.count_or_auto(
      "detectors", scan.detectors,
      "Number of detector elements; auto: as in the data, or enough to cover the image.");
  turning(key, scan).number("detector_width", numbers.detector_width, KeyRange::positive(),
                            "Width of a detector element; along the arc if it is curved.");
  describe_center(key, scan);
  const auto of_fan = [&]() -> Keys& {
    if (scan.by_vectors) return turning(key, scan);
    return key.when(numbers.beam == Beam::fan, "type: fan_beam",
                    "has no effect on a parallel beam; for a fan beam give type: fan_beam");
  };
  of_fan().name("detector_shape", numbers.detector_shape,
                "Flat, or curved: an arc around the source, with elements at equal angles.");
  describe_distances(of_fan, numbers);
}

/// The matrix defines the rays; only the shape of its data can be given.
void describe_geometry(Keys& key, MatrixFileConfig& file) {
  constexpr const char* no_file = "no matrix from a file";
  constexpr const char* refusal =
      "has no effect on a matrix from a file; only views and detectors do, as the shape of its "
      "data";
  refuse(key, {"type"}, no_file, refusal);
  for (const auto& [name, count, help] :
       {std::tuple{"views", &file.views, "Number of views of the rows of the matrix."},
        std::tuple{"detectors", &file.detectors, "Number of rows of the matrix in each view."}})
    key.printed(count->has_value()).count_or_auto(name, *count, help);
  refuse(key, keys_of_turning, no_file, refusal);
  refuse(key, {"file"}, no_file, refusal);
}

void describe_geometry(Keys&, ScannerConfig&) {}

void describe_geometry(Keys& key, ConeBeamRows& cone) {
  constexpr const char* axes = "[along u, along v]";
  ConeBeamScan& scan = cone.scan;
  constexpr const char* no_cone = "no cone beam";
  describe_type(key, "cone_beam");
  refuse(key, {"start", "range", "angles", "direction"}, no_cone,
         "has no effect on a cone beam, whose views divide a full turn evenly");
  refuse(key, {"detector_shape"}, no_cone, "has no effect on a cone beam, whose detector is flat");
  refuse(key, {"beam", "file"}, no_cone, "belongs to type: vectors");
  refuse(key, {"rotation_center"}, no_cone,
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
  describe_distances([&]() -> Keys& { return key; }, scan);
}

void describe_geometry(Keys& key, RaysConfig& rays) {
  describe_type(key, "rays");
  key.required("a .npy file with both ends of each ray")
      .file("file", rays.file, "a .npy file",
            "Rays x 4 numbers: x and y of the start, x and y of the end of each ray.");
  key.integer(
      "views", rays.views, 1, max_ordinal,
      "Number of equal parts of the rays, in the order of the file, that are used as views.");
  const std::string refusal = "has no effect on type: rays, whose file has both ends of each ray";
  refuse(key, keys_of_turning, "no type: rays", refusal);
  refuse(key, {"detectors"}, "no type: rays", refusal);
}

/// Geometry of a `type`, with its defaults. An unknown type is refused later.
GeometryConfig geometry_of(std::string_view type, bool is_fan = false) {
  if (type == "cone_beam") {
    ConeBeamRows cone;
    cone.scan.detector_width = {1, 1};
    return cone;
  }
  if (type == "rays") return RaysConfig{};
  ScanConfig scan;
  scan.by_vectors = type == "vectors";
  scan.numbers.beam = is_fan || type == "fan_beam" ? Beam::fan : Beam::parallel;
  const char* const range = scan.numbers.beam == Beam::fan ? "360 deg" : "180 deg";
  scan.range = {range, Angle::parse(range)};
  return scan;
}

}  // namespace

void describe(Keys& key, GeometryConfig& geometry) {
  std::visit([&](auto& kind) { describe_geometry(key, kind); }, geometry);
}

std::string why_no_projector(const ProblemSection& problem) {
  if (problem.as<ScannerConfig>())
    return "has no effect on a PET scanner (problem.scanner), whose rays connect its crystals";
  if (problem.as<ConeBeamRows>())
    return "has no effect on a cone beam: an entry is the mean length of the geometry.rays in a "
           "voxel";
  if (problem.as<RaysConfig>())
    return "has no effect on type: rays: an entry is the length of the ray in the pixel";
  return std::string("has no effect on a matrix from a file (problem.") +
         (problem.traits().is_circulant ? "block_row)" : "matrix)");
}

void check_geometry_type(const ConfigReader& geometry) {
  geometry.one_of("type", "parallel_beam", geometry_types);
}

std::vector<GeometryExample> geometry_examples() {
  constexpr const char* type = "problem.geometry.type";
  return {{type, "parallel_beam", geometry_of("parallel_beam"),
           "  volume: {size: [256, 256]}\n  geometry: {type: parallel_beam, views: 180, detectors: "
           "364}\n  phantom: shepp_logan\n  noise: {type: poisson, counts: 1e5}\n"},
          {type, "fan_beam", geometry_of("fan_beam"),
           "  volume: {size: [256, 256]}\n  geometry:\n    type: fan_beam\n    views: 360\n    "
           "source_to_origin: 600\n    origin_to_detector: 400\n  sinogram: scan.npy\n"},
          {type, "vectors", geometry_of("vectors"),
           "  volume: {size: [256, 256], pixel: 0.5, center: [10, 0]}\n  geometry: {type: vectors, "
           "beam: fan, file: vectors.npy}\n  sinogram: scan.npy\n"},
          {type, "rays", geometry_of("rays"),
           "  volume: {size: [64, 64]}\n  geometry: {type: rays, file: rays.npy}\n  rhs: b.npy\n"},
          {type, "cone_beam", geometry_of("cone_beam"),
           "  volume:\n    polar: {rings: 60, radius: 37, slices: 40, height: 45}\n  geometry:\n   "
           " type: cone_beam\n    views: 90\n    detectors: [128, 64]\n    source_to_origin: 200\n "
           "   origin_to_detector: 80\n  phantom: shepp_logan\n"},
          {"problem.matrix", "", MatrixFileConfig(),
           "  matrix: A.mtx\n  volume: {size: [64, 64]}\n  geometry: {views: 90, detectors: 91}\n  "
           "rhs: b.npy\n"},
          {"problem.block_row", "", BlockRowConfig(), "  block_row: row.npz\n  rhs: b.npy\n"},
          {"problem.scanner", "", ScannerConfig(),
           "  scanner: madpet2_small\n  rhs: counts.raw\n  rhs_type: int32\n"}};
}

GeometryConfig default_geometry(const ConfigReader& root) {
  // Returns the text of \p key in \p section, or of \p section itself if it is given as a name.
  const auto text_at = [&](const std::string& section, const char* key) {
    const std::string name = root.text_at(section);
    return name.empty() ? root.text_at(section + "." + key) : name;
  };
  if (root.given("problem.scanner")) {
    ScannerConfig scanner;
    const std::string kind = text_at("problem.scanner", "kind");
    scanner.kind = from_string<ScannerKind>(kind).value_or(scanner.kind);
    scanner.scanner = make_scanner(scanner.kind);
    return scanner;
  }
  const std::string type = text_at("problem.geometry", "type");
  if (root.given("problem.block_row") && type != "cone_beam") return BlockRowConfig{};
  if (root.given("problem.matrix") && type != "cone_beam") return MatrixFileConfig{};
  return geometry_of(type, type == "vectors" && text_at("problem.geometry", "beam") == "fan");
}

}  // namespace Tomokkos
