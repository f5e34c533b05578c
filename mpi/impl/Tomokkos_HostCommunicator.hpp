// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_MpiRanks.hpp>
#include <array>
#include <deque>
#include <impl/Tomokkos_HostMessages.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {

/// Replaces the part of this rank by the sum over all ranks, in the order of the ranks, in double,
/// rounded once. `others` holds the values of the other ranks, rank after rank, without this one.
template <class Scalar>
struct OrderedSum {
  Scalar* own;
  const Scalar* others;
  Offset length;
  int rank;
  int size;

  KOKKOS_FUNCTION void operator()(Offset i) const {
    double sum = 0.0;
    for (int r = 0; r < size; ++r)
      sum += static_cast<double>(r == rank ? own[i] : others[(r < rank ? r : r - 1) * length + i]);
    own[i] = static_cast<Scalar>(sum);
  }
};

/// Communicator for arrays of an execution space through MPI: in place, or for a GPU through
/// page-locked host memory. `staged` is possible on a host, too, but only adds cost there.
template <class ExecutionSpace, bool staged = !is_host_space<ExecutionSpace>>
class HostCommunicator final : public Communicator<ExecutionSpace> {
 public:
  using HostMemory = typename StagingMemory<ExecutionSpace>::type;
  using typename Communicator<ExecutionSpace>::Array;

  HostCommunicator(const MpiRanks& ranks, bool deterministic)
      : given_(ranks),
        own_(ranks.comm(), ranks.largest_message()),
        messages_(own_.comm(), own_.largest_message()),
        deterministic_(deterministic) {}

  const Ranks& ranks() const override { return given_; }
  std::string transport() const override { return staged ? "mpi, through host memory" : "mpi"; }

  void do_finish(const ExecutionSpace& exec) const override;

  void do_begin_sum(const ExecutionSpace& exec, const Array& values) const override;
  void do_begin_scatter_sum(const ExecutionSpace& exec, const Array& values,
                            const std::vector<Offset>& offsets) const override;
  void do_gather(const ExecutionSpace& exec, const Array& values,
                 const std::vector<Offset>& offsets) const override;
  void do_begin_exchange(const ExecutionSpace& exec, const Array& sent,
                         const std::vector<Offset>& sent_offsets, const Array& received,
                         const std::vector<Offset>& received_offsets) const override;

 private:
  using Buffer = Vector<char, HostMemory>;
  /// Values from `first` to `second`.
  using Range = std::pair<std::size_t, std::size_t>;

  /// Operation in progress. Reused, with its memory, for later operations.
  struct Operation {
    Array values{};
    /// Address of the values that MPI uses.
    char* at = nullptr;
    /// Ranges of values that the operation changes.
    std::array<Range, 2> changed{};
    /// Offsets of the parts of all ranks, if the operation has parts.
    std::vector<Offset> offsets;
    bool adds = false;
    bool gathers = false;
    std::size_t first_message = 0;
    std::size_t last_message = 0;
    Buffer staging, staged_sent, others;
  };

  static char* room(Buffer& buffer, std::size_t bytes, const char* label) {
    if (buffer.extent(0) < bytes) {
      buffer = Buffer();
      buffer = allocate_without_instance<Buffer>(label, bytes);
    }
    return buffer.data();
  }
  using DeviceBytes = VectorView<char, typename ExecutionSpace::memory_space>;
  using HostBytes = VectorView<char, HostMemory>;
  static DeviceBytes device_bytes(const Array& values, const Range& range) {
    const std::size_t scalar = values.scalar_bytes();
    return DeviceBytes(static_cast<char*>(values.data) + range.first * scalar,
                       (range.second - range.first) * scalar);
  }
  static HostBytes host_bytes(const Array& values, char* at, const Range& range) {
    const std::size_t scalar = values.scalar_bytes();
    return HostBytes(at + range.first * scalar, (range.second - range.first) * scalar);
  }
  /// Returns all values except those of this rank.
  std::array<Range, 2> ranges_of_others(const std::vector<Offset>& offsets) const {
    const auto at = [&](int r) { return static_cast<std::size_t>(offsets[r]); };
    return {Range{0, at(this->rank())}, Range{at(this->rank() + 1), at(this->size())}};
  }

  char* bring(const ExecutionSpace& exec, const Array& values, const std::array<Range, 2>& ranges,
              Buffer& staging) const;
  Operation& begin(const Array& values) const;
  void send_parts(Operation& operation) const;
  template <class Scalar>
  void add(const ExecutionSpace& exec, const Operation& operation) const;

  const MpiRanks& given_;
  MpiRanks own_;
  mutable HostMessages messages_;
  bool deterministic_;
  mutable std::deque<Operation> operations_;
  mutable std::size_t in_flight_ = 0;
};

/// Makes the values in `ranges` accessible to MPI, and complete.
template <class ExecutionSpace, bool staged>
char* HostCommunicator<ExecutionSpace, staged>::bring(const ExecutionSpace& exec,
                                                      const Array& values,
                                                      const std::array<Range, 2>& ranges,
                                                      Buffer& staging) const {
  char* at = static_cast<char*>(values.data);
  if constexpr (staged) {
    at = room(staging, values.bytes(), "Tomokkos::HostCommunicator::staging");
    for (const Range& range : ranges)
      if (range.first < range.second)
        Kokkos::deep_copy(exec, host_bytes(values, at, range), device_bytes(values, range));
  } else {
    (void)ranges;
    (void)staging;
  }
  fence(exec, "HostCommunicator: MPI reads the values");
  return at;
}

template <class ExecutionSpace, bool staged>
auto HostCommunicator<ExecutionSpace, staged>::begin(const Array& values) const -> Operation& {
  messages_.progress();
  if (in_flight_ == operations_.size()) operations_.emplace_back();
  Operation& operation = operations_[in_flight_++];
  operation.values = values;
  operation.adds = operation.gathers = false;
  operation.first_message = operation.last_message = messages_.posted();
  return operation;
}

/// Sends to every rank the values for its part.
template <class ExecutionSpace, bool staged>
void HostCommunicator<ExecutionSpace, staged>::send_parts(Operation& operation) const {
  const Array& values = operation.values;
  const std::size_t scalar = values.scalar_bytes();
  const int rank = this->rank(), size = this->size();
  const auto length = [&](int r) {
    return static_cast<std::size_t>(operation.offsets[r + 1] - operation.offsets[r]);
  };
  const std::size_t own = length(rank);
  char* const others = room(operation.others, own * static_cast<std::size_t>(size - 1) * scalar,
                            "Tomokkos::HostCommunicator::others");
  for (int k = 1; k < size; ++k) {
    const int from = (rank - k + size) % size;
    const auto place = static_cast<std::size_t>(from < rank ? from : from - 1);
    messages_.receive(others + place * own * scalar, own, values.is_double, from);
  }
  for (int k = 1; k < size; ++k) {
    const int to = (rank + k) % size;
    messages_.send(operation.at + static_cast<std::size_t>(operation.offsets[to]) * scalar,
                   length(to), values.is_double, to);
  }
  operation.adds = true;
}

template <class ExecutionSpace, bool staged>
template <class Scalar>
void HostCommunicator<ExecutionSpace, staged>::add(const ExecutionSpace& exec,
                                                   const Operation& operation) const {
  const int rank = this->rank();
  const Offset begin = operation.offsets[rank];
  const Offset length = operation.offsets[rank + 1] - begin;
  if (length == 0) return;
  Kokkos::parallel_for("Tomokkos::mpi::ordered_sum",
                       element_range(exec, static_cast<std::size_t>(length)),
                       OrderedSum<Scalar>{reinterpret_cast<Scalar*>(operation.at) + begin,
                                          reinterpret_cast<const Scalar*>(operation.others.data()),
                                          length, rank, this->size()});
}

template <class ExecutionSpace, bool staged>
void HostCommunicator<ExecutionSpace, staged>::do_begin_sum(const ExecutionSpace& exec,
                                                            const Array& values) const {
  if (this->size() == 1 || values.length == 0) return;
  Operation& operation = begin(values);
  operation.changed = {Range{0, values.length}, Range{0, 0}};
  operation.at = bring(exec, values, operation.changed, operation.staging);
  if (deterministic_) {
    const auto ranks = static_cast<Offset>(this->size());
    const auto length = static_cast<Offset>(values.length);
    operation.offsets.resize(static_cast<std::size_t>(ranks) + 1);
    for (Offset r = 0; r <= ranks; ++r)
      operation.offsets[static_cast<std::size_t>(r)] =
          length / ranks * r + std::min(r, length % ranks);
    send_parts(operation);
    operation.gathers = true;
  } else {
    messages_.sum(operation.at, values.length, values.is_double);
  }
  operation.last_message = messages_.posted();
}

template <class ExecutionSpace, bool staged>
void HostCommunicator<ExecutionSpace, staged>::do_begin_scatter_sum(
    const ExecutionSpace& exec, const Array& values, const std::vector<Offset>& offsets) const {
  if (this->size() == 1 || values.length == 0) return;
  Operation& operation = begin(values);
  operation.offsets = offsets;
  const auto part = static_cast<std::size_t>(this->rank());
  operation.changed = {Range{offsets[part], offsets[part + 1]}, Range{0, 0}};
  operation.at = bring(exec, values, {Range{0, values.length}, Range{0, 0}}, operation.staging);
  send_parts(operation);
  operation.last_message = messages_.posted();
}

template <class ExecutionSpace, bool staged>
void HostCommunicator<ExecutionSpace, staged>::do_gather(const ExecutionSpace& exec,
                                                         const Array& values,
                                                         const std::vector<Offset>& offsets) const {
  if (this->size() == 1 || values.length == 0) return;
  Operation& operation = begin(values);
  operation.changed = ranges_of_others(offsets);
  const auto part = static_cast<std::size_t>(this->rank());
  operation.at = bring(exec, values, {Range{offsets[part], offsets[part + 1]}, Range{0, 0}},
                       operation.staging);
  messages_.gather(operation.at, offsets, values.is_double);
  operation.last_message = messages_.posted();
  do_finish(exec);
}

template <class ExecutionSpace, bool staged>
void HostCommunicator<ExecutionSpace, staged>::do_begin_exchange(
    const ExecutionSpace& exec, const Array& sent, const std::vector<Offset>& sent_offsets,
    const Array& received, const std::vector<Offset>& received_offsets) const {
  if (this->size() == 1) return;
  Operation& operation = begin(received);
  operation.changed = ranges_of_others(received_offsets);
  const char* const from = bring(exec, sent, ranges_of_others(sent_offsets), operation.staged_sent);
  operation.at = static_cast<char*>(received.data);
  if constexpr (staged)
    operation.at = room(operation.staging, received.bytes(), "Tomokkos::HostCommunicator::staging");
  const auto length = [](const std::vector<Offset>& offsets, int r) {
    return static_cast<std::size_t>(offsets[r + 1] - offsets[r]);
  };
  for (int k = 1; k < this->size(); ++k) {
    const int r = (this->rank() - k + this->size()) % this->size();
    messages_.receive(
        operation.at + static_cast<std::size_t>(received_offsets[r]) * received.scalar_bytes(),
        length(received_offsets, r), received.is_double, r);
  }
  for (int k = 1; k < this->size(); ++k) {
    const int r = (this->rank() + k) % this->size();
    messages_.send(from + static_cast<std::size_t>(sent_offsets[r]) * sent.scalar_bytes(),
                   length(sent_offsets, r), sent.is_double, r);
  }
  operation.last_message = messages_.posted();
}

template <class ExecutionSpace, bool staged>
void HostCommunicator<ExecutionSpace, staged>::do_finish(const ExecutionSpace& exec) const {
  const std::size_t begun = messages_.posted();
  for (std::size_t i = 0; i < in_flight_; ++i) {
    Operation& operation = operations_[i];
    messages_.wait(operation.first_message, operation.last_message);
    if (operation.adds) {
      if (operation.values.is_double)
        add<double>(exec, operation);
      else
        add<float>(exec, operation);
    }
    if (operation.gathers) {
      fence(exec, "HostCommunicator: MPI reads the sums");
      messages_.gather(operation.at, operation.offsets, operation.values.is_double);
    }
  }
  messages_.wait(begun, messages_.posted());
  messages_.clear();
  if constexpr (staged)
    for (std::size_t i = 0; i < in_flight_; ++i)
      for (const Range& range : operations_[i].changed)
        if (range.first < range.second)
          Kokkos::deep_copy(exec, device_bytes(operations_[i].values, range),
                            host_bytes(operations_[i].values, operations_[i].at, range));
  in_flight_ = 0;
}

}  // namespace Tomokkos::Impl
