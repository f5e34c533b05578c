// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_IterationLog.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_StepRegions.hpp>
#include <Tomokkos_StopRules.hpp>
#include <functional>
#include <utility>

namespace Tomokkos::Impl {

/// Clears the progress to resume after one solve, even if the solve throws.
struct ResetAtEnd {
  std::optional<SolveProgress>& progress;
  ~ResetAtEnd() { progress.reset(); }
};

/// Checks by the host, the conclusions for each slice and the calls of the monitor: the part that
/// all solvers share. A single vector is a stack of one slice. Exists for one solve.
template <class ExecutionSpace, class Scalar>
class SolveLoop {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Image = MultiVectorView<const Scalar, MemorySpace>;
  /// Reasons to stop, one per slice.
  using Reasons = std::vector<std::optional<StopReason>>;

  /// `active` holds an int per slice: 1 while the slice continues. The length of `rhs_norms` is the
  /// number of slices. With `resumed`, the first iterate is the last one of that progress.
  SolveLoop(const ExecutionSpace& exec, IterationLog<ExecutionSpace>& log,
            const VectorView<int, MemorySpace>& active, Objective objective, int iterations,
            int check_every, const StopRules& rules, const Monitor<ExecutionSpace, Scalar>& monitor,
            const std::vector<double>& rhs_norms,
            const std::optional<SolveProgress>& resumed = std::nullopt)
      : log_(log),
        active_(active),
        objective_(objective),
        iterations_(iterations),
        check_every_(check_every),
        kept_(check_every),
        rules_(rules),
        monitor_(monitor),
        results_(rhs_norms.size()),
        going_(rhs_norms.size(), 1) {
    StopRules::for_active(rules, [&](const auto& rule) { rule.require_slices(rhs_norms.size()); });
    const int records = std::min(iterations, most_records - 1) + 1;
    if (resumed) restore_progress(*resumed);
    for (std::size_t j = 0; j < results_.size(); ++j) {
      results_[j].rhs_norm = rhs_norms[j];
      if (results_.size() == 1) results_[j].history.reserve(static_cast<std::size_t>(records));
    }
    Kokkos::deep_copy(exec, active_, 1);
    copy_flags_to_device(exec);
    log_.set_ranks({});
    log_.begin(exec, first_);
  }

  /// Sets the ranks of a distributed solve. Call before the first check. A check involves all ranks
  /// and leads to the same conclusions on each; the monitor must also answer equally on all of
  /// them.
  void set_ranks(const RecordRanks& ranks) { log_.set_ranks(ranks); }

  /// Callback at every check that may add to the last records of the slices that continue.
  using Probe = std::function<void(const ExecutionSpace& exec, std::vector<SolveResult>& results,
                                   const std::vector<char>& going)>;
  void set_probe(Probe probe) { probe_ = std::move(probe); }

  /// `save` adds the arrays of the solver to a progress when one is requested.
  void set_save(std::function<void(SolveProgress& progress)> save) { save_ = std::move(save); }

  /// `best(slice)` is the iterate that a solver may return instead of the last one. Its record
  /// stays in the history.
  void set_best(std::function<int(std::size_t slice)> best) { best_ = std::move(best); }

  /// First iterate.
  int first() const { return first_; }

  /// Marks the records between checks as not measured, for solvers that measure an iterate only
  /// when the host checks.
  void measure_at_checks_only() {
    IterationRecord not_measured;
    not_measured.iteration = first_;
    if (between_checks_)
      for_active([&](std::size_t j) { results_[j].history.back() = not_measured; });
  }

  /// Marks the residuals between checks as not measured, for solvers that measure them only when
  /// the host checks.
  void measure_residuals_at_checks_only() {
    if (between_checks_)
      for_active([&](std::size_t j) {
        results_[j].history.back().residual.reset();
        results_[j].history.back().relative_residual.reset();
      });
  }

  /// True when iterate k will be checked and has not been measured before.
  bool measures(int k) const { return is_check_due(k) && !(resumed_ && k == first_); }

  /// True when the host will check iterate k.
  bool is_check_due(int k) const {
    return k == iterations_ || (is_watched() && k % check_every_ == 0);
  }

  /// True for the last iterate if a longer solve would not check it.
  bool is_unscheduled_last(int k) const { return k == iterations_ && k % check_every_ != 0; }

  /// True when the first iterate is resumed and an uninterrupted solve would not check it.
  bool begins_between_checks() const { return between_checks_; }

  /// Stopped slices of the resumed progress whose true residual is not known yet, because the check
  /// at which the progress was saved has stopped them.
  std::vector<std::size_t> unmeasured() const {
    require(unmeasured_.size() == going_.size(),
            std::string("the progress to resume lacks ") + unmeasured_name);
    std::vector<std::size_t> result;
    for (std::size_t j = 0; j < unmeasured_.size(); ++j)
      if (unmeasured_[j] != 0 && going_[j] == 0) result.push_back(j);
    return result;
  }

  /// True when the host checks before the last iterate.
  bool is_watched() const { return rules_.any() || monitor_; }

  /// Checks iterate k if it is due, and freezes the slices that stop there (`stopped()`). Returns
  /// true when none continues. `confirm(reasons)` may override the rules.
  template <class Confirm>
  bool check_iterate(const ExecutionSpace& exec, int k, const Image& X, const Confirm& confirm) {
    stopped_.clear();
    if (resumed_ && k == first_) {
      // Everything about this iterate is already recorded.
      log_.begin(exec, k + 1);
      if (k == iterations_) for_active([&](std::size_t j) { stop(j, StopReason::max_iterations); });
      return done();
    }
    if (!is_check_due(k) && !log_.full(k)) return done();
    log_.collect(exec, k, objective_, results_, going_);
    Reasons reasons(results_.size());
    const auto bad = find_non_finite(k);
    for (const std::size_t j : bad) stop(j, StopReason::non_finite);
    if (is_check_due(k) && !done()) {
      if (probe_) probe_(exec, results_, going_);
      for_active([&](std::size_t j) {
        reasons[j] = evaluate(rules_, results_[j].history.back(), j);
        if (!reasons[j]) reasons[j] = evaluate(rules_, results_[j].history, check_every_);
      });
      confirm(reasons);
      if (k == iterations_)
        for (auto& reason : reasons) reason = reason.value_or(StopReason::max_iterations);
      ask_monitor(exec, k, X, reasons);
      for_active([&](std::size_t j) {
        if (reasons[j]) stop(j, *reasons[j]);
      });
    }
    for_active([&](std::size_t j) {
      if (results_[j].history.size() > most_records) thin(j, results_[j]);
    });
    copy_flags_to_device(exec);
    return done();
  }

  bool check_iterate(const ExecutionSpace& exec, int k, const Image& X) {
    return check_iterate(exec, k, X, [](const Reasons&) {});
  }

  /// Stops `slices` at iterate k, whose own record has not been measured; the other slices keep
  /// their records for the next check. Returns true when none continues.
  bool stop_slices(const ExecutionSpace& exec, int k, const std::vector<std::size_t>& slices,
                   StopReason reason) {
    stopped_.clear();
    if (slices.empty()) return done();
    std::vector<char> chosen(results_.size(), 0);
    for (const std::size_t j : slices) chosen[j] = 1;
    log_.peek(exec, k, objective_, results_, chosen);
    for (const std::size_t j : slices) {
      results_[j].iterations = k;
      stop(j, reason);
    }
    copy_flags_to_device(exec);
    return done();
  }

  /// Slices that the last check has stopped, including those that are not finite.
  const std::vector<std::size_t>& stopped() const { return stopped_; }
  bool done() const { return num_stopped_ == results_.size(); }
  bool continues(std::size_t slice) const { return going_[slice] != 0; }

  SolveResult& result(std::size_t slice) { return results_[slice]; }
  std::vector<SolveResult> results() { return std::move(results_); }

 private:
  const ScopedRegion region_{StepRegions::iterations};

  static constexpr const char* unmeasured_name = "unmeasured";
  /// Records that a history of a running solve may hold between two checks; thinning then removes
  /// a third of them or more.
  static constexpr int most_records = 3 * KeptRecords::most;

  template <class Action>
  void for_active(const Action& action) const {
    for (std::size_t j = 0; j < going_.size(); ++j)
      if (going_[j]) action(j);
  }

  static bool is_finite(const IterationRecord& record) {
    return std::isfinite(record.residual.value_or(0)) && std::isfinite(record.change.value_or(0)) &&
           std::isfinite(record.gradient.value_or(0)) &&
           !std::isnan(record.log_likelihood.value_or(0));
  }

  /// Slices with a non-finite record among the records that arrived last.
  std::vector<std::size_t> find_non_finite(int k) {
    std::vector<std::size_t> bad;
    for_active([&](std::size_t j) {
      SolveResult& result = results_[j];
      auto record = first_after(result.history, result.iterations == 0 ? -1 : result.iterations);
      result.iterations = k;
      for (; record != result.history.end() && !result.non_finite_iteration; ++record)
        if (!is_finite(*record)) result.non_finite_iteration = record->iteration;
      if (result.non_finite_iteration) bad.push_back(j);
    });
    return bad;
  }

  void ask_monitor(const ExecutionSpace& exec, int k, const Image& X, Reasons& reasons) {
    if (!monitor_) return;
    std::vector<IterationRecord> records;
    for (const auto& result : results_) records.push_back(result.history.back());
    std::vector<bool> continues(results_.size(), false);
    bool last = true;
    for_active([&](std::size_t j) {
      continues[j] = !reasons[j];
      last = last && reasons[j];
    });
    const MonitorAction action =
        monitor_(exec, {k, records, continues, X, last, [&] { return progress(k, reasons); }});
    if (action == MonitorAction::proceed) return;
    const auto asked =
        action == MonitorAction::stop ? StopReason::user_stop : StopReason::interrupted;
    for (auto& reason : reasons) reason = reason.value_or(asked);
  }

  void restore_progress(const SolveProgress& resumed) {
    require_equal("slices of the progress to resume",
                  static_cast<long long>(resumed.results.size()), "the slices of the solver",
                  static_cast<long long>(results_.size()));
    require(resumed.iteration <= iterations_,
            "iterate " + std::to_string(resumed.iteration) +
                " cannot be resumed by a solver whose number of iterations is " +
                std::to_string(iterations_));
    require_equal("flags of the progress to resume", static_cast<long long>(resumed.active.size()),
                  "its slices", static_cast<long long>(resumed.results.size()));
    for (const SolveResult& result : resumed.results)
      require(!result.history.empty(), "a slice of the progress to resume has no history");
    if (const auto held = resumed.held.find(unmeasured_name); held != resumed.held.end()) {
      require_equal("flags of unmeasured slices in the progress to resume",
                    static_cast<long long>(held->second.size()), "its slices",
                    static_cast<long long>(resumed.results.size()));
      unmeasured_ = held->second;
    }
    resumed_ = true;
    first_ = resumed.iteration;
    results_ = resumed.results;
    // The interrupted solve has checked its last iterate, which a longer solve does not check. Undo
    // the conclusions of that check.
    between_checks_ = first_ < iterations_ && first_ % check_every_ != 0;
    for (std::size_t j = 0; j < results_.size(); ++j) {
      const bool ended_by_check = between_checks_ && results_[j].iterations == first_ &&
                                  results_[j].reason != StopReason::non_finite;
      if (resumed.active[j] || ended_by_check) {
        for (const RecordFigure& figure : record_figures)
          if (between_checks_ && figure.only_at_checks)
            (results_[j].history.back().*figure.member).reset();
        continue;
      }
      going_[j] = 0;
      stopped_.push_back(j);
      ++num_stopped_;
    }
  }

  /// State from which a later solve can resume at iterate k, given the reasons to stop so far.
  SolveProgress progress(int k, const Reasons& reasons) const {
    SolveProgress result{k, results_, std::vector<bool>(results_.size(), false)};
    for_active([&](std::size_t j) {
      result.active[j] = !reasons[j] || reasons[j] == StopReason::max_iterations;
      if (reasons[j]) conclude(*reasons[j], result.results[j]);
      thin(j, result.results[j]);
    });
    if (!save_) return result;
    std::vector<double>& unmeasured = result.held[unmeasured_name];
    for (std::size_t j = 0; j < going_.size(); ++j)
      unmeasured.push_back(going_[j] != 0 && !result.active[j] ? 1 : 0);
    save_(result);
    return result;
  }

  /// Fills the result from the last record of the slice, which belongs to its x.
  static void conclude(StopReason reason, SolveResult& result) {
    const IterationRecord& last = result.history.back();
    result.reason = reason;
    result.residual = last.residual.value_or(std::nan(""));
    result.relative_residual = last.relative_residual.value_or(std::nan(""));
  }

  void thin(std::size_t slice, SolveResult& result) const {
    kept_.thin(result.history, best_ ? best_(slice) : 0);
  }

  void stop(std::size_t slice, StopReason reason) {
    conclude(reason, results_[slice]);
    thin(slice, results_[slice]);
    going_[slice] = 0;
    stopped_.push_back(slice);
    ++num_stopped_;
  }

  void copy_flags_to_device(const ExecutionSpace& exec) {
    if (stopped_.empty() || done()) return;
    const std::vector<int> flags(going_.begin(), going_.end());
    Kokkos::deep_copy(exec, active_,
                      VectorView<const int, Kokkos::HostSpace>(flags.data(), flags.size()));
    Impl::fence(exec, "SolveLoop: the flags of the slices must have left");
  }

  IterationLog<ExecutionSpace>& log_;
  VectorView<int, MemorySpace> active_;
  Objective objective_;
  int iterations_, check_every_;
  KeptRecords kept_;
  const StopRules& rules_;
  const Monitor<ExecutionSpace, Scalar>& monitor_;
  std::vector<SolveResult> results_;
  std::vector<char> going_;
  std::vector<std::size_t> stopped_;
  std::size_t num_stopped_ = 0;
  int first_ = 0;
  bool resumed_ = false;
  bool between_checks_ = false;  // the first iterate is resumed, and no check is due there
  std::vector<double> unmeasured_;
  Probe probe_;
  std::function<void(SolveProgress&)> save_;
  std::function<int(std::size_t)> best_;
};

}  // namespace Tomokkos::Impl
