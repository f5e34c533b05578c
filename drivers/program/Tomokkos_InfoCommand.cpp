// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_ChooseRayTiles.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_FileInfo.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixInfo.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PackedRowsSizes.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <Tomokkos_ReportFile.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

namespace Tomokkos {

namespace {

struct InfoArguments {
  std::string file;
  std::vector<std::string> settings;
  bool exact = false;  ///< value of --exact
  Ordinal blocks = 0;  ///< value of --blocks; 0: not given
  PairBlockedQuestions pairs;
};

/// Arrangement of the pixels (columns) and rays (rows). Zeros: not known, as for a matrix from a
/// file.
struct ImageShape {
  Ordinal rows = 0, columns = 0;
  Ordinal views = 0, detectors = 0;
};

/// Position of each pixel in the order by squares. Empty without an image.
std::vector<Ordinal> square_places(const ImageShape& image) {
  const std::vector<Ordinal> order = square_pixel_order(image.rows, image.columns);
  std::vector<Ordinal> places(order.size());
  for (std::size_t p = 0; p < order.size(); ++p)
    places[static_cast<std::size_t>(order[p])] = static_cast<Ordinal>(p);
  return places;
}

/// Describes the matrix in ray tiles, with pixels in squares if their arrangement is known.
Description ray_tiles_description(const RayTilesCount& count, bool in_squares) {
  Description node = Description::map(true);
  node.set("ordering", in_squares ? "squares" : "natural");
  node.set("segments", count.segments);
  node.set("mean_segment", count.mean_segment());
  node.set("suits", count.mean_segment() >= shortest_mean_segment);
  return node;
}

// Bytes of the matrix, alone and with a stored transpose, in each format and precision.
template <class Offsets, class Columns>
Description formats_description(const RowStatistics& statistics, Ordinal num_rows,
                                const Offsets& row_offsets, const Columns& columns,
                                const RayTilesCount& tiles) {
  Description node = Description::map();
  const auto add = [&](const std::string& name, const auto& bytes) {
    node.set(name, bytes_by_scalar(bytes));
  };
  for (const FormatSize& size :
       format_sizes({num_rows, statistics.columns, row_offsets, columns})) {
    add(size.name, [&](std::size_t scalar_bytes) { return size.bytes(scalar_bytes); });
    if (size.name != "csr") continue;
    add("csr_with_stored_transpose", [&](std::size_t scalar_bytes) {
      return size.bytes(scalar_bytes) +
             static_cast<std::size_t>(
                 csr_bytes(scalar_bytes, statistics.columns, static_cast<double>(size.stored)));
    });
    add("csr_with_windows", [&](std::size_t scalar_bytes) {
      return size.bytes(scalar_bytes) +
             static_cast<std::size_t>(bytes_of_windows(scalar_bytes, statistics.columns, tiles));
    });
  }
  // One copy serves both products.
  add("ray_tiles", [&](std::size_t scalar_bytes) { return tiles.bytes(2 + scalar_bytes); });
  for (const char* name : {"ray_tiles_half", "ray_tiles_scaled"}) {
    Description entry = Description::map(true);
    entry.set(scalar_name<float>(), tiles.bytes(4));
    node.set(name, std::move(entry));
  }
  return node;
}

// Bytes of A x in packed rows on this backend, with rays in tiles if their arrangement is known.
template <class ExecutionSpace, class Scalar>
void add_packed_rows(const ExecutionSpace& exec,
                     const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                     const ImageShape& image, Description& node) {
  IndexMap<typename ExecutionSpace::memory_space> rows;
  if (image.views > 0 && Offset{image.views} * image.detectors == A.num_rows)
    rows = make_index_map(exec, A.num_rows, tiled_ray_order(image.views, image.detectors));
  for (const PackedRowsSize& size : packed_rows_sizes<ExecutionSpace, Scalar>(exec, A, rows)) {
    Description entry = Description::map(true);
    for (const auto& [scalar, bytes] : size.bytes) entry.set(scalar, bytes);
    node.set(size.name, std::move(entry));
  }
}

/// Adds three columns of Table I of Vazquez et al.: Max - Av, sigma / Av and ELL (HYB), the share
/// of the entries in the regular part of HYB.
void add_spread(const RowStatistics& statistics, const HostPattern& A, Description& node) {
  if (statistics.nonzeros == 0) return;
  Description spread = Description::map(true);
  spread.set("max_above_mean", static_cast<double>(statistics.longest) - statistics.mean);
  spread.set("sigma_over_mean", statistics.sigma / statistics.mean);
  spread.set("share_in_hyb_ell", static_cast<double>(hyb_regular_entries(A)) /
                                     static_cast<double>(statistics.nonzeros));
  node.set("row_spread", std::move(spread));
}

/// Adds how many rows have which length, in intervals of equal width, and the share of the threads
/// of a warp that wait for its longest row.
void add_histogram(const RowStatistics& statistics, const HostPattern& A, Description& node) {
  constexpr Offset most_intervals = 16;
  constexpr Offset warp = 32;
  const Offset width = (statistics.longest - statistics.shortest) / most_intervals + 1;
  const Offset intervals = (statistics.longest - statistics.shortest) / width + 1;
  std::vector<Ordinal> counts(static_cast<std::size_t>(intervals), 0);
  Offset steps = 0;
  for (Offset first = 0; first < A.num_rows; first += warp) {
    const Offset end = std::min<Offset>(A.num_rows, first + warp);
    Offset longest = 0;
    for (Offset row = first; row < end; ++row) {
      const Offset length = A.length(static_cast<Ordinal>(row));
      ++counts[static_cast<std::size_t>((length - statistics.shortest) / width)];
      longest = std::max(longest, length);
    }
    steps += longest * (end - first);
  }
  Description from = Description::list(), rows = Description::list();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    from.add(statistics.shortest + static_cast<Offset>(i) * width);
    rows.add(counts[i]);
  }
  Description histogram = Description::map();
  histogram.set("from", std::move(from)).set("rows", std::move(rows));
  if (steps > 0)
    histogram.set("waiting_in_warps",
                  1 - static_cast<double>(statistics.nonzeros) / static_cast<double>(steps));
  node.set("row_histogram", std::move(histogram));
}

struct NothingMore {
  void operator()(const RowStatistics&, Description&) const {}
};

/// Describes a matrix.
/// \param add_more called with the statistics and the bytes of each format, to which it may add
template <class ExecutionSpace, class Scalar, class AddMore = NothingMore>
void add_matrix(const ExecutionSpace& exec,
                const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                const ImageShape& image, const PairBlockedQuestions& pairs, Description& node,
                const AddMore& add_more = {}) {
  const RowStatistics statistics = row_statistics<ExecutionSpace, Scalar>(exec, A);
  node.set_all(matrix_description(statistics));
  const double size = static_cast<double>(statistics.rows) * statistics.columns;
  node.set("density", size > 0 ? static_cast<double>(statistics.nonzeros) / size : 0.0);
  node.set("scalar", scalar_name<Scalar>());
  const auto row_offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets);
  const auto columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.columns);
  const HostPattern pattern{A.num_rows, A.num_cols, row_offsets, columns};
  add_spread(statistics, pattern, node);
  if (A.num_rows > 0) add_histogram(statistics, pattern, node);
  const bool in_squares = image.rows > 0 && Offset{image.rows} * image.columns == A.num_cols;
  const RayTilesCount tiles =
      count_ray_tiles(A.num_rows, A.num_cols, row_offsets, columns, {},
                      in_squares ? square_places(image) : std::vector<Ordinal>());
  node.set("ray_tiles", ray_tiles_description(tiles, in_squares));
  Description bytes = formats_description(statistics, A.num_rows, row_offsets, columns, tiles);
  add_packed_rows<ExecutionSpace, Scalar>(exec, A, image, bytes);
  add_pair_blocked<ExecutionSpace, Scalar>(exec, A, pairs, {}, node, bytes);
  add_more(statistics, bytes);
  node.set("memory_bytes", std::move(bytes));
  const MatrixSymmetry symmetry = matrix_symmetry<ExecutionSpace, Scalar>(exec, A);
  Description symmetric = Description::map(true);
  symmetric.set("pattern", symmetry.pattern);
  symmetric.set("numeric", symmetry.numeric);
  node.set("symmetry", std::move(symmetric));
}

template <class Scalar>
void add_host_matrix(const HostCsrMatrix<Scalar>& A, const PairBlockedQuestions& pairs,
                     Description& node) {
  using HostSpace = TOMOKKOS_HOST_SPACE;
  const HostSpace exec;
  // Needed: row lengths in two orders, column lengths and, for the symmetry check, the transpose.
  Impl::MemoryNeed need;
  need.add(static_cast<std::uint64_t>(A.num_rows), 3 * sizeof(Ordinal));
  if (A.num_rows == A.num_cols)
    need.add_csr(static_cast<std::uint64_t>(A.num_cols),
                 static_cast<std::uint64_t>(A.num_nonzeros()), sizeof(Scalar));
  need.require_available("the description of a matrix of " + std::to_string(A.num_rows) + " x " +
                         std::to_string(A.num_cols));
  add_matrix<HostSpace, Scalar>(exec, copy_to<typename HostSpace::memory_space>(exec, A), {}, pairs,
                                node);
}

/// Converts \p value to the double with the same shortest decimal text.
double single(float value) {
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double result = value;
  std::from_chars(text.data(), end, result);
  return result;
}

// Describes a csr4 file, without its entries if they do not fit in memory.
void add_csr4(const std::string& file, const PairBlockedQuestions& pairs, Description& node) {
  Csr4Reader reader(file);
  try {
    add_host_matrix(reader.read_rows<float>(all_rows), pairs, node);
  } catch (const MemoryError& error) {
    node.set("rows", reader.num_rows());
    node.set("columns", reader.num_cols());
    node.set("nonzeros", reader.num_nonzeros());
    node.set("not_read", error.what());
  }
  const Csr4Scanner& scanner = reader.scanner();
  node.set("grid", scanner.grid);
  Description voxel = Description::list();
  for (const float length : scanner.voxel_size) voxel.add(single(length));
  node.set("voxel_size", std::move(voxel));
  node.set("crystal_layers", scanner.layers.size());
  node.set("blocks", scanner.blocks);
  node.set("block_size", scanner.block_size);
  node.set("rings", scanner.rings);
}

void add_matrix_file(const std::string& file, Ordinal blocks, const PairBlockedQuestions& pairs,
                     Description& node) {
  static constexpr const char* names[] = {"matrix_market", "npz", "csr4"};
  const MatrixFileFormat format = matrix_file_format(file);
  node.set("format", names[static_cast<int>(format)]);
  if (format == MatrixFileFormat::csr4) {
    if (blocks > 0) throw ConfigError("--blocks: has no effect on a csr4 file");
    return add_csr4(file, pairs, node);
  }
  const char* scalar = matrix_file_precision(file) == FilePrecision::float32 ? "float" : "double";
  visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
    const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(file);
    add_host_matrix(A, pairs, node);
    add_row_of_blocks(file, blocks, A, node);
  });
}

/// Adds the bytes of a scan whose entries are computed, with the workspace of one slice.
template <class ExecutionSpace>
void add_computed(const ExecutionSpace& exec, const RunInput& input, Description& bytes) {
  using Map = IndexMap<typename ExecutionSpace::memory_space>;
  const auto* const scan = std::get_if<ScanRows>(&input.rows);
  if (scan == nullptr) return;
  const auto order = geometric_order(exec, {}, grids_of(input.rows), input.masks);
  const auto A =
      make_computed_projection(exec, scan->volume, scan->scan, scan->projector,
                               order.rows.value_or(Map()), order.columns.value_or(Map()));
  bytes.set("computed", bytes_by_scalar([&](std::size_t scalar_bytes) {
              const std::size_t values = scalar_bytes == sizeof(float)
                                             ? stepped_workspace_values<float>(A)
                                             : stepped_workspace_values<double>(A);
              return A.memory_bytes() + values * scalar_bytes;
            }));
}

/// Number of stored entries up to which a matrix is built to describe it: about two seconds and
/// half a gigabyte.
constexpr double largest_built = 3e7;

constexpr const char* too_large =
    "the matrix is large; --exact builds it and adds its exact figures";

/// Describes the mesh of a problem and the matrix that is solved on it.
template <class ExecutionSpace, class Scalar>
void add_mesh_problem(const RunConfig& config, const InfoArguments& arguments, Description& node) {
  const ExecutionSpace exec;
  const MeshMatrixSource source(config.problem, config.run);
  node.set("format", "configuration");
  const bool is_built =
      source.num_entries() <= largest_built || arguments.exact || arguments.pairs.collisions;
  if (is_built) {
    add_matrix<ExecutionSpace, Scalar>(
        exec, source.template make_matrix<ExecutionSpace, Scalar>(exec), {}, arguments.pairs, node,
        [&](const RowStatistics&, Description& bytes) { source.add_form_bytes(bytes); });
  } else {
    node.set("rows", static_cast<Offset>(source.num_rows()));
    node.set("columns", static_cast<Offset>(source.num_rows()));
    node.set("scalar", scalar_name<Scalar>());
    node.set("not_built", too_large);
  }
  if (config.problem.kind == ProblemKind::parameterization) node.set("form", config.problem.form);
  node.set("mesh", source.mesh_description());
}

template <class ExecutionSpace, class Scalar>
void add_configuration(const ConfigNode& root, const RunConfig& config,
                       const InfoArguments& arguments, Description& node) {
  const PairBlockedQuestions& pairs = arguments.pairs;
  const ExecutionSpace exec;
  const std::optional<SlabPlan> slabs = plan_slabs(config.problem, sizeof(Scalar));
  if (slabs) check_slabs(*slabs, config.output, config.solver.stop);
  const RunInput input =
      read_input_of_matrix(config.problem, config.run, config.input_use(), slabs);
  warn_of_suspicions(config.run, input);
  node.set("format", "configuration");
  Description estimates;
  const double stored = add_estimates<ExecutionSpace, Scalar>(exec, root, config, input, estimates);
  const auto add_the_rest = [&] {
    if (!input.notes.items().empty()) node.set("data", input.notes);
    node.set_if("estimates", estimates);
  };
  if (stored > largest_built && !arguments.exact && !pairs.collisions) {
    node.set("rows", num_rows(input.rows));
    node.set("columns", num_cols(input.rows));
    node.set("scalar", scalar_name<Scalar>());
    node.set("not_built", too_large);
    add_the_rest();
    return;
  }
  if (traits_of(input.rows).is_circulant) {
    if (pairs.collisions)
      throw ConfigError("--collisions: has no effect on a block-circulant matrix");
    add_block_circulant<ExecutionSpace, Scalar>(
        exec, system_task(config.matrix_operator, config.needs(), input), node);
    add_the_rest();
    return;
  }
  const auto A = make_matrix<ExecutionSpace, Scalar>(
      exec, system_task(config.matrix_operator, config.needs(), input), MatrixUse::matrix);
  require_seen_image(input, A.num_nonzeros());
  // Collisions are counted for the rays that the operator stores.
  PairBlockedQuestions of_whole = pairs;
  if (config.matrix_operator.symmetric()) of_whole.collisions = false;
  add_matrix<ExecutionSpace, Scalar>(
      exec, A, {input.volume.rows, input.volume.columns, input.views, input.detectors}, of_whole,
      node, [&](const RowStatistics& statistics, Description& bytes) {
        add_stored_rays<ExecutionSpace, Scalar>(exec, input, statistics, pairs, node, bytes);
        add_computed(exec, input, bytes);
      });
  add_the_rest();
}

/// Describes the file of the command line.
void add_file(const InfoArguments& arguments, Description& node) {
  const std::string extension = lower_extension(arguments.file);
  const bool is_matrix = is_matrix_file(arguments.file);
  if (arguments.blocks > 0 && !is_matrix)
    throw ConfigError("--blocks: applies only to a matrix file");
  if (arguments.pairs.collisions && !is_matrix && !is_config_file(arguments.file))
    throw ConfigError("--collisions: applies only to a matrix file or a configuration");
  if (arguments.exact && !is_config_file(arguments.file))
    throw ConfigError("--exact: applies only to a configuration");
  if (is_config_file(arguments.file)) {
    if (const ConfigNode document = read_yaml_file(arguments.file); is_report(document)) {
      if (!arguments.settings.empty())
        throw ConfigError("--set " + arguments.settings.front() +
                          ": has no effect on a report; to run its configuration again use "
                          "tomokkos run REPORT --output FOLDER");
      return add_report_info(document, node);
    }
    const ConfigNode root = load_config(arguments.file, arguments.settings);
    const RunConfig config = read_run_config(root, ConfigUse::matrix, config_name(arguments.file));
    const KokkosSession session(config.run.threads);
    impose(config.run.memory_limit);
    add_places_to_errors(root, [&] {
      visit_backend(config.run.backend, [&]<class Space>(std::type_identity<Space>) {
        visit_scalar(config.run.scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
          if (config.problem.mesh)
            add_mesh_problem<Space, Scalar>(config, arguments, node);
          else
            add_configuration<Space, Scalar>(root, config, arguments, node);
        });
      });
    });
    return;
  }
  if (!arguments.settings.empty())
    throw ConfigError("--set " + arguments.settings.front() + ": applies only to a configuration");
  const ImageFormat* format = image_format_of(arguments.file);
  if (format != nullptr && format->reader.describe != nullptr)
    return format->reader.describe(arguments.file, node);
  if (is_mesh_file(arguments.file)) return add_mesh_info(arguments.file, node);
  if (!std::filesystem::exists(arguments.file))
    throw InputError(arguments.file + ": No such file or directory");
  if (!is_matrix)
    throw InputError(
        arguments.file + ": the extension '" + extension + "' is not supported; allowed are " +
        matrix_file_extensions +
        ", .npy, .tif, .h5 and other names of HDF5 files, .obj, .off, .ply, .yaml, .yml");
  if (extension == ".npz" && checkpoint_output.recognises(arguments.file)) {
    if (arguments.blocks > 0 || arguments.pairs.collisions)
      throw ConfigError(
          arguments.file +
          ": is a checkpoint, not a matrix; --blocks and --collisions apply only to a matrix");
    return add_checkpoint_info(arguments.file, node);
  }
  if (extension == ".npz" && arguments.blocks == 0 && !arguments.pairs.collisions &&
      is_archive_of_arrays(arguments.file))
    return add_archive_info(arguments.file, node);
  const KokkosSession session(0);
  add_matrix_file(arguments.file, arguments.blocks, arguments.pairs, node);
}

int info(const InfoArguments& arguments) {
  Description node = Description::map();
  node.set("file", arguments.file);
  add_file(arguments, node);
  std::fputs(to_yaml(to_node(node)).c_str(), stdout);
  return exit_done;
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<InfoArguments>();
  CLI::App* command = app.add_subcommand("info", "Describe a file, as YAML");
  command
      ->add_option(
          "file", arguments->file,
          "Matrix (.mtx, .mtx.gz, .tar.gz, .npz, .csr4), array (.npy, .npz), scan (.h5, .nxs "
          "and other HDF5 files, .tif), mesh (.obj, .off, .ply), or configuration (.yaml) whose "
          "system matrix is described")
      ->required();
  command
      ->add_option("--set", arguments->settings,
                   "key.path=value: override a key of the configuration; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  command
      ->add_option(
          "--blocks", arguments->blocks,
          "Number of blocks: the matrix is the first block row of a block-circulant matrix")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command->add_flag("--exact", arguments->exact,
                    "Build the matrix of a configuration whatever its size, for its exact figures");
  command->add_flag("--collisions", arguments->pairs.collisions,
                    "Convert the matrix, or the stored rays of scsr, to pair_blocked and count "
                    "colliding additions in the transposed product");
  command->callback(
      [arguments, &exit_status] { exit_status = guarded([&] { return info(*arguments); }); });
}

}  // namespace Tomokkos
