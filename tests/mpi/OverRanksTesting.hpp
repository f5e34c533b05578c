// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Square systems whose rows are distributed over the ranks of the launch, and helpers that combine
// the parts of all ranks.
#pragma once

#include <Tomokkos_HaloOperator.hpp>
#include <Tomokkos_MpiCommunicator.hpp>
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "MpiTesting.hpp"
#include "PcgTesting.hpp"

namespace spread_testing {

using namespace pcg_testing;
using Begins = std::vector<Ordinal>;
using Comm = std::shared_ptr<const Communicator<TestSpace>>;

inline int num_ranks() { return Tomokkos::Testing::world->size(); }
inline std::size_t this_rank() {
  return static_cast<std::size_t>(Tomokkos::Testing::world->rank());
}

inline Comm make_comm() {
  return make_communicator<TestSpace>(TestSpace(), *Tomokkos::Testing::world,
                                      {.deterministic = true});
}

/// Partitions with even parts, with all rows on the last rank, and with an empty first and an empty
/// middle rank.
inline std::vector<Begins> partitions(Ordinal n) {
  const int size = num_ranks();
  const auto parts = static_cast<std::size_t>(size);
  Begins even(parts + 1), last(parts + 1, 0), gaps(parts + 1, 0);
  for (int r = 0; r <= size; ++r)
    even[static_cast<std::size_t>(r)] = static_cast<Ordinal>(Offset{n} * r / size);
  last[parts] = n;
  for (std::size_t r = 1; r < parts; ++r) gaps[r] = r < 2 ? 0 : n / 3;
  gaps[parts] = n;
  std::vector<Begins> all{even};
  if (size > 1) all.push_back(last);
  if (size > 2) all.push_back(gaps);
  return all;
}

inline PlainCsr part_of(const PlainCsr& A, const Begins& begins) {
  return rows_of(A, begins[this_rank()], begins[this_rank() + 1]);
}

/// Entries of this rank in a row-major array with s columns.
template <class T>
std::vector<T> part_of(const std::vector<T>& whole, const Begins& begins, std::size_t s = 1) {
  const auto at = [&](std::size_t r) {
    return whole.begin() + static_cast<std::ptrdiff_t>(begins[r] * s);
  };
  return std::vector<T>(at(this_rank()), at(this_rank() + 1));
}

/// Returns the whole array, of which every rank holds a part.
template <class T>
std::vector<T> whole_of(const std::vector<T>& part, const Begins& begins, std::size_t s = 1) {
  std::vector<double> sums(begins.back() * s, 0);
  std::copy(part.begin(), part.end(),
            sums.begin() + static_cast<std::ptrdiff_t>(begins[this_rank()] * s));
  Tomokkos::Testing::world->sum(sums);
  return std::vector<T>(sums.begin(), sums.end());
}

template <class Scalar>
using SpreadMatrix = HaloOperator<TestSpace, Scalar>;

template <class Scalar>
SpreadMatrix<Scalar> make_spread(const TestSpace& exec, const PlainCsr& A, const Begins& begins,
                                 const Comm& comm) {
  auto rows = to_device<TestSpace, Scalar>(exec, part_of(A, begins));
  return SpreadMatrix<Scalar>(exec, rows, begins, comm);
}

/// Returns the message of the error that `action` throws, or an empty text.
template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Returns all numbers in a result.
inline std::vector<double> numbers_of(const SolveResult& result) {
  std::vector<double> numbers{static_cast<double>(result.reason),
                              static_cast<double>(result.iterations),
                              result.residual,
                              result.relative_residual,
                              result.rhs_norm,
                              static_cast<double>(result.row.value_or(-1))};
  for (const IterationRecord& record : result.history)
    for (const auto& value : {record.residual, record.change, record.preconditioned_residual})
      numbers.push_back(value.value_or(-1));
  return numbers;
}

/// Matrices whose parts are coupled in different ways.
inline std::vector<PlainCsr> coupled_matrices() {
  std::vector<PlainCsr> all{spd_matrix(), spd_matrix(1, 1, 3)};
  all.push_back(battery::make("general", 90, 90, [](int i) { return i % 9; }));
  all.push_back(battery::make("no entries", 30, 30, [](int) { return 0; }));
  all.push_back(battery::make("empty", 0, 0, [](int) { return 0; }));
  all.push_back(battery::make(
      "rows in no order", 200, 200, [](int i) { return i % 31; }, false));
  // Two rows have entries in all columns, and one column has entries in all rows.
  all.push_back(battery::make("full rows", 700, 700,
                              [](int i) { return i == 0 || i == 500 ? 700 : 1 + i % 3; }));
  PlainCsr diagonal;
  diagonal.columns = 50;
  for (int i = 0; i < 50; ++i) diagonal.add(i, 1.0 + i), diagonal.end_row();
  all.push_back(diagonal);
  all.back().name = "diagonal";
  return all;
}

}  // namespace spread_testing
