// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_SolverParams.hpp>
#include <type_traits>

namespace Tomokkos {

namespace {

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
        params.stop = config.stop;
        StopRules::for_active(params.stop, [&](auto& rule) { rule.complete(context.data); });
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
