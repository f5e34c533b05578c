// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_SolverParams.hpp>
#include <cmath>
#include <string>
#include <type_traits>

namespace Tomokkos {

namespace {

/// Norm of the noise in each slice: of the added noise, or computed from the noise of a ray.
std::vector<double> noise_levels(const NoiseRule& rule, const SolverContext& context) {
  if (rule.is_of_added_noise()) return context.noise_levels;
  const std::size_t slices = context.counted_rays.size();
  if (rule.sigma.size() != 1 && rule.sigma.size() != slices)
    throw ConfigError("solver.stop.discrepancy.sigma: lists " + std::to_string(rule.sigma.size()) +
                      " slices, but the data have " + std::to_string(slices));
  std::vector<double> levels;
  for (std::size_t j = 0; j < slices; ++j)
    levels.push_back(rule.sigma[rule.sigma.size() == 1 ? 0 : j] *
                     std::sqrt(context.counted_rays[j]));
  return levels;
}

StopRules stop_rules(const StopConfig& config, const SolverContext& context) {
  StopRules rules;
  rules.relative_residual = config.residual;
  rules.absolute_residual = config.absolute_residual;
  rules.relative_change = config.relative_change;
  if (const auto& rule = config.discrepancy) {
    rules.noise_level = rule->level;
    if (!rule->level) rules.noise_levels = noise_levels(*rule, context);
    rules.discrepancy_factor = rule->tau;
  }
  if (config.ncp) rules.ncp = context.rays;
  rules.divergence = config.divergence;
  rules.minimum_iterations = config.minimum_iterations;
  return rules;
}

template <class Params>
void set_rows(const SolverContext& context, Params& params) {
  if constexpr (requires { params.subset_unit; }) params.subset_unit = context.subset_unit;
  if constexpr (requires { params.view_rows; }) params.view_rows = context.subset_unit;
  if constexpr (requires { params.subset_begins; }) params.subset_begins = context.subset_begins;
  if constexpr (requires { params.block_rows; }) params.block_rows = context.block_rows;
  if constexpr (requires { params.block_begins; }) params.block_begins = context.block_begins;
  if constexpr (requires { params.nan_data; }) params.nan_data = context.nan_data;
}

}  // namespace

SolverParams solver_params(const SolverSection& config, const SolverContext& context) {
  SolverParams result = config.params;
  std::visit(
      [&](auto& params) {
        params.stop = stop_rules(config.stop, context);
        set_rows(context, params);
        if constexpr (std::is_base_of_v<SartParams, std::decay_t<decltype(params)>>)
          params.subsets = config.subsets();
        // With a check in every iteration the residual is computed anyway; the byte model must
        // include it.
        if constexpr (requires { params.record_residual; })
          params.record_residual = params.check_every == 1;
        if constexpr (requires { params.monitor_sees_x; }) params.monitor_sees_x = false;
      },
      result);
  return result;
}

}  // namespace Tomokkos
