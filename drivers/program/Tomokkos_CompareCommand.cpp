// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos compare`: shows that backends, numbers of threads and formats compute the same.
#include <CLI/CLI.hpp>
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_CommandLine.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_CompareCase.hpp>
#include <Tomokkos_CompareRecords.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunIdentity.hpp>
#include <Tomokkos_RunOptions.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

namespace Tomokkos {

namespace {

// Entries of a vector that are stored in a file for other machines, and compared in this process.
constexpr int samples_of_a_file = 64, samples_here = 4096;
// Runs with rounded data: of a reference, and of a run that checks what a reference says of them.
constexpr int rounded_runs = 3, checking_runs = 1;
// Iterates in a file for other machines.
constexpr std::size_t iterates_of_a_file = 24;

struct CompareArguments {
  std::string config;
  std::vector<std::string> settings;
  std::vector<std::string> backends;
  std::string record;
  std::string against;
  bool is_case = false;      // a process that `compare` has started: more samples
  bool is_reference = true;  // measure how far rounding moves the iterates
};

/// Configuration of a run whose results nobody reads.
RunConfig without_output(RunConfig config, const std::filesystem::path& folder) {
  config.output.directory = folder / "run";
  config.output.image.clear();
  config.output.solution.clear();
  config.output.picture_size = 0;
  config.output.every = 0;
  config.output.checkpoint = 0;
  return config;
}

/// Runs \p config and records it, and repeats the run \p repetitions times with rounded data.
RunRecord record_run(const RunConfig& config, const RunRanks& ranks, int samples, int repetitions,
                     const std::filesystem::path& folder) {
  const RunConfig run = without_output(config, folder);
  const KokkosSession session(config.run.threads, ranks.local_rank(), ranks.local_size());
  impose(config.run.memory_limit);
  RunRecorder recorder(samples);
  const RunOptions options{.quiet = true, .ranks = &ranks, .recorder = &recorder};
  for (int k = 0; k <= repetitions; ++k) {
    if (k > 0) recorder.begin_rounded_run(k);
    // A system that is not solved is compared like any other.
    if (run_configuration(run, options) == exit_interrupted)
      throw Error("interrupted; nothing was compared");
  }
  RunRecord record = recorder.record();
  record.version = version();
  record.git = git_commit();
  record.identity = identity_of(config);
  return record;
}

/// Loads the configuration of the command line, or that of the record to compare with.
ConfigNode load(const CompareArguments& arguments, const RunRecord* reference) {
  if (!arguments.config.empty()) return load_config(arguments.config, arguments.settings);
  const RunIdentity& identity = reference->identity;
  if (!identity.inputs.empty())
    throw ConfigError(arguments.against + ": the recorded run read input files, such as " +
                      identity.inputs.front().name +
                      "; give its configuration: tomokkos compare CONFIG --against FILE");
  ConfigNode root = identity.configuration;
  apply_settings(root, arguments.settings);
  return root;
}

ConfigNode load(const CompareArguments& arguments, const RunRecord* reference,
                const RunRanks& ranks) {
  ConfigNode root = load(arguments, reference);
  set_backend_of_rank(root, ranks);
  return root;
}

RunConfig read(const CompareArguments& arguments, const ConfigNode& root) {
  const std::string& file = arguments.config.empty() ? arguments.against : arguments.config;
  RunConfig config = read_run_config(root, ConfigUse::run, config_name(file));
  config.file = file;
  return config;
}

std::string describe_stop(const RunRecord& record) {
  if (record.ends.empty()) return "no solve";
  int iterations = 0;
  for (const RecordedEnd& end : record.ends) iterations = std::max(iterations, end.iterations);
  return std::string(to_string(record.ends.front().reason)) + " after " +
         std::to_string(iterations) +
         (record.ends.size() > 1 ? " (" + std::to_string(record.ends.size()) + " columns)" : "");
}

std::string describe_machine(const RunRecord& record) {
  return record.backend + " on " + record.device + ", " + record.scalar + ", version " +
         record.version;
}

std::string short_number(double value) { return Impl::formatted("%.2g", value); }

void print_header(std::size_t width) {
  std::printf("%-*s  %-8s  %-8s  %-10s  %-12s  %-16s  %s\n", static_cast<int>(width), "case", "A x",
              "A' y", "iterates", "largest at", "bits differ from", "stop");
}

void print_comparison(const std::string& name, std::size_t width, const RecordComparison& result,
                      const RunRecord& record) {
  const auto product = [&](std::size_t i) {
    return i < result.products.size() ? short_number(result.products[i].in_bounds)
                                      : std::string("-");
  };
  const std::string bits = !result.equal_bits        ? "not comparable"
                           : *result.equal_bits      ? "equal"
                           : result.first_other_bits ? describe(*result.first_other_bits)
                                                     : "products";
  std::printf("%-*s  %-8s  %-8s  %-10s  %-12s  %-16s  %s%s\n", static_cast<int>(width),
              name.c_str(), product(0).c_str(), product(1).c_str(),
              short_number(result.largest_iterate).c_str(),
              result.largest_iterate > 0 ? describe(result.largest_at).c_str() : "-", bits.c_str(),
              describe_stop(record).c_str(),
              result.stop_depends_on_rounding ? ", which depends on rounding" : "");
}

void print_units() {
  std::printf(
      "\nProducts: largest difference in units of the rounding bound of an entry. Iterates: in "
      "units of\nwhat is allowed, by what rounding the data changes in the reference. Both agree "
      "up "
      "to 1.\n");
}

int compare_with_file(const CompareArguments& arguments) {
  const RunRanks ranks;
  return ranks.guarded([&] {
    require_same_command("compare --against", ranks);
    RunRecord reference = ranks.together([&] { return read_record(arguments.against); });
    const ConfigNode root = ranks.together([&] { return load(arguments, &reference, ranks); });
    const RunConfig config = ranks.together([&] {
      RunConfig result = read(arguments, root);
      if (result.run.scalar != reference.scalar)
        throw ConfigError(arguments.against + ": this is a record in " + reference.scalar +
                          ", run.scalar is " + result.run.scalar);
      // Refuse another configuration before anything is computed. The record is read as this
      // program reads it, so that keys which are newer than the record have their defaults.
      RunRecord now;
      now.identity = identity_of(result);
      if (reference.identity.inputs.empty())
        reference.identity.configuration = portable_configuration(
            to_node(read_run_config(reference.identity.configuration, ConfigUse::run, "record")));
      require_same_run(arguments.against, reference, now);
      return result;
    });
    require_same_on_ranks(config, ranks);
    const RunRecord record = add_places_to_errors(root, [&] {
      return record_run(config, ranks, reference.samples, checking_runs, TemporaryFolder().path());
    });
    if (!ranks.is_first()) return exit_done;
    require_plausible_bounds(arguments.against, reference, record);
    const RecordComparison result = compare_records(reference, record);
    const std::string name = record.backend;
    std::printf("reference: %s\n", describe_machine(reference).c_str());
    std::printf("this run:  %s\n\n", describe_machine(record).c_str());
    print_header(name.size());
    print_comparison(name, name.size(), result, record);
    print_units();
    for (const std::string& failure : result.failures)
      std::fprintf(stderr, "tomokkos: error: %s: %s\n", arguments.against.c_str(), failure.c_str());
    std::string ways = other_representation(reference, record);
    if (!ways.empty())
      ways = " (record: " + ways + "; here: " + other_representation(record, reference) + ")";
    std::printf("verdict: %s%s\n", result.agrees() ? "the same within rounding" : "not the same",
                ways.c_str());
    return result.agrees() ? exit_done : exit_failed;
  });
}

int write_record_file(const CompareArguments& arguments) {
  const RunRanks ranks;
  return ranks.guarded([&] {
    require_same_command("compare --record", ranks);
    const ConfigNode root = ranks.together([&] { return load(arguments, nullptr, ranks); });
    const RunConfig config = ranks.together([&] {
      if (!arguments.is_case && git_commit() == "unknown")
        throw ConfigError(
            "--record: a record names the commit of its program, which this one does not know; "
            "configure it with -DTOMOKKOS_GIT_COMMIT=COMMIT");
      // Fail now rather than after the run if the file cannot be written.
      if (ranks.is_first()) AtomicFile::probe(arguments.record, record_output);
      return read(arguments, root);
    });
    require_same_on_ranks(config, ranks);
    // A case uses the folder of its record, which the process removes that has started it.
    std::optional<TemporaryFolder> own;
    if (!arguments.is_case) own.emplace();
    const std::filesystem::path folder =
        own ? own->path() : std::filesystem::path(arguments.record).parent_path();
    RunRecord record = add_places_to_errors(root, [&] {
      return record_run(config, ranks, arguments.is_case ? samples_here : samples_of_a_file,
                        arguments.is_reference ? rounded_runs : 0, folder);
    });
    if (!ranks.is_first()) return exit_done;
    if (!arguments.is_case) thin_iterates(record, iterates_of_a_file);
    write_record(arguments.record, record);
    return exit_done;
  });
}

/// The cases of several backends: the configuration on each of them.
std::vector<CompareCase> backend_cases(const ConfigNode& configuration,
                                       const std::vector<std::string>& backends) {
  std::vector<CompareCase> cases;
  for (const std::string& backend : backends) {
    CompareCase each{backend, configuration};
    set_in(each.configuration, "run", "backend", ConfigNode::text(backend));
    cases.push_back(std::move(each));
  }
  return cases;
}

/// The cases of one backend: other numbers of threads, deterministic sums, other products in CSR,
/// other formats.
std::vector<CompareCase> variant_cases(const RunConfig& config, const ConfigNode& configuration) {
  std::vector<CompareCase> cases{{config.run.backend + ", as configured", configuration}};
  const auto add = [&](const std::string& name, const std::string& section, const std::string& key,
                       const ConfigNode& value) {
    CompareCase each{name, configuration};
    set_in(each.configuration, section, key, value);
    cases.push_back(std::move(each));
  };
  const auto processors = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  for (const int threads : {1, 2, processors})
    if (threads <= processors && threads != config.run.threads &&
        (threads == 1 || threads != processors || config.run.threads > 0 || processors > 2) &&
        cases.back().name != "threads: " + std::to_string(threads))
      add("threads: " + std::to_string(threads), "run", "threads", ConfigNode::integer(threads));
  if (!config.run.deterministic)
    add("deterministic: true", "run", "deterministic", ConfigNode::boolean(true));
  const OperatorWish& section = config.matrix_operator;
  if (section.symmetric() || section.block_circulant() || configuration.find("operator") == nullptr)
    return cases;
  // Other keys of the configured format or product may not apply.
  const auto add_operator = [&](const std::string& format, const std::string& key,
                                std::string_view value) {
    CompareCase each = case_with_operator(key + ": " + std::string(value), configuration, format);
    if (key != "format")
      set_in(each.configuration, "operator", key, ConfigNode::text(std::string(value)));
    cases.push_back(std::move(each));
  };
  if (section.is(MatrixFormat::csr) || section.is_automatic()) {
    for (const auto& [variant, name] : EnumNames<SpmvVariant>::names)
      if (variant != section.variant && variant != SpmvVariant::automatic)
        add_operator("csr", "variant", name);
    if (uses_transpose(config.solver.kind()))
      for (const TransposeMethod method : transpose_methods(MatrixFormat::csr))
        if (method != section.transpose) add_operator("csr", "transpose", to_string(method));
  }
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (!section.is(format)) add_operator(std::string(name), "format", name);
  if (config.problem.kind == ProblemKind::tomography) add_operator("scsr", "format", "scsr");
  if (config.problem.as<ScanConfig>() && !section.computed())
    add_operator("computed", "format", "computed");
  return cases;
}

std::vector<std::string> chosen_backends(const CompareArguments& arguments) {
  const std::vector<std::string_view> names = backend_names();
  if (arguments.backends.empty()) return {names.begin(), names.end()};
  for (const std::string& backend : arguments.backends)
    if (std::find(names.begin(), names.end(), backend) == names.end()) {
      std::string all;
      for (const std::string_view name : names)
        all += (all.empty() ? "" : ", ") + std::string(name);
      throw ConfigError("--backends: " + backend + " is not available in this program; it has " +
                        all + "; to compare with another machine, see --record and --against");
    }
  return arguments.backends;
}

int compare_cases(const CompareArguments& arguments) {
  const ConfigNode root = load(arguments, nullptr);
  const RunConfig config = read(arguments, root);
  const std::vector<std::string> backends = chosen_backends(arguments);
  // All values are explicit, and paths are absolute.
  ConfigNode configuration = to_node(config);
  const bool has_several = backends.size() > 1;
  if (!has_several) set_in(configuration, "run", "backend", ConfigNode::text(backends.front()));
  const std::vector<CompareCase> cases =
      has_several ? backend_cases(configuration, backends) : variant_cases(config, configuration);
  std::size_t width = 4;
  for (const CompareCase& each : cases) width = std::max(width, each.name.size());

  const InterruptGuard guard;
  std::optional<RunRecord> reference;
  std::vector<std::string> refused;
  int compared = 0, failed = 0;
  for (const CompareCase& each : cases) {
    CaseOutcome outcome;
    const auto record = run_case(each, !reference, outcome);
    if (!record) {
      if (!reference) {
        if (outcome.status == exit_bad_input) throw ConfigError(outcome.message);
        throw Error(each.name + ": " + outcome.message);
      }
      // A variant may not suit the problem. A backend must.
      if (outcome.status == exit_bad_input && !has_several) {
        refused.push_back(each.name + ": " + outcome.message);
        continue;
      }
      ++failed;
      std::printf("%-*s  failed: %s\n", static_cast<int>(width), each.name.c_str(),
                  outcome.message.c_str());
      continue;
    }
    if (!reference) {
      reference = record;
      print_header(width);
      std::printf("%-*s  reference, %zu iterates, %s\n", static_cast<int>(width), each.name.c_str(),
                  record->iterates.size(), describe_stop(*record).c_str());
      std::fflush(stdout);
      continue;
    }
    const RecordComparison result = compare_records(*reference, *record);
    print_comparison(each.name, width, result, *record);
    std::fflush(stdout);
    ++compared;
    if (result.agrees()) continue;
    ++failed;
    for (const std::string& failure : result.failures)
      std::fprintf(stderr, "tomokkos: error: %s: %s\n", each.name.c_str(), failure.c_str());
  }
  print_units();
  for (const std::string& each : refused) std::printf("not possible: %s\n", each.c_str());
  if (compared + failed == 0)
    throw Error("there is nothing to compare with: no other case can run this configuration");
  std::printf("verdict: %s\n", failed > 0 ? (std::to_string(failed) + " of " +
                                             std::to_string(cases.size() - refused.size() - 1) +
                                             " cases differ or failed")
                                                .c_str()
                                          : "the same within rounding");
  return failed > 0 ? exit_failed : exit_done;
}

int compare(const CompareArguments& arguments) {
  if (!arguments.record.empty()) return write_record_file(arguments);
  if (!arguments.against.empty()) return compare_with_file(arguments);
  return compare_cases(arguments);
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Run a configuration on all backends, or in variants on one, and compare them");
  auto* config = command->add_option("config", arguments->config, "Configuration file (YAML)");
  command
      ->add_option("--set", arguments->settings,
                   "key.path=value: override a key of the configuration; may be repeated")
      ->take_all()
      ->allow_extra_args(false);
  auto* backends =
      command->add_option("--backends", arguments->backends, "Backends to compare: openmp,cuda")
          ->delimiter(',');
  auto* record = command->add_option(
      "--record", arguments->record,
      "Run the configuration on run.backend and store norms, samples and hashes in this file");
  auto* against =
      command->add_option("--against", arguments->against,
                          "Run the configuration (by default that of the record) and compare it "
                          "with this record, which may be from another machine");
  record->needs(config)->excludes(against)->excludes(backends);
  against->excludes(backends);
  command
      ->add_option_function<std::string>("--runs",
                                         [](const std::string&) {
                                           throw CLI::ValidationError(
                                               "--runs",
                                               "docs/figures/repeat_runs.py repeats runs "
                                               "with combinations of products now");
                                         })
      ->group("");
  command->add_flag("--case", arguments->is_case)->group("");
  command->add_flag("--no-rounding{false}", arguments->is_reference)->group("");
  command->callback([arguments, &exit_status] {
    // Cases are processes of their own.
    if (arguments->record.empty() && arguments->against.empty()) {
      exit_status = refuse_several_processes("compare");
      if (exit_status != exit_done) return;
    }
    exit_status = guarded([&] {
      if (arguments->config.empty() && arguments->against.empty())
        throw ConfigError("compare needs a configuration, or a record: --against FILE");
      return compare(*arguments);
    });
  });
}

}  // namespace Tomokkos
