// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_PhantomFile.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <Tomokkos_RawFile.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace Tomokkos {

namespace {

// Geometry that cannot be used is bad input.
template <class Function>
auto as_config_error(const std::string& key, Function&& function) {
  try {
    return function();
  } catch (const ConfigError&) {
    throw;  // names its key
  } catch (const Error& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

ViewAngles make_views(const GeometryConfig& geometry, const MeasuredSinogram* measured) {
  if (geometry.has_listed_angles()) return ViewAngles::list(read_listed_angles(geometry, measured));
  const Ordinal count = geometry.views ? *geometry.views : static_cast<Ordinal>(measured->views);
  return ViewAngles::evenly_spaced(count, geometry.start.angle, geometry.range.angle);
}

// Enough elements to see the circle around the image, whatever the angle.
Ordinal covering_detectors(const VolumeGeometry& volume, const GeometryConfig& geometry) {
  double half_width = volume.radius();
  if (geometry.beam == Beam::fan) {
    const double source = geometry.source_to_origin;
    if (source <= half_width)
      throw ConfigError(
          "problem.geometry.source_to_origin: the source lies within the circle "
          "around the image, of radius " +
          ConfigNode::number(half_width).scalar());
    half_width *= (source + geometry.origin_to_detector) /
                  std::sqrt((source - half_width) * (source + half_width));
  }
  // In elements. An offset moves one of the ends inwards; a centre fixes the low end.
  const double needed = half_width / geometry.detector_width;
  double count =
      std::ceil(2.0 * (needed + std::abs(geometry.detector_offset.value_or(0.0))) - 1e-9);
  if (geometry.rotation_center) {
    const double center = *geometry.rotation_center;
    if (center + 0.5 < needed - 1e-9)
      throw ConfigError("problem.geometry.rotation_center: with " +
                        ConfigNode::number(center).scalar() +
                        " element 0 lies within the image, which needs a centre of " +
                        ConfigNode::number(needed - 0.5).scalar() +
                        " at least to be seen whole; give geometry.detectors if that is meant");
    count = std::ceil(center + 0.5 + needed - 1e-9);
  }
  if (!(count <= static_cast<double>(std::numeric_limits<Ordinal>::max())))
    throw ConfigError("problem.geometry.detectors: " + ConfigNode::number(count).scalar() +
                      " elements of this width are needed to see the image");
  return std::max<Ordinal>(1, static_cast<Ordinal>(count));
}

void check_shape(const MeasuredSinogram& measured, const SinogramConfig& config, Ordinal views,
                 Ordinal detectors) {
  if (measured.views == static_cast<std::size_t>(views) &&
      measured.detectors == static_cast<std::size_t>(detectors))
    return;
  throw DimensionMismatch(config.file.string() + ": the sinogram is " +
                          std::to_string(measured.views) + " views x " +
                          std::to_string(measured.detectors) + " detectors, problem.geometry has " +
                          std::to_string(views) + " x " + std::to_string(detectors));
}

void find_center(const MeasuredSinogram& measured, RunInput& input) {
  // Of a stack: by the slice in its middle.
  const std::size_t length = measured.views * measured.detectors;
  const auto begin =
      measured.values.begin() + static_cast<std::ptrdiff_t>(measured.slices / 2 * length);
  const std::vector<double> slice(begin, begin + static_cast<std::ptrdiff_t>(length));
  const RotationCenter found = as_config_error("problem.geometry.rotation_center", [&] {
    return find_rotation_center<double>(slice, input.scan);
  });
  input.scan.rotation_center = found.center;
  input.found_center = found;
  if (auto suspicion = suspect_rotation_center(found))
    input.suspicions.push_back(std::move(*suspicion));
  const auto number_or_null = [](const std::optional<double>& value) {
    return value ? ConfigNode::number(*value) : ConfigNode();
  };
  ConfigNode node = ConfigNode::map(true);
  node.set("by_opposite_views", number_or_null(found.registered));
  node.set("by_center_of_mass", number_or_null(found.center_of_mass));
  node.set("mismatch", found.pairs > 0 ? ConfigNode::number(found.mismatch) : ConfigNode());
  node.set("typical_mismatch",
           found.pairs > 0 ? ConfigNode::number(found.typical_mismatch) : ConfigNode());
  node.set("pairs", ConfigNode::integer(found.pairs));
  node.set("views", ConfigNode::integer(found.views));
  node.set("discarded_views", ConfigNode::integer(found.discarded_views));
  input.notes.set("rotation_center_found", std::move(node));
}

/// Views and detectors exchanged.
void transpose_slices(MeasuredSinogram& measured) {
  std::vector<double> transposed(measured.values.size());
  const std::size_t length = measured.views * measured.detectors;
  for (std::size_t j = 0; j < measured.slices; ++j)
    for (std::size_t view = 0; view < measured.views; ++view)
      for (std::size_t k = 0; k < measured.detectors; ++k)
        transposed[j * length + k * measured.views + view] =
            measured.values[j * length + view * measured.detectors + k];
  measured.values = std::move(transposed);
  std::swap(measured.views, measured.detectors);
}

/// Data that fit the geometry only when they are transposed.
void suspect_transposed(const RunConfig& config, Ordinal views, MeasuredSinogram& measured,
                        RunInput& input) {
  const auto& detectors = config.problem.geometry.detectors;
  const auto fits = [&](std::size_t first, std::size_t second) {
    return first == static_cast<std::size_t>(views) &&
           (!detectors || second == static_cast<std::size_t>(*detectors));
  };
  // Flat fields are of detector elements: their axis is known to be right.
  if (measured.has_flat_fields || fits(measured.views, measured.detectors) ||
      !fits(measured.detectors, measured.views))
    return;
  input.suspicions.push_back(
      {SuspicionKind::transposed, "problem.sinogram",
       config.problem.sinogram->file.string() + " is " + std::to_string(measured.views) + " x " +
           std::to_string(measured.detectors) + ", and " +
           (config.problem.geometry.angles_from_data ? "/exchange/theta" : "problem.geometry") +
           " has " + std::to_string(views) + " views" +
           (detectors ? " x " + std::to_string(*detectors) + " detectors" : "") +
           ": it fits only when transposed",
       config.problem.sinogram->is_hdf5() ? "save it as views x rows x detectors"
                                          : "save it as views x detectors (numpy: array.T)"});
  if (is_allowed(config.run, SuspicionKind::transposed)) transpose_slices(measured);
}

void suspect_counts(const RunConfig& config, const MeasuredSinogram& measured, RunInput& input) {
  const SinogramConfig& sinogram = *config.problem.sinogram;
  if (!sinogram.is_hdf5() || sinogram.is_line_integrals || measured.has_flat_fields ||
      !measured.is_integer || config.solver.kind == SolverKind::mlem)
    return;
  input.suspicions.push_back(
      {SuspicionKind::flat_fields, "problem.sinogram",
       sinogram.file.string() + " holds whole numbers up to " +
           ConfigNode::number(*std::max_element(measured.values.begin(), measured.values.end()))
               .scalar() +
           " and no flat fields (/exchange/data_white): counts would be taken as line integrals",
       "give problem.sinogram.flat, or flat: none if they are line integrals"});
}

HostStackNeed host_stack_need(const RunConfig& config, const VolumeGeometry& volume) {
  const std::uint64_t scalar_bytes = config.run.scalar == "double" ? sizeof(double) : sizeof(float);
  HostStackNeed need;
  need.ray_bytes = host_bytes_per_ray(scalar_bytes);
  need.image_bytes =
      static_cast<std::uint64_t>(volume.num_pixels()) * host_bytes_per_pixel(scalar_bytes);
  return need;
}

void settle_geometry(const RunConfig& config, RunInput& input) {
  const ProblemSection& problem = config.problem;
  const GeometryConfig& geometry = problem.geometry;
  MeasuredSinogram measured;
  if (problem.sinogram)
    measured = problem.slices
                   ? read_sinogram_stack(*problem.sinogram, *problem.slices,
                                         host_stack_need(config, input.volume), input.notes)
                   : read_sinogram(*problem.sinogram, input.notes);

  ScanGeometry& scan = input.scan;
  scan.beam = geometry.beam;
  suspect_angles(geometry, problem.sinogram ? &measured : nullptr, input.suspicions);
  scan.views = as_config_error("problem.geometry", [&] {
    return make_views(geometry, problem.sinogram ? &measured : nullptr);
  });
  if (problem.sinogram) {
    suspect_transposed(config, scan.views.count(), measured, input);
    suspect_counts(config, measured, input);
    refuse_suspicions(config.run, input.suspicions);
  }
  scan.detectors = geometry.detectors.value_or(0);
  if (!geometry.detectors)
    scan.detectors = problem.sinogram ? static_cast<Ordinal>(measured.detectors)
                                      : covering_detectors(input.volume, geometry);
  scan.detector_width = geometry.detector_width;
  scan.detector_offset = geometry.detector_offset;
  scan.rotation_center = geometry.rotation_center;
  scan.source_to_origin = geometry.source_to_origin;
  scan.origin_to_detector = geometry.origin_to_detector;
  if (problem.sinogram) {
    check_shape(measured, *problem.sinogram, scan.views.count(), scan.detectors);
    if (geometry.find_rotation_center) find_center(measured, input);
    input.slices = static_cast<Ordinal>(measured.slices);
    input.data = std::move(measured.values);
    input.dead_elements = std::move(measured.dead_elements);
    input.clamped = measured.clamped;
    input.has_flat_fields = measured.has_flat_fields;
    input.has_dark_fields = measured.has_dark_fields;
  }
  as_config_error("problem", [&] { check(input.volume, scan); });
  input.views = scan.views.count();
  input.detectors = scan.detectors;
  input.notes.set("views", ConfigNode::integer(input.views));
  input.notes.set("detectors", ConfigNode::integer(input.detectors));
  const std::vector<double> angles = scan.views.radians();
  const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
  ConfigNode degrees = ConfigNode::map(true);
  degrees.set("smallest", ConfigNode::number(*low * 180 / std::numbers::pi));
  degrees.set("largest", ConfigNode::number(*high * 180 / std::numbers::pi));
  input.notes.set("degrees", std::move(degrees));
  input.notes.set("rotation_center", ConfigNode::number(scan.center_index()));
  if (problem.sinogram) input.notes.set("clamped_values", ConfigNode::integer(input.clamped));
}

/// What the configuration says, or else the file.
Ordinal blocks_of(const BlockRowConfig& config) {
  const auto told = read_number_of_blocks(config.file);
  if (!told && config.blocks == 0)
    throw ConfigError("problem.blocks: is required; " + config.file.string() +
                      " does not tell how many blocks stand side by side in it");
  if (told && config.blocks > 0 && *told != config.blocks)
    throw ConfigError("problem.blocks: is " + std::to_string(config.blocks) + ", but " +
                      config.file.string() + " tells " + std::to_string(*told) + " blocks");
  return told.value_or(config.blocks);
}

void settle_cone_beam(const ConeBeamConfig& config, RunInput& input) {
  const ConeBeamScan& scan = config.scan;
  input.blocks = scan.views;
  input.notes.set("views", ConfigNode::integer(scan.views));
  ConfigNode detectors = ConfigNode::list();
  for (const Ordinal count : scan.detectors) detectors.push_back(ConfigNode::integer(count));
  input.notes.set("detectors", std::move(detectors));
}

/// How many are kept, for the report.
ConfigNode kept_node(const std::vector<char>& mask) {
  ConfigNode node = ConfigNode::map(true);
  node.set("kept", ConfigNode::integer(count_kept(mask, 0)));
  node.set("of", ConfigNode::integer(mask.size()));
  return node;
}

void read_masks(const RunConfig& config, RunInput& input) {
  const ProblemSection& problem = config.problem;
  if (!problem.mask.empty()) {
    std::vector<std::size_t> lengths{static_cast<std::size_t>(input.volume.rows),
                                     static_cast<std::size_t>(input.volume.columns)};
    if (problem.volume.slices)
      lengths.insert(lengths.begin(), static_cast<std::size_t>(input.depth));
    input.masks.columns = read_mask(problem.mask, "problem.mask", lengths,
                                    problem.volume.slices ? "slices x rows x columns of the volume"
                                                          : "rows x columns of the image");
    input.notes.set("mask", kept_node(input.masks.columns));
    // What is not square is refused with its scan.
    if (config.matrix_operator.symmetric && input.volume.rows == input.volume.columns)
      as_config_error(prefix_of(problem.mask_position) + "problem.mask: " + problem.mask.string() +
                          ", with operator.format: scsr",
                      [&] { require_symmetric_pixels(input.volume.rows, input.masks.columns); });
  }
  if (!problem.ray_mask.empty()) {
    input.masks.rows = read_mask(
        problem.ray_mask, "problem.ray_mask",
        {static_cast<std::size_t>(input.views), static_cast<std::size_t>(input.detectors)},
        problem.scanner ? "crystals x crystals" : "views x detectors");
    input.notes.set("ray_mask", kept_node(input.masks.rows));
  }
}

/// As messages have it behind "the matrix".
std::string name_of_matrix(const ProblemSection& problem) {
  if (problem.scanner) return "of the scanner";
  if (problem.cone_beam) return "of the cone beam";
  return (problem.block_row ? problem.block_row->file : problem.matrix).string();
}

}  // namespace

RunInput read_input(const RunConfig& config) {
  const ProblemSection& problem = config.problem;
  RunInput input;
  input.stack = problem.slices.has_value();
  if (input.stack && problem.phantom) input.slices = problem.slices->count;
  if (input.stack && problem.phantom && !problem.phantom->file.empty()) {
    const PhantomImages images = choose_phantom_images(problem);
    if (images.is_stack) input.slices = input.phantoms = images.count;
  }
  if (problem.volume.size) {
    input.volume = {(*problem.volume.size)[0], (*problem.volume.size)[1], problem.volume.pixel};
    as_config_error("problem.volume", [&] { check(input.volume); });
    input.depth = problem.volume.slices.value_or(1);
  }
  if (problem.block_row) input.blocks = blocks_of(*problem.block_row);
  if (problem.cone_beam) settle_cone_beam(*problem.cone_beam, input);
  if (problem.scanner) {
    // A pair of crystals is a ray: a sinogram of crystals x crystals.
    input.views = input.detectors = static_cast<Ordinal>(problem.scanner->scanner.num_crystals());
    input.notes.set("crystals", ConfigNode::integer(input.views));
    input.notes.set("rays_per_pair", ConfigNode::integer(problem.scanner->scanner.rays));
  } else if (problem.kind == ProblemKind::tomography && problem.has_scan_geometry()) {
    settle_geometry(config, input);
  } else if (problem.geometry.views) {
    input.views = *problem.geometry.views;
    input.detectors = *problem.geometry.detectors;
  }
  read_masks(config, input);
  if (problem.sinogram) take_out_missing_rays(input);
  if (input.stack) input.notes.set("slices", ConfigNode::integer(input.slices));
  refuse_suspicions(config.run, input.suspicions);
  if (!input.suspicions.empty()) {
    ConfigNode list = ConfigNode::list(false);
    for (const std::string& line : describe_suspicions(input))
      list.push_back(ConfigNode::text(line));
    input.notes.set("suspicions", std::move(list));
  }
  return input;
}

std::vector<double> read_listed_angles(const GeometryConfig& geometry,
                                       const MeasuredSinogram* measured) {
  std::vector<double> result;
  if (!geometry.angles_from_data && geometry.angles_file.empty()) {
    for (const ConfigAngle& angle : geometry.angles) result.push_back(angle.angle.in_radians());
    return result;
  }
  AngleUnit unit = geometry.angles_unit.value_or(AngleUnit::radians);
  if (geometry.angles_from_data) {
    if (!measured || measured->theta.empty())
      throw ConfigError(
          "problem.geometry.angles: the HDF5 file holds no /exchange/theta; give views and range");
    result = measured->theta;
    unit = geometry.angles_unit.value_or(measured->theta_unit);
  } else {
    result = read_npy<double>(geometry.angles_file).data;
    if (result.empty() ||
        result.size() > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
      throw InputError(geometry.angles_file.string() + ": " + std::to_string(result.size()) +
                       " angles");
  }
  if (unit == AngleUnit::degrees)
    for (double& angle : result) angle = Angle::degrees(angle).in_radians();
  return result;
}

void clear_masked_data(RunInput& input) {
  const std::vector<char>& mask = input.masks.rows;
  if (mask.empty()) return;
  for (std::size_t i = 0; i < input.data.size(); ++i)
    if (mask[i % mask.size()] == 0) input.data[i] = 0;
}

void require_matrix_shape(const RunConfig& config, const RunInput& input, Ordinal rows,
                          Ordinal columns) {
  const ProblemSection& problem = config.problem;
  const std::string matrix = ", the matrix " + name_of_matrix(problem) + " has ";
  const std::int64_t pixels = input.num_voxels();
  if (input.volume.rows > 0 && pixels != columns)
    throw DimensionMismatch("problem.volume.size: " +
                            (problem.volume.slices ? std::to_string(input.depth) + " x " : "") +
                            std::to_string(input.volume.rows) + " x " +
                            std::to_string(input.volume.columns) + " = " + std::to_string(pixels) +
                            (problem.volume.slices ? " voxels" : " pixels") + matrix +
                            std::to_string(columns) + " columns");
  const std::int64_t rays = static_cast<std::int64_t>(input.views) * input.detectors;
  if (input.views > 0 && rays != rows)
    throw DimensionMismatch("problem.geometry: " + std::to_string(input.views) + " views x " +
                            std::to_string(input.detectors) +
                            " detectors = " + std::to_string(rays) + " rays" + matrix +
                            std::to_string(rows) + " rows");
}

void draw_phantom(const RunConfig& config, RunInput& input) {
  const auto& phantom = config.problem.phantom;
  if (!phantom) return;
  if (const auto& cone_beam = config.problem.cone_beam) {
    input.phantom = as_config_error("problem.phantom", [&] {
      const PolarGrid grid(cone_beam->volume);
      const int supersampling = phantom->sampling.supersampling;
      return phantom->solid
                 ? sample_phantom(make_solid_phantom(*phantom->solid), grid, supersampling)
                 : sample_phantom(make_phantom(phantom->kind), grid, supersampling);
    });
    return;
  }
  if (phantom->file.empty()) {
    input.phantom = as_config_error("problem.phantom", [&] {
      return sample_phantom(phantom->kind, input.volume.rows, input.volume.columns,
                            phantom->sampling);
    });
  } else {
    input.phantom = read_phantom_images(config.problem, choose_phantom_images(config.problem));
    input.notes.set("phantom", ConfigNode::text(phantom->file.string()));
  }
  const std::size_t length = input.phantom.size();
  const auto whole = static_cast<std::size_t>(input.num_voxels() * input.phantoms);
  if (length < whole) input.phantom.resize(whole);  // an image through all slices
  for (std::size_t i = length; i < whole; ++i) input.phantom[i] = input.phantom[i - length];
}

void read_rhs(const RunConfig& config, Ordinal rows, RunInput& input) {
  const ProblemSection& problem = config.problem;
  if (problem.rhs.empty()) return;
  const auto length = static_cast<std::size_t>(rows);
  if (!problem.rhs_is_raw()) {
    input.data = read_vector<double>(problem.rhs);
  } else if (problem.rhs_type == RawType::int32) {
    const auto counts = read_raw<std::int32_t>(problem.rhs, length, "rows of the matrix");
    input.data.assign(counts.begin(), counts.end());
  } else {
    const auto values = read_raw<float>(problem.rhs, length, "rows of the matrix");
    input.data.assign(values.begin(), values.end());
  }
  if (input.data.size() != length)
    throw DimensionMismatch(problem.rhs.string() + ": holds " + std::to_string(input.data.size()) +
                            " values, the matrix " + name_of_matrix(problem) + " has " +
                            std::to_string(rows) + " rows");
  clear_masked_data(input);
  input.notes.set("file", ConfigNode::text(problem.rhs.string()));
}

std::vector<double> read_constant_or_file(const ConstantOrFile& source, const std::string& key,
                                          std::size_t length, const std::string& length_name) {
  if (source.file.empty()) return std::vector<double>(length, source.value);
  HostArray<double> array = read_npy<double>(source.file);
  if (array.data.size() != length) {
    std::string shape;
    for (const std::size_t extent : array.shape)
      shape += (shape.empty() ? "" : " x ") + std::to_string(extent);
    throw DimensionMismatch(key + ": " + source.file.string() + " holds " + shape + " = " +
                            std::to_string(array.data.size()) + " values, " + length_name +
                            " has " + std::to_string(length));
  }
  return std::move(array.data);
}

void read_terms(const RunConfig& config, Ordinal rows, RunInput& input) {
  const auto read = [&](const std::optional<ConstantOrFile>& source, const char* key) {
    if (!source) return std::vector<double>();
    std::vector<double> term =
        read_constant_or_file(*source, key, static_cast<std::size_t>(rows), "the data");
    const auto negative =
        std::find_if(term.begin(), term.end(), [](double value) { return value < 0.0; });
    if (negative != term.end())
      throw InputError(std::string(key) + ": " + source->file.string() + ": entry " +
                       std::to_string(negative - term.begin()) + " is " +
                       ConfigNode::number(*negative).scalar() + "; it must not be negative");
    return term;
  };
  input.multiplicative = read(config.solver.multiplicative, "solver.multiplicative");
  input.background = read(config.solver.background, "solver.background");
  // A number is for what is measured: of a scanner the pairs i < j.
  if (config.problem.scanner && config.solver.background && config.solver.background->file.empty())
    for (Ordinal i = 0; i < input.views; ++i)
      std::fill_n(input.background.begin() + static_cast<std::ptrdiff_t>(i) * input.detectors,
                  i + 1, 0.0);
}

void check_negative_data(const RunConfig& config, RunInput& input) {
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    if (!(input.data[i] < 0.0)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  const auto& sinogram = config.problem.sinogram;
  const std::size_t rows = input.data.size() / static_cast<std::size_t>(input.slices);
  if (sinogram && sinogram->negative == NegativeData::clamp) {
    for (double& value : input.data) value = std::max(value, 0.0);
    input.notes.set("clamped_negative_values", ConfigNode::integer(count));
    return;
  }
  if (config.solver.kind != SolverKind::mlem) return;
  throw InputError("the data hold " + std::to_string(count) + " negative values (the first is " +
                   ConfigNode::number(input.data[first]).scalar() + " at row " +
                   std::to_string(first % rows) +
                   (input.stack ? " of slice " + std::to_string(first / rows) : "") +
                   "), which mlem cannot use; problem.sinogram.negative: clamp sets those of "
                   "measured data to 0, the other solvers take them as they are");
}

}  // namespace Tomokkos
