// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {
namespace {

template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool is_image(ProblemKind problem) { return problem == ProblemKind::tomography; }

bool has_start(ProblemKind problem) {
  return problem == ProblemKind::tomography || problem == ProblemKind::linear_system;
}

std::vector<std::string_view> keys_of(SolverKind kind, ProblemKind problem) {
  std::vector<std::string_view> names = names_of_keys(default_solver(kind, problem), problem);
  // The sweeps of a solver may be called its iterations.
  if (counts_sweeps(kind)) names.push_back("iterations");
  return names;
}

/// The order in which a solver visits views, and rows within them.
void describe_sweep(Keys& key, SweepConfig& sweep, SolverKind kind) {
  key.name("order", sweep.order, "Order in which a sweep visits the views.");
  key.only("order", sweep.order, ViewOrder::random)
      .integer("seed", sweep.seed, 0, std::numeric_limits<long long>::max(),
               "Seed of the random order.");
  if (!has_sweeps(kind)) return;
  key.name("within_view", sweep.within_view, "Order of the rays of a view.");
  key.only("within_view", sweep.within_view, WithinView::strided)
      .count_or_auto("stride", sweep.stride, "Rays from one visit to the next.");
  if (kind == SolverKind::block_art)
    key.count_or_auto("block_rows", sweep.block_rows, "Rows that are visited at once.");
}

void describe_image_stop(Keys& key, StopConfig& stop, const SolverSection& solver) {
  const std::string type(to_string(solver.kind()));
  key.optional_number("relative_change", stop.relative_change, KeyRange::positive(),
                      "Change of the image in an iteration over its norm, |x' - x| / |x'|.");
  key.optional_number("residual", stop.residual, KeyRange::positive(),
                      "Norm of the residual over that of the data, |b - A x| / |b|.");
  key.optional_section("discrepancy", stop.discrepancy,
                       "Stops where the residual is as large as the noise (Morozov 1966).");
  const std::string with_ncp = join_names(solver_names(measures_ncp));
  key.when(measures_ncp(solver.kind()), "type: " + with_ncp,
           "is not measured by the solver " + type + "; it belongs to " + with_ncp)
      .optional_name("ncp", stop.ncp, "",
                     "Stops where the residual is like white noise: its cumulated periodogram, of "
                     "each view or of all rays as one signal (Hansen 2008).");
  key.when(measures_monotone_error(solver), "type: sirt, without subsets",
           "is of sirt without ordered subsets, whose steps it weighs; discrepancy is of all "
           "solvers")
      .optional_section("monotone_error", stop.monotone_error,
                        "Stops where the error need not fall any more (Hamarik and Tautenhahn "
                        "2001).");
}

void describe_system_stop(Keys& key, StopConfig& stop, const SolverSection& solver) {
  key.optional_number("residual", stop.residual, KeyRange::not_negative(),
                      "Norm of the residual over that of the right-hand side.");
  key.optional_number("absolute_residual", stop.absolute_residual, KeyRange::positive(),
                      "Norm of the residual.");
  const char* refusal = "";
  const auto* const pcg = std::get_if<PcgParams>(&solver.params);
  if (solver.kind() == SolverKind::gmres)
    refusal = "has no effect on the solver gmres, which forms no x in every iteration";
  else if (pcg && pcg->scheme == PcgScheme::single_reduction)
    refusal = "is not measured by solver.scheme: single_reduction; it belongs to standard";
  else if (pcg && pcg->launches == PcgLaunches::resident)
    refusal = "is not measured by solver.launches: resident; it belongs to others";
  key.when(std::string_view(refusal).empty(),
           "not type: gmres, scheme: single_reduction, launches: resident", refusal)
      .optional_number("relative_change", stop.relative_change, KeyRange::positive(),
                       "Change of x in an iteration over its norm, |x' - x| / |x'|.");
}

void read_start(const ConfigReader& reader, ProblemKind problem, StartConfig& start) {
  const ConfigNode& node = *reader.find("start");
  const bool is_word = node.is_scalar() && !as_number(node) && !node.scalar().ends_with(".npy");
  start = {};
  if (!is_word) {
    start.image = read_constant_or_file(reader, "start", {});
    return;
  }
  std::vector<std::string_view> words{"zeros", "ones"};
  if (is_image(problem)) words.push_back("uniform");
  const std::string word = reader.one_of("start", "", words);
  start.uniform = word == "uniform";
  start.image.value = word == "ones" ? 1.0 : 0.0;
}

ConfigNode start_node(const StartConfig& start) {
  if (start.uniform) return ConfigNode::text("uniform");
  if (start.image.file.empty() && start.image.value == 0.0) return ConfigNode::text("zeros");
  return Impl::constant_or_file(start.image);
}

}  // namespace

void read_sigma(const ConfigReader& reader, std::vector<double>& sigma) {
  const ConfigNode& node = *reader.find("sigma");
  const std::string path = reader.path_of("sigma");
  if (!node.is_list()) {
    sigma = {number_of(node, path, KeyRange::positive())};
    return;
  }
  if (node.items().empty()) fail_at(node, path, "expected a number for each slice");
  for (const ConfigNode& item : node.items())
    sigma.push_back(number_of(item, path, KeyRange::positive()));
}

void describe(Keys& key, NoiseRule& rule) {
  key.printed(!rule.sigma.empty())
      .value(
          "sigma", "a number greater than 0, or a list of them, one for each slice",
          "Standard deviation of each ray, instead of the norm of the noise: this is sigma times "
          "the square root of the rays that count.",
          [&](const ConfigReader& reader) { read_sigma(reader, rule.sigma); },
          [&] {
            return rule.sigma.size() == 1 ? ConfigNode::number(rule.sigma.front())
                                          : ConfigNode::numbers(rule.sigma);
          });
  key.when(rule.sigma.empty(), "no sigma", "and sigma are the same noise; give one")
      .required(
          "the norm of the noise in the data, auto for the noise added, or sigma for the "
          "noise of a ray")
      .number_or("auto", "noise_level", rule.level, KeyRange::positive(),
                 "Norm of the noise in the data; auto: of that which problem.noise adds.");
  key.number("tau", rule.tau, KeyRange::positive(), "Factor of the norm at which the rule stops.");
}

void describe(Keys& key, SolverSection& section, ProblemKind problem) {
  const SolverKind kind = section.kind();
  key.value(
      "type", join_names(solver_names(problem)), "The solver.", [](const ConfigReader&) {},
      [kind] { return Impl::name_of(kind); });
  std::visit([&](auto& params) { describe(key, params); }, section.params);
  if (counts_sweeps(kind)) describe_sweep(key, section.sweep, kind);
  if (kind == SolverKind::mlem) {
    key.constant_or_file("background", section.background, KeyRange::not_negative(),
                         "Scatter and randoms: counts that are added to the model.");
    key.constant_or_file("multiplicative", section.multiplicative, KeyRange::positive(),
                         "Attenuation and normalisation: factors of the model.");
  }
  if (kind == SolverKind::pcg && has_start(problem))
    key.boolean("assume_symmetric", section.assume_symmetric,
                "Does not compare the matrix with its transpose.");
  if (has_start(problem))
    key.value(
        "start",
        is_image(problem) ? "zeros, ones, uniform (mlem), a number or a .npy file"
                          : "zeros, ones, a number or a .npy file",
        "Where the iteration starts; uniform: the constant image with the counts of the data.",
        [&section, problem](const ConfigReader& reader) {
          read_start(reader, problem, section.start);
        },
        [&section] { return start_node(section.start); });
  key.section(
      "stop",
      [&section, problem](Keys& keys) {
        if (is_image(problem))
          describe_image_stop(keys, section.stop, section);
        else
          describe_system_stop(keys, section.stop, section);
        keys.integer("minimum_iterations", section.stop.minimum_iterations, 0, most_count,
                     "No rule stops before this iteration.");
      },
      "Rules that end the iteration earlier.");
}

std::vector<SolverKind> solvers_of(ProblemKind problem) {
  if (!has_start(problem)) return {SolverKind::pcg};
  std::vector<SolverKind> kinds;
  for (const bool square : {true, false})
    for (const auto& [kind, name] : EnumNames<SolverKind>::names) {
      const bool belongs = is_image(problem) ? !solves_square_systems(kind)
                                             : square || task_of(kind) == SolverTask::least_squares;
      if (solves_square_systems(kind) == square && belongs) kinds.push_back(kind);
    }
  return kinds;
}

std::vector<std::string_view> solver_names(ProblemKind problem) {
  std::vector<std::string_view> names;
  for (const SolverKind kind : solvers_of(problem)) names.push_back(to_string(kind));
  return names;
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
  result.start.uniform = kind == SolverKind::mlem;
  if (is_image(problem)) return result;
  // What least squares leave over is not known before.
  if (task_of(kind) == SolverTask::least_squares)
    result.stop.relative_change = 1e-8;
  else
    // A narrow part of a chart may be off by half of its size at a residual of 1e-6, without a
    // triangle turned over; and locks along a border alone take many iterations.
    result.stop.residual = problem == ProblemKind::parameterization ? 1e-10 : 1e-6;
  return result;
}

std::vector<std::string_view> solver_keys(ProblemKind problem) {
  std::vector<std::string_view> all, last{"stop"};
  if (has_start(problem)) last.insert(last.begin(), "start");
  for (const SolverKind kind : solvers_of(problem))
    for (const std::string_view key : keys_of(kind, problem))
      if (!contains(all, key) && !contains(last, key)) all.push_back(key);
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

void refuse_other_solvers(const ConfigReader& reader, SolverKind kind, ProblemKind problem) {
  const std::vector<std::string_view> own = keys_of(kind, problem);
  for (const std::string_view key : solver_keys(problem)) {
    if (contains(own, key)) continue;
    std::vector<std::string_view> others;
    for (const SolverKind other : solvers_of(problem))
      if (contains(keys_of(other, problem), key)) others.push_back(to_string(other));
    reader.refuse_key(key, "has no effect on the solver " + std::string(to_string(kind)) +
                               "; it belongs to " + join_names(others));
  }
}

int SolverSection::iterations() const {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.sweeps; })
          return own.sweeps;
        else
          return own.iterations;
      },
      params);
}

void SolverSection::set_iterations(int count) {
  std::visit(
      [&](auto& own) {
        if constexpr (requires { own.sweeps; })
          own.sweeps = count;
        else
          own.iterations = count;
      },
      params);
}

int SolverSection::check_every() const {
  return std::visit([](const auto& own) { return own.check_every; }, params);
}

int SolverSection::subsets() const {
  if (kind() == SolverKind::sart) return views;
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

PreconditionerOptions SolverSection::preconditioner() const {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.preconditioner; })
          return own.preconditioner;
        else
          return PreconditionerOptions{PreconditionerKind::none};
      },
      params);
}

}  // namespace Tomokkos
