// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What solvers do with sums over vectors that may be spread over ranks. Every function does nothing
// where `ranks` is null: all entries are here then.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// The ranks over which a solve's vectors are spread, taken from its operator.
template <class ExecutionSpace>
struct VectorRanks {
  const Communicator<ExecutionSpace>* rows = nullptr;
  const Communicator<ExecutionSpace>* columns = nullptr;

  /// Any of both: whether there are other ranks at all.
  const Communicator<ExecutionSpace>* any() const { return rows != nullptr ? rows : columns; }
};

template <class ExecutionSpace, class Scalar>
VectorRanks<ExecutionSpace> vector_ranks(const AnyOperator<ExecutionSpace, Scalar>& A) {
  return {A.capabilities().row_ranks, A.capabilities().column_ranks};
}

/// Throws where \p A is spread over ranks, which \p solver is not made for.
template <class ExecutionSpace, class Scalar>
void require_whole(const AnyOperator<ExecutionSpace, Scalar>& A, const char* solver) {
  require(vector_ranks(A).any() == nullptr,
          std::string(solver) + " needs an operator that is not spread over ranks");
}

/// Sums of the entries that are here become those of all ranks.
template <class ExecutionSpace>
void add_up(const Communicator<ExecutionSpace>* ranks, std::vector<double>& sums) {
  if (ranks != nullptr) ranks->ranks().sum(sums);
}

/// What all ranks have alike, but for bits that depend on the machine, as the first one has it.
template <class ExecutionSpace>
void broadcast_first(const Communicator<ExecutionSpace>* ranks, std::vector<double>& values) {
  if (ranks != nullptr)
    ranks->ranks().broadcast(std::as_writable_bytes(std::span<double>(values)), 0);
}

template <class ExecutionSpace>
double largest_of(const Communicator<ExecutionSpace>* ranks, double value) {
  return ranks != nullptr ? ranks->ranks().max_of(value) : value;
}

/// The same on the device, in the queue of \p exec.
template <class ExecutionSpace>
void add_up(const ExecutionSpace& exec, const Communicator<ExecutionSpace>* ranks,
            const VectorView<double, typename ExecutionSpace::memory_space>& sums) {
  if (ranks != nullptr) ranks->sum(exec, sums);
}

}  // namespace Tomokkos::Impl
