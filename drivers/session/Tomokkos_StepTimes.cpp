// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <Tomokkos_StepRegions.hpp>
#include <Tomokkos_StepTimes.hpp>
#include <algorithm>
#include <string_view>

namespace Tomokkos {
namespace {

namespace Tools = Kokkos::Tools::Experimental;

StepTimes* active = nullptr;
Tools::EventSet callbacks_of_a_tool;

/// Step of everything inside an iteration that is not another step.
constexpr const char* host_step = "host";

/// Returns the name of the step that the region \p name marks; empty: it marks none.
std::string_view step_of_region(std::string_view name) {
  using Impl::StepRegions;
  for (const char* marked :
       {StepRegions::forward, StepRegions::transposed, StepRegions::rows, StepRegions::ranks})
    if (name == marked) return name;
  return name == StepRegions::iterations ? host_step : std::string_view();
}

}  // namespace

StepTimes* StepTimes::measuring() {
  return active != nullptr && active->thread_ == std::this_thread::get_id() ? active : nullptr;
}

void StepTimes::begin_active(const char* name, Kind kind) {
  if (StepTimes* const times = measuring()) times->begin(name, kind);
}

void StepTimes::end_active() {
  if (StepTimes* const times = measuring()) times->end();
}

StepTimes::Scope::Scope(StepTimes& times) {
  callbacks_of_a_tool = Tools::get_callbacks();
  times.thread_ = std::this_thread::get_id();
  times.frames_.clear();
  active = &times;
  const auto begin_kernel = [](const char* name, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    begin_active(name, Kind::kernel);
  };
  const auto end_kernel = [](std::uint64_t) { end_active(); };
  Tools::set_callbacks(Tools::EventSet{});
  Tools::set_begin_parallel_for_callback(begin_kernel);
  Tools::set_end_parallel_for_callback(end_kernel);
  Tools::set_begin_parallel_reduce_callback(begin_kernel);
  Tools::set_end_parallel_reduce_callback(end_kernel);
  Tools::set_begin_parallel_scan_callback(begin_kernel);
  Tools::set_end_parallel_scan_callback(end_kernel);
  Tools::set_push_region_callback([](const char* name) { begin_active(name, Kind::region); });
  Tools::set_pop_region_callback([] { end_active(); });
  Tools::set_begin_deep_copy_callback([](auto, const char*, const void*, auto, const char*,
                                         const void*,
                                         std::uint64_t) { begin_active("copies", Kind::copy); });
  Tools::set_end_deep_copy_callback([] { end_active(); });
}

StepTimes::Scope::~Scope() {
  Tools::set_callbacks(callbacks_of_a_tool);
  active = nullptr;
}

/// Adds the time since the last call to the running step.
void StepTimes::charge() {
  Kokkos::fence();
  const auto now = Clock::now();
  if (!frames_.empty() && frames_.back().step != nullptr)
    frames_.back().step->second.seconds += std::chrono::duration<double>(now - last_).count();
  last_ = now;
}

/// Returns the step that begins now; null: none, the running one goes on.
StepTimes::Steps::value_type* StepTimes::step_of(const char* name, Kind kind) {
  const bool iterates = !frames_.empty() && frames_.back().step != nullptr;
  std::string_view step = name;
  if (kind == Kind::region) {
    step = step_of_region(name);
    if (step.empty() || (!iterates && step != host_step)) return nullptr;
  } else {
    // Kernels and copies of a product or an exchange belong to it.
    if (!iterates || frames_.back().step->first != host_step) return nullptr;
  }
  if (step.starts_with("Tomokkos::")) step.remove_prefix(std::string_view("Tomokkos::").size());
  Steps::value_type* const found = &*steps_.try_emplace(std::string(step)).first;
  // An operator may consist of other operators.
  return iterates && found == frames_.back().step ? nullptr : found;
}

void StepTimes::begin(const char* name, Kind kind) {
  Steps::value_type* const step = step_of(name, kind);
  if (step != nullptr) {
    charge();
    ++step->second.calls;
  }
  Steps::value_type* const running = frames_.empty() ? nullptr : frames_.back().step;
  frames_.push_back({step != nullptr ? step : running, step != nullptr});
}

void StepTimes::end() {
  if (frames_.empty()) return;  // began before the measurement
  if (frames_.back().is_begin) charge();
  frames_.pop_back();
}

Description StepTimes::description(int iterations) const {
  std::vector<const Steps::value_type*> ordered;
  double total = 0;
  for (const auto& step : steps_) {
    ordered.push_back(&step);
    total += step.second.seconds;
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
    return a->second.seconds > b->second.seconds;
  });
  Description result = Description::list(false);
  for (const auto* step : ordered) {
    const auto& [calls, seconds] = step->second;
    Description line =
        describe_map({{"step", step->first}, {"calls", calls}, {"seconds", seconds}}, true);
    if (iterations > 0) line.set("seconds_per_iteration", seconds / iterations);
    if (total > 0) line.set("share", seconds / total);
    result.add(std::move(line));
  }
  return result;
}

}  // namespace Tomokkos
