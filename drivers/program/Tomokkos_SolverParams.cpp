// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_SolverParams.hpp>
#include <limits>

namespace Tomokkos {

namespace {

StopRules stop_rules(const StopConfig& config, const SolverContext& context) {
  StopRules rules;
  rules.relative_residual = config.residual;
  rules.absolute_residual = config.absolute_residual;
  rules.relative_change = config.relative_change;
  rules.noise_level = config.discrepancy.level;
  if (config.discrepancy.from_noise) rules.noise_levels = context.noise_levels;
  rules.discrepancy_factor = config.discrepancy.tau;
  rules.monotone_error = config.monotone_error.level;
  if (config.monotone_error.from_noise) rules.monotone_errors = context.noise_levels;
  rules.monotone_error_factor = config.monotone_error.tau;
  if (config.ncp) rules.ncp = context.rays;
  rules.minimum_iterations = config.minimum_iterations;
  return rules;
}

template <class Params>
void set_iterations(const SolverSection& config, Params& params) {
  if constexpr (requires { params.iterations; }) params.iterations = config.iterations;
  if constexpr (requires { params.sweeps; }) params.sweeps = config.iterations;
  params.check_every = config.check_every;
}

template <class Params>
void set_steps(const SolverSection& config, Params& params) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if constexpr (requires { params.relaxation; }) params.relaxation = config.relaxation;
  if constexpr (requires { params.relaxation_decay; })
    params.relaxation_decay = config.sweep.relaxation_decay;
  if constexpr (requires { params.minimum; }) params.minimum = config.minimum.value_or(-infinity);
  if constexpr (requires { params.maximum; }) params.maximum = config.maximum.value_or(infinity);
  // The monitor has it measured at every look anyway; the byte model must know.
  if constexpr (requires { params.record_residual; })
    params.record_residual = config.check_every == 1;
  if constexpr (requires { params.damping; }) params.damping = config.damping;
  if constexpr (requires { params.restart_every; }) params.restart_every = config.restart_every;
  if constexpr (requires { params.restart; }) params.restart = config.restart;
  if constexpr (requires { params.sensitivity_threshold; })
    params.sensitivity_threshold = config.sensitivity_threshold;
  if constexpr (requires { params.smallest_sum; }) params.smallest_sum = config.smallest_sum;
  // SART has always a rule for products; SIRT takes one only where it is SART.
  if constexpr (requires { params.view_rows; }) params.smallest_product = config.smallest_product;
}

template <class Params>
void set_rows(const SolverSection& config, const SolverContext& context, Params& params) {
  if constexpr (requires { params.subsets; }) params.subsets = config.subsets;
  if constexpr (requires { params.subset_unit; }) params.subset_unit = context.subset_unit;
  if constexpr (requires { params.view_rows; }) params.view_rows = context.subset_unit;
  if constexpr (requires { params.subset_begins; }) params.subset_begins = context.subset_begins;
  if constexpr (requires { params.block_rows; }) params.block_rows = context.block_rows;
  if constexpr (requires { params.nan_data; }) params.nan_data = context.nan_data;
}

template <class Params>
void set_system(const SolverSection& config, Params& params) {
  if constexpr (requires { params.preconditioner; })
    params.preconditioner = preconditioner_options(config);
  if constexpr (requires { params.scheme; }) params.scheme = config.scheme;
  if constexpr (requires { params.launches; }) params.launches = config.launches;
  if constexpr (requires { params.monitor_sees_x; }) params.monitor_sees_x = false;
}

}  // namespace

PreconditionerOptions preconditioner_options(const SolverSection& config) {
  PreconditionerOptions options{config.preconditioner, config.block, config.scale_matrix};
  options.positive_definite = config.kind == SolverKind::pcg;
  options.float_matrix = config.float_matrix;
  return options;
}

SolverParams solver_params(const SolverSection& config, const SolverContext& context) {
  SolverParams result = default_params(config.kind);
  std::visit(
      [&](auto& params) {
        set_iterations(config, params);
        params.stop = stop_rules(config.stop, context);
        set_steps(config, params);
        set_rows(config, context, params);
        set_system(config, params);
      },
      result);
  return result;
}

}  // namespace Tomokkos
