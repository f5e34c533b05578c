// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_CirculantSource.hpp>
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
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
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
class Rounding {
 public:
  template <class Scalar>
  void add(const HostCsrMatrix<Scalar>& A) {
    if constexpr (std::is_same_v<Scalar, double>) {
      for (Offset k = 0; k < A.num_nonzeros(); ++k) {
        const double value = A.values(k), change = std::abs(static_cast<float>(value) - value);
        if (change == 0) continue;
        ++changed_;
        largest_ = std::max(largest_, change / std::abs(value));
      }
    }
  }

  void print() const {
    if (changed_ > 0)
      std::printf("rounded to float: %lld values changed, by a relative error of at most %.2g\n",
                  static_cast<long long>(changed_), largest_);
  }

 private:
  Offset changed_ = 0;
  double largest_ = 0;
};

template <class Scalar>
void report(const ConvertArguments& arguments, Ordinal rows, Ordinal columns, Offset nonzeros,
            const Rounding& rounding = {}) {
  if (arguments.quiet) return;
  std::printf("%s: %d x %d, %lld nonzeros, from %s (%s)\n", arguments.output.c_str(), rows, columns,
              static_cast<long long>(nonzeros), arguments.input.c_str(), scalar_name<Scalar>());
  rounding.print();
}

template <class Scalar>
void write(const ConvertArguments& arguments, const HostCsrMatrix<Scalar>& A,
           const Csr4Scanner* scanner) {
  if (scanner && writes_csr4(arguments))
    write_csr4(arguments.output, A, *scanner);
  else
    write_matrix(arguments.output, A);
  Rounding rounding;
  if (writes_csr4(arguments)) rounding.add(A);
  report<Scalar>(arguments, A.num_rows, A.num_cols, A.num_nonzeros(), rounding);
}

// Nonzeros of a block of rows that is written at once: half a gigabyte in the file.
constexpr Offset nonzeros_of_block = 1 << 26;

// Writes the matrix by blocks of rows, so that it need not fit in memory.
template <class ExecutionSpace, class Scalar>
void convert_scanner(const ConvertArguments& arguments, const ScannerRows& pairs) {
  const ExecutionSpace exec;
  const auto columns = static_cast<Ordinal>(pairs.num_cols());
  const auto offsets = pairs.row_offsets(exec, all_rows);
  const auto host_offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), offsets);
  Csr4Writer writer(arguments.output, columns, host_offsets,
                    describe_scanner(pairs.scanner, pairs.volume));
  Rounding rounding;
  for (const RowRange rows : blocks_of_rows(host_offsets, nonzeros_of_block)) {
    const auto block = copy_to<Kokkos::HostSpace>(
        exec, build_ordered_rows<ExecutionSpace, Scalar>(exec, pairs, offsets, {}, rows));
    rounding.add(block);
    writer.write_rows(block);
  }
  writer.commit();
  report<Scalar>(arguments, writer.num_rows(), columns, host_offsets(writer.num_rows()), rounding);
}

/// Writes the first block row of a block-circulant matrix.
template <class ExecutionSpace, class Scalar>
void convert_block_row(const ConvertArguments& arguments, const RunConfig& config,
                       const RunInput& input) {
  const ExecutionSpace exec;
  const auto A = make_block_row<ExecutionSpace, Scalar>(
      exec, system_task(config.matrix_operator, config.needs(), input), MatrixUse::matrix);
  const auto row = copy_to<Kokkos::HostSpace>(
      exec, block_row_from_block_circulant<ExecutionSpace, Scalar>(exec, A));
  write_block_row(arguments.output, row, A.blocks);
  report<Scalar>(arguments, row.num_rows, row.num_cols, row.num_nonzeros());
  if (!arguments.quiet)
    std::printf("first block row (%d blocks) of a %d x %d matrix\n", A.blocks, A.num_rows(),
                A.num_cols());
}

template <class Scalar>
void convert_csr4(const ConvertArguments& arguments) {
  Csr4Reader reader(arguments.input);
  if (!writes_csr4(arguments)) {
    write<Scalar>(arguments, reader.read_rows<Scalar>(all_rows), nullptr);
    return;
  }
  Csr4Writer writer(arguments.output, reader.num_cols(), reader.row_offsets(), reader.scanner());
  for (const RowRange rows : blocks_of_rows(reader.row_offsets(), nonzeros_of_block))
    writer.write_rows(reader.read_rows<Scalar>(rows));
  writer.commit();
  report<Scalar>(arguments, reader.num_rows(), reader.num_cols(), reader.num_nonzeros());
}

template <class ExecutionSpace, class Scalar>
void convert_configuration(const ConvertArguments& arguments, const RunConfig& config) {
  const RunInput input = read_input_of_matrix(config.problem, config.run, config.input_use(),
                                              plan_slabs(config.problem, sizeof(Scalar)));
  const auto* scanner = std::get_if<ScannerRows>(&input.rows);
  if (scanner && writes_csr4(arguments) && !input.masks.any())
    return convert_scanner<ExecutionSpace, Scalar>(arguments, *scanner);
  if (traits_of(input.rows).is_circulant && !arguments.expanded && input.masks.any())
    throw ConfigError(
        "problem.mask, problem.ray_mask: the first row of blocks cannot leave out rows or columns; "
        "--expanded writes the whole matrix without them");
  if (traits_of(input.rows).is_circulant && !arguments.expanded)
    return convert_block_row<ExecutionSpace, Scalar>(arguments, config, input);
  const ExecutionSpace exec;
  warn_of_suspicions(config.run, input);
  const auto A = make_matrix<ExecutionSpace, Scalar>(
      exec, system_task(config.matrix_operator, config.needs(), input), MatrixUse::matrix);
  require_seen_image(input, A.num_nonzeros());
  const VolumeGeometry& volume = input.volume;
  // Write the shape of the image as well, if the format can store it.
  Csr4Scanner grid;
  const auto pixel = static_cast<float>(volume.pixel);
  grid.voxel_size = {pixel, static_cast<float>(volume.pixel_height()), pixel};
  grid.grid = {static_cast<std::uint32_t>(volume.columns), static_cast<std::uint32_t>(volume.rows),
               static_cast<std::uint32_t>(input.depth)};
  // Polar voxels and masked images do not form a grid.
  const bool has_grid = volume.rows > 0 && !polar_volume(input.rows) && input.masks.columns.empty();
  write(arguments, copy_to<Kokkos::HostSpace>(exec, A), has_grid ? &grid : nullptr);
}

template <class ExecutionSpace, class Scalar>
void convert_mesh_problem(const ConvertArguments& arguments, const RunConfig& config) {
  const ExecutionSpace exec;
  const auto A =
      MeshMatrixSource(config.problem, config.run).make_matrix<ExecutionSpace, Scalar>(exec);
  write(arguments, copy_to<Kokkos::HostSpace>(exec, A), nullptr);
}

void convert_file(const ConvertArguments& arguments) {
  // Only the section run of a configuration applies here.
  ConfigNode root;
  for (const std::string& setting : arguments.settings) apply_setting(root, setting);
  const ConfigReader reader(root, "", {"run"});
  const RunSection run = read_run(reader);
  const bool given = reader.section("run", names_of_keys(run)).has("scalar");
  std::string scalar = run.scalar;
  if (!given)
    scalar = matrix_file_precision(arguments.input) == FilePrecision::float32 ? "float" : "double";
  const KokkosSession session(run.threads);
  impose(run.memory_limit);
  visit_scalar(scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
    if (matrix_file_format(arguments.input) == MatrixFileFormat::csr4)
      convert_csr4<Scalar>(arguments);
    else
      write<Scalar>(arguments, read_matrix<Scalar>(arguments.input), nullptr);
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
        if (config.problem.mesh)
          convert_mesh_problem<Space, Scalar>(arguments, config);
        else
          convert_configuration<Space, Scalar>(arguments, config);
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
  command
      ->add_option("--set", arguments->settings,
                   "key.path=value: override a key of the configuration (for a matrix: "
                   "run.scalar); may be repeated")
      ->take_all()
      ->allow_extra_args(false);
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
