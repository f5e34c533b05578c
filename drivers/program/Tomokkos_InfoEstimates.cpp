// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_InfoEstimates.hpp>
#include <Tomokkos_MatrixSample.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <string>

namespace Tomokkos {

namespace {

Description describe(const RunBytes& bytes, const MachineFacts& machine) {
  const PlaceBytes peak = bytes.peak();
  Description entry = Description::map(true);
  entry.set("bytes", rounded_bytes(bytes.matrix));
  entry.set("run_bytes", rounded_bytes(peak.device));
  entry.set("fits", peak.device <= static_cast<double>(machine.device_free) &&
                        peak.host <= static_cast<double>(machine.host_free));
  return entry;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
double add_estimates(const ExecutionSpace& exec, const ConfigNode& root, const RunConfig& config,
                     const RunInput& input, Description& estimates) {
  if (!is_traced(input.rows)) return 0;
  PlanFacts facts;
  facts.machine = machine_facts<ExecutionSpace, Scalar>(exec);
  facts.sample = sample_matrix(exec, input.rows, true);
  facts.slabs = plan_slabs(config.problem, sizeof(Scalar));
  Description formats = Description::map();
  const auto add = [&](const std::string& name, const RunConfig& one) {
    if (const auto bytes =
            bytes_of_way(system_task(one.matrix_operator, one.needs(), input), facts))
      formats.set(name, describe(*bytes, facts.machine));
  };
  for (const std::string_view name : format_names()) {
    if (!config.matrix_operator.symmetric() && name == config.matrix_operator.format_name()) {
      add(std::string(name), config);
      continue;
    }
    ConfigNode changed = root;
    apply_setting(changed, "operator={format: " + std::string(name) + "}");
    try {
      add(std::string(name), read_run_config(changed, ConfigUse::matrix, ""));
    } catch (const ConfigError&) {
      // The solver or the geometry excludes this format.
    }
  }
  estimates = Description::map();
  estimates.set("backend", backend_name<ExecutionSpace>());
  estimates.set("scalar", scalar_name<Scalar>());
  estimates.set("available_bytes", rounded_bytes(static_cast<double>(facts.machine.device_free)));
  estimates.set("nonzeros", rounded_bytes(facts.sample.nonzeros));
  estimates.set("solver", config.solver.kind());
  estimates.set("formats", std::move(formats));
  const auto* const beam = std::get_if<ConeBeamRows>(&input.rows);
  return facts.sample.nonzeros / (beam == nullptr ? 1 : beam->scan.views);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)     \
  template double add_estimates<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, const ConfigNode&, const RunConfig&, const RunInput&, Description&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
