// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_FormatEstimates.hpp>
#include <Tomokkos_InfoEstimates.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace Tomokkos {

namespace {

/// Rounds to three decimal digits: estimates have no more.
std::int64_t rounded_bytes(double bytes) {
  if (!(bytes > 0) || !std::isfinite(bytes)) return 0;
  const double unit = std::max(1.0, std::pow(10.0, std::floor(std::log10(bytes)) - 2));
  return static_cast<std::int64_t>(std::round(bytes / unit) * unit);
}

Description describe(const FormatEstimate& estimate, double available) {
  Description entry = Description::map(true);
  entry.set("bytes", rounded_bytes(estimate.bytes));
  entry.set("run_bytes", rounded_bytes(estimate.run_bytes));
  entry.set("fits", estimate.run_bytes <= available);
  return entry;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
double add_estimates(const ExecutionSpace& exec, const ConfigNode& root, const RunConfig& config,
                     const RunInput& input, Description& estimates) {
  if (!is_traced(input.rows) || config.run.num_ranks > 1) return 0;
  const MatrixSample sample = sample_matrix(exec, input);
  const auto available = static_cast<double>(available_memory(exec));
  Description formats = Description::map();
  const auto add = [&](const std::string& name, const RunConfig& one) {
    if (const auto estimate = estimate_format<ExecutionSpace, Scalar>(exec, one, input, sample))
      formats.set(name, describe(*estimate, available));
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
  estimates.set("available_bytes", rounded_bytes(available));
  estimates.set("nonzeros", rounded_bytes(sample.nonzeros));
  estimates.set("solver", config.solver.kind());
  estimates.set("formats", std::move(formats));
  const auto* const beam = std::get_if<ConeBeamRows>(&input.rows);
  return sample.nonzeros / (beam == nullptr ? 1 : beam->scan.views);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)     \
  template double add_estimates<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, const ConfigNode&, const RunConfig&, const RunInput&, Description&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
