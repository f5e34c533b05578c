// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

namespace Tomokkos {

namespace {

ConfigAngle read_angle(const ConfigReader& reader, std::string_view key, const char* fallback) {
  if (const ConfigNode* node = reader.find(key)) return read_angle(*node, reader.path_of(key));
  return {fallback, Angle::parse(fallback)};
}

// A `.npy` file, or `auto`: the angles of the HDF5 file of the data.
void read_angles_file(const ConfigNode& node, const std::string& path, bool has_theta,
                      ScanConfig& result) {
  if (node.is_scalar() && node.scalar() == "auto") {
    if (!has_theta) fail_at(node, path, "auto needs an HDF5 file as problem.sinogram");
    result.angles_from_data = true;
  } else if (node.is_scalar() && node.scalar().ends_with(".npy")) {
    result.angles_file = file_of(node, path);
  } else {
    fail_at(node, path, "expected a .npy file or auto, found " + node.describe());
  }
}

std::optional<Ordinal> read_views(const ConfigReader& reader, bool measured) {
  if (is_auto(reader, "views")) {
    if (!measured)
      reader.fail("views", "auto needs measured data (problem.sinogram), whose views are counted");
    return std::nullopt;
  }
  if (!reader.has("views")) return std::nullopt;
  return static_cast<Ordinal>(reader.integer("views", 1, 1, max_ordinal));
}

void read_angles(const ConfigReader& reader, const std::optional<SinogramConfig>& data,
                 ScanConfig& result) {
  const bool has_theta = data && data->is_hdf5();
  result.start = read_angle(reader, "start", "0");
  result.range = read_angle(reader, "range", result.beam == Beam::fan ? "360 deg" : "180 deg");
  if (result.range.angle.in_radians() == 0.0)
    reader.fail("range", "all views would be at the same angle");
  result.views = read_views(reader, data.has_value());

  const ConfigNode* angles = reader.find("angles");
  if (!angles) {
    result.angles_from_data =
        has_theta && !reader.has("views") && !reader.has("start") && !reader.has("range");
    return;
  }
  for (const char* key : {"views", "start", "range"})
    if (!is_auto(reader, key))
      reader.refuse_key(key, "angles are listed already (geometry.angles); give one of the two");
  const std::string path = reader.path_of("angles");
  if (angles->is_map()) {
    const ConfigReader section = reader.section("angles", {"file", "unit"});
    const ConfigNode* file = section.find("file");
    if (file == nullptr && !has_theta)
      section.fail("file", "is required: a .npy file of the angles");
    if (file != nullptr)
      read_angles_file(*file, section.path_of("file"), has_theta, result);
    else
      result.angles_from_data = true;
    section.require_key("unit", "deg or rad");
    result.angles_unit = section.choice("unit", AngleUnit::radians);
  } else if (angles->is_scalar() &&
             (angles->scalar() == "auto" || angles->scalar().ends_with(".npy"))) {
    read_angles_file(*angles, path, has_theta, result);
  } else if (angles->is_list() && !angles->items().empty()) {
    for (std::size_t i = 0; i < angles->items().size(); ++i)
      result.angles.push_back(read_angle(angles->items()[i], path + "[" + std::to_string(i) + "]"));
  } else {
    fail_at(*angles, path,
            "expected a list of angles, a .npy file, {file: FILE.npy, unit: deg} or auto, found " +
                angles->describe());
  }
}

ConfigReader geometry_section(const ConfigReader& problem) {
  return problem.section(
      "geometry", {"type", "views", "start", "range", "angles", "detectors", "detector_width",
                   "detector_offset", "rotation_center", "source_to_origin", "origin_to_detector"});
}

std::optional<Ordinal> read_detectors(const ConfigReader& reader) {
  if (is_auto(reader, "detectors") || !reader.has("detectors")) return std::nullopt;
  return static_cast<Ordinal>(reader.integer("detectors", 1, 1, max_ordinal));
}

/// The rays are those of the matrix; only the shape of its data is left to say.
void read_file_geometry(const ConfigReader& problem, MatrixFileConfig& result) {
  const ConfigReader reader = geometry_section(problem);
  for (const char* key : {"type", "start", "range", "angles", "detector_width", "detector_offset",
                          "rotation_center", "source_to_origin", "origin_to_detector"})
    reader.refuse_key(key,
                      "has no effect on a matrix from a file; only views "
                      "and detectors, the shape of its data, do");
  result.views = read_views(reader, false);
  result.detectors = read_detectors(reader);
  if (result.views.has_value() != result.detectors.has_value())
    reader.fail(result.views ? "views" : "detectors",
                "views and detectors are needed both, or none of them");
}

ScanConfig read_scan(const ConfigReader& problem, const std::optional<SinogramConfig>& sinogram) {
  const ConfigReader reader = geometry_section(problem);
  ScanConfig result;
  const bool measured = sinogram.has_value();
  // The last one has a reader of its own.
  result.beam = *from_string<Beam>(
      reader.one_of("type", "parallel_beam", {"parallel_beam", "fan_beam", "cone_beam"}));
  read_angles(reader, sinogram, result);
  if (!measured && !result.has_listed_angles())
    reader.require_key("views", "their number (or a list, geometry.angles)");
  result.detectors = read_detectors(reader);
  result.detector_width = reader.number("detector_width", 1.0, NumberRange::positive());
  result.detector_offset = reader.optional_number("detector_offset");
  result.find_rotation_center = is_auto(reader, "rotation_center");
  if (result.find_rotation_center) {
    if (!measured)
      reader.fail("rotation_center",
                  "auto needs measured data (problem.sinogram); give the index of the detector "
                  "element instead");
  } else {
    result.rotation_center = reader.optional_number("rotation_center");
  }
  if (reader.has("rotation_center"))
    reader.refuse_key("detector_offset", "rotation_center is given, too; give one of the two");

  if (result.beam == Beam::fan) {
    reader.require_key("source_to_origin", "a fan beam has a source");
    reader.require_key("origin_to_detector", "0 puts the detector at the origin");
    result.source_to_origin = reader.number("source_to_origin", 0.0, NumberRange::positive());
    result.origin_to_detector =
        reader.number("origin_to_detector", 0.0, NumberRange::not_negative());
  } else {
    for (const char* key : {"source_to_origin", "origin_to_detector"})
      reader.refuse_key(key, "has no effect on a parallel beam; for a fan: type: fan_beam");
  }
  return result;
}

void check_rays(const ConfigReader& problem, const ScanConfig& geometry) {
  const long long views = geometry.listed_views();
  const long long rays = views * geometry.detectors.value_or(1);
  if (rays > max_ordinal)
    problem.fail("geometry", std::to_string(views) + " views of " +
                                 std::to_string(geometry.detectors.value_or(1)) +
                                 " detectors are " + std::to_string(rays) +
                                 " rows of the system matrix, more than its index type holds (" +
                                 std::to_string(max_ordinal) + "); the data alone would take " +
                                 describe_bytes(4ULL * static_cast<unsigned long long>(rays)) +
                                 " in single precision");
}

void check_scanner(const ConfigReader& problem, const VolumeGeometry3D& volume,
                   const RingScanner& scanner) {
  try {
    check(volume, scanner);
  } catch (const Error& error) {
    problem.fail("scanner", error.what());
  }
}

SinogramConfig read_sinogram(const ConfigReader& problem) {
  SinogramConfig result;
  if (problem.find("sinogram")->is_scalar()) {
    result.file = problem.file("sinogram");
  } else {
    const ConfigReader reader =
        problem.section("sinogram", {"file", "slice", "flat", "dark", "negative"});
    reader.require_key("file", "a .npy file (views x detectors) or an HDF5 file (DXchange)");
    result.file = reader.file("file");
    result.slice = static_cast<Ordinal>(reader.integer("slice", 0, 0, max_ordinal));
    const ConfigNode* flat = reader.find("flat");
    result.is_line_integrals = flat && flat->is_scalar() && flat->scalar() == "none";
    if (result.is_line_integrals) {
      if (!is_auto(reader, "dark"))
        reader.refuse_key("dark",
                          "has no effect with flat: none, which takes the data as line integrals");
    } else if (!is_auto(reader, "flat")) {
      result.flat = reader.file("flat");
    }
    if (!is_auto(reader, "dark")) result.dark = reader.file("dark");
    for (const auto& [key, file] : {std::pair{"flat", &result.flat}, {"dark", &result.dark}})
      if (!file->empty() && file->extension() != ".npy")
        reader.fail(key, std::string("expected a .npy file, auto (the fields of the HDF5 file)") +
                             (key == std::string("flat") ? " or none (line integrals)" : ""));
    if (result.flat.empty() && !result.is_hdf5() && !result.dark.empty())
      reader.fail("dark", "has no effect without flat");
    result.negative = reader.choice("negative", result.negative);
  }
  if (!result.is_hdf5() && result.file.extension() != ".npy")
    problem.fail("sinogram", result.file.string() +
                                 ": expected a .npy file (views x detectors) or an HDF5 file "
                                 "(.h5, .hdf5, .hdf, .nxs)");
  return result;
}

// `all`, a number, or [first, count].
void read_slices(const ConfigReader& problem, ProblemSection& result) {
  const ConfigNode* node = problem.find("slices");
  if (!node) return;
  if (result.volume.slices)
    problem.fail("slices", "are slices that are solved independently; a volume is solved whole");
  if (!result.rhs.empty())
    problem.fail("slices",
                 "stacks are of problem.sinogram or problem.phantom; problem.rhs is one vector");
  const std::string path = problem.path_of("slices");
  SlicesConfig slices;
  if (node->is_scalar() && node->scalar() == "all") {
    slices.all = true;
  } else if (node->is_list() && node->items().size() == 2) {
    slices.first = static_cast<Ordinal>(integer_of(node->items()[0], path + "[0]", 0, max_ordinal));
    slices.count = static_cast<Ordinal>(integer_of(node->items()[1], path + "[1]", 1, max_ordinal));
  } else if (node->is_scalar() && as_number(*node)) {
    slices.count = static_cast<Ordinal>(integer_of(*node, path, 1, max_ordinal));
  } else {
    fail_at(*node, path,
            "expected all, a number of slices, or [first, count]; found " + node->describe());
  }
  if (result.phantom && result.phantom->file.empty() && (slices.all || node->is_list()))
    fail_at(*node, path,
            "a phantom has one slice; give the number of copies, each with noise of its own");
  if (const ConfigNode* sinogram = problem.find("sinogram"); sinogram && sinogram->is_map())
    if (const ConfigNode* slice = sinogram->find("slice"))
      fail_at(*slice, problem.path_of("sinogram") + ".slice",
              "has no effect beside problem.slices, which says which slices are read");
  slices.position = node->position;
  result.slices = slices;
}

void read_masks(const ConfigReader& problem, ProblemSection& result) {
  result.mask = problem.file("mask");
  if (!result.mask.empty()) result.mask_position = problem.find("mask")->position;
  result.ray_mask = problem.file("ray_mask");
  for (const auto& [key, file] :
       {std::pair{"mask", &result.mask}, {"ray_mask", &result.ray_mask}}) {
    if (file->empty()) continue;
    if (file->extension() != ".npy")
      problem.fail(key, file->string() + ": expected a .npy file of numbers, not 0 is kept");
    if (result.traits().is_circulant)
      problem.fail(key,
                   "a block-circulant matrix (problem.block_row, cone_beam) is one whole: no "
                   "rows or columns of it can be left out");
  }
  if (!result.mask.empty() && !result.volume.size)
    problem.fail("mask",
                 "the matrix is from a file: problem.volume.size must say how the pixels lie");
  if (!result.ray_mask.empty() && result.has_unknown_rows())
    problem.fail("ray_mask",
                 "the matrix is from a file: problem.geometry.views and detectors must say how "
                 "the rays lie");
}

NoiseConfig read_noise(const ConfigReader& problem, const ProblemSection& so_far) {
  NoiseConfig result;
  const ConfigReader reader = problem.section("noise", names_of_keys(result));
  if (reader.choice("type", NoiseKind::none) != NoiseKind::none && !so_far.phantom)
    reader.fail("type",
                "noise is added to the data of a phantom (problem.phantom), not to "
                "measured ones");
  read_keys(reader, result);
  return result;
}

/// Tells the kinds of geometry apart, and reads those that nothing else must be known for.
void read_kind(const ConfigReader& problem, ProblemSection& result) {
  result.geometry = ScanConfig{};
  result.matrix = problem.file("matrix");
  if (!result.matrix.empty()) {
    if (!is_matrix_file(result.matrix))
      problem.fail("matrix", result.matrix.string() + ": the extension is not that of a matrix; " +
                                 "allowed are " + matrix_file_extensions);
    problem.refuse_key("projector", "has no effect on a matrix from a file (problem.matrix)");
    result.geometry = MatrixFileConfig{};
  }
  read_block_row(problem, result);
  if (problem.has("scanner")) {
    problem.refuse_key("matrix", "and problem.scanner are two system matrices; give one");
    problem.refuse_key("block_row", "and problem.scanner are two system matrices; give one");
    for (const char* key : {"geometry", "projector"})
      problem.refuse_key(key,
                         "has no effect on a PET scanner (problem.scanner), whose rays run "
                         "between its crystals");
    result.geometry = read_scanner(problem);
  }
  if (is_cone_beam(problem)) read_cone_beam(problem, result);
}

/// Where the data come from: one of `sinogram`, `rhs` and the phantom, which is known.
void read_sources(const ConfigReader& root, const ConfigReader& problem, ConfigUse use,
                  ProblemSection& result) {
  if (problem.has("sinogram")) {
    for (const char* key : {"matrix", "block_row"})
      problem.refuse_key(key,
                         "problem.sinogram is for matrices of a geometry; the data of a "
                         "matrix from a file are problem.rhs");
    problem.refuse_key("scanner",
                       "problem.sinogram is for views and detectors; the data of a scanner, a "
                       "number for each pair of its crystals, are problem.rhs");
    result.sinogram = read_sinogram(problem);
  }
  result.rhs = problem.file("rhs");
  result.rhs_type = problem.choice("rhs_type", result.rhs_type);
  if (!result.rhs_is_raw())
    problem.refuse_key("rhs_type", "is the type of the numbers in a raw file as problem.rhs");
  const bool has_sinogram = result.as<ScanConfig>() != nullptr;
  if (!result.rhs.empty() && has_sinogram)
    problem.fail("rhs",
                 "belongs to a matrix from a file (problem.matrix, block_row) or to a scanner "
                 "(problem.scanner); measured data of a geometry are problem.sinogram");
  const int sources =
      (result.phantom ? 1 : 0) + (result.sinogram ? 1 : 0) + (result.rhs.empty() ? 0 : 1);
  if (sources > 1)
    root.fail("problem", "phantom, sinogram and rhs are three sources of data; give one");
  if (sources == 0 && use == ConfigUse::run)
    root.fail("problem", has_sinogram ? "no data: give problem.phantom or problem.sinogram"
                                      : "no data: give problem.rhs (or problem.phantom)");
}

// Reads what is left of each geometry, and the volume that belongs to it.
void read_rest(const ConfigReader& problem, ProblemSection& result, ScanConfig& scan) {
  scan = read_scan(problem, result.sinogram);
  read_volume(problem, result);
  check_rays(problem, scan);
  scan.projector = problem.choice("projector", scan.projector);
}

void read_rest(const ConfigReader& problem, ProblemSection& result, MatrixFileConfig& file) {
  read_file_geometry(problem, file);
  read_volume(problem, result);
}

void read_rest(const ConfigReader& problem, ProblemSection& result, ScannerConfig& scanner) {
  read_volume(problem, result);
  check_scanner(problem, result.scanner_volume(), scanner.scanner);
}

void read_rest(const ConfigReader& /*problem*/, ProblemSection& /*result*/, ConeBeamRows&) {}

void read_data(const ConfigReader& problem, ProblemSection& result) {
  result.data = problem.choice("data", result.data);
  if (result.data != DataSource::analytic) return;
  if (result.phantom && !result.phantom->file.empty())
    problem.fail("data",
                 "analytic needs a phantom made of ellipses; an image from a file is projected by "
                 "the matrix");
  if (!result.phantom || !is_made_of_ellipses(result.phantom->kind))
    problem.fail("data", "analytic needs a phantom made of ellipses");
  if (result.traits().is_read)
    problem.fail("data", "analytic needs a geometry, not a matrix from a file");
  if (!result.traits().has_views)
    problem.fail("data", "analytic needs a geometry of views and detectors in a plane");
}

}  // namespace

ConfigAngle read_angle(const ConfigNode& node, const std::string& path) {
  ConfigAngle result;
  result.text = string_of(node, path);
  try {
    // Turns are exact decimal degrees.
    std::string_view text = result.text;
    const std::size_t unit = text.find("turn");
    if (unit != std::string_view::npos && unit + 4 == text.size()) {
      text = text.substr(0, unit);
      while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
      double turns = 0.0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), turns);
      if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(turns))
        throw ConfigError("\"" + result.text + "\" is not an angle");
      result.angle = Angle::degrees(360.0 * turns);
    } else {
      result.angle = Angle::parse(text);
      result.has_unit = !as_number(node);
    }
  } catch (const Error& error) {
    fail_at(node, path,
            "expected an angle: radians, or a number with a unit (180 deg, 3.1 rad, 0.5 turn); " +
                std::string(error.what()));
  }
  return result;
}

bool is_auto(const ConfigReader& reader, std::string_view key) {
  const ConfigNode* node = reader.find(key);
  return node && node->is_scalar() && node->scalar() == "auto";
}

std::optional<Ordinal> ProblemSection::views() const {
  return std::visit(
      [](const auto& kind) -> std::optional<Ordinal> {
        if constexpr (requires { kind.views; }) return kind.views;
        return std::nullopt;
      },
      geometry);
}

ProblemSection read_problem(const ConfigReader& root, ProblemKind kind, ConfigUse use) {
  if (kind == ProblemKind::linear_system) return read_linear_system(root, use);
  if (kind != ProblemKind::tomography) return read_mesh_problem(root, kind, use);
  const ConfigReader problem =
      root.section("problem", {"type", "volume", "geometry", "projector", "phantom", "sinogram",
                               "matrix", "block_row", "blocks", "scanner", "rhs", "rhs_type",
                               "data", "noise", "slices", "mask", "ray_mask"});
  problem.require_key("type", "available: " + problem_kinds());
  problem.choice("type", ProblemKind::tomography);

  ProblemSection result;
  read_kind(problem, result);
  if (problem.has("phantom"))
    result.phantom = read_phantom(problem, result.as<ConeBeamRows>() != nullptr);
  read_sources(root, problem, use, result);
  // Whether the volume has the right keys depends on the type of the geometry.
  std::visit([&](auto& geometry) { read_rest(problem, result, geometry); }, result.geometry);
  read_data(problem, result);
  result.noise = read_noise(problem, result);
  read_slices(problem, result);
  read_masks(problem, result);
  return result;
}

}  // namespace Tomokkos
