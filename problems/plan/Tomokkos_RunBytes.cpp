// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <Tomokkos_TracedProjection.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {
namespace {

/// True if rows are moved to their order after they have been built. With several ranks, rows from
/// a file are already in their order when read.
bool is_moved(const SystemTask& task, const OperatorWish& wish) {
  return !is_natural(wish.ordering) && !task.is_built_in_order(wish) && task.share.ranks == 1;
}

/// Bytes with which products of a scan with computed entries use its symmetry: the lines of the
/// stored views, and images of the slices with copies. 0 without symmetry.
double image_bytes(const ScanRows& scan, const SystemTask& task, const MachineFacts& machine) {
  if (scan.scan.has_vectors()) return 0;
  const ViewOrbits orbits = orbits_of_views(scan);
  const auto maps = static_cast<double>(orbits.maps.size());
  const double images = std::max(maps, std::min(8.0, maps * task.needs.vectors));
  const double stored = static_cast<double>(orbits.stored.size()) * scan.scan.detectors;
  const double pixels = static_cast<double>(scan.volume.num_pixels());
  // The copies with their margins, and the images themselves.
  constexpr double margins = 1.1;
  return static_cast<double>(computed_ray_bytes(scan.scan.beam, scan.projector)) * stored +
         margins * images * (3 * pixels + 2 * stored) * static_cast<double>(machine.scalar_bytes);
}

/// Counts the bytes of a run, phase by phase.
struct Counter {
  const SystemTask& task;
  const OperatorWish& wish;
  const MachineFacts& machine;
  MatrixUse use;
  const MatrixNumbers& of;
  RunBytes result = {};

  double scalar() const { return static_cast<double>(machine.scalar_bytes); }
  double csr(double rows) const { return csr_bytes(machine.scalar_bytes, rows, of.nonzeros); }
  double products() const { return bytes_of_products(task, wish, machine, of); }
  bool stores_transpose() const { return keeps_transpose(task, wish, use); }
  void add(const char* phase, double bytes, bool as_there_is_room = false) {
    result.phases.push_back({phase, {bytes, 0}, as_there_is_room});
  }

  /// Lower bound for the bytes of windows; the lengths of their segments are known only with the
  /// matrix. A ray enters fewer than 2 x 64 of the 64 x 64 pixels of a tile, and may share each
  /// with a neighbour.
  double windows() const {
    constexpr double longest_segment = 256;
    return static_cast<double>(windowed_construction_bytes(
        machine.gpu, machine.scalar_bytes, static_cast<std::uint64_t>(of.rays),
        static_cast<std::uint64_t>(of.pixels),
        static_cast<std::uint64_t>(of.nonzeros / longest_segment)));
  }

  /// Bytes of the tiles of `merge_path`, 12 each, if their size is given.
  double tiles() const {
    if (wish.sections == 0) return 0;
    const auto of_lines = [&](SpmvVariant variant, double lines) {
      return variant == SpmvVariant::merge_path
                 ? 12 * (lines + of.nonzeros) / static_cast<double>(wish.sections)
                 : 0.0;
    };
    return of_lines(wish.variant, of.rays) +
           (stores_transpose() ? of_lines(wish.transpose_variant, of.pixels) : 0.0);
  }

  /// Bytes of the maps of rows and columns. With several ranks, rows are always mapped, and each
  /// host holds the data of all rows.
  double maps() const {
    const bool is_mapped = !is_natural(wish.ordering) || task.masks.any();
    return (is_mapped ? 2 * sizeof(Ordinal) * of.pixels : 0) +
           (is_mapped || task.share.ranks > 1
                ? sizeof(Ordinal) * (of.rays + of.rays / task.share.part)
                : 0);
  }

  /// Bytes of vectors that all slices share: weights, the private images of a transposed product,
  /// the image to compare with.
  PlaceBytes shared(double pixels) const {
    const SolverNeeds& needs = task.needs;
    const bool has_images = needs.transpose && wish.transpose == TransposeMethod::private_images;
    const DeviceTraits device{.gpu = machine.gpu, .concurrency = machine.threads};
    const double images = has_images ? private_image_count(device, needs.deterministic) : 0;
    const double columns = needs.of_all.columns + needs.of_pattern.columns * of.patterns;
    const double rows = needs.of_all.rows + needs.of_pattern.rows * of.patterns;
    const bool has_phantom = task.data.phantoms == 1;
    return PlaceBytes{
        (rows * of.rays + (columns + (has_phantom ? 1 : 0)) * pixels + images * of.pixels) *
            scalar(),
        has_phantom ? of.all_pixels * sizeof(double) : 0}
        .on(machine);
  }

  /// Bytes of the vectors of a run, and of the maps of its order.
  SliceBytes vectors() const {
    // Each rank holds its part of a split image.
    const bool is_split = task.share.ranks > 1 && task.share.image_is_split;
    const double pixels = is_split ? of.pixels / task.share.ranks : of.pixels;
    const SliceBytes slice = bytes_of_slice(
        task, wish, machine, {static_cast<Ordinal>(of.rays), static_cast<Ordinal>(pixels)},
        {static_cast<Ordinal>(of.all_rays), static_cast<Ordinal>(of.all_pixels)});
    const PlaceBytes all = shared(pixels) + PlaceBytes{maps(), 0};
    return {all + slice.solve * of.slices, all + slice.write * of.slices};
  }

  /// Adds the phases in which a run solves and writes with its operator.
  void add_vectors() {
    const SliceBytes bytes = vectors();
    result.phases.push_back({"solve", bytes.solve + PlaceBytes{result.matrix, 0}});
    result.phases.push_back({"write", bytes.write + PlaceBytes{result.matrix, 0}});
  }

  /// Bytes of `computed`. Of a scan: the lines of the rays; copies of the image and of whole views
  /// of the data for all slices; two values of each ray of a fan beam. Of any other geometry:
  /// integer sums of the voxels, offsets of the rows while they are counted.
  void add_computed() {
    const auto* const scan = std::get_if<ScanRows>(&task.rows);
    if (scan == nullptr) {
      result.matrix = (sizeof(long long) + 1) * of.pixels *
                      std::min<double>(task.needs.vectors, max_traced_vectors);
      return add("count", result.matrix + sizeof(Offset) * of.rays);
    }
    const bool is_fan = scan->scan.beam == Beam::fan;
    const double lines =
        static_cast<double>(computed_ray_bytes(scan->scan.beam, scan->projector)) * of.rays;
    result.matrix =
        lines + products() * task.needs.vectors + (is_fan ? 2 * of.all_rays * scalar() : 0);
    add("build", result.matrix);
  }

  /// Adds the images with which products of a scan on a host use its symmetry, if everything fits
  /// with them. The lanes of a parallel beam are faster without. On a GPU they are used only if
  /// that saves time, which is not known.
  void add_images() {
    const auto* const scan = std::get_if<ScanRows>(&task.rows);
    if (scan == nullptr || of.slices < task.needs.vectors || machine.gpu ||
        task.needs.has_ranges() ||
        (scan->scan.beam == Beam::parallel && scan->projector != Projector::strip) ||
        !has_stepped_products(scan->volume, scan->scan, scan->projector))
      return;
    const double images = image_bytes(*scan, task, machine);
    if (images + result.peak().device > static_cast<double>(machine.device_free)) return;
    // They replace the copies of all slices.
    const double more = images - products() * task.needs.vectors;
    result.matrix += more;
    result.phases.push_back({"solve", result.peak() + PlaceBytes{more, 0}, true});
  }

  /// Adds the phases of ray tiles that are built directly.
  void add_tiles() {
    result.matrix =
        of.format_bytes > 0 ? of.format_bytes : bytes_of_entry(wish, machine) * of.nonzeros;
    // Blocks of rows stay between counting and filling, as far as there is room.
    const double others =
        vector_bytes(task, wish, machine, of.rays, of.pixels) + of.offsets * sizeof(Offset);
    const auto available = static_cast<double>(machine.device_free);
    const double all = of.nonzeros * (sizeof(Ordinal) + scalar());
    const double block = tile_block_bytes(of.nonzeros, machine.scalar_bytes, available);
    add("build", others + result.matrix + block);
    const double kept = std::clamp(available - others - result.matrix, block, std::max(all, block));
    add("build", others + result.matrix + kept, true);
  }

  /// Adds the phases until an operator of stored rows exists, without those of its vectors.
  void add_rows() {
    const double matrix = csr(of.rays), transposed = csr(of.pixels);
    const double counted = of.offsets * sizeof(Offset);
    const double built = matrix + counted - (of.rays + 1) * sizeof(Offset);
    add("count", counted + maps());
    if (use == MatrixUse::matrix) {
      result.matrix = matrix;
      return add("build", built);
    }
    if (use == MatrixUse::tiles) return add_tiles();
    // The matrix in natural order and in that of the run.
    add("build", maps() + (is_moved(task, wish) ? 2 * matrix : built));
    const bool stored = stores_transpose();
    if (!wish.stored || wish.is(MatrixFormat::csr)) {
      result.matrix = matrix + tiles() + (stored ? transposed : 0);
      double work = maps();
      // Two transpositions need about a copy of the entries as their workspace.
      if (stored && (wish.transposition == TransposeVariant::merge_trans ||
                     wish.transposition == TransposeVariant::scan_trans))
        work += matrix;
      if (wish.ordering.entries == EntryOrder::interleaved && machine.gpu) work += matrix;
      if (makes_windows(task, wish, use)) result.matrix += windows();
      return add("convert", result.matrix + work);
    }
    const double one =
        of.format_bytes > 0 ? of.format_bytes : bytes_of_entry(wish, machine) * of.nonzeros;
    const double second = !stored ? 0 : of.transposed_bytes > 0 ? of.transposed_bytes : one;
    result.matrix = one + second;
    // The transpose is made and converted first, then A.
    if (stored) add("transpose", maps() + matrix + transposed + second);
    add("convert", maps() + matrix + result.matrix);
  }

  /// Adds the phases of a symmetric scan, of which only the stored rays are built.
  void add_orbits() {
    constexpr double symmetries = num_square_symmetries;
    MatrixNumbers stored = of;
    stored.rays = of.stored_rays;
    stored.offsets = of.stored_rays + 1.0;
    stored.nonzeros = of.nonzeros * of.stored_rays / of.rays;
    OperatorWish of_stored = wish;
    of_stored.ordering = {};
    Counter rows{task, of_stored, machine, MatrixUse::products, stored};
    rows.add_rows();
    result = std::move(rows.result);
    // On a GPU the transpose is in SELL, and a CSR transpose exists while it is made.
    const double third = !machine.gpu || !keeps_transpose(task, wish, MatrixUse::products)
                             ? 0
                             : csr_bytes(machine.scalar_bytes, 0, stored.nonzeros);
    const double orbits =
        sizeof(Ordinal) * (3 * of.pixels + 2 * of.rays + symmetries * of.stored_rays);
    for (PhaseBytes& phase : result.phases) phase.bytes.device += orbits + third;
    result.matrix += orbits + products() * of.slices;
  }
};

}  // namespace

double csr_bytes(std::size_t scalar_bytes, double rows, double nonzeros) {
  return (rows + 1) * sizeof(Offset) +
         nonzeros * static_cast<double>(sizeof(Ordinal) + scalar_bytes);
}

double bytes_of_windows(std::size_t scalar_bytes, double columns, const RayTilesCount& tiles) {
  return columns * static_cast<double>(scalar_bytes + 1) +
         14 * static_cast<double>(tiles.segments) + 12 * static_cast<double>(tiles.blocks) +
         8 * static_cast<double>(tiles.tiles);
}

KeptShares::KeptShares(const SystemTask& task) {
  const MatrixMasks masks = traits_of(task.rows).counts_first ? MatrixMasks{} : task.masks;
  const double all_rows = num_rows(task.rows), all_columns = num_cols(task.rows);
  rows = count_kept(masks.rows, num_rows(task.rows));
  columns = count_kept(masks.columns, num_cols(task.rows));
  of_rows = rows / all_rows;
  // The count includes all nonzeros; a mask keeps about a proportional share.
  of_nonzeros = of_rows * (columns / all_columns);
}

MatrixNumbers numbers_of(const SystemTask& task, MatrixUse use, double nonzeros) {
  const KeptShares kept(task);
  MatrixNumbers numbers;
  // Each rank holds its share of the rows.
  numbers.rays = kept.rows * task.share.part;
  numbers.pixels = kept.columns;
  numbers.nonzeros = nonzeros * kept.of_nonzeros * task.share.part;
  numbers.all_rays = num_rows(task.rows);
  numbers.all_pixels = num_cols(task.rows);
  // Offsets from counting exist together with the offsets of the matrix or of ray tiles.
  numbers.offsets =
      (traits_of(task.rows).counts_first ? (use == MatrixUse::tiles ? 3.0 : 2.0) : 1.0) *
      (kept.rows + 1.0);
  if (task.wish.symmetric() && use == MatrixUse::products)
    numbers.stored_rays = stored_rays_of(task);
  return numbers;
}

double stored_rays_of(const SystemTask& task) {
  constexpr std::int64_t most_rays = 200'000'000;  // limit of the effort for a message
  const auto* scan = std::get_if<ScanRows>(&task.rows);
  if (!scan || task.share.ranks > 1 || scan->num_rows() > most_rays) return 0;
  return static_cast<double>(scan->count_symmetric(task.masks));
}

PlaceBytes RunBytes::peak() const {
  PlaceBytes result;
  for (const PhaseBytes& phase : phases) result = most(result, phase.bytes);
  return result;
}

double RunBytes::least() const {
  double result = 0;
  for (const PhaseBytes& phase : phases)
    if (!phase.as_there_is_room) result = std::max(result, phase.bytes.device);
  return result;
}

RunBytes bytes_of_run(const SystemTask& task, const OperatorWish& wish, const MachineFacts& machine,
                      MatrixUse use, const MatrixNumbers& numbers) {
  Counter counter{task, wish, machine, use, numbers};
  if (wish.computed())
    counter.add_computed();
  else if (wish.symmetric() && use == MatrixUse::products)
    counter.add_orbits();
  else
    counter.add_rows();
  if (use != MatrixUse::matrix) counter.add_vectors();
  if (wish.computed()) counter.add_images();
  return counter.result;
}

RunBytes bytes_of_circulant_run(const SystemTask& task, const OperatorWish& wish,
                                const MachineFacts& machine, const CirculantSize& size,
                                MatrixUse use, double slices) {
  MatrixNumbers of;
  of.all_rays = size.rows();
  of.all_pixels = size.columns();
  of.rays = count_kept(task.masks.rows, static_cast<Ordinal>(size.rows()));
  of.pixels = count_kept(task.masks.columns, static_cast<Ordinal>(size.columns()));
  of.slices = slices;
  Counter counter{task, wish, machine, use, of};
  double& matrix = counter.result.matrix;
  const auto stored_entries = static_cast<double>(size.stored);
  const double row = csr_bytes(machine.scalar_bytes, size.block_rows, stored_entries);
  matrix = row;
  counter.add("build", row);
  if (use == MatrixUse::matrix) return counter.result;
  const bool stored = task.needs.transpose && wish.transpose == TransposeMethod::stored;
  if (!wish.block_circulant()) {
    const auto expanded = [&](double lines) {
      return csr_bytes(machine.scalar_bytes, lines, size.nonzeros());
    };
    matrix = expanded(size.rows()) + (stored ? expanded(size.columns()) : 0);
    counter.add("convert", row + matrix);
  } else {
    const double transposed = csr_bytes(machine.scalar_bytes, size.block_cols, stored_entries);
    matrix += stored ? transposed : 0;
    // The matrix of a subset is made from that of all blocks.
    if (task.needs.has_ranges()) matrix += row;
    // Halves are made beside the plain values, of a transpose as well.
    if (wish.values() == StoredPrecision::half)
      matrix += (stored ? 2 : 1) * stored_entries * sizeof(std::uint16_t);
    if (stored) counter.add("transpose", row + transposed + row + 2 * size.rows() * sizeof(Offset));
    matrix += counter.products() * task.needs.vectors;
  }
  counter.add_vectors();
  return counter.result;
}

bool needs_sizes(const OperatorWish& wish) {
  return wish.stored && !wish.block_circulant() && !wish.is(MatrixFormat::csr) &&
         bytes_of_entry(wish, {}) == 0;
}

bool set_format_bytes(const SystemTask& task, const MachineFacts& machine,
                      const MatrixSample& sample, MatrixNumbers& numbers) {
  const OperatorWish& wish = task.wish;
  std::string name = wish.format_name();
  with_format(*wish.stored, [&]<class Format>(const typename Format::Options& options) {
    if constexpr (requires { Format::shape_name(options); })
      if (Format::format == MatrixFormat::bcsr)
        name.append("_").append(Format::shape_name(options));
  });
  const auto size = std::find_if(sample.sizes.begin(), sample.sizes.end(),
                                 [&](const FormatSize& known) { return known.name == name; });
  if (size == sample.sizes.end() || sample.sampled == 0) return false;
  const double nonzeros =
      wish.symmetric() ? numbers.nonzeros * numbers.stored_rays / numbers.rays : numbers.nonzeros;
  const auto entry = static_cast<double>(sizeof(Ordinal) + machine.scalar_bytes);
  double bytes = static_cast<double>(size->bytes(machine.scalar_bytes)) / sample.sampled;
  // The sizes of sell are those of chunks of 32 rows; smaller chunks have about as much less
  // padding.
  if (wish.is(MatrixFormat::sell) && !machine.gpu)
    bytes = entry + std::max(0.0, bytes - entry) * 2 / static_cast<double>(machine.scalar_bytes);
  numbers.format_bytes = bytes * nonzeros;
  // About as many rays of a scan meet each pixel, so that rows of the transpose hardly need
  // padding: measured 1.01 (hyb) to 1.06 (ell).
  constexpr double fill_of_transpose = 1.04;
  if (std::holds_alternative<ScanRows>(task.rows) && pads(format_of(*wish.stored)) &&
      !wish.is(MatrixFormat::bcsr))
    numbers.transposed_bytes = fill_of_transpose * entry * nonzeros;
  return true;
}

double bytes_of_products(const SystemTask& task, const OperatorWish& wish,
                         const MachineFacts& machine, const MatrixNumbers& of) {
  double values = 0;
  if (wish.symmetric())
    values = num_square_symmetries * (of.pixels + of.stored_rays);
  else if (wish.computed() && std::holds_alternative<ScanRows>(task.rows))
    values = 2 * of.pixels + of.all_rays;
  else if (wish.block_circulant()) {
    values = 2 * (of.all_rays + of.all_pixels);
    // Vectors of subsets, and those of masks, are copied.
    if (task.needs.has_ranges() || task.masks.any()) values += of.all_pixels;
    if (task.masks.any()) values += of.all_rays;
  }
  return values * static_cast<double>(machine.scalar_bytes);
}

double vector_bytes(const SystemTask& task, const OperatorWish& wish, const MachineFacts& machine,
                    double rows, double columns) {
  MatrixNumbers of;
  of.rays = rows;
  of.pixels = of.all_pixels = columns;
  // Each host holds the data of all rows.
  of.all_rays = rows / task.share.part;
  return Counter{task, wish, machine, MatrixUse::products, of}.vectors().peak().device;
}

double bytes_of_stacked_vectors(const SystemTask& task, const MachineFacts& machine, double rows,
                                double columns) {
  // Each further slice needs data, projection, image and the vectors of the solver.
  return vector_bytes(task, task.wish, machine, rows, columns) +
         3.0 * (rows + columns) * (task.needs.vectors - 1) *
             static_cast<double>(machine.scalar_bytes);
}

PartBytes bytes_of_parts(const SystemTask& task, std::size_t scalar_bytes,
                         std::optional<double> measured) {
  const OperatorWish& wish = task.wish;
  const auto csr = static_cast<double>(sizeof(Ordinal) + scalar_bytes);
  PartBytes bytes;
  if (builds_tiles_directly(task)) {
    // A block of rows lies beside ray tiles, which the caller's margin covers.
    const bool is_plain = wish.values() == StoredPrecision::plain;
    bytes.stored = measured.value_or(2 + (is_plain ? static_cast<double>(scalar_bytes) : 2));
    bytes.to_build = bytes.streamed = bytes.streamed_to_build = bytes.stored;
    return bytes;
  }
  bytes.stored = measured.value_or(2 * csr);
  // The rows in CSR beside their format, or the workspace of a transposition.
  if (wish.is_automatic())
    bytes.to_build = std::max(bytes.stored, 2 * csr) + csr;
  else if (wish.is(MatrixFormat::csr) && bytes.stored < 1.5 * csr)
    bytes.to_build = bytes.stored;
  else
    bytes.to_build = bytes.stored + csr;
  bytes.streamed = task.needs.transpose ? 2 * csr : csr;
  bytes.streamed_to_build = task.needs.transpose ? 3 * csr : csr;
  return bytes;
}

double tile_block_bytes(double nonzeros, std::size_t scalar_bytes, double available) {
  const auto entry = static_cast<double>(sizeof(Ordinal) + scalar_bytes);
  return std::min({nonzeros * entry, available / 16, 2147483648.0 * entry});
}

double bytes_of_entry(const OperatorWish& wish, const MachineFacts& machine) {
  double bytes = 0;
  if (!wish.stored) return bytes;
  with_format(*wish.stored, [&]<class Format>(const typename Format::Options& options) {
    bytes = Format::entry_bytes(options, machine.scalar_bytes) * Format::usual_fill;
  });
  return bytes;
}

bool keeps_transpose(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  return use == MatrixUse::products && task.needs.transpose && !wish.has_one_copy() &&
         wish.transpose == TransposeMethod::stored;
}

// Reordering a matrix needs it twice before windows exist.
bool makes_windows(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  return use == MatrixUse::products && task.needs.transpose && wish.is(MatrixFormat::csr) &&
         wish.transpose == TransposeMethod::windowed && !is_moved(task, wish);
}

bool images_fit(const SystemTask& task, const MachineFacts& machine) {
  const auto* const scan = std::get_if<ScanRows>(&task.rows);
  const double images = scan != nullptr ? image_bytes(*scan, task, machine) : 0;
  if (images == 0) return false;
  MatrixNumbers numbers = numbers_of(task, MatrixUse::products, 0);
  const RunBytes run = bytes_of_run(task, task.wish, machine, MatrixUse::products, numbers);
  return images + run.least() <= static_cast<double>(machine.device_free);
}

}  // namespace Tomokkos
