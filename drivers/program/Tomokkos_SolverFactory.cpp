// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Art.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_SolverFactory.hpp>
#include <limits>
#include <utility>

namespace Tomokkos {

namespace {

template <class Params>
void set_common(const SolverSection& config, const std::vector<double>& noise_levels,
                const WhiteNoise& rays, Params& params) {
  if constexpr (requires { params.iterations; })
    params.iterations = config.iterations;
  else
    params.sweeps = config.iterations;
  params.check_every = config.check_every;
  params.stop.relative_residual = config.stop.residual;
  params.stop.relative_change = config.stop.relative_change;
  const StopConfig& stop = config.stop;
  params.stop.noise_level = stop.discrepancy.level;
  if (stop.discrepancy.from_noise) params.stop.noise_levels = noise_levels;
  params.stop.discrepancy_factor = stop.discrepancy.tau;
  params.stop.monotone_error = stop.monotone_error.level;
  if (stop.monotone_error.from_noise) params.stop.monotone_errors = noise_levels;
  params.stop.monotone_error_factor = stop.monotone_error.tau;
  if (stop.ncp) params.stop.ncp = rays;
  params.stop.minimum_iterations = config.stop.minimum_iterations;
}

template <class Params>
void set_box(const SolverSection& config, Params& params) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  params.relaxation = config.relaxation;
  params.minimum = config.minimum.value_or(-infinity);
  params.maximum = config.maximum.value_or(infinity);
}

template <class Params>
void set_sweeps(const SolverSection& config, Params& params) {
  set_box(config, params);
  // The monitor has it measured at every look anyway; the byte model must know.
  params.record_residual = config.check_every == 1;
  params.relaxation_decay = config.sweep.relaxation_decay;
}

/// Of iterations over ordered subsets of rows.
template <class Terms, class Params>
void set_subsets(const SolverSection& config, const Terms& terms, Params& params) {
  params.subsets = config.subsets;
  params.subset_unit = terms.subset_unit;
  params.subset_begins = terms.subset_begins;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
AnySolver<ExecutionSpace, Scalar> make_solver(
    const ExecutionSpace& exec, const SolverSection& config, Ordinal rows, Ordinal columns,
    Ordinal slices, const std::vector<double>& noise_levels,
    const SolverTerms<Scalar, typename ExecutionSpace::memory_space>& terms) {
  using Result = AnySolver<ExecutionSpace, Scalar>;
  switch (config.kind) {
    case SolverKind::mlem: {
      using Solver = Mlem<ExecutionSpace, Scalar>;
      MlemParams params;
      set_common(config, noise_levels, terms.rays, params);
      params.sensitivity_threshold = config.sensitivity_threshold;
      params.nan_data = terms.nan_data;
      set_subsets(config, terms, params);
      Solver solver(exec, rows, columns, params, slices);
      solver.set_terms({terms.multiplicative, terms.additive});
      return Result(std::move(solver));
    }
    case SolverKind::sirt: {
      using Solver = Sirt<ExecutionSpace, Scalar>;
      SirtParams params;
      set_common(config, noise_levels, terms.rays, params);
      set_box(config, params);
      params.smallest_sum = config.smallest_sum;
      params.nan_data = terms.nan_data;
      set_subsets(config, terms, params);
      return Result(Solver(exec, rows, columns, params, slices));
    }
    case SolverKind::cgls: {
      using Solver = Cgls<ExecutionSpace, Scalar>;
      CglsParams params;
      set_common(config, noise_levels, terms.rays, params);
      params.damping = config.damping;
      params.restart_every = config.restart_every;
      params.nan_data = terms.nan_data;
      return Result(Solver(exec, rows, columns, params, slices));
    }
    case SolverKind::art: {
      using Solver = Art<ExecutionSpace, Scalar>;
      ArtParams params;
      set_common(config, noise_levels, terms.rays, params);
      set_sweeps(config, params);
      Solver solver(exec, rows, columns, params);
      if (terms.row_order.extent(0) > 0) solver.set_order(exec, terms.row_order);
      return Result(std::move(solver));
    }
    case SolverKind::sart:
    case SolverKind::os_sart: {
      using Solver = Sart<ExecutionSpace, Scalar>;
      SartParams params;
      set_common(config, noise_levels, terms.rays, params);
      set_box(config, params);
      params.smallest_product = config.smallest_product;
      params.nan_data = terms.nan_data;
      params.view_rows = terms.subset_unit;
      params.subsets = config.subsets;
      params.subset_begins = terms.subset_begins;
      Solver solver(exec, rows, columns, params, slices);
      solver.set_order(terms.subset_order);
      return Result(std::move(solver));
    }
    case SolverKind::block_art: {
      using Solver = BlockArt<ExecutionSpace, Scalar>;
      BlockArtParams params;
      set_common(config, noise_levels, terms.rays, params);
      set_sweeps(config, params);
      params.block_rows = terms.block_rows;
      return Result(Solver(exec, rows, columns, params));
    }
    case SolverKind::pcg:
    case SolverKind::bicgstab:
    case SolverKind::gmres:
      break;  // solve systems, not reconstructions
  }
  throw Error("a solver that the factory does not know");
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                              \
  template AnySolver<ExecutionSpace, Scalar> make_solver<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, const SolverSection&, Ordinal, Ordinal, Ordinal,     \
      const std::vector<double>&,                                                 \
      const SolverTerms<Scalar, typename ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
