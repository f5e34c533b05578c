// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AngleDirection.hpp>
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NumberList.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <span>

namespace Tomokkos {

namespace {

/// Reads the file of `type: vectors`.
std::vector<ViewVectors> read_vectors(const ScanConfig& geometry) {
  const auto array = read_npy<double>(geometry.vectors_file);
  const std::size_t most = static_cast<std::size_t>(std::numeric_limits<Ordinal>::max());
  if (array.shape.size() != 2 || array.shape[1] != 6 || array.shape[0] < 1 || array.shape[0] > most)
    throw ConfigError(
        "problem.geometry.file: " + geometry.vectors_file.string() + " is " +
        shape_text(array.shape) + "; expected views x 6: " +
        (geometry.numbers.beam == Beam::fan ? "sx, sy, dx, dy, ux, uy" : "rx, ry, dx, dy, ux, uy"));
  std::vector<ViewVectors> vectors(array.shape[0]);
  for (std::size_t i = 0; i < array.data.size(); ++i) vectors[i / 6][i % 6] = array.data[i];
  return vectors;
}

/// Angles of \p geometry in radians as they count there, from its list or from a file.
///
/// \param measured measured data with their own angles; nullptr: none
std::vector<double> read_listed_angles(const ScanConfig& geometry,
                                       const MeasuredSinogram* measured) {
  std::vector<double> result;
  if (!geometry.angles_from_data && geometry.angles_file.empty()) {
    for (const ConfigAngle& angle : geometry.angles) result.push_back(angle.angle.in_radians());
    return result;
  }
  AngleUnit unit = geometry.angles_unit.value_or(AngleUnit::radians);
  if (geometry.angles_from_data) {
    if (!measured || measured->theta.empty())
      throw ConfigError("problem.geometry.angles: the HDF5 file has no angles" +
                        (measured ? " for " + measured->paths.data + " (looked for " +
                                        measured->paths.sought_theta + ")"
                                  : std::string()) +
                        "; give views and range, or a list of angles");
    result = measured->theta;
    unit = geometry.angles_unit.value_or(measured->theta_unit);
  } else {
    result = is_number_list(geometry.angles_file) ? read_number_list(geometry.angles_file)
                                                  : read_npy<double>(geometry.angles_file).data;
    if (result.empty() ||
        result.size() > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
      throw InputError(geometry.angles_file.string() + ": " + std::to_string(result.size()) +
                       " angles");
  }
  if (unit == AngleUnit::degrees)
    for (double& angle : result) angle = Angle::degrees(angle).in_radians();
  return result;
}

/// Adds suspicions about angles that were given without a unit.
///
/// \param measured measured data whose angles may be used; nullptr: none
void suspect_units(const ScanConfig& geometry, const MeasuredSinogram* measured, RunInput& input) {
  const auto number = [](const ConfigAngle& angle) {
    return angle.has_unit ? 0.0 : angle.angle.in_radians();
  };
  if (!geometry.has_listed_angles())
    return input.suspect(suspect_range(number(geometry.start), number(geometry.range)));
  if (geometry.angles_unit) return;
  if (geometry.angles_from_data) {
    if (measured && !measured->theta_has_unit)
      input.suspect(suspect_theta(measured->theta, measured->paths.theta));
    return;
  }
  std::vector<double> angles;
  if (!geometry.angles_file.empty())
    angles = read_listed_angles(geometry, nullptr);
  else
    for (const ConfigAngle& angle : geometry.angles)
      if (!angle.has_unit) angles.push_back(angle.angle.in_radians());
  input.suspect(suspect_angles(angles));
}

ViewAngles make_views(const ScanConfig& geometry, const MeasuredSinogram* measured) {
  if (geometry.has_listed_angles())
    return counterclockwise_angles(ViewAngles::list(read_listed_angles(geometry, measured)),
                                   geometry.direction);
  const Ordinal count = geometry.views ? *geometry.views : static_cast<Ordinal>(measured->views);
  return counterclockwise_angles(
      ViewAngles::evenly_spaced(count, geometry.start.angle, geometry.range.angle),
      geometry.direction);
}

// Number of detector elements that cover the circle around the image at any angle.
Ordinal covering_detectors(const VolumeGeometry& volume, const ScanGeometry& scan) {
  double half_width = volume.radius() + std::hypot(volume.center_x, volume.center_y);
  if (scan.beam == Beam::fan) {
    const double source = scan.source_to_origin;
    if (source <= half_width && !volume.is_centered())
      throw ConfigError(
          "problem.geometry.detectors: no number covers the image at all angles, which reaches " +
          Impl::number_text(half_width) + " from the axis and so beyond the source; give a number");
    if (source <= half_width)
      throw ConfigError(
          "problem.geometry.source_to_origin: the source lies within the circle "
          "around the image, of radius " +
          Impl::number_text(half_width));
    const double distance = source + scan.origin_to_detector;
    half_width =
        scan.detector_shape == DetectorShape::curved
            ? distance * std::asin(half_width / source)
            : half_width * distance / std::sqrt((source - half_width) * (source + half_width));
  }
  // Lengths in elements. An offset moves one of the ends inwards; a centre fixes the low end.
  const double needed = half_width / scan.detector_width;
  double count = std::ceil(2.0 * (needed + std::abs(scan.detector_offset.value_or(0.0))) - 1e-9);
  if (scan.rotation_center) {
    const double center = *scan.rotation_center;
    if (center + 0.5 < needed - 1e-9)
      throw ConfigError("problem.geometry.rotation_center: with " + Impl::number_text(center) +
                        " the detector does not cover the image, which needs a centre of " +
                        Impl::number_text(needed - 0.5) +
                        " at least; if this is intended, give geometry.detectors");
    count = std::ceil(center + 0.5 + needed - 1e-9);
  }
  if (!(count <= static_cast<double>(std::numeric_limits<Ordinal>::max())))
    throw ConfigError("problem.geometry.detectors: " + Impl::number_text(count) +
                      " elements of this width are needed to cover the image");
  return std::max<Ordinal>(1, static_cast<Ordinal>(count));
}

/// Middle slice of a stack, which stands for all slices.
std::span<const double> middle_slice(std::span<const double> values, std::size_t slices) {
  const std::size_t length = values.size() / slices;
  return values.subspan(slices / 2 * length, length);
}

void find_center(const MeasuredSinogram& measured, ScanGeometry& scan, RunInput& input) {
  const RotationCenter found = as_config_error("problem.geometry.rotation_center", [&] {
    return find_rotation_center<double>(middle_slice(measured.values, measured.slices), scan);
  });
  scan.rotation_center = found.center;
  input.found_center = found;
  input.suspect(suspect_rotation_center(found));
  const auto of_pairs = [&](double value) {
    return found.pairs > 0 ? Description(value) : Description();
  };
  input.notes.set("rotation_center_found",
                  describe_map({{"by_opposite_views", found.registered},
                                {"by_center_of_mass", found.center_of_mass},
                                {"mismatch", of_pairs(found.mismatch)},
                                {"typical_mismatch", of_pairs(found.typical_mismatch)},
                                {"pairs", found.pairs},
                                {"views", found.views},
                                {"discarded_views", found.discarded_views}},
                               true));
}

/// Returns the shape of the data that the configuration asks for.
ExpectedScan expected_scan(const ScanConfig& geometry, const std::vector<ViewVectors>& vectors) {
  ExpectedScan expected;
  if (geometry.by_vectors)
    expected.views = vectors.size();
  else if (geometry.has_listed_angles() && !geometry.angles_from_data)
    expected.views = read_listed_angles(geometry, nullptr).size();
  else if (geometry.views && !geometry.has_listed_angles())
    expected.views = static_cast<std::size_t>(*geometry.views);
  expected.has_own_views = geometry.has_listed_angles() && geometry.angles_from_data;
  if (geometry.detectors) expected.detectors = static_cast<std::size_t>(*geometry.detectors);
  return expected;
}

/// Adds a suspicion for data that look like counts although they should be line integrals.
void suspect_missing_logarithm(const SinogramConfig& sinogram, const MeasuredSinogram& measured,
                               RunInput& input) {
  if (sinogram.is_line_integrals || measured.has_flat_fields) return;
  if (auto suspicion = suspect_counts(measured.values, measured.slices, measured.views,
                                      measured.detectors, sinogram.file.string())) {
    if (!measured.paths.sought_fields.empty())
      suspicion->evidence += " (looked for " + measured.paths.sought_fields + ")";
    input.suspicions.push_back(std::move(*suspicion));
  }
}

/// Adds suspicions about a geometry that hardly suits the image or the data.
///
/// \param center rotation centre, if it is given
void suspect_geometry(const std::optional<double>& center, const ScanGeometry& scan,
                      RunInput& input) {
  if (center || scan.detector_offset)
    input.suspect(suspect_given_center(
        scan, middle_slice(input.data, static_cast<std::size_t>(input.slices)),
        center ? "problem.geometry.rotation_center" : "problem.geometry.detector_offset"));
  if (!has_suspicion(input, SuspicionKind::rotation_center))
    input.suspect(suspect_coverage(input.volume, scan));
}

}  // namespace

void read_scan(const ScanConfig& geometry, const ProblemSection& problem, const RunSection& run,
               const SolverNeeds& needs, const std::optional<Slab>& slab, RunInput& input) {
  std::vector<ViewVectors> vectors;
  if (geometry.by_vectors) vectors = read_vectors(geometry);
  MeasuredSinogram measured;
  if (problem.sinogram) {
    const ExpectedScan expected = expected_scan(geometry, vectors);
    std::optional<SlicesConfig> slices = problem.slices;
    std::optional<HostStackNeed> need{
        {run.scalar_bytes(), static_cast<std::uint64_t>(input.volume.num_pixels())}};
    if (slab) {
      slices = {false, slab->first, slab->count, problem.slices->position};
      need.reset();  // the size of a slab has been chosen to fit
    }
    measured = read_sinogram(*problem.sinogram, slices, expected, need, input.notes);
  }

  ScanGeometry scan = geometry.numbers;
  if (!geometry.by_vectors) {
    suspect_units(geometry, problem.sinogram ? &measured : nullptr, input);
    scan.views = as_config_error("problem.geometry", [&] {
      return make_views(geometry, problem.sinogram ? &measured : nullptr);
    });
  }
  if (problem.sinogram) {
    std::move(measured.suspicions.begin(), measured.suspicions.end(),
              std::back_inserter(input.suspicions));
    if (!needs.likelihood) suspect_missing_logarithm(*problem.sinogram, measured, input);
    if (!geometry.by_vectors && !has_suspicion(input, SuspicionKind::theta))
      input.suspect(suspect_small_span(scan.views.radians()));
    refuse_suspicions(run, input.suspicions);
  }
  scan.detectors = geometry.detectors.value_or(0);
  if (!geometry.detectors)
    scan.detectors = problem.sinogram ? static_cast<Ordinal>(measured.detectors)
                                      : covering_detectors(input.volume, scan);
  if (slab && slab->center) scan.rotation_center = slab->center;
  const std::optional<double> center = scan.rotation_center;
  if (geometry.by_vectors)
    scan = as_config_error("problem.geometry.file: " + geometry.vectors_file.string(), [&] {
      return make_vector_scan(scan.beam, std::move(vectors), scan.detectors);
    });
  if (problem.sinogram) {
    if (geometry.find_rotation_center && !center) find_center(measured, scan, input);
    input.slices = static_cast<Ordinal>(measured.slices);
    input.data = std::move(measured.values);
    static_cast<FieldEffects&>(input) = std::move(measured);
  }
  as_config_error("problem", [&] { check(input.volume, scan); });
  if (problem.sinogram) suspect_geometry(center, scan, input);
  input.rows = ScanRows{input.volume, scan, geometry.projector};
  input.notes.set("views", scan.views.count());
  input.notes.set("detectors", scan.detectors);
  const std::vector<double> angles = scan.views.radians();
  const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
  input.notes.set("degrees", describe_map({{"smallest", *low * 180 / std::numbers::pi},
                                           {"largest", *high * 180 / std::numbers::pi}},
                                          true));
  if (!scan.has_vectors()) input.notes.set("rotation_center", scan.center_index());
  if (problem.sinogram) input.notes.set("clamped_values", input.clamped);
}

}  // namespace Tomokkos
