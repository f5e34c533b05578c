// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the section `problem` and checks its keys against each other.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <charconv>
#include <cmath>

namespace Tomokkos {

namespace {

/// Calls \p check_it and reports its errors at the key \p path.
template <class Check>
void check_at(const ConfigReader& problem, std::string_view path, const Check& check_it) {
  try {
    check_it();
  } catch (const Error& error) {
    problem.fail_at_path(path, error.what());
  }
}

void check_size(const ConfigReader& problem, const ProblemSection& result) {
  const VolumeConfig& volume = result.volume;
  const bool is_pet = result.as<ScannerConfig>() != nullptr;
  if (!volume.size) {
    if (is_pet)
      problem.fail_at_path("volume.size",
                           "is required; [slices, rows, columns] of the volume, for example [20, "
                           "70, 70]");
    if (result.phantom)
      problem.fail_at_path("volume.size",
                           "is required; [rows, columns] of the image, for example [256, 256]");
    return;
  }
  const bool takes_volume = is_pet || result.traits().is_read;
  if (is_pet ? !volume.slices : volume.slices && !takes_volume)
    problem.fail_at_path(
        "volume.size",
        std::string("expected ") + (is_pet ? "[slices, rows, columns], found [rows, columns]"
                                           : "[rows, columns], found [slices, rows, columns]"));
  if (volume.slices) {
    check_at(problem, "volume.size", [&] { check(result.scanner_volume()); });
    return;
  }
  const long long rows = (*volume.size)[0], columns = (*volume.size)[1];
  // Fits in 64 bits: an image of 2^31 x 2^31 values in single precision has less than 2^64 bytes.
  if (rows * columns > max_ordinal)
    problem.fail_at_path(
        "volume.size", std::to_string(rows) + " x " + std::to_string(columns) + " pixels are " +
                           std::to_string(rows * columns) +
                           " columns of the system matrix, more than a 32-bit index can number (" +
                           std::to_string(max_ordinal) + "); the image alone would take " +
                           describe_bytes(4ULL * static_cast<unsigned long long>(rows * columns)) +
                           " in single precision");
}

void check_rays(const ConfigReader& problem, const ScanConfig& geometry) {
  const long long views = geometry.listed_views();
  const long long rays = views * geometry.detectors.value_or(1);
  if (rays > max_ordinal)
    problem.fail(
        "geometry",
        std::to_string(views) + " views of " + std::to_string(geometry.detectors.value_or(1)) +
            " detectors are " + std::to_string(rays) +
            " rows of the system matrix, more than a 32-bit index can number (" +
            std::to_string(max_ordinal) + "); the data alone would take " +
            describe_bytes(4ULL * static_cast<unsigned long long>(rays)) + " in single precision");
}

// Completes the values that a geometry leaves open and checks them against the rest of the problem.

void complete(const ConfigReader& problem, ProblemSection& result, ScanConfig& scan) {
  const bool measured = result.sinogram.has_value();
  const bool has_theta = measured && result.sinogram->is_hdf5();
  const auto fail = [&](const char* key, const std::string& message) {
    problem.fail_at_path(std::string("geometry.") + key, message);
  };
  if (scan.angles_unit && !scan.angles_from_data && scan.angles_file.empty()) {
    if (!has_theta) fail("angles.file", "is required: a .npy, .txt or .csv file of the angles");
    scan.angles_from_data = true;
  }
  if (scan.angles_from_data && !has_theta)
    fail(problem.has_path("geometry.angles.file") ? "angles.file" : "angles",
         "auto needs an HDF5 file as problem.sinogram");
  if (!problem.has_path("geometry.angles"))
    scan.angles_from_data = has_theta && !scan.by_vectors && !problem.has_path("geometry.views") &&
                            !problem.has_path("geometry.start") &&
                            !problem.has_path("geometry.range");
  if (scan.range.angle.in_radians() == 0.0)
    fail("range", "must not be 0: all views would be at the same angle");
  if (!measured && !scan.views && problem.has_path("geometry.views"))
    fail("views", "auto needs measured data (problem.sinogram) that set the number of views");
  if (!measured && scan.by_vectors && !scan.detectors)
    fail("detectors", "is required: the number of detector elements in the rows of geometry.file");
  if (!measured && !scan.views && !scan.has_listed_angles() && !scan.by_vectors)
    fail("views", "is required: the number of views (or give a list as geometry.angles)");
  if (!measured && scan.find_rotation_center)
    fail("rotation_center",
         "auto needs measured data (problem.sinogram); give the index of the detector "
         "element instead");
  if (scan.find_rotation_center && scan.detector_shape == DetectorShape::curved)
    fail("rotation_center",
         "auto works for flat detectors only; give the index of the detector element instead");
  check_size(problem, result);
  check_rays(problem, scan);
}

/// A geometry that leaves nothing open.
template <class Geometry>
void complete(const ConfigReader& problem, ProblemSection& result, Geometry&) {
  check_size(problem, result);
}

void complete(const ConfigReader& problem, ProblemSection& result, MatrixFileConfig& file) {
  if (problem.has_path("geometry.views") && !file.views)
    problem.fail_at_path(
        "geometry.views",
        "auto needs measured data (problem.sinogram) that set the number of views");
  if (file.views.has_value() != file.detectors.has_value())
    problem.fail_at_path(file.views ? "geometry.views" : "geometry.detectors",
                         "give both views and detectors, or neither");
  check_size(problem, result);
}

void complete(const ConfigReader& problem, ProblemSection& result, BlockRowConfig& row) {
  if (matrix_file_format(result.matrix) != MatrixFileFormat::npz && row.blocks == 0)
    problem.require_key("blocks", "the number of blocks side by side in " + result.matrix.string());
  complete(problem, result, static_cast<MatrixFileConfig&>(row));
}

void complete(const ConfigReader& problem, ProblemSection& result, ScannerConfig& config) {
  const RingScanner& scanner = config.scanner;
  if (scanner.rings > 1 && scanner.ring_pitch == 0 && !problem.has_path("scanner.ring_pitch"))
    problem.fail_at_path("scanner.ring_pitch",
                         "is required: the distance between the centres of neighbouring rings");
  if (problem.has_path("volume.pixel") && !problem.has_path("volume.thickness"))
    result.volume.thickness = result.volume.pixel;
  check_at(problem, "scanner", [&] { check(scanner); });
  check_size(problem, result);
  check_at(problem, "scanner", [&] { check(result.scanner_volume(), scanner); });
}

void complete(const ConfigReader& problem, ProblemSection& result, ConeBeamRows& cone) {
  PolarVolume& polar = cone.volume;
  polar.rotations = cone.scan.views;
  check_at(problem, "volume.polar", [&] { check(polar); });
  check_at(problem, "geometry", [&] { check(polar, cone.scan); });
  // Box around the cylinder, shown in pictures.
  VolumeConfig& volume = result.volume;
  const Ordinal side = std::min(polar.rings, Ordinal{1} << 14) * 2;
  if (!volume.size) volume.size = {side, side};
  if (!volume.slices) volume.slices = polar.slices;
  volume.pixel = 2 * polar.radius / std::min((*volume.size)[0], (*volume.size)[1]);
  volume.thickness = polar.height / *volume.slices;
  check_at(problem, "volume.size", [&] { check(result.scanner_volume()); });
}

/// Checks that give clearer messages than reading the keys one by one.
void check_names(const ConfigReader& problem, const ProblemSection& result) {
  if (result.as<ScannerConfig>())
    problem.refuse_key(
        "geometry",
        "has no effect on a PET scanner (problem.scanner), whose rays connect its crystals");
  const ConfigReader geometry = problem.section("geometry", geometry_keys(result));
  if (result.as<ScanConfig>()) check_geometry_type(geometry);
  if (!problem.has("block_row")) problem.refuse_key("blocks", blocks_are_of_block_row);
  if (problem.has_path("noise.type") && !problem.has("phantom") &&
      problem.section("noise", names_of_keys(result.noise)).choice("type", NoiseKind::none) !=
          NoiseKind::none)
    problem.fail_at_path(
        "noise.type",
        "noise is added only to the data of a phantom (problem.phantom), not to measured data");
  if (!problem.has("sinogram")) return;
  for (const char* key : {"matrix", "block_row"})
    problem.refuse_key(key,
                       "cannot be combined with problem.sinogram, which needs a geometry; give the "
                       "data of a matrix from a file as problem.rhs");
  problem.refuse_key("scanner",
                     "cannot be combined with problem.sinogram, which needs views and detectors; "
                     "give the data of a scanner, one number per pair of crystals, as problem.rhs");
}

void check_sinogram(const ConfigReader& problem, const ProblemSection& result) {
  if (!result.sinogram) return;
  const SinogramConfig& sinogram = *result.sinogram;
  if (sinogram.flat.empty() && !sinogram.is_hdf5() && !sinogram.dark.empty())
    problem.fail_at_path("sinogram.dark", "has no effect without sinogram.flat");
  if (image_format_of(sinogram.file) == nullptr)
    problem.fail("sinogram",
                 sinogram.file.string() + ": expected a " +
                     list_formats(" or ",
                                  [](const ImageFormat& format) {
                                    return format.reader.open != nullptr ? format.reader.name : "";
                                  }) +
                     " file (views x detectors) or an HDF5 file, which begins with the signature "
                     "of HDF5 or ends in .h5, .hdf5, .hdf, .nxs, .nx or .hspy");
  if (result.slices && problem.has_path("sinogram.slice"))
    problem.fail_at_path("sinogram.slice",
                         "has no effect with problem.slices, which selects the slices");
}

/// Checks that exactly one of `sinogram`, `rhs` and the phantom provides the data.
void check_sources(const ConfigReader& root, const ProblemSection& result, ConfigUse use) {
  const int sources =
      (result.phantom ? 1 : 0) + (result.sinogram ? 1 : 0) + (result.rhs.empty() ? 0 : 1);
  if (sources > 1)
    root.fail("problem", "phantom, sinogram and rhs are three sources of data; give one");
  if (sources == 0 && use == ConfigUse::run)
    root.fail("problem", result.as<ScanConfig>()
                             ? "no data: give problem.phantom or problem.sinogram"
                             : "no data: give problem.rhs (or problem.phantom)");
}

void check_data(const ConfigReader& problem, const ProblemSection& result) {
  if (result.data != DataSource::analytic) return;
  if (result.phantom && !result.phantom->file.empty())
    problem.fail(
        "data",
        "analytic needs a phantom made of ellipses; for an image from a file use data: matrix");
  if (!result.phantom || !is_made_of_ellipses(result.phantom->kind))
    problem.fail("data", "analytic needs a phantom made of ellipses");
  if (result.traits().is_read)
    problem.fail("data", "analytic needs a geometry, not a matrix from a file");
  if (!result.as<ScanConfig>())
    problem.fail("data", "analytic needs a geometry of views and detectors in a plane");
}

void check_slices(const ConfigReader& problem, const ProblemSection& result) {
  if (!result.slices) return;
  // The volumes of a cone beam form a stack, for example one for each moment or energy.
  if (result.volume.slices && !result.traits().is_circulant)
    problem.fail("slices",
                 "applies only to stacks of independent slices; a volume is solved as a whole");
  if (!result.rhs.empty() && result.slices->all)
    problem.fail("slices",
                 "all needs problem.sinogram; for problem.rhs give the number of slices in the "
                 "file, or [first, count]");
  if (result.phantom && (result.phantom->file.empty() || result.volume.slices) &&
      (result.slices->all || problem.find("slices")->is_list()))
    problem.fail("slices", std::string("a phantom has one ") +
                               (result.volume.slices ? "volume" : "slice") +
                               "; give the number of copies, each with its own noise");
}

void check_masks(const ConfigReader& problem, ProblemSection& result) {
  if (!result.mask.empty()) result.mask_position = problem.find("mask")->position;
  if (!result.mask.empty() && !result.volume.size)
    problem.fail(
        "mask",
        "needs the arrangement of the pixels; for a matrix from a file give problem.volume.size");
  if (!result.ray_mask.empty() && result.has_unknown_rows())
    problem.fail("ray_mask",
                 "needs the arrangement of the rays; for a matrix from a file give "
                 "problem.geometry.views and detectors");
}

void check_tomography(const ConfigReader& root, const ConfigReader& problem, ConfigUse use,
                      ProblemSection& result) {
  check_sinogram(problem, result);
  check_sources(root, result, use);
  std::visit([&](auto& geometry) { complete(problem, result, geometry); }, result.geometry);
  check_data(problem, result);
  check_slices(problem, result);
  check_masks(problem, result);
}

/// Section with the defaults that depend on the kind of problem.
ProblemSection default_problem(const ConfigReader& root, ProblemKind kind) {
  ProblemSection result;
  result.kind = kind;
  result.linear_rhs = LinearRhs::ones;
  if (kind != ProblemKind::tomography) return result;
  // The set of allowed keys is not known yet.
  const ConfigNode& node = *root.find("problem");
  std::vector<std::string_view> keys{"scanner", "geometry", "block_row", "matrix"};
  for (const auto& entry : node.entries()) keys.push_back(entry.key);
  result.geometry = default_geometry(ConfigReader(node, "problem", keys));
  if (const auto* pet = result.as<ScannerConfig>()) {
    const VolumeGeometry3D known = make_scanner_volume(pet->kind);
    if (pet->kind != ScannerKind::ring) {
      result.volume.slices = known.slices;
      result.volume.size = {known.rows, known.columns};
    }
    result.volume.pixel = known.pixel;
    result.volume.thickness = known.thickness;
  }
  return result;
}

}  // namespace

ConfigAngle read_angle(const ConfigNode& node, const std::string& path) {
  ConfigAngle result;
  result.text = string_of(node, path);
  try {
    // Convert turns to degrees, which are exact decimals.
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
  ProblemSection result = default_problem(root, kind);
  const ConfigReader problem = root.section("problem", names_of_keys(result, use));
  if (kind == ProblemKind::tomography) {
    problem.require_key("type", "available: " + problem_kinds());
    problem.choice("type", kind);
    check_names(problem, result);
  }
  read_keys(problem, result, use);
  if (kind == ProblemKind::tomography) check_tomography(root, problem, use, result);
  if (result.stencil) check_stencil(problem, *result.stencil);
  if (result.mesh) {
    result.mesh->position = problem.find("mesh")->position;
    check_mesh(problem, *result.mesh);
  }
  return result;
}

}  // namespace Tomokkos
