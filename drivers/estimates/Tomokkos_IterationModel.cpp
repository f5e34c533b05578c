// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_IterationModel.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <chrono>
#include <cstdint>

namespace Tomokkos {

namespace {

/// Shortest time of some repetitions of \p work, in seconds. The first one is not counted.
template <class ExecutionSpace, class Work>
double shortest_seconds(const ExecutionSpace& exec, const Work& work) {
  double least = 0;
  for (int repetition = 0; repetition < 20; ++repetition) {
    Impl::fence(exec, "measure_machine: before a sample");
    const auto begin = std::chrono::steady_clock::now();
    work();
    Impl::fence(exec, "measure_machine: after a sample");
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (repetition > 0 && (least == 0 || seconds < least)) least = seconds;
  }
  return std::max(least, 1e-9);
}

}  // namespace

template <class ExecutionSpace>
ModelMachine measure_machine(const ExecutionSpace& exec) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const DeviceTraits traits = device_traits(exec);
  ModelMachine machine;
  machine.gpu = traits.gpu;
  machine.threads = traits.concurrency;
  constexpr std::uint64_t array_bytes = std::uint64_t{64} << 20;
  const std::uint64_t bytes =
      std::max<std::uint64_t>(std::min(array_bytes, available_memory(exec) / 8), 1 << 16);
  const auto count = static_cast<std::size_t>(bytes / sizeof(float));
  const auto x = allocate<Vector<float, MemorySpace>>(exec, "Tomokkos::model::x", count);
  const auto y = allocate<Vector<float, MemorySpace>>(exec, "Tomokkos::model::y", count);
  const auto result = allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::model::dot", 1);
  Kokkos::deep_copy(exec, x, 1.0F);
  Kokkos::deep_copy(exec, y, 1.0F);
  const ReductionWorkspace<MemorySpace> workspace(exec);
  machine.bandwidth = 2.0 * static_cast<double>(bytes) /
                      shortest_seconds(exec, [&] { dot(exec, workspace, x, y, result); });
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    const Kokkos::View<float*, typename Impl::StagingMemory<ExecutionSpace>::type> host(
        "Tomokkos::model::host", count);
    machine.copy_rate = static_cast<double>(bytes) /
                        shortest_seconds(exec, [&] { Kokkos::deep_copy(exec, x, host); });
  }
  return machine;
}

namespace {

/// Costs of an entry of a scan on a host. Empty for lines that are not stepped.
std::optional<ModelCosts::ComputedEntry> host_costs(const ScanRows& rows) {
  using namespace ModelCosts;
  const bool is_fan = rows.scan.beam == Beam::fan, is_strip = rows.projector == Projector::strip;
  if (!has_stepped_products(rows.volume, rows.scan, rows.projector)) {
    if (!is_strip) return std::nullopt;
    return is_fan ? exact_fan_strip : exact_parallel_strip;
  }
  const bool is_line = rows.projector == Projector::line;
  ComputedEntry costs = is_fan     ? (is_line ? fan_line : fan_linear)
                        : is_strip ? parallel_strip
                                   : (is_line ? parallel_line : parallel_linear);
  if ((is_fan || is_strip) && symmetry_share(rows, 1) < 1) {
    const ComputedEntry share = is_fan ? symmetric_fan_share : symmetric_strip_share;
    costs = {costs.forward * share.forward, costs.back * share.back};
  }
  return costs;
}

/// Cost of an entry of a scanner or a cone beam in either product. Empty where it was not measured.
std::optional<double> traced_cost(const ModelMachine& machine, const RowSource& rows,
                                  bool in_natural_order) {
  if (const auto* const pairs = std::get_if<ScannerRows>(&rows)) {
    const double by_thread =
        ModelCosts::traced_pair + ModelCosts::traced_ray_of_pair * pairs->scanner.rays;
    return machine.gpu ? ModelCosts::gpu_traced_share * by_thread : by_thread / machine.threads;
  }
  if (!std::holds_alternative<ConeBeamRows>(rows) || machine.gpu || !in_natural_order)
    return std::nullopt;
  return ModelCosts::traced_cone_beam / machine.threads;
}

}  // namespace

std::optional<ProductSeconds> computed_seconds(const ModelMachine& machine, const RowSource& rows,
                                               std::size_t scalar_bytes, double entries,
                                               double kept, bool in_natural_order) {
  const auto* const scan = std::get_if<ScanRows>(&rows);
  if (scan == nullptr) {
    const auto cost = traced_cost(machine, rows, in_natural_order);
    if (!cost) return std::nullopt;
    return ProductSeconds{*cost * entries, *cost * entries};
  }
  if (machine.gpu) {
    const auto costs = gpu_computed_costs(*scan, scalar_bytes);
    if (!costs) return std::nullopt;
    const double pairs = kept * pixel_view_pairs(*scan) * symmetry_share(*scan, 1);
    return ProductSeconds{costs->forward * pairs, costs->back * pairs};
  }
  const auto costs = host_costs(*scan);
  if (!costs) return std::nullopt;
  return ProductSeconds{costs->forward * entries / machine.threads,
                        costs->back * entries / machine.threads};
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace) \
  template ModelMachine measure_machine<ExecutionSpace>(const ExecutionSpace&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
