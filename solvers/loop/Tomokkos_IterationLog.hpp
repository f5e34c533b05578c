// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_QueueMark.hpp>
#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace Tomokkos::Impl {

/// What a record holds, in this order, as sums that one pass may write side by side.
enum class RecordField : int {
  model_counts,
  residual_squared,
  objective,
  change_squared,
  norm_squared
};
inline constexpr int num_record_fields = 5;

/// What the field `objective` is.
enum class Objective { none, log_likelihood, gradient_squared, preconditioned_squared };

/// The ranks that a solve is spread over, and the fields of a record that are sums over entries of
/// one of them: these are added up where the host takes the records, of the others all ranks take
/// what the first one has, so that all of them decide alike.
struct RecordRanks {
  const Ranks* ranks = nullptr;  // null: there is one
  std::array<bool, num_record_fields> spread{};

  RecordRanks& spreads(RecordField field, bool is_distributed = true) {
    spread[static_cast<std::size_t>(field)] = is_distributed;
    return *this;
  }
};

/// The sums of the iterations since the host last looked, for every slice of a stack, in device
/// memory: reductions write into it, and one small copy brings all of it to the host. A look that
/// is not to stop the queue is in two parts: `send` at the iterate that is to be looked at, and,
/// when later iterations have been launched, `collect`.
template <class ExecutionSpace>
class IterationLog {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using HostMemory = typename StagingMemory<ExecutionSpace>::type;
  /// 2.5 MiB a slice; after so many iterations the host has to look, whether it wants to or not.
  static constexpr int max_pending = 1 << 16;

  /// Between the sums of neighbouring slices.
  static constexpr int stride = num_record_fields;

  /// On the device, and as much on the host.
  static std::size_t slice_bytes(int iterations) {
    return static_cast<std::size_t>(capacity(iterations)) * num_record_fields * sizeof(double);
  }

  IterationLog(const ExecutionSpace& exec, int iterations, Ordinal slices = 1)
      : capacity_(capacity(iterations)),
        slices_(static_cast<std::size_t>(slices)),
        device_(allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::IterationLog::device",
                                                      length(capacity_))),
        host_(allocate<Vector<double, HostMemory>>(exec, "Tomokkos::IterationLog::host",
                                                   length(capacity_))) {}

  std::size_t bytes() const { return device_.extent(0) * sizeof(double); }

  void set_ranks(const RecordRanks& ranks) { ranks_ = ranks; }

  /// Forgets what there is; `first` is the first iterate to come.
  void begin(const ExecutionSpace& exec, int first = 0) {
    first_ = first;
    sent_.reset();
    Kokkos::deep_copy(exec, device_, not_measured);
  }

  /// Where the sums of iterate `iteration` go, from `field` on; slice after slice, `stride` apart.
  VectorView<double, MemorySpace> slot(int iteration, RecordField field) const {
    const std::size_t at = length(iteration - first_) + static_cast<std::size_t>(field);
    return VectorView<double, MemorySpace>(device_.data() + at,
                                           length(1) - static_cast<std::size_t>(field));
  }

  /// True while the sums of iterate `iteration` are on the device.
  bool holds(int iteration) const { return iteration >= first_; }

  /// How many iterates after `iteration` have room.
  int room(int iteration) const { return capacity_ - (iteration - first_ + 1); }

  /// True when the iterate after `iteration` has no room.
  bool full(int iteration) const { return room(iteration) <= 0; }

  /// Records up to `iteration` are on their way to the host, behind what was launched so far; those
  /// of later iterates take their place on the device.
  void send(const ExecutionSpace& exec, int iteration) {
    copy(exec, iteration);
    mark_.set(exec);
    sent_ = first_;
    clear(exec, iteration);
    first_ = iteration + 1;
  }

  /// Appends the records up to `iteration` to the histories of the `chosen` slices. Waits for them,
  /// not for what was launched after they had been sent.
  void collect(const ExecutionSpace& exec, int iteration, Objective objective,
               std::vector<SolveResult>& results, const std::vector<char>& chosen) {
    if (!sent_) send(exec, iteration);
    mark_.wait("IterationLog: the records must have arrived");
    add_up_ranks(iteration - *sent_ + 1);
    append(*sent_, iteration, objective, results, chosen);
    sent_.reset();
  }

  /// The same, and keeps the records.
  void peek(const ExecutionSpace& exec, int iteration, Objective objective,
            std::vector<SolveResult>& results, const std::vector<char>& chosen) {
    copy(exec, iteration);
    Impl::fence(exec, "IterationLog: the records must have arrived");
    add_up_ranks(iteration - first_ + 1);
    append(first_, iteration, objective, results, chosen);
  }

  /// Forgets the records up to `iteration`, which will be measured anew.
  void clear(const ExecutionSpace& exec, int iteration) const {
    // The others have not been touched.
    Kokkos::deep_copy(
        exec, VectorView<double, MemorySpace>(device_.data(), length(iteration - first_ + 1)),
        not_measured);
  }

 private:
  void copy(const ExecutionSpace& exec, int iteration) const {
    const std::size_t count = length(iteration - first_ + 1);
    Kokkos::deep_copy(exec, VectorView<double, HostMemory>(host_.data(), count),
                      VectorView<const double, MemorySpace>(device_.data(), count));
  }

  /// What has arrived, of so many iterates, becomes that of all ranks.
  void add_up_ranks(int iterates) const {
    if (ranks_.ranks == nullptr || ranks_.ranks->size() == 1) return;
    const bool takes_all = ranks_.ranks->rank() == 0;
    std::vector<double> sums(length(iterates));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const bool counts = takes_all || ranks_.spread[i % num_record_fields];
      // Which sums were formed is the same on all ranks.
      sums[i] = counts && host_(i) != not_measured ? host_(i) : 0;
    }
    ranks_.ranks->sum(sums);
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (host_(i) != not_measured) host_(i) = sums[i];
  }

  void append(int first, int iteration, Objective objective, std::vector<SolveResult>& results,
              const std::vector<char>& chosen) const {
    for (std::size_t j = 0; j < slices_; ++j)
      for (int k = first; chosen[j] && k <= iteration; ++k)
        results[j].history.push_back(record(k, host_.data() + length(k - first) + j * stride,
                                            objective, results[j].rhs_norm));
  }

  static int capacity(int iterations) { return std::min(iterations, max_pending - 1) + 1; }

  /// No sum of squares is negative, and no likelihood is so small.
  static constexpr double not_measured = -std::numeric_limits<double>::max();

  std::size_t length(int iterations) const {
    return static_cast<std::size_t>(iterations) * slices_ * num_record_fields;
  }

  static std::optional<double> norm(double squared) {
    if (squared == not_measured) return std::nullopt;
    return std::sqrt(squared);
  }

  static IterationRecord record(int iteration, const double* sums, Objective objective,
                                double rhs_norm) {
    const auto field = [&](RecordField f) { return sums[static_cast<int>(f)]; };
    IterationRecord r;
    r.iteration = iteration;
    r.residual = norm(field(RecordField::residual_squared));
    if (r.residual) r.relative_residual = relative(*r.residual, rhs_norm);
    r.change = norm(field(RecordField::change_squared));
    if (r.change)
      r.relative_change = relative(*r.change, std::sqrt(field(RecordField::norm_squared)));
    const double value = field(RecordField::objective);
    if (objective == Objective::log_likelihood && value != not_measured) r.log_likelihood = value;
    if (field(RecordField::model_counts) != not_measured)
      r.model_counts = field(RecordField::model_counts);
    if (objective == Objective::gradient_squared) r.gradient = norm(value);
    if (objective == Objective::preconditioned_squared) r.preconditioned_residual = norm(value);
    return r;
  }

 public:
  /// `value / reference`, with 0 / 0 = 0.
  static double relative(double value, double reference) {
    return value == 0 && reference == 0 ? 0 : value / reference;
  }

 private:
  int capacity_;
  std::size_t slices_;
  int first_ = 0;
  Vector<double, MemorySpace> device_;
  Vector<double, HostMemory> host_;
  QueueMark<ExecutionSpace> mark_;
  RecordRanks ranks_;
  std::optional<int> sent_;  // the first iterate of what was sent and not collected
};

}  // namespace Tomokkos::Impl
