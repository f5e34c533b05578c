// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices whose rows are distributed over ranks. Define `TestSpace` before including this header.
#pragma once

#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_RowPartition.hpp>

#include "CommunicatorTesting.hpp"
#include "SolverTesting.hpp"

namespace distributed_testing {

using namespace solver_testing;
using Tomokkos::Testing::world;
using RanksPointer = std::shared_ptr<const Communicator<TestSpace>>;

/// Tests that share a communicator, because creating one takes long on GPUs.
class SpreadTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    CommunicatorOptions options;
    options.deterministic = true;
    ranks = make_communicator(TestSpace(), *world, options);
  }
  static void TearDownTestSuite() { ranks.reset(); }

 public:
  inline static RanksPointer ranks;
};

inline Kokkos::View<const Offset*, Kokkos::HostSpace> host_offsets(const PlainCsr& A) {
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", A.offsets.size());
  for (std::size_t i = 0; i < A.offsets.size(); ++i) offsets(i) = A.offsets[i];
  return offsets;
}

/// Weights for equal shares, or for shares of 1 : 2 : 3 ...
inline std::vector<double> weights_of_ranks(bool equal) {
  std::vector<double> weights;
  for (int r = 0; r < world->size(); ++r) weights.push_back(equal ? 1 : r + 1);
  return weights;
}

/// Rows of this rank.
inline RowRange own_rows(const PlainCsr& A, bool equal = true, RowRange rows = all_rows) {
  const auto begins = partition_rows(host_offsets(A), rows, weights_of_ranks(equal));
  const auto r = static_cast<std::size_t>(world->rank());
  return {begins[r], begins[r + 1]};
}

inline Values part_of(const Values& x, RowRange rows) {
  return Values(x.begin() + rows.begin, x.begin() + rows.end);
}

/// Distributed operator of a matrix whose rows are divided between the ranks.
template <class Scalar>
struct Spread {
  RowRange rows;
  DistributedOperator<TestSpace, Scalar> A;

  Spread(const TestSpace& exec, const PlainCsr& whole, const RanksPointer& ranks,
         const DistributedOptions& options = {}, bool equal = true)
      : rows(own_rows(whole, equal)),
        A(exec, make_operator<Scalar>(exec, rows_of(whole, rows.begin, rows.end)), ranks, options) {
  }

  Values own_image(const Values& x) const { return part_of(x, A.local_columns()); }
};

/// Returns a vector for all columns, of which every rank holds its own part.
template <class Scalar>
std::vector<Scalar> gathered(const std::vector<Scalar>& own,
                             const DistributedOperator<TestSpace, Scalar>& A) {
  if (A.column_ranks() == nullptr) return own;
  std::vector<double> sums(static_cast<std::size_t>(A.num_image_cols()), 0.0);
  std::copy(own.begin(), own.end(), sums.begin() + A.local_columns().begin);
  world->sum(sums);
  return std::vector<Scalar>(sums.begin(), sums.end());
}

inline std::vector<DistributedOptions> all_options() {
  std::vector<DistributedOptions> all;
  for (const ImageDistribution image : {ImageDistribution::replicated, ImageDistribution::split})
    for (const int slabs : {0, 1, 3}) all.push_back({image, slabs});
  return all;
}

}  // namespace distributed_testing
