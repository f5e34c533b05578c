// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_FileInfo.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixInfo.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_ReportFile.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>

namespace Tomokkos {

namespace {

struct InfoArguments {
  std::string file;
  std::vector<std::string> settings;
  MatrixQuestions asked;
};

/// Describes the report of a run, or the matrix of a configuration.
void add_config_file(const InfoArguments& arguments, Description& node) {
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
  add_places_to_errors(root, [&] { add_matrix_of_problem(root, config, arguments.asked, node); });
}

/// Describes the file of the command line.
void add_file(const InfoArguments& arguments, Description& node) {
  const std::string& file = arguments.file;
  const bool is_config = is_config_file(file), is_matrix = is_matrix_file(file);
  const auto& [blocks, exact, collisions] = arguments.asked;
  if (blocks > 0 && !is_matrix) throw ConfigError("--blocks: applies only to a matrix file");
  if (collisions && !is_matrix && !is_config)
    throw ConfigError("--collisions: applies only to a matrix file or a configuration");
  if (exact && !is_config) throw ConfigError("--exact: applies only to a configuration");
  if (is_config) return add_config_file(arguments, node);
  if (!arguments.settings.empty())
    throw ConfigError("--set " + arguments.settings.front() + ": applies only to a configuration");
  const ImageFormat* format = image_format_of(file);
  if (format != nullptr && format->reader.describe != nullptr)
    return format->reader.describe(file, node);
  if (is_mesh_file(file)) return add_mesh_info(file, node);
  if (!std::filesystem::exists(file)) throw InputError(file + ": No such file or directory");
  const std::string extension = lower_extension(file);
  if (!is_matrix)
    throw InputError(
        file + ": the extension '" + extension + "' is not supported; allowed are " +
        matrix_file_extensions +
        ", .npy, .tif, .h5 and other names of HDF5 files, .obj, .off, .ply, .yaml, .yml");
  const bool asks_for_matrix = blocks > 0 || collisions;
  if (extension == ".npz" && checkpoint_output.recognises(file)) {
    if (asks_for_matrix)
      throw ConfigError(
          file +
          ": is a checkpoint, not a matrix; --blocks and --collisions apply only to a matrix");
    return add_checkpoint_info(file, node);
  }
  if (extension == ".npz" && !asks_for_matrix && is_archive_of_arrays(file))
    return add_archive_info(file, node);
  const KokkosSession session(0);
  add_matrix_file(file, arguments.asked, node);
}

int info(const InfoArguments& arguments) {
  Description node = describe_map({{"file", arguments.file}});
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
  add_settings(*command, arguments->settings);
  command
      ->add_option(
          "--blocks", arguments->asked.blocks,
          "Number of blocks: the matrix is the first block row of a block-circulant matrix")
      ->check(CLI::Range(1, std::numeric_limits<int>::max()));
  command->add_flag("--exact", arguments->asked.exact,
                    "Build the matrix of a configuration whatever its size, for its exact figures");
  command->add_flag("--collisions", arguments->asked.collisions,
                    "Convert the matrix, or the stored rays of scsr, to pair_blocked and count "
                    "colliding additions in the transposed product");
  command->callback(
      [arguments, &exit_status] { exit_status = guarded([&] { return info(*arguments); }); });
}

}  // namespace Tomokkos
