// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_RowBlocks.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>

namespace Tomokkos {

namespace {

struct ConvertArguments {
  std::string input;
  std::string output;
  std::vector<std::string> settings;
  std::optional<std::string> matrix;  ///< name in `bench.matrices`
  bool expanded = false;
  bool quiet = false;
};

// Checked before the conversion, which may take long.
void check_destination(const std::filesystem::path& output) {
  std::error_code error;
  if (std::filesystem::is_directory(output, error))
    throw OutputError(output.string() + ": is a folder");
  const std::filesystem::path folder = std::filesystem::absolute(output).parent_path();
  if (!std::filesystem::is_directory(folder, error))
    throw OutputError(output.string() + ": its folder does not exist: " + folder.string());
  if (matrix_output_format(output) == MatrixFileFormat::npz && !can_write_npz())
    throw OutputError(output.string() +
                      ": .npz needs libzip, which this program was built without");
  require_replaceable(output, matrix_output_kind(output));
}

bool writes_csr4(const ConvertArguments& arguments) {
  return matrix_output_format(arguments.output) == MatrixFileFormat::csr4;
}

/// Counts the double precision values that change in a csr4 file, which stores floats.
struct Rounding {
  Offset changed = 0;
  double largest = 0;

  template <class Scalar>
  void add(const HostCsrMatrix<Scalar>& A) {
    if constexpr (std::is_same_v<Scalar, double>) {
      for (Offset k = 0; k < A.num_nonzeros(); ++k) {
        const double value = A.values(k), change = std::abs(static_cast<float>(value) - value);
        if (change == 0) continue;
        ++changed;
        largest = std::max(largest, change / std::abs(value));
      }
    }
  }
};

// Nonzeros of a block of rows that is written at once: half a gigabyte in the file.
constexpr Offset nonzeros_of_block = 1 << 26;

/// Writes matrices in one precision.
template <class ExecutionSpace, class Scalar>
struct MatrixConversion {
  const ConvertArguments& arguments;
  ExecutionSpace exec = {};

  void report(Ordinal rows, Ordinal columns, Offset nonzeros, const Rounding& rounding = {}) const {
    if (arguments.quiet) return;
    std::printf("%s: %d x %d, %lld nonzeros, from %s (%s)\n", arguments.output.c_str(), rows,
                columns, static_cast<long long>(nonzeros), arguments.input.c_str(),
                scalar_name<Scalar>());
    if (rounding.changed > 0)
      std::printf("rounded to float: %lld values changed, by a relative error of at most %.2g\n",
                  static_cast<long long>(rounding.changed), rounding.largest);
  }

  void write(const HostCsrMatrix<Scalar>& A, const std::optional<Csr4Scanner>& scanner = {}) const {
    if (scanner && writes_csr4(arguments))
      write_csr4(arguments.output, A, *scanner);
    else
      write_matrix(arguments.output, A);
    Rounding rounding;
    if (writes_csr4(arguments)) rounding.add(A);
    report(A.num_rows, A.num_cols, A.num_nonzeros(), rounding);
  }

  /// Writes a csr4 file by blocks of rows, so that the matrix need not fit in memory.
  ///
  /// \param offsets row offsets of the matrix, in host memory
  /// \param block makes a range of its rows
  template <class Offsets, class Block>
  void write_blocks(Ordinal columns, const Offsets& offsets, const Csr4Scanner& scanner,
                    const Block& block) const {
    Csr4Writer writer(arguments.output, columns, offsets, scanner);
    Rounding rounding;
    for (const RowRange rows : blocks_of_rows(offsets, nonzeros_of_block)) {
      const HostCsrMatrix<Scalar> A = block(rows);
      rounding.add(A);
      writer.write_rows(A);
    }
    writer.commit();
    report(writer.num_rows(), columns, offsets(writer.num_rows()), rounding);
  }

  void convert_file() const {
    if (matrix_file_format(arguments.input) != MatrixFileFormat::csr4)
      return write(read_matrix<Scalar>(arguments.input));
    Csr4Reader reader(arguments.input);
    const auto read = [&](RowRange rows) { return reader.read_rows<Scalar>(rows); };
    if (!writes_csr4(arguments)) return write(read(all_rows));
    write_blocks(reader.num_cols(), reader.row_offsets(), reader.scanner(), read);
  }

  void convert_mesh_problem(const MeshMatrixSource& mesh) const {
    write(
        copy_to<Kokkos::HostSpace>(exec, mesh.template make_matrix<ExecutionSpace, Scalar>(exec)));
  }

  /// Writes the first block row of a block-circulant matrix.
  void convert_block_row(const SystemTask& task) const {
    if (task.masks.any())
      throw ConfigError(
          "problem.mask, problem.ray_mask: the first row of blocks cannot leave out rows or "
          "columns; --expanded writes the whole matrix without them");
    const auto A = make_block_row<ExecutionSpace, Scalar>(exec, task, MatrixUse::matrix);
    const auto row = copy_to<Kokkos::HostSpace>(
        exec, block_row_from_block_circulant<ExecutionSpace, Scalar>(exec, A));
    write_block_row(arguments.output, row, A.blocks);
    report(row.num_rows, row.num_cols, row.num_nonzeros());
    if (!arguments.quiet)
      std::printf("first block row (%d blocks) of a %d x %d matrix\n", A.blocks, A.num_rows(),
                  A.num_cols());
  }

  /// Writes the rows of a scanner.
  void convert_scanner(const RowSource& rows) const {
    const auto& pairs = *scanner_of(rows);
    const auto offsets = pairs.row_offsets(exec, all_rows);
    write_blocks(static_cast<Ordinal>(pairs.num_cols()),
                 Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), offsets),
                 describe_scanner(pairs.scanner, pairs.volume), [&](RowRange range) {
                   return copy_to<Kokkos::HostSpace>(
                       exec,
                       build_ordered_rows<ExecutionSpace, Scalar>(exec, pairs, offsets, {}, range));
                 });
  }

  void convert_task(const SystemTask& task, const RunInput& input) const {
    if (scanner_of(task.rows) && writes_csr4(arguments) && !task.masks.any())
      return convert_scanner(task.rows);
    if (traits_of(task.rows).is_circulant && !arguments.expanded) return convert_block_row(task);
    const auto A = make_matrix<ExecutionSpace, Scalar>(exec, task, MatrixUse::matrix);
    require_seen_image(input, A.num_nonzeros());
    const VolumeGeometry& volume = input.volume;
    // Write the shape of the image as well, if the format can store it. Polar voxels and masked
    // images do not form a grid.
    std::optional<Csr4Scanner> grid;
    if (volume.rows > 0 && !polar_volume(task.rows) && task.masks.columns.empty()) {
      const auto pixel = static_cast<float>(volume.pixel);
      grid.emplace();
      grid->voxel_size = {pixel, static_cast<float>(volume.pixel_height()), pixel};
      grid->grid = {static_cast<std::uint32_t>(volume.columns),
                    static_cast<std::uint32_t>(volume.rows),
                    static_cast<std::uint32_t>(input.depth)};
    }
    write(copy_to<Kokkos::HostSpace>(exec, A), grid);
  }
};

void convert_file(const ConvertArguments& arguments) {
  // Only the section run of a configuration applies here.
  ConfigNode root;
  for (const std::string& setting : arguments.settings) apply_setting(root, setting);
  const ConfigReader reader(root, "", {"run"});
  const RunSection run = read_run(reader);
  std::string scalar = run.scalar;
  if (!reader.given("run.scalar"))
    scalar = matrix_file_precision(arguments.input) == FilePrecision::float32 ? "float" : "double";
  const KokkosSession session(run.threads);
  impose(run.memory_limit);
  visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
    MatrixConversion<TOMOKKOS_HOST_SPACE, Scalar>{arguments}.convert_file();
  });
}

/// Lets the benchmark program, which has the generators, write one of its matrices.
int convert_bench_matrix(const ConvertArguments& arguments) {
  if (!is_config_file(arguments.input))
    throw ConfigError("--matrix: names a matrix of bench.matrices; " + arguments.input +
                      " is no configuration");
  if (arguments.expanded)
    throw ConfigError(
        "--expanded: does not apply to --matrix, which writes the first block row of a "
        "block-circulant matrix");
  if (writes_csr4(arguments))
    throw InputError(arguments.output + ": --matrix writes .mtx and .npz");
  std::vector<std::string> passed{arguments.input, "--matrix", *arguments.matrix, "--write",
                                  arguments.output};
  for (const std::string& setting : arguments.settings)
    passed.insert(passed.end(), {"--set", setting});
  if (arguments.quiet) passed.emplace_back("--quiet");
  return replace_by_bench("convert --matrix", std::move(passed));
}

int convert(const ConvertArguments& arguments) {
  try {
    matrix_output_format(arguments.output);
  } catch (const OutputError& error) {
    throw InputError(error.what());  // a usage error, not a failure to write
  }
  check_destination(arguments.output);
  const std::filesystem::path folder = std::filesystem::path(arguments.output).parent_path();
  AtomicFile::remove_abandoned(folder.empty() ? "." : folder);
  if (arguments.matrix) return convert_bench_matrix(arguments);
  if (!is_config_file(arguments.input)) {
    if (arguments.expanded) throw ConfigError("--expanded: applies only to a configuration");
    convert_file(arguments);
    return exit_done;
  }
  const ConfigNode root = load_config(arguments.input, arguments.settings);
  const RunConfig config = read_run_config(root, ConfigUse::matrix, config_name(arguments.input));
  if (config.problem.traits().is_circulant) {
    if (!arguments.expanded && writes_csr4(arguments))
      throw InputError(
          arguments.output +
          ": a csr4 file cannot store a block row; write .mtx or .npz, or give --expanded");
  } else if (arguments.expanded) {
    throw ConfigError(
        "--expanded: applies only to block-circulant matrices; other matrices are always written "
        "in full");
  }
  const KokkosSession session(config.run.threads);
  impose(config.run.memory_limit);
  add_places_to_errors(root, [&] {
    visit_backend(config.run.backend, [&]<class Space>(std::type_identity<Space>) {
      visit_scalar(config.run.scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
        const MatrixConversion<Space, Scalar> conversion{arguments};
        if (config.problem.mesh)
          return conversion.convert_mesh_problem({config.problem, config.run});
        const RunInput input = read_input_of_matrix(config.problem, config.run, config.input_use(),
                                                    plan_slabs(config.problem, sizeof(Scalar)));
        warn_of_suspicions(config.run, input);
        conversion.convert_task(system_task(config.matrix_operator, config.needs(), input), input);
      });
    });
  });
  return exit_done;
}

}  // namespace

void add_convert_command(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command = app.add_subcommand(
      "convert", "Convert a matrix, or write the system matrix of a configuration");
  command
      ->add_option("in", arguments->input,
                   "Matrix (.mtx, .mtx.gz, .tar.gz, .npz, .csr4), or configuration (.yaml) whose "
                   "system matrix is written")
      ->required();
  command->add_option("out", arguments->output, "Matrix to write (.mtx, .npz, .csr4)")->required();
  add_settings(*command, arguments->settings, " (for a matrix: run.scalar)");
  command->add_option(
      "--matrix", arguments->matrix,
      "Name in bench.matrices: write that matrix of a configuration, as .mtx or .npz; needs "
      "tomokkos-bench");
  command->add_flag("--expanded", arguments->expanded,
                    "Write all rows of a block-circulant matrix, not only its first block row");
  command->add_flag("--quiet", arguments->quiet, "Print only errors");
  command->callback(
      [arguments, &exit_status] { exit_status = guarded([&] { return convert(*arguments); }); });
}

}  // namespace Tomokkos
