// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos compare`: shows that backends, numbers of threads and formats compute the same.
#include <CLI/CLI.hpp>
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_CompareCase.hpp>
#include <Tomokkos_CompareRecords.hpp>
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_Version.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <thread>

namespace Tomokkos {

namespace {

using Impl::text;

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

/// Output of a run whose results nobody reads.
void write_nothing(OutputSection& output, const std::filesystem::path& folder) {
  output.directory = folder / "run";
  output.image.clear();
  output.solution.clear();
  output.picture_size = output.every = output.checkpoint = 0;
}

/// Records what \p run_once does, and repeats it \p repetitions times with rounded data.
RunRecord record_run(const RunSection& run, const RunRanks& ranks, int samples, int repetitions,
                     const std::function<int(const RunOptions&)>& run_once) {
  const KokkosSession session(run.threads, ranks.local_rank(), ranks.local_size());
  impose(run.memory_limit);
  RunRecorder recorder(samples);
  const RunOptions options{.quiet = true, .ranks = &ranks, .recorder = &recorder};
  for (int k = 0; k <= repetitions; ++k) {
    if (k > 0) recorder.begin_rounded_run(k);
    // A system that is not solved is compared like any other.
    if (run_once(options) == exit_interrupted) throw Error("interrupted; nothing was compared");
  }
  recorder.record.version = version();
  recorder.record.git = git_commit();
  return recorder.record;
}

/// Loads the configuration of the command line, or that of the record to compare with.
ConfigNode load(const CompareArguments& arguments, const RunRecord& reference) {
  if (!arguments.config.empty()) return load_config(arguments.config, arguments.settings);
  const RunIdentity& identity = reference.identity;
  if (!identity.inputs.empty())
    throw ConfigError(
        text("{}: the recorded run read input files, such as {}; give its "
             "configuration: tomokkos compare CONFIG --against FILE",
             arguments.against, identity.inputs.front().name));
  ConfigNode root = identity.configuration;
  apply_settings(root, arguments.settings);
  return root;
}

/// Refuses a reference of another run before anything is computed. The record is read as this
/// program reads it, so that keys which are newer than the record have their defaults.
void require_reference(const std::string& file, RunRecord& reference, const RunIdentity& identity,
                       const std::string& scalar) {
  if (scalar != reference.scalar)
    throw ConfigError(
        text("{}: this is a record in {}, run.scalar is {}", file, reference.scalar, scalar));
  RunRecord now;
  now.identity = identity;
  if (reference.identity.inputs.empty())
    reference.identity.configuration = portable_configuration(
        to_node(read_run_config(reference.identity.configuration, ConfigUse::run, "record")));
  require_same_run(file, reference, now);
}

/// Fails before the run if its record cannot be written.
void require_recordable(const CompareArguments& arguments, bool writes) {
  if (!arguments.is_case && git_commit() == "unknown")
    throw ConfigError(
        "--record: a record names the commit of its program, which this one does not know; "
        "configure it with -DTOMOKKOS_GIT_COMMIT=COMMIT");
  if (writes) AtomicFile::probe(arguments.record, record_output);
}

std::string describe_stop(const RunRecord& record) {
  if (record.ends.empty()) return "no solve";
  int iterations = 0;
  for (const RecordedEnd& end : record.ends) iterations = std::max(iterations, end.iterations);
  return text("{} after {}", to_string(record.ends.front().reason), iterations) +
         (record.ends.size() > 1 ? text(" ({} columns)", record.ends.size()) : "");
}

std::string describe_machine(const RunRecord& record) {
  return text("{} on {}, {}, version {}", record.backend, record.device, record.scalar,
              record.version);
}

/// Prints a row of the table, whose first column is \p width wide.
void print_row(std::size_t width, const std::array<std::string, 7>& row) {
  std::printf("%-*s  %-8s  %-8s  %-10s  %-12s  %-16s  %s\n", static_cast<int>(width),
              row[0].c_str(), row[1].c_str(), row[2].c_str(), row[3].c_str(), row[4].c_str(),
              row[5].c_str(), row[6].c_str());
  std::fflush(stdout);
}

void print_header(std::size_t width) {
  print_row(width, {"case", "A x", "A' y", "iterates", "largest at", "bits differ from", "stop"});
}

/// Compares \p record with \p reference and prints the row \p name of the table. Errors begin with
/// \p source. Returns true if the records agree.
bool print_comparison(const std::string& name, std::size_t width, const RunRecord& reference,
                      const RunRecord& record, const std::string& source) {
  const RecordComparison result = compare_records(reference, record);
  const auto short_number = [](double value) { return Impl::formatted("%.2g", value); };
  const auto product = [&](std::size_t i) {
    return i < result.products.size() ? short_number(result.products[i]) : "-";
  };
  const std::string bits = !result.equal_bits        ? "not comparable"
                           : *result.equal_bits      ? "equal"
                           : result.first_other_bits ? describe(*result.first_other_bits)
                                                     : "products";
  print_row(width, {name, product(0), product(1), short_number(result.largest_iterate),
                    result.largest_iterate > 0 ? describe(result.largest_at) : "-", bits,
                    describe_stop(record) +
                        (result.stop_depends_on_rounding ? ", which depends on rounding" : "")});
  for (const std::string& failure : result.failures)
    std::fprintf(stderr, "tomokkos: error: %s: %s\n", source.c_str(), failure.c_str());
  return result.agrees();
}

void print_units() {
  std::printf(
      "\nProducts: largest difference in units of the rounding bound of an entry. Iterates: in "
      "units of\nwhat is allowed, by what rounding the data changes in the reference. Both agree "
      "up to 1.\n");
}

int report_comparison(const std::string& file, const RunRecord& reference,
                      const RunRecord& record) {
  require_plausible_bounds(file, reference, record);
  std::printf("reference: %s\n", describe_machine(reference).c_str());
  std::printf("this run:  %s\n\n", describe_machine(record).c_str());
  print_header(record.backend.size());
  const bool agrees =
      print_comparison(record.backend, record.backend.size(), reference, record, file);
  print_units();
  std::string ways = other_representation(reference, record);
  if (!ways.empty())
    ways = text(" (record: {}; here: {})", ways, other_representation(record, reference));
  std::printf("verdict: %s%s\n", agrees ? "the same within rounding" : "not the same",
              ways.c_str());
  return agrees ? exit_done : exit_failed;
}

/// Runs the configuration and writes its record, or compares it with one.
int record_or_compare(const CompareArguments& arguments) {
  const bool compares = !arguments.against.empty();
  const RunRanks ranks;
  return ranks.guarded([&] {
    require_same_command(compares ? "compare --against" : "compare --record", ranks);
    RunRecord reference;
    const ConfigNode root = ranks.together([&] {
      if (compares) reference = read_record(arguments.against);
      ConfigNode result = load(arguments, reference);
      set_backend_of_rank(result, ranks);
      return result;
    });
    RunIdentity identity;
    RunConfig config = ranks.together([&] {
      RunConfig result =
          read_config(root, arguments.config.empty() ? arguments.against : arguments.config);
      identity = identity_of(to_node(result), data_files(result));
      if (compares)
        require_reference(arguments.against, reference, identity, result.run.scalar);
      else
        require_recordable(arguments, ranks.is_first());
      return result;
    });
    require_same_on_ranks(identity, ranks);
    // A case uses the folder of its record, which the process removes that has started it.
    const TemporaryFolder own = arguments.is_case ? nullptr : make_temporary_folder();
    const std::filesystem::path folder =
        own ? *own : std::filesystem::path(arguments.record).parent_path();
    const int samples = compares            ? reference.samples
                        : arguments.is_case ? samples_here
                                            : samples_of_a_file;
    const int repetitions = compares ? checking_runs : arguments.is_reference ? rounded_runs : 0;
    write_nothing(config.output, folder);
    RunRecord record = add_places_to_errors(root, [&] {
      return record_run(config.run, ranks, samples, repetitions, [&](const RunOptions& options) {
        return run_configuration(config, options);
      });
    });
    record.identity = identity;
    if (!ranks.is_first()) return exit_done;
    if (compares) return report_comparison(arguments.against, reference, record);
    if (!arguments.is_case) thin_iterates(record, iterates_of_a_file);
    write_record(arguments.record, record);
    return exit_done;
  });
}

/// Way to run a configuration.
struct CompareCase {
  std::string name;
  ConfigNode configuration;
};

/// The cases of one backend: other numbers of threads, deterministic sums, other products in CSR,
/// other formats.
std::vector<CompareCase> variant_cases(const RunSection& run, const ConfigNode& configuration) {
  std::vector<CompareCase> cases{{run.backend + ", as configured", configuration}};
  const auto add = [&](const std::string& key, const std::string& value) {
    cases.push_back({key + ": " + value, configuration});
    apply_setting(cases.back().configuration, "run." + key + "=" + value);
  };
  const auto processors = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  // The run as configured uses both of two processors.
  for (const int threads : std::set{1, 2, processors})
    if (threads <= processors && threads != run.threads &&
        (threads != 2 || processors > 2 || run.threads > 0))
      add("threads", std::to_string(threads));
  if (!run.deterministic) add("deterministic", "true");
  return cases;
}

std::vector<std::string> chosen_backends(const CompareArguments& arguments) {
  const std::vector<std::string_view> names = backend_names();
  if (arguments.backends.empty()) return {names.begin(), names.end()};
  for (const std::string& backend : arguments.backends)
    if (!holds(names, backend))
      throw ConfigError(
          text("--backends: {} is not available in this program; it has {}; to "
               "compare with another machine, see --record and --against",
               backend, join_names(names)));
  return arguments.backends;
}

int compare_cases(const CompareArguments& arguments) {
  const RunConfig config = read_config(load(arguments, {}), arguments.config);
  const std::vector<std::string> backends = chosen_backends(arguments);
  // All values are explicit, and paths are absolute.
  ConfigNode configuration = to_node(config);
  const bool has_several = backends.size() > 1;
  std::vector<CompareCase> cases;
  for (const std::string& backend : backends) {
    cases.push_back({backend, configuration});
    apply_setting(cases.back().configuration, "run.backend=" + backend);
  }
  if (!has_several) {
    configuration = cases.front().configuration;
    cases = variant_cases(config.run, configuration);
    if (const ConfigNode* const section = configuration.find("operator"))
      for (auto& [name, other] :
           other_operators(*section, config.matrix_operator, config.solver, config.problem)) {
        cases.push_back({name, configuration});
        cases.back().configuration.set("operator", std::move(other));
      }
  }
  std::size_t width = 4;
  for (const CompareCase& each : cases) width = std::max(width, each.name.size());

  const InterruptGuard guard;
  std::optional<RunRecord> reference;
  std::vector<std::string> refused;
  int compared = 0, failed = 0;
  for (const auto& [name, of_case] : cases) {
    const CaseOutcome outcome = run_case(of_case, !reference);
    if (!outcome.record && !reference) {
      if (outcome.status == exit_bad_input) throw ConfigError(outcome.message);
      throw Error(name + ": " + outcome.message);
    }
    if (!outcome.record) {
      // A variant may not suit the problem. A backend must.
      if (outcome.status == exit_bad_input && !has_several) {
        refused.push_back(name + ": " + outcome.message);
        continue;
      }
      ++failed;
      std::printf("%-*s  failed: %s\n", static_cast<int>(width), name.c_str(),
                  outcome.message.c_str());
    } else if (!reference) {
      reference = outcome.record;
      print_header(width);
      std::printf("%-*s  reference, %zu iterates, %s\n", static_cast<int>(width), name.c_str(),
                  reference->iterates.size(), describe_stop(*reference).c_str());
      std::fflush(stdout);
    } else {
      ++compared;
      if (!print_comparison(name, width, *reference, *outcome.record, name)) ++failed;
    }
  }
  print_units();
  for (const std::string& each : refused) std::printf("not possible: %s\n", each.c_str());
  if (compared + failed == 0)
    throw Error("there is nothing to compare with: no other case can run this configuration");
  const std::string verdict = failed == 0 ? "the same within rounding"
                                          : text("{} of {} cases differ or failed", failed,
                                                 cases.size() - refused.size() - 1);
  std::printf("verdict: %s\n", verdict.c_str());
  return failed > 0 ? exit_failed : exit_done;
}

}  // namespace

void add_compare_command(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "Run a configuration on all backends, or in variants on one, and compare them");
  auto* config = command->add_option("config", arguments->config, "Configuration file (YAML)");
  add_settings(*command, arguments->settings);
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
    const bool is_one_run = !arguments->record.empty() || !arguments->against.empty();
    // Cases are processes of their own.
    if (!is_one_run) exit_status = refuse_several_processes("compare");
    if (exit_status != exit_done) return;
    exit_status = guarded([&] {
      if (arguments->config.empty() && arguments->against.empty())
        throw ConfigError("compare needs a configuration, or a record: --against FILE");
      return is_one_run ? record_or_compare(*arguments) : compare_cases(*arguments);
    });
  });
}

}  // namespace Tomokkos
