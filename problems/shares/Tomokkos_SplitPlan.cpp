// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_SplitPlan.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Time for \p count nonzeros; infinite if it is not possible.
double time_of(double count, double speed) {
  if (count <= 0) return 0;
  return speed > 0 ? count / speed : never;
}

SplitPlan completed(SplitPlan plan, const PartSpeeds& speeds) {
  plan.seconds =
      std::max(plan.host > 0 ? speeds.host_overhead + time_of(plan.host, speeds.host) : 0.0,
               time_of(plan.device, speeds.device) + time_of(plan.streamed, speeds.streamed));
  return plan;
}

}  // namespace

SplitPlan plan_split(double nonzeros, double capacity, const PartSpeeds& speeds, bool with_host,
                     Overflow overflow) {
  // Share of the host with which it ends together with work of the device that takes `seconds`,
  // and that gets shorter by what the host takes.
  const auto beside = [&](double seconds, double speed) {
    if (!with_host || !(speeds.host > 0) || !(speed > 0)) return 0.0;
    return std::max(0.0, (seconds - speeds.host_overhead) / (1 / speeds.host + 1 / speed));
  };
  const double balanced = beside(time_of(nonzeros, speeds.device), speeds.device);
  if (nonzeros - balanced <= capacity)
    return completed({nonzeros - balanced, 0, balanced, 0, 0, 0}, speeds);

  const double device = std::max(0.0, std::min(capacity, nonzeros));
  const double rest = nonzeros - device;
  const SplitPlan by_host = completed({device, 0, rest, 0, 0, 0}, speeds);
  const double by_both = std::min(
      rest,
      beside(time_of(device, speeds.device) + time_of(rest, speeds.streamed), speeds.streamed));
  const SplitPlan by_streaming = completed({device, rest - by_both, by_both, 0, 0, 0}, speeds);
  const bool streams = overflow == Overflow::streamed ||
                       (overflow == Overflow::automatic && by_streaming.seconds < by_host.seconds);
  SplitPlan plan = streams ? by_streaming : by_host;
  if (overflow == Overflow::refused || plan.seconds == never)
    throw Refused("the matrix does not fit into the memory of the device");
  plan.streaming_seconds = by_streaming.seconds < never ? by_streaming.seconds : 0;
  plan.host_seconds = by_host.seconds < never ? by_host.seconds : 0;
  return plan;
}

std::string describe_plan(const SplitPlan& plan) {
  const double all = plan.device + plan.streamed + plan.host;
  const auto percent = [&](double count) { return all > 0 ? 100 * count / all : 0.0; };
  std::string text =
      Impl::formatted("parts: %.1f %% of the nonzeros on the device", percent(plan.device));
  if (plan.streamed > 0)
    text += Impl::formatted(", %.1f %% streamed from host memory", percent(plan.streamed));
  if (plan.host > 0)
    text += Impl::formatted(", %.1f %% by the cores of the host", percent(plan.host));
  if (plan.streaming_seconds > 0 && plan.host_seconds > 0)
    text += Impl::formatted("; expected for both products: %.3g s with streaming, %.3g s without",
                            plan.streaming_seconds, plan.host_seconds);
  return text;
}

}  // namespace Tomokkos
