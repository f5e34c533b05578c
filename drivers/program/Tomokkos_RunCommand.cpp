// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MeshProblems.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_ReportFile.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <Tomokkos_SystemRun.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace Tomokkos {

namespace {

struct RunArguments {
  std::string config;
  std::vector<std::string> settings;
  std::string output;
  bool print_config = false;
  bool prints_all = false;
  bool with_help = false;
  bool quiet = false;
  bool resume = false;
  bool overwrite = false;
};

// Treats `--output DIR` as `--set output.directory=DIR`, without parsing DIR as YAML.
void set_output(ConfigNode& root, const std::string& directory) {
  auto source = std::make_shared<ConfigSource>();
  source->name = "--output " + directory;
  source->base_directory = std::filesystem::current_path();
  source->has_lines = false;
  ConfigNode value = ConfigNode::text(directory);
  value.position = {source, 1, 1};
  ConfigNode* output = root.find("output");
  if (!output || output->is_null()) {
    ConfigNode section = ConfigNode::map();
    section.position = value.position;
    output = &root.set("output", std::move(section));
  }
  // A section that is not a map is reported when it is read.
  if (output->is_map()) output->set("directory", std::move(value));
}

int run(const RunArguments& arguments) {
  const RunRanks ranks;
  return ranks.guarded([&] {
    require_same_command(arguments.print_config ? "run --print-config" : "run", ranks);
    bool from_report = false;
    const ConfigNode root = ranks.together([&] {
      ConfigNode result = load_config(arguments.config, arguments.settings, &from_report);
      if (!arguments.output.empty() && result.is_map()) set_output(result, arguments.output);
      if (!arguments.print_config) set_backend_of_rank(result, ranks);
      return result;
    });
    const RunConfig config = ranks.together([&] {
      RunConfig result = read_config(root, arguments.config);
      if (from_report && !arguments.print_config)
        require_other_folder(arguments.config, root, result.output.directory);
      return result;
    });
    if (arguments.print_config) {
      const auto help =
          arguments.with_help ? help_of(config) : std::map<std::string, std::string>();
      if (ranks.is_first())
        std::fputs(
            to_yaml(arguments.prints_all ? to_node(config) : to_short_node(config), help).c_str(),
            stdout);
      return exit_done;
    }
    if (ranks.size() > 1)
      require_same_on_ranks(
          ranks.together([&] { return identity_of(to_node(config), data_files(config)); }), ranks);
    ranks.together([&] {
      add_places_to_errors(root, [&] {
        require_replaceable_outputs(config.problem, config.output, input_files(config));
        if (!arguments.resume && !arguments.overwrite)
          require_no_later_checkpoint(config.output.directory, config.solver.iterations());
      });
    });
    const KokkosSession session(config.run.threads, ranks.local_rank(), ranks.local_size());
    impose(config.run.memory_limit);
    // Report errors before Kokkos is finalised, because finalising may wait for work that waits for
    // other ranks.
    return ranks.guarded([&] {
      return add_places_to_errors(root, [&] {
        return run_configuration(config,
                                 {arguments.quiet, arguments.resume, arguments.overwrite, &ranks});
      });
    });
  });
}

}  // namespace

int run_configuration(const RunConfig& config, const RunOptions& options) {
  return visit_backend(config.run.backend, [&]<class Space>(std::type_identity<Space>) {
    return visit_scalar(config.run.scalar, [&]<class Scalar>(std::type_identity<Scalar>) {
      if (config.problem.kind == ProblemKind::tomography)
        return run_reconstruction<Space, Scalar>(config, options);
      const SystemSections sections{config.run,
                                    config.problem,
                                    config.solver,
                                    config.output,
                                    system_task(config.matrix_operator, config.needs()),
                                    to_node(config)};
      if (config.problem.kind == ProblemKind::linear_system)
        return run_linear_system<Space, Scalar>(sections, options);
      return run_mesh_problem<Space, Scalar>(sections, options);
    });
  });
}

ConfigNode load_config(const std::string& file, const std::vector<std::string>& settings,
                       bool* from_report) {
  ConfigNode root = read_yaml_file(file);
  const bool has_report = is_report(root);
  if (from_report != nullptr) *from_report = has_report;
  if (has_report) root = ConfigNode(*root.find("configuration"));
  apply_settings(root, settings);
  return root;
}

std::string config_name(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

RunConfig read_config(const ConfigNode& root, const std::string& file) {
  RunConfig config = read_run_config(root, ConfigUse::run, config_name(file));
  config.file = file;
  return config;
}

bool is_config_file(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".yaml" || extension == ".yml";
}

void add_run_command(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* command = app.add_subcommand(
      "run", "Reconstruct an image or solve a system as described by a configuration");
  command->add_option("config", arguments->config, "Configuration file (YAML)")->required();
  add_settings(*command, arguments->settings);
  command->add_option("--output", arguments->output, "Output directory");
  command->add_flag("--print-config", arguments->print_config,
                    "Print the keys that differ from their defaults or are required, and exit");
  command
      ->add_flag("--all", arguments->prints_all,
                 "With --print-config: print every key with its value")
      ->needs("--print-config");
  command
      ->add_flag("--with-help", arguments->with_help,
                 "With --print-config: print an explanation above each key")
      ->needs("--print-config");
  command->add_flag("--resume", arguments->resume,
                    "Continue from the checkpoint in the output directory (output.checkpoint)");
  command->add_flag(
      "--overwrite", arguments->overwrite,
      "Replace a checkpoint even if it is from a later iteration than this run reaches");
  command->add_flag("--quiet", arguments->quiet, "Print only errors");
  command->callback(
      [arguments, &exit_status] { exit_status = guarded([&] { return run(*arguments); }); });
}

}  // namespace Tomokkos
