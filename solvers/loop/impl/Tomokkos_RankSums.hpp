// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over vectors that may be distributed over ranks. If `ranks` is null, all entries are local
// and the functions do nothing.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Ranks over which the vectors of a solve are distributed, from its operator.
template <class ExecutionSpace>
struct VectorRanks {
  const Communicator<ExecutionSpace>* rows = nullptr;
  const Communicator<ExecutionSpace>* columns = nullptr;

  /// Returns either of both, null if nothing is distributed.
  const Communicator<ExecutionSpace>* any() const { return rows != nullptr ? rows : columns; }
};

template <class ExecutionSpace, class Scalar>
VectorRanks<ExecutionSpace> vector_ranks(const AnyOperator<ExecutionSpace, Scalar>& A) {
  return {A.capabilities().row_ranks, A.capabilities().column_ranks};
}

/// Throws if \p A is distributed over ranks, which \p solver does not support.
template <class ExecutionSpace, class Scalar>
void require_whole(const AnyOperator<ExecutionSpace, Scalar>& A, const char* solver) {
  require(vector_ranks(A).any() == nullptr,
          std::string(solver) + " does not support operators that are distributed over ranks");
}

/// Replaces sums of local entries by sums over all ranks.
template <class ExecutionSpace>
void add_up(const Communicator<ExecutionSpace>* ranks, std::vector<double>& sums) {
  if (ranks != nullptr) ranks->ranks().sum(sums);
}

/// Replaces values by those of the first rank. They are equal on all ranks except for bits that
/// depend on the machine.
template <class ExecutionSpace>
void broadcast_first(const Communicator<ExecutionSpace>* ranks, std::vector<double>& values) {
  if (ranks != nullptr)
    ranks->ranks().broadcast(std::as_writable_bytes(std::span<double>(values)), 0);
}

template <class ExecutionSpace>
double largest_of(const Communicator<ExecutionSpace>* ranks, double value) {
  return ranks != nullptr ? ranks->ranks().max_of(value) : value;
}

/// Replaces sums on the device by sums over all ranks, in the queue of \p exec.
template <class ExecutionSpace>
void add_up(const ExecutionSpace& exec, const Communicator<ExecutionSpace>* ranks,
            const VectorView<double, typename ExecutionSpace::memory_space>& sums) {
  if (ranks != nullptr) ranks->sum(exec, sums);
}

}  // namespace Tomokkos::Impl
