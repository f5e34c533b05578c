// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BenchConfig.hpp>
#include <Tomokkos_SectionKeys.hpp>

#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BenchSolvers.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_ReadBenchMatrices.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos::Bench {
namespace {

/// Reads a list of values of an enumeration.
template <class Enum>
std::vector<Enum> choices(const ConfigReader& reader, std::string_view key,
                          const std::vector<Enum>& fallback) {
  std::vector<Enum> result;
  for (const std::string& name : names(reader, key, names_of<Enum>(), {}))
    result.push_back(*from_string<Enum>(name));
  return result.empty() ? fallback : result;
}

/// Reads the peers. The empty list `peers: []` is allowed.
std::vector<Peer> read_peers(const ConfigReader& reader) {
  const ConfigNode* node = reader.find("peers");
  if (node != nullptr && node->is_list() && node->items().empty()) return {};
  std::vector<Peer> all;
  for (const auto& [peer, name] : EnumNames<Peer>::names) all.push_back(peer);
  return choices(reader, "peers", all);
}

/// Reads a number or a list of numbers.
std::vector<int> read_numbers(const ConfigReader& reader, const char* key, long long most,
                              const std::vector<int>& fallback) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return fallback;
  const auto number = [&](const ConfigNode& item) {
    return static_cast<int>(integer_of(item, reader.path_of(key), 1, most));
  };
  if (!node->is_list()) return {number(*node)};
  std::vector<int> result;
  for (const ConfigNode& item : node->items()) {
    result.push_back(number(item));
    if (std::count(result.begin(), result.end(), result.back()) > 1)
      reader.fail(key, std::to_string(result.back()) + " occurs twice");
  }
  if (result.empty()) reader.fail(key, "expected a number or a list of numbers; the list is empty");
  return result;
}

/// Reads the sizes of tiles of `merge_path` and sections of `merge_atomic`: one list for both, or
/// one for each name.
std::map<SpmvVariant, std::vector<int>> read_sections(const ConfigReader& bench) {
  constexpr SpmvVariant cut[]{SpmvVariant::merge_path, SpmvVariant::merge_atomic};
  constexpr long long most = std::numeric_limits<int>::max();
  std::map<SpmvVariant, std::vector<int>> result;
  const ConfigNode* node = bench.find("sections");
  if (node == nullptr) return result;
  if (!node->is_map()) {
    for (const SpmvVariant variant : cut)
      result[variant] = read_numbers(bench, "sections", most, {});
    return result;
  }
  const ConfigReader reader = bench.section("sections", {"merge_path", "merge_atomic"});
  for (const SpmvVariant variant : cut) {
    const std::string name(to_string(variant));
    if (reader.has(name)) result[variant] = read_numbers(reader, name.c_str(), most, {});
  }
  return result;
}

/// Reads the variants for CSR and for block-circulant matrices. `automatic` applies to both.
void read_variants(const ConfigReader& bench, BenchOptions& options) {
  std::vector<std::string_view> allowed = names_of<SpmvVariant>();
  for (const std::string_view name : names_of<CirculantVariant>())
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) allowed.push_back(name);
  std::vector<SpmvVariant> of_csr;
  for (const std::string& name : names(bench, "variants", allowed, {})) {
    if (const auto variant = from_string<SpmvVariant>(name)) of_csr.push_back(*variant);
    if (const auto variant = from_string<CirculantVariant>(name))
      options.circulant_variants.push_back(*variant);
  }
  if (!of_csr.empty()) options.variants = of_csr;
}

/// Reads the number of runs whose results are compared: 0, or at least 2.
int read_spread(const ConfigReader& bench) {
  const auto runs = static_cast<int>(bench.integer("spread", 0, 0, 100000));
  if (runs == 1) bench.fail("spread", "must be at least 2 runs, or 0 for no comparison");
  return runs;
}

PcgOptions read_pcg(const ConfigReader& bench) {
  PcgOptions result;
  if (!bench.has("pcg")) return result;
  const ConfigReader reader =
      bench.section("pcg", {"iterations", "check_every", "tolerance", "max_iterations"});
  const auto number = [&](const char* key, int fallback) {
    return static_cast<int>(reader.integer(key, fallback, 1, 1000000));
  };
  result.iterations = number("iterations", result.iterations);
  result.check_every = number("check_every", result.check_every);
  result.max_iterations = number("max_iterations", result.max_iterations);
  result.tolerance = reader.number("tolerance", result.tolerance, NumberRange::not_negative());
  if (!(result.tolerance > 0 && result.tolerance < 1))
    reader.fail("tolerance", "must lie between 0 and 1");
  return result;
}

}  // namespace

bool is_circulant(const MatrixSource& source) {
  const auto* scan = std::get_if<ProblemSource>(&source.source);
  return std::holds_alternative<Circulant>(source.source) ||
         (scan != nullptr && scan->wish.block_circulant());
}

namespace {

/// Keys of `bench`. All of them except `full` are also keys of `bench.full`.
const std::vector<std::string_view> bench_keys{
    "matrices",       "operations", "formats",  "variants",     "scalars", "entries", "transposes",
    "transpositions", "peers",      "vectors",  "vector_sizes", "pairs",   "pcg",     "repetitions",
    "warmup",         "seed",       "sections", "spread",       "solvers", "full"};

/// Adds the matrix of the problem of a configuration, in the configured order, and the solver of
/// the configuration if it has one that multiplies by a matrix in CSR.
void add_problem(const ConfigNode& root, const RunConfig& config, const std::string& name,
                 BenchConfig& result) {
  const ProblemSection& problem = config.problem;
  const OperatorWish& wish = config.matrix_operator;
  OrderingOptions ordering = wish.ordering;
  ordering.entries = EntryOrder::sorted;
  result.matrices.push_back({name_in_order(name, ordering),
                             ProblemSource{problem, config.run, wish, config.input_use()},
                             ordering});
  const bool is_chart_form =
      problem.kind == ProblemKind::parameterization && problem.form != ChartForm::equations;
  if (root.find("solver") != nullptr && !is_chart_form && !wish.computed() && !wish.symmetric() &&
      !wish.block_circulant())
    result.configured_run = {config.solver.params, config.needs(), wish,
                             problem.kind == ProblemKind::tomography};
}

}  // namespace

void apply_full_study(ConfigNode& root) {
  ConfigNode* const bench = root.is_map() ? root.find("bench") : nullptr;
  const ConfigNode* const full =
      bench != nullptr && bench->is_map() ? bench->find("full") : nullptr;
  if (full == nullptr || !full->is_map())
    throw ConfigError(
        "--full: the configuration has no section bench.full; without --full "
        "all of it is measured");
  const ConfigNode keys = *full;
  for (const auto& entry : keys.entries()) bench->set(entry.key, entry.value);
}

BenchConfig read_bench_config(const ConfigNode& root, const std::string& name) {
  const ConfigReader document(root, "", document_keys());
  BenchConfig result;
  result.run = read_run(document);
  if (!result.run.host_backend.empty())
    document.fail("run.backend", "tomokkos bench measures one backend at a time");
  result.options.timing.seed = result.run.seed;
  result.options.deterministic = result.run.deterministic;
  if (!document.has("bench")) {
    const RunConfig config = read_run_config(root, ConfigUse::matrix, name);
    const EntryOrder entries = config.matrix_operator.ordering.entries;
    if (entries != EntryOrder::sorted) result.options.entries.push_back(entries);
    add_problem(root, config, name, result);
    // Time the configured format in addition to CSR, which the peers support.
    const OperatorWish& chosen = config.matrix_operator;
    const std::string format = chosen.symmetric() ? "scsr" : chosen.format_name();
    if (format != "csr") result.options.formats.push_back(format);
    result.scalars = {config.run.scalar};
    result.options.operations = {Operation::spmv, Operation::spmv_transpose};
    if (config.problem.kind != ProblemKind::tomography)
      result.options.operations.push_back(Operation::pcg);
    else
      result.options.operations.insert(result.options.operations.end(),
                                       {Operation::mlem_iteration, Operation::sirt_iteration});
    if (is_circulant(result.matrices.front()))
      result.options.operations.push_back(Operation::alternating);
    else if (result.configured_run) {
      result.options.operations.push_back(Operation::iteration);
      result.options.solvers = {solver_name(result.configured_run->params)};
    }
    for (const auto& [peer, peer_name] : EnumNames<Peer>::names)
      result.options.peers.push_back(peer);
    return result;
  }

  const ConfigReader reader = document.section("bench", bench_keys);
  reader.section("full", {bench_keys.begin(), bench_keys.end() - 1});
  const ConfigNode* run = document.find("run");
  // A configuration with a problem and no list of matrices measures the matrix of the problem.
  std::optional<RunConfig> own;
  if (!reader.has("matrices") && document.has("problem"))
    own = read_run_config(root, ConfigUse::matrix, name);
  result.scalars =
      names(reader, "scalars", scalar_names(), {own ? own->run.scalar : result.run.scalar});
  BenchOptions& options = result.options;
  options.operations =
      choices<Operation>(reader, "operations", {Operation::spmv, Operation::spmv_transpose});
  // Operations on vectors need no matrix.
  const bool needs_matrix =
      !std::all_of(options.operations.begin(), options.operations.end(), is_on_vectors);
  if (own && needs_matrix)
    add_problem(root, *own, name, result);
  else if (!own && (reader.has("matrices") || needs_matrix))
    result.matrices = read_matrices(reader, run != nullptr ? *run : ConfigNode());
  std::vector<std::string_view> solvers;
  const auto all = all_solvers();
  for (const NamedSolver& solver : all) solvers.push_back(solver.name);
  // By default a configuration with a problem is timed with its own solver.
  std::vector<std::string> own_solvers;
  if (result.configured_run) own_solvers = {solver_name(result.configured_run->params)};
  options.solvers = names(reader, "solvers", solvers, own_solvers);
  options.formats = names(reader, "formats", format_names(), options.formats);
  read_variants(reader, options);
  options.products = 2 * static_cast<int>(reader.integer("pairs", options.products / 2, 1, 10000));
  options.entries = choices<EntryOrder>(reader, "entries", options.entries);
  options.transposes = choices<TransposeMethod>(reader, "transposes", options.transposes);
  options.transpositions =
      choices<TransposeVariant>(reader, "transpositions", options.transpositions);
  options.peers = read_peers(reader);
  options.vectors = read_numbers(reader, "vectors", 1024, options.vectors);
  options.vector_sizes = read_numbers(reader, "vector_sizes", std::numeric_limits<Ordinal>::max(),
                                      options.vector_sizes);
  options.sections = read_sections(reader);
  const auto is_timed = [&](const auto& sections) {
    return std::count(options.variants.begin(), options.variants.end(), sections.first) > 0;
  };
  if (reader.has("sections") &&
      std::none_of(options.sections.begin(), options.sections.end(), is_timed))
    reader.fail("sections",
                "applies only to merge_path and merge_atomic; name one of them in bench.variants");
  options.spread_runs = read_spread(reader);
  options.pcg = read_pcg(reader);
  options.timing.repetitions =
      static_cast<int>(reader.integer("repetitions", options.timing.repetitions, 1, 100000));
  options.timing.warmup =
      static_cast<int>(reader.integer("warmup", options.timing.warmup, 0, 100000));
  options.timing.seed = static_cast<std::uint64_t>(reader.integer(
      "seed", static_cast<long long>(result.run.seed), 0, std::numeric_limits<long long>::max()));
  return result;
}

}  // namespace Tomokkos::Bench
