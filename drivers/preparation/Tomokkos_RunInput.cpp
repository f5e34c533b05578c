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
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <Tomokkos_RawFile.hpp>
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

namespace {

/// Shape of an array of data whose entries belong to the \p rows rows of the matrix.
ArrayShape data_array(const RowSource& source, Ordinal rows) {
  ArrayShape shape;
  for (const Ordinal length : data_shape(source, rows))
    shape.lengths.push_back(static_cast<std::size_t>(length));
  const RowTraits traits = traits_of(source);
  const bool is_block_row = traits.is_circulant && traits.is_read;
  if (traits.is_polar)
    shape.axes = {"v", "u", "view"};
  else if (grids_of(source).crystals > 0)
    shape.axes = {"crystal i", "crystal j"};
  else if (is_block_row)
    shape.axes = {"row of a block", "block"};
  else if (shape.lengths.size() == 2)
    shape.axes = {"view", "detector"};
  else
    shape.axes = {"row"};
  shape.first_may_be_split = is_block_row;
  return shape;
}

/// Throws unless an array of the lengths \p found in \p file, with the right number of values, can
/// hold the data of a slice, or slices of them. Without lengths: anything.
void require_data_shape(const std::filesystem::path& file, Ordinal rows,
                        const std::vector<std::size_t>& found, const RunInput& input) {
  ArrayShape shape = data_array(input.rows, rows);
  std::string mismatch = describe_shape_mismatch(found, shape);
  if (found.empty() || mismatch.empty()) return;
  if (input.stack) {
    const std::vector<std::size_t> slice(found.begin() + 1, found.end());
    if (describe_shape_mismatch(slice, shape).empty() || found.size() == 1) return;
    shape.lengths.insert(shape.lengths.begin(), input.data.size() / shape.size());
    shape.axes.insert(shape.axes.begin(), "slice");
    mismatch = describe_shape_mismatch(found, shape);
  }
  throw DimensionMismatch("problem.rhs: " + file.string() + " " + mismatch);
}

/// Moves the counts of each slice to the pairs that the matrix of a scanner holds.
void fold_counts(RunInput& input) {
  const auto crystals = static_cast<std::size_t>(grids_of(input.rows).crystals);
  PairCounts all;
  for (std::size_t begin = 0; begin < input.data.size(); begin += crystals * crystals) {
    const PairCounts of_slice =
        fold_pair_counts(std::span(input.data).subspan(begin, crystals * crystals), crystals);
    all.above += of_slice.above;
    all.below += of_slice.below;
    all.added = all.added || of_slice.added;
  }
  if (!all.added) return;
  input.added_counts = all;
  input.notes.set("added_counts",
                  describe_map({{"pairs_i_j", all.above}, {"pairs_j_i", all.below}}, true));
}

}  // namespace

void read_rhs(const ProblemSection& problem, const RunSection& run, const SolverNeeds& needs,
              Ordinal rows, RunInput& input) {
  if (problem.rhs.empty()) return;
  const auto length = static_cast<std::size_t>(rows);
  const auto first = static_cast<std::size_t>(input.stack ? problem.slices->first : 0);
  const std::size_t before = first * length;
  const std::size_t needed = before + static_cast<std::size_t>(input.slices) * length;
  const char* const expected =
      input.stack ? "rows of the matrix in the slices" : "rows of the matrix";
  std::vector<std::size_t> shape;
  if (!problem.rhs_is_raw() && is_matrix_file(problem.rhs)) {
    input.data = read_vector<double>(problem.rhs);
  } else if (!problem.rhs_is_raw()) {
    HostArray<double> array = read_npy<double>(problem.rhs);
    input.data = std::move(array.data);
    shape = std::move(array.shape);
  } else if (problem.rhs_type == RawType::int32) {
    const auto counts = read_raw<std::int32_t>(problem.rhs, needed, expected);
    input.data.assign(counts.begin(), counts.end());
  } else {
    const auto values = read_raw<float>(problem.rhs, needed, expected);
    input.data.assign(values.begin(), values.end());
  }
  const std::size_t size = input.data.size();
  const bool fits =
      input.stack ? size >= needed && length > 0 && size % length == 0 : size == length;
  if (!fits)
    throw DimensionMismatch(
        problem.rhs.string() + ": holds " + std::to_string(size) + " values, but the matrix " +
        matrix_name(input.rows) + " has " + std::to_string(rows) + " rows" +
        (input.stack ? ", and problem.slices selects slices " + std::to_string(first) + " to " +
                           std::to_string(first + input.slices - 1)
                     : ""));
  require_data_shape(problem.rhs, rows, shape, input);
  input.data.resize(needed);
  input.data.erase(input.data.begin(), input.data.begin() + static_cast<std::ptrdiff_t>(before));
  input.data.shrink_to_fit();
  if (!needs.likelihood) suspect_rhs(problem.rhs, run, input);
  if (grids_of(input.rows).crystals > 0) fold_counts(input);
  clear_masked_data(input);
  input.notes.set("file", problem.rhs.string());
}

ArrayShape image_array(const RunInput& input, std::size_t pixels) {
  const auto length = [](Ordinal value) { return static_cast<std::size_t>(value); };
  if (const PolarVolume* polar = polar_volume(input.rows)) {
    const PolarGrid grid(*polar);
    return {{length(grid.block_cols()), length(grid.blocks())}, {"voxel of a sector", "sector"}};
  }
  const std::size_t rows = length(input.volume.rows), columns = length(input.volume.columns);
  if (rows == 0) return {{pixels}, {"pixel"}};
  if (input.depth > 1) return {{length(input.depth), rows, columns}, {"slice", "row", "column"}};
  return {{rows, columns}, {"row", "column"}};
}

std::vector<double> read_constant_or_file(const ConstantOrFile& source, const std::string& key,
                                          const ArrayShape& shape) {
  if (source.file.empty()) return std::vector<double>(shape.size(), source.value);
  HostArray<double> array = read_npy<double>(source.file);
  const std::string mismatch = describe_shape_mismatch(array.shape, shape);
  if (!mismatch.empty())
    throw DimensionMismatch(key + ": " + source.file.string() + " " + mismatch);
  return std::move(array.data);
}

void read_terms(const SolverSection& solver, Ordinal rows, RunInput& input) {
  const auto read = [&](const std::optional<ConstantOrFile>& source, const char* key) {
    if (!source) return std::vector<double>();
    std::vector<double> term = read_constant_or_file(*source, key, data_array(input.rows, rows));
    const auto negative =
        std::find_if(term.begin(), term.end(), [](double value) { return value < 0.0; });
    if (negative != term.end())
      throw InputError(std::string(key) + ": " + source->file.string() + ": entry " +
                       std::to_string(negative - term.begin()) + " is " +
                       Impl::number_text(*negative) + "; it must not be negative");
    return term;
  };
  input.multiplicative = read(solver.multiplicative, "solver.multiplicative");
  input.background = read(solver.background, "solver.background");
  // A constant applies only to measured rows; for a scanner these are the pairs i < j.
  if (solver.background && solver.background->file.empty())
    for (Ordinal row = 0; row < rows; ++row)
      if (!is_measured(input.rows, row)) input.background[static_cast<std::size_t>(row)] = 0.0;
}

std::size_t check_negative_data(const ProblemSection& problem, const SolverNeeds& needs,
                                RunInput& input) {
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    if (!(input.data[i] < 0.0)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return 0;
  const std::size_t rows = input.data.size() / static_cast<std::size_t>(input.slices);
  if (problem.negative == NegativeData::clamp) {
    for (double& value : input.data) value = std::max(value, 0.0);
    input.notes.set("clamped_negative_values", count);
    return count;
  }
  if (!needs.likelihood) return 0;
  throw InputError(
      "the data hold " + std::to_string(count) + " negative values (the first is " +
      Impl::number_text(input.data[first]) + " at row " + std::to_string(first % rows) +
      (input.stack ? " of slice " +
                         std::to_string(first / rows + static_cast<std::size_t>(input.slab_begin))
                   : "") +
      "), which mlem cannot use; set problem." + (problem.sinogram ? "sinogram." : "") +
      "negative: clamp to replace them by 0, or choose another solver");
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
