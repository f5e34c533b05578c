// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <limits>
#include <utility>

namespace Tomokkos {
namespace {

bool is_image(ProblemKind problem) { return problem == ProblemKind::tomography; }

/// True for solvers whose iterations are sweeps over the rows or views.
bool counts_sweeps(SolverKind kind) { return has_sweeps(kind) || is_sart(kind); }

bool has_start(ProblemKind problem) {
  return problem == ProblemKind::tomography || problem == ProblemKind::linear_system;
}

/// Solvers for which \p test is true, solvers of square systems first.
std::vector<SolverKind> solvers_where(const std::function<bool(SolverKind)>& test) {
  std::vector<SolverKind> kinds;
  for (const bool square : {true, false})
    for (const auto& [kind, name] : EnumNames<SolverKind>::names)
      if (solves_square_systems(kind) == square && test(kind)) kinds.push_back(kind);
  return kinds;
}

/// Describes the order in which a solver visits views, and rows within a view.
void describe_sweep(Keys& key, SweepConfig& sweep, SolverKind kind) {
  key.name("order", sweep.order, "Order in which a sweep visits the views.");
  key.only("order", sweep.order, ViewOrder::random)
      .integer("seed", sweep.seed, 0, std::numeric_limits<long long>::max(),
               "Seed of the random order.");
  if (!has_sweeps(kind)) return;
  key.name("within_view", sweep.within_view, "Order of the rays of a view.");
  key.only("within_view", sweep.within_view, WithinView::strided)
      .count_or_auto("stride", sweep.stride, "Number of rays from one visit to the next.");
  if (kind == SolverKind::block_art)
    key.count_or_auto("block_rows", sweep.block_rows, "Number of rows in a block.");
}

bool measures_whiteness(SolverKind kind) {
  return solver_has(kind, []<class Params>(const Params&) {
    return requires { SolverOf<Params>::measures_whiteness; };
  });
}

/// Condition under which a solver measures what a stop rule needs, and the refusal if this one does
/// not.
std::pair<std::string, std::string> condition_of(Measurement needed, const SolverSection& solver,
                                                 bool is_image) {
  if (needed == Measurement::whiteness) {
    const std::string able = join_names(solver_names(measures_whiteness));
    return {"type: " + able, measures_whiteness(solver.kind())
                                 ? ""
                                 : "has no effect on the solver " +
                                       std::string(to_string(solver.kind())) + "; it belongs to " +
                                       able};
  }
  // All solvers of images measure the change of the image.
  if (needed != Measurement::change || is_image) return {};
  const char* refusal = "";
  const auto* const pcg = std::get_if<PcgParams>(&solver.params);
  if (solver.kind() == SolverKind::gmres)
    refusal = "has no effect on the solver gmres, which does not compute x in every iteration";
  else if (pcg && pcg->scheme == PcgScheme::single_reduction)
    refusal = "has no effect with solver.scheme: single_reduction; it belongs to standard";
  else if (pcg && pcg->launches == PcgLaunches::resident)
    refusal = "has no effect with solver.launches: resident; choose another value";
  return {"none of type: gmres, scheme: single_reduction, launches: resident", refusal};
}

void describe_stop(Keys& key, StopRules& stop, const SolverSection& solver, bool is_image) {
  StopRules::for_each(stop, [&]<class Rule>(const char*, StopReason, std::optional<Rule>& rule) {
    if (!(is_image ? Rule::for_images : Rule::for_systems)) return;
    const auto [condition, refusal] = condition_of(Rule::needs, solver, is_image);
    Rule::describe(key.when(refusal.empty(), condition, refusal), rule, is_image);
  });
  key.integer("minimum_iterations", stop.minimum_iterations, 0, max_count,
              "First iteration at which a rule may stop the solver.");
}

StartConfig read_start(const ConfigNode& node, const std::string& path, ProblemKind problem) {
  const bool is_word = node.is_scalar() && !as_number(node) && !node.scalar().ends_with(".npy");
  StartConfig start;
  if (!is_word) {
    start.image = read_constant_or_file(node, path, {});
    return start;
  }
  std::vector<std::string_view> words{"zeros", "ones"};
  if (is_image(problem)) words.insert(words.end(), {"uniform", "fbp"});
  const std::string& word = one_of(node, path, words);
  if (const auto kind = from_string<StartKind>(word)) start.kind = *kind;
  start.image.value = word == "ones" ? 1.0 : 0.0;
  return start;
}

/// Reads the type of a solver. Accepts osem, the common name of mlem with ordered subsets.
SolverKind read_type(const ConfigNode& node, const std::string& path, ProblemKind problem) {
  const std::vector<std::string_view> available = solver_names(problem);
  const std::string name = node.is_scalar() ? node.scalar() : "";
  const std::string here = "available here: " + join_names(available);
  const bool is_elsewhere = from_string<SolverKind>(name) && !holds(available, name);
  if (is_elsewhere && is_image(problem))
    fail_at(node, path, name + " solves square systems (problem.type: linear_system); " + here);
  if (is_elsewhere && problem == ProblemKind::linear_system)
    fail_at(node, path, name + " reconstructs images (problem.type: tomography); " + here);
  if (is_image(problem) && name == "osem") return SolverKind::mlem;
  if (is_image(problem) && (name == "fdk" || name == "gridrec"))
    fail_at(node, path,
            name +
                " is not available; filtered back projection of parallel and fan "
                "beams is fbp; available: " +
                join_names(available));
  return *from_string<SolverKind>(one_of(node, path, available));
}

ConfigNode start_node(const StartConfig& start) {
  if (start.kind != StartKind::given) return Impl::name_of(start.kind);
  if (start.image.file.empty() && start.image.value == 0.0) return ConfigNode::text("zeros");
  return Impl::constant_or_file(start.image);
}

/// `iterations` is accepted as another name of `sweeps`.
void read_iterations(const ConfigReader& reader, SolverSection& section) {
  if (reader.has("sweeps"))
    reader.refuse_key("iterations", "and sweeps are two names of the same number; give one");
  else
    section.set_iterations(
        static_cast<int>(reader.integer("iterations", section.iterations(), 0, max_count)));
}

/// A rule given by the user replaces the default rules.
void drop_usual_rules(const ConfigReader& reader, StopRules& stop) {
  StopRules::for_each(stop, [&]<class Rule>(const char*, StopReason, const std::optional<Rule>&) {
    if (!Rule::is_safeguard && reader.find_path(std::string("stop.") + Rule::key)) stop = {};
  });
}

/// Describes the keys of a solver and those that solvers share, all but `type`.
void describe_keys(Keys& key, SolverSection& section, ProblemKind problem) {
  const SolverKind kind = section.kind();
  key.identity_of({"iterations", "sweeps"}, Identity::run);
  std::visit([&](auto& params) { describe(key, params); }, section.params);
  if (counts_sweeps(kind)) {
    key.reading([&](const ConfigReader& reader) { read_iterations(reader, section); });
    describe_sweep(key, section.sweep, kind);
  }
  if (kind == SolverKind::mlem) {
    key.identity(Identity::run);
    key.constant_or_file("background", section.background, KeyRange::not_negative(),
                         "Counts added to the model: scatter and randoms.");
    key.identity(Identity::run);
    key.constant_or_file("multiplicative", section.multiplicative, KeyRange::positive(),
                         "Factors of the model: attenuation and normalisation.");
  }
  if (kind == SolverKind::pcg && has_start(problem))
    key.boolean("assume_symmetric", section.assume_symmetric,
                "Skips the check that the matrix is symmetric.");
  // One step, whatever the start.
  if (kind == SolverKind::fbp) return;
  if (has_start(problem))
    key.value(
        "start", section.start,
        is_image(problem) ? "zeros, ones, uniform (mlem), fbp, a number or a .npy file"
                          : "zeros, ones, a number or a .npy file",
        is_image(problem) ? "Start of the iteration; uniform: the constant image with the counts "
                            "of the data; fbp: filtered back projection of the data."
                          : "Start of the iteration.",
        [problem](const ConfigNode& node, const std::string& path) {
          return read_start(node, path, problem);
        },
        start_node);
  if (!is_image(problem))
    key.reading([&](const ConfigReader& reader) { drop_usual_rules(reader, section.stop); });
  key.section(
      "stop",
      [&section, problem](Keys& keys) {
        describe_stop(keys, section.stop, section, is_image(problem));
      },
      "Rules that stop the solver before its last iteration.");
}

KeysOfKinds keys_of_solvers(ProblemKind problem) {
  KeysOfKinds result;
  for (const SolverKind kind : solvers_of(problem)) {
    SolverSection section = default_solver(kind, problem);
    Impl::NameKeys keys;
    describe_keys(keys, section, problem);
    if (counts_sweeps(kind)) keys.names.push_back("iterations");
    result.emplace_back(to_string(kind), std::move(keys.names));
  }
  return result;
}

}  // namespace

void describe(Keys& key, SolverSection& section, ProblemKind problem) {
  key.value(
      "type", join_names(solver_names(problem)), "Name of the solver.",
      [&](const ConfigNode& node, const std::string& path) {
        section = default_solver(read_type(node, path, problem), problem);
      },
      [&] { return Impl::name_of(section.kind()); });
  key.end_of_choice();
  key.refuse_others(keys_of_solvers(problem), "solver", std::string(to_string(section.kind())));
  describe_keys(key, section, problem);
}

std::vector<SolverKind> solvers_of(ProblemKind problem) {
  if (!has_start(problem)) return {SolverKind::pcg};
  return solvers_where([problem](SolverKind kind) {
    if (is_image(problem)) return !solves_square_systems(kind);
    return solves_square_systems(kind) || task_of(kind) == SolverTask::least_squares;
  });
}

std::vector<std::string_view> solver_names(const std::function<bool(SolverKind)>& test) {
  return names_of(solvers_where(test));
}

std::vector<std::string_view> solver_names(ProblemKind problem) {
  return names_of(solvers_of(problem));
}

SolverSection default_solver(SolverKind kind, ProblemKind problem) {
  SolverSection result;
  result.params = default_params(kind);
  if (is_image(problem))
    result.set_iterations(counts_sweeps(kind) ? 10 : 50);
  else
    result.set_iterations(has_start(problem) ? 10000 : 100000);
  const int check_every = is_image(problem) ? 1 : 25;
  std::visit([&](auto& params) { params.check_every = check_every; }, result.params);
  if (kind == SolverKind::mlem) result.start.kind = StartKind::uniform;
  if (is_image(problem)) return result;
  // The final residual of a least-squares problem is not known in advance.
  if (task_of(kind) == SolverTask::least_squares)
    result.stop.relative_change = 1e-8;
  else
    // At a residual of 1e-6 a narrow part of a chart may be wrong by half its size without a
    // flipped triangle. Smoothing with locks only along a border needs many iterations.
    result.stop.relative_residual = problem == ProblemKind::parameterization ? 1e-10 : 1e-6;
  return result;
}

std::vector<std::string_view> solver_keys(ProblemKind problem) {
  std::vector<std::string_view> all{"type"}, last{"stop"};
  if (has_start(problem)) last.insert(last.begin(), "start");
  for (const auto& [solver, keys] : keys_of_solvers(problem))
    for (const std::string_view key : keys)
      if (!holds(all, key) && !holds(last, key)) all.push_back(key);
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

int SolverSection::iterations() const {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.sweeps; })
          return own.sweeps;
        else if constexpr (requires { own.iterations; })
          return own.iterations;
        else
          return 1;
      },
      params);
}

void SolverSection::set_iterations(int count) {
  std::visit(
      [&](auto& own) {
        if constexpr (requires { own.sweeps; })
          own.sweeps = count;
        else if constexpr (requires { own.iterations; })
          own.iterations = count;
      },
      params);
}

int SolverSection::check_every() const {
  return std::visit([](const auto& own) { return own.check_every; }, params);
}

int SolverSection::subsets() const {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.subsets.value_or(1); })
          return own.subsets.value_or(1);
        else if constexpr (requires { own.subsets; })
          return own.subsets;
        else
          return 1;
      },
      params);
}

SolverParams SolverSection::solver_params() const {
  SolverParams result = params;
  std::visit(
      [&](auto& own) {
        own.stop = stop;
        // With a check in every iteration the residual is computed anyway; the byte model must
        // include it.
        if constexpr (requires { own.record_residual; }) own.record_residual = own.check_every == 1;
        if constexpr (requires { own.monitor_sees_x; }) own.monitor_sees_x = false;
      },
      result);
  return result;
}

}  // namespace Tomokkos
