// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FbpStart.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>
#include <limits>
#include <utility>

namespace Tomokkos {

namespace {

/// Number of blocks in the file, otherwise in the configuration. Throws if they differ.
Ordinal blocks_of(const BlockRowConfig& config, const std::filesystem::path& file) {
  const auto told = read_number_of_blocks(file);
  if (!told && config.blocks == 0)
    throw ConfigError("problem.blocks: is required; " + file.string() +
                      " does not contain the number of blocks side by side in it");
  if (told && config.blocks > 0 && *told != config.blocks)
    throw ConfigError("problem.blocks: is " + std::to_string(config.blocks) + ", but " +
                      file.string() + " contains " + std::to_string(*told) + " blocks");
  return told.value_or(config.blocks);
}

/// Rows of a matrix from a file, with the grids of columns and rows as far as the configuration
/// gives them.
FileRows rows_of_file(const MatrixFileConfig& file, const ProblemSection& problem,
                      const VolumeGeometry& image) {
  return {problem.matrix,
          {problem.volume.slices.value_or(0), image.rows, image.columns, file.views.value_or(0),
           file.detectors.value_or(0)}};
}

void settle(const MatrixFileConfig& file, const ProblemSection& problem, RunInput& input) {
  if (problem.stencil)
    input.rows = *problem.stencil;
  else
    input.rows = rows_of_file(file, problem, input.volume);
}

void settle(const BlockRowConfig& row, const ProblemSection& problem, RunInput& input) {
  input.blocks = blocks_of(row, problem.matrix);
  input.rows = CirculantFileRows{rows_of_file(row, problem, input.volume), input.blocks};
}

void settle(const RaysConfig& config, const ProblemSection&, RunInput& input) {
  const std::string place = "problem.geometry.file: " + config.file.string();
  const HostArray<double> array = read_npy<double>(config.file);
  if (array.shape.size() != 2 || array.shape[1] != 4 || array.shape[0] < 1 ||
      array.shape[0] > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw ConfigError(place + " is " + shape_text(array.shape) +
                      "; expected rays x 4: x and y of the start, x and y of the end");
  RayRows rows{input.volume, std::vector<RayEnds>(array.shape[0]), config.views};
  for (std::size_t i = 0; i < rows.rays.size(); ++i) {
    const double* const ends = &array.data[4 * i];
    rows.rays[i] = {ends[0], ends[1], ends[2], ends[3]};
  }
  as_config_error(place, [&] { check(input.volume, rows.rays); });
  if (rows.num_rows() % config.views != 0)
    throw ConfigError("problem.geometry.views: " + std::to_string(config.views) +
                      " views do not divide " + std::to_string(rows.num_rows()) + " rays evenly");
  input.notes.set("rays", rows.num_rows());
  input.notes.set("views", config.views);
  input.rows = std::move(rows);
}

void settle(const ConeBeamRows& beam, const ProblemSection&, RunInput& input) {
  input.rows = beam;
  input.blocks = beam.scan.views;
  input.notes.set("views", beam.scan.views);
  input.notes.set("detectors", beam.scan.detectors);
}

void settle(const ScannerConfig& config, const ProblemSection& problem, RunInput& input) {
  input.rows = ScannerRows{problem.scanner_volume(), config.scanner};
  input.notes.set("crystals", config.scanner.num_crystals());
  input.notes.set("rays_per_pair", config.scanner.rays);
}

/// Images of the phantom's file: those of a stack from `first` on, or its single image.
struct PhantomImages {
  bool is_stack = false;
  Ordinal first = 0, count = 1;
};

/// Compares the shape of the phantom's file with the volume and selects images of a stack by
/// `problem.slices`. Reads only the header.
PhantomImages choose_phantom_images(const ProblemSection& problem) {
  const std::string file = problem.phantom->file.string();
  const auto& volume = problem.volume;
  const auto& slices = problem.slices;
  const std::vector<std::size_t> found = read_npy_info(file).shape;
  std::vector<std::size_t> image{static_cast<std::size_t>((*volume.size)[0]),
                                 static_cast<std::size_t>((*volume.size)[1])};
  const bool is_one = found == image;
  const bool is_stack = found.size() == 3 && std::equal(image.begin(), image.end(), &found[1]);
  const auto of_volume = static_cast<std::size_t>(volume.slices.value_or(0));
  if (!is_one && (!is_stack || (volume.slices && found[0] != of_volume))) {
    std::string text = shape_text(image) + " pixels";
    if (volume.slices) {
      image.insert(image.begin(), of_volume);
      text =
          shape_text(image) + " voxels; a single image, rows x columns, is repeated in all slices";
    } else {
      text += "; a stack of images is slices x rows x columns";
    }
    throw DimensionMismatch("problem.phantom: " + file + " is " + shape_text(found) +
                            ", but problem.volume.size is " + text);
  }
  if (volume.slices) return {is_stack, 0, is_one ? 1 : *volume.slices};
  if (is_one) {
    if (slices && (slices->all || slices->first > 0))
      throw ConfigError("problem.slices: " + file +
                        " is a single image; give the number of copies, each with its own noise");
    return {};
  }
  const std::string stack = file + " is a stack of " + std::to_string(found[0]) + " images";
  if (found[0] == 0 || found[0] > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()))
    throw InputError("problem.phantom: " + stack);
  if (!slices && found[0] > 1)
    throw ConfigError(
        "problem.phantom: " + stack +
        "; select the images to project by problem.slices (all, a number, [first, count])");
  if (!slices || slices->all) return {true, 0, static_cast<Ordinal>(found[0])};
  const std::int64_t end = std::int64_t{slices->first} + slices->count;
  if (end > static_cast<std::int64_t>(found[0]))
    throw ConfigError("problem.slices: " + stack + ", not of " + std::to_string(end));
  return {true, slices->first, slices->count};
}

/// Reads the selected images, one after the other.
std::vector<double> read_phantom_images(const ProblemSection& problem) {
  const PhantomImages images = choose_phantom_images(problem);
  const std::filesystem::path& file = problem.phantom->file;
  if (!images.is_stack) return read_npy<double>(file).data;
  std::vector<double> result;
  for (Ordinal i = images.first; i < images.first + images.count; ++i) {
    const auto image = read_npy_slice<double>(file, 0, static_cast<std::size_t>(i)).data;
    result.insert(result.end(), image.begin(), image.end());
  }
  return result;
}

/// Number of kept entries, for the report.
Description kept_description(const std::vector<char>& mask) {
  return describe_map({{"kept", count_kept(mask, 0)}, {"of", mask.size()}}, true);
}

void read_masks(const ProblemSection& problem, bool is_symmetric, RunInput& input) {
  const bool is_polar = traits_of(input.rows).is_polar;
  if (!problem.mask.empty()) {
    std::vector<std::size_t> lengths = image_array(input, 0).lengths;
    const char* names = "rows x columns of the image";
    if (is_polar) {
      names = "voxels of a sector x sectors, as reconstruction_polar.npy";
    } else if (input.is_volume) {
      if (input.depth == 1) lengths.insert(lengths.begin(), 1);
      names = "slices x rows x columns of the volume";
    }
    input.masks.columns = read_mask(problem.mask, "problem.mask", lengths, names);
    input.notes.set("mask", kept_description(input.masks.columns));
    // A scan that is not square is refused later.
    if (is_symmetric && input.volume.rows == input.volume.columns)
      as_config_error(prefix_of(problem.mask_position) + "problem.mask: " + problem.mask.string() +
                          ", with operator.format: scsr",
                      [&] { require_symmetric_pixels(input.volume.rows, input.masks.columns); });
  }
  if (!problem.ray_mask.empty()) {
    // The arrangement of the rays is known, whatever their number.
    const std::vector<Ordinal> shape = data_shape(input.rows, 0);
    const char* names =
        grids_of(input.rows).crystals > 0 ? "crystals x crystals" : "views x detectors";
    if (is_polar) names = "detectors along v x along u x views";
    input.masks.rows =
        read_mask(problem.ray_mask, "problem.ray_mask", {shape.begin(), shape.end()}, names);
    input.notes.set("ray_mask", kept_description(input.masks.rows));
  }
}

}  // namespace

RunInput read_input(const ProblemSection& problem, const RunSection& run, const InputUse& use,
                    const std::optional<Slab>& slab) {
  RunInput input;
  input.rows_are_rays = problem.kind == ProblemKind::tomography;
  input.is_volume = problem.volume.slices.has_value();
  input.facts.are_measured = problem.sinogram || !problem.rhs.empty();
  input.facts.reads_start = use.reads_start;
  input.stack = problem.slices.has_value();
  if (slab) {
    input.all_slices = slab->all;
    input.slab_begin = slab->begin;
  }
  if (input.stack && (problem.phantom || !problem.rhs.empty()))
    input.slices = problem.slices->count;
  const bool has_images = problem.phantom && !problem.phantom->file.empty();
  if (input.stack && has_images) {
    const PhantomImages images = choose_phantom_images(problem);
    if (images.is_stack && !input.is_volume) input.slices = input.phantoms = images.count;
  }
  if (problem.phantom) input.facts.phantoms = has_images ? static_cast<int>(input.slices) : 1;
  if (problem.volume.size) {
    input.volume = problem.volume.slice();
    as_config_error("problem.volume", [&] { check(input.volume); });
    input.depth = problem.volume.slices.value_or(1);
  }
  std::visit(
      [&](const auto& geometry) {
        if constexpr (requires { settle(geometry, problem, input); })
          settle(geometry, problem, input);
        else
          read_scan(geometry, problem, run, use.needs, slab, input);
      },
      problem.geometry);
  const MatrixGrids grids = grids_of(input.rows);
  // A pair of crystals is a ray: a sinogram of crystals x crystals.
  input.views = std::max(grids.views, grids.crystals);
  input.detectors = std::max(grids.detectors, grids.crystals);
  read_masks(problem, use.is_symmetric, input);
  if (problem.sinogram)
    settle_missing_data(slab             ? slab->first
                        : problem.slices ? problem.slices->first
                                         : problem.sinogram->slice,
                        problem.negative, input);
  prepare_filtered_data(use, input);
  if (input.stack)
    input.notes.set("slices", input.all_slices > 0 ? input.all_slices : input.slices);
  refuse_suspicions(run, input.suspicions);
  note_suspicions(input);
  return input;
}

void clear_masked_data(RunInput& input) {
  const std::vector<char>& mask = input.masks.rows;
  if (mask.empty()) return;
  for (std::size_t i = 0; i < input.data.size(); ++i)
    if (mask[i % mask.size()] == 0) input.data[i] = 0;
}

void require_matrix_shape(const RunInput& input, Ordinal rows, Ordinal columns) {
  const std::string matrix = ", but the matrix " + matrix_name(input.rows) + " has ";
  const std::int64_t pixels = input.num_voxels();
  if (input.volume.rows > 0 && pixels != columns)
    throw DimensionMismatch(
        "problem.volume.size: " + (input.is_volume ? std::to_string(input.depth) + " x " : "") +
        std::to_string(input.volume.rows) + " x " + std::to_string(input.volume.columns) + " = " +
        std::to_string(pixels) + (input.is_volume ? " voxels" : " pixels") + matrix +
        std::to_string(columns) + " columns");
  const std::int64_t rays = static_cast<std::int64_t>(input.views) * input.detectors;
  if (input.views > 0 && rays != rows)
    throw DimensionMismatch("problem.geometry: " + std::to_string(input.views) + " views x " +
                            std::to_string(input.detectors) +
                            " detectors = " + std::to_string(rays) + " rays" + matrix +
                            std::to_string(rows) + " rows");
}

void draw_phantom(const ProblemSection& problem, RunInput& input) {
  const auto& phantom = problem.phantom;
  if (!phantom) return;
  if (const PolarVolume* polar = polar_volume(input.rows)) {
    input.phantom = as_config_error("problem.phantom", [&] {
      const PolarGrid grid(*polar);
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
                            phantom->sampling_in(input.volume));
    });
  } else {
    input.phantom = read_phantom_images(problem);
    input.notes.set("phantom", phantom->file.string());
  }
  const std::size_t length = input.phantom.size();
  const auto whole = static_cast<std::size_t>(input.num_voxels() * input.phantoms);
  if (length < whole) input.phantom.resize(whole);  // repeat an image in all slices
  for (std::size_t i = length; i < whole; ++i) input.phantom[i] = input.phantom[i - length];
}

SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs) {
  SystemTask task;
  task.needs = needs;
  task.wish = wish;
  task.check = [] { InterruptGuard::check(); };
  return task;
}

namespace {

/// Views that `sart` visits: of a block-circulant matrix, its blocks.
Ordinal number_of_views(const OperatorWish& wish, const RunInput& input) {
  if (!wish.block_circulant()) return input.views;
  return input.blocks > 0 ? input.blocks : wish.circulant.blocks;
}

/// Default number of rows of a block for a matrix without views.
constexpr Ordinal usual_block_rows = 64;

}  // namespace

SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs, const RunInput& input) {
  SystemTask task = system_task(wish, needs);
  task.needs.vectors = input.slices;
  if (needs.views) task.needs.set_views(number_of_views(wish, input));
  task.rows = input.rows;
  task.rows_are_rays = input.rows_are_rays;
  task.masks = input.masks;
  task.data = input.facts;
  task.data.has_gaps = input.missing_values > 0;
  if (task.data.has_gaps) task.data.gap_patterns = count_gap_patterns(input.data, input.slices);
  task.view_rows = input.views > 0 ? input.detectors : 1;
  task.check_shape = [&](Ordinal rows, Ordinal columns) {
    require_matrix_shape(input, rows, columns);
  };
  return task;
}

Description SweepOrder::report(const SweepConfig& sweep, bool has_blocks) const {
  Description result =
      describe_map({{"order", sweep.order}, {"within_view", sweep.within_view}}, true);
  if (sweep.within_view == WithinView::strided) result.set("stride", stride);
  if (has_blocks) result.set("block_rows", block_rows);
  return result;
}

SweepOrder make_sweep_order(const SweepConfig& sweep, const RunInput& input) {
  const bool has_views = traits_of(input.rows).has_views && input.views > 0;
  SweepOrder result;
  result.block_rows = sweep.block_rows.value_or(has_views ? input.detectors : usual_block_rows);
  if (sweep.is_sequential()) return result;
  if (!has_views)
    throw ConfigError(
        "solver.order: needs views, as does solver.within_view; the views of this matrix are not "
        "known");
  if (const auto* rays = scan_of(input.rows); sweep.within_view == WithinView::strided)
    result.stride =
        sweep.stride ? *sweep.stride
                     : independent_stride(rays->projector,
                                          std::max(rays->volume.pixel, rays->volume.pixel_height()),
                                          least_ray_spacing(rays->volume, rays->scan));
  result.rows = row_visits(input.views, input.detectors, sweep.order, sweep.within_view,
                           result.stride, sweep.seed);
  return result;
}

}  // namespace Tomokkos
