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

/// Fields of a record, in storage order: sums that one pass may write side by side.
enum class RecordField : int {
  model_counts,
  residual_squared,
  objective,
  change_squared,
  norm_squared
};
inline constexpr int num_record_fields = 5;

/// Quantity that the field `objective` holds.
enum class Objective { none, log_likelihood, gradient_squared, preconditioned_squared };

/// Ranks over which a solve is distributed, and the fields of a record that are sums over
/// distributed vectors.
/// When the host receives the records, these fields are summed over the ranks. All other fields get
/// the values of the first rank, so that all ranks take the same decisions.
struct RecordRanks {
  const Ranks* ranks = nullptr;  // null: a single rank
  std::array<bool, num_record_fields> spread{};

  RecordRanks& set_distributed(RecordField field, bool is_distributed = true) {
    spread[static_cast<std::size_t>(field)] = is_distributed;
    return *this;
  }
};

/// Device memory for the sums of the iterations since the last check by the host, for every slice
/// of a stack.
/// Reductions write into it, and one small copy brings all of it to the host. A check that must not
/// stop the queue has two parts: `send` at the iterate to be checked, and `collect` after later
/// iterations have been launched.
template <class ExecutionSpace>
class IterationLog {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using HostMemory = typename StagingMemory<ExecutionSpace>::type;
  /// Largest number of iterates without a check; the host must check then. 2.5 MiB per slice.
  static constexpr int max_pending = 1 << 16;

  /// Distance between the sums of neighbouring slices, in doubles.
  static constexpr int stride = num_record_fields;

  /// Bytes per slice on the device; the host needs the same amount.
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

  /// Discards all records. `first` is the next iterate to be recorded.
  void begin(const ExecutionSpace& exec, int first = 0) {
    first_ = first;
    sent_.reset();
    Kokkos::deep_copy(exec, device_, not_measured);
  }

  /// Position of the sums of iterate `iteration`, from `field` on. Slices follow each other at
  /// distance `stride`.
  VectorView<double, MemorySpace> slot(int iteration, RecordField field) const {
    const std::size_t at = length(iteration - first_) + static_cast<std::size_t>(field);
    return VectorView<double, MemorySpace>(device_.data() + at,
                                           length(1) - static_cast<std::size_t>(field));
  }

  /// True while the sums of iterate `iteration` are on the device.
  bool holds(int iteration) const { return iteration >= first_; }

  /// Number of iterates after `iteration` for which there is room.
  int room(int iteration) const { return capacity_ - (iteration - first_ + 1); }

  /// True when there is no room for the iterate after `iteration`.
  bool full(int iteration) const { return room(iteration) <= 0; }

  /// Queues the copy of the records up to `iteration` to the host, after everything launched so
  /// far. The records of later iterates reuse their memory on the device.
  void send(const ExecutionSpace& exec, int iteration) {
    copy(exec, iteration);
    mark_.set(exec);
    sent_ = first_;
    clear(exec, iteration);
    first_ = iteration + 1;
  }

  /// Appends the records up to `iteration` to the histories of the `chosen` slices. Waits for these
  /// records only, not for work launched after `send`.
  void collect(const ExecutionSpace& exec, int iteration, Objective objective,
               std::vector<SolveResult>& results, const std::vector<char>& chosen) {
    if (!sent_) send(exec, iteration);
    mark_.wait("IterationLog: the records must have arrived");
    add_up_ranks(iteration - *sent_ + 1);
    append(*sent_, iteration, objective, results, chosen);
    sent_.reset();
  }

  /// Appends the records up to `iteration` to the histories and keeps them on the device. Waits for
  /// all queued work.
  void peek(const ExecutionSpace& exec, int iteration, Objective objective,
            std::vector<SolveResult>& results, const std::vector<char>& chosen) {
    copy(exec, iteration);
    Impl::fence(exec, "IterationLog: the records must have arrived");
    add_up_ranks(iteration - first_ + 1);
    append(first_, iteration, objective, results, chosen);
  }

  /// Clears the records up to `iteration`, which will be measured again.
  void clear(const ExecutionSpace& exec, int iteration) const {
    // Records of later iterates have not been written yet.
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

  /// Combines the records of `iterates` iterates over all ranks.
  void add_up_ranks(int iterates) const {
    if (ranks_.ranks == nullptr || ranks_.ranks->size() == 1) return;
    const bool takes_all = ranks_.ranks->rank() == 0;
    std::vector<double> sums(length(iterates));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const bool counts = takes_all || ranks_.spread[i % num_record_fields];
      // All ranks have formed the same sums, so `not_measured` agrees between ranks.
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

  /// Marks a sum that was not measured: sums of squares are not negative, and no likelihood is this
  /// small.
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
  /// Returns `value / reference`, with 0 / 0 = 0.
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
  std::optional<int> sent_;  // first iterate that was sent but not collected
};

}  // namespace Tomokkos::Impl
