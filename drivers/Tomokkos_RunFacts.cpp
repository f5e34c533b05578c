// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_RunFacts.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <cstdio>

namespace Tomokkos {

namespace {

ConfigNode bytes_of(std::uint64_t bytes) {
  return ConfigNode::integer(static_cast<long long>(bytes));
}

bool has_solution(const SolveResult& result) {
  return result.reason == StopReason::converged || result.reason == StopReason::discrepancy ||
         result.reason == StopReason::relative_change || result.reason == StopReason::zero_rhs;
}

}  // namespace

template <class ExecutionSpace>
ConfigNode report_head(const ExecutionSpace& exec, const RunConfig& config) {
  ConfigNode node = ConfigNode::map();
  node.set("configuration", to_node(config));
  node.set("version", ConfigNode::text(version()));
  node.set("git", ConfigNode::text(git_commit()));
  node.set("kokkos", ConfigNode::text(kokkos_version()));
  node.set("backend", ConfigNode::text(backend_name<ExecutionSpace>()));
  node.set("device", ConfigNode::text(device_name(exec)));
  node.set("threads", ConfigNode::integer(host_threads()));
  return node;
}

ConfigNode traffic_node(std::size_t iteration_bytes, int iterations, double seconds) {
  ConfigNode node = ConfigNode::map();
  node.set("iteration_bytes", bytes_of(iteration_bytes));
  const double moved = static_cast<double>(iteration_bytes) * iterations;
  node.set("gigabytes_per_second", iterations > 0 && seconds > 0
                                       ? ConfigNode::number(1e-9 * moved / seconds)
                                       : ConfigNode());
  return node;
}

ConfigNode peak_memory_node(std::uint64_t device_bytes, std::size_t solver_bytes) {
  ConfigNode node = ConfigNode::map();
  node.set("host_bytes", bytes_of(peak_host_memory()));
  node.set("device_bytes", bytes_of(device_bytes));
  node.set("solver_bytes", bytes_of(solver_bytes));
  return node;
}

ConfigNode files_node(const std::vector<std::filesystem::path>& files) {
  ConfigNode node = ConfigNode::list();
  for (const auto& file : files) node.push_back(ConfigNode::text(file.filename().string()));
  return node;
}

int most_iterations_of(const std::vector<SolveResult>& results) {
  int most = 0;
  for (const SolveResult& result : results) most = std::max(most, result.iterations);
  return most;
}

int exit_status_of(const std::vector<SolveResult>& results, const std::vector<const char*>& names) {
  for (const SolveResult& result : results)
    if (result.reason == StopReason::interrupted) return exit_interrupted;
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (has_solution(results[j])) continue;
    std::fprintf(stderr, "tomokkos: error: %s: not solved: %s after %d iterations, residual %.4g\n",
                 names[j], std::string(to_string(results[j].reason)).c_str(), results[j].iterations,
                 results[j].relative_residual);
    return exit_failed;
  }
  return exit_done;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace) \
  template ConfigNode report_head<ExecutionSpace>(const ExecutionSpace&, const RunConfig&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
