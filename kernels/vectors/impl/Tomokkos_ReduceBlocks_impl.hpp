// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared parts of reductions on hosts and on GPUs: the blocks of a vector, and the destinations of
// the sums.
#pragma once

#include <Tomokkos_Sums.hpp>

namespace Tomokkos::Impl {

/// Destination of the sums of a column of a block:
/// `values(block * block_stride + column * column_stride)` and the following elements.
template <class MemorySpace>
struct SumsTarget {
  Kokkos::View<double*, MemorySpace> values;
  Offset block_stride, column_stride;

  template <int N>
  KOKKOS_FUNCTION void store(Offset block, Offset column, const Sums<N>& sums) const {
    const Offset at = block * block_stride + column * column_stride;
    for (int m = 0; m < N; ++m) values(at + m) = sums.value[m];
  }
};

/// Passes the sums of a column to a functor, in the thread that has computed them.
template <class Finish>
struct FinishTarget {
  Finish finish;

  template <int N>
  KOKKOS_FUNCTION void store(Offset, Offset column, const Sums<N>& sums) const {
    finish(column, sums);
  }
};

template <class Term>
struct ReduceBlock {
  Term term;
  Offset n;
  Offset block_length;
  Offset columns;

  KOKKOS_FUNCTION Offset begin(Offset block) const { return block * block_length; }
  KOKKOS_FUNCTION Offset end(Offset block) const {
    const Offset last = (block + 1) * block_length;
    return last < n ? last : n;
  }
};

/// Adds the partial results in the order of their blocks.
template <int N, class MemorySpace>
struct AddPartialSums {
  Kokkos::View<const double*, MemorySpace> partial;

  KOKKOS_FUNCTION void operator()(const ArrayEntry& block, Sums<N>& sums) const {
    // On a GPU these are written by other teams of the same launch: volatile bypasses the
    // first-level cache.
    const volatile double* const values = partial.data() + block.at * N;
    for (int m = 0; m < N; ++m) sums.value[m] += values[m];
  }

  KOKKOS_FUNCTION void several(const ArrayEntry (&entries)[4], Sums<N>& sums) const {
    double read[4][N];
    for (int i = 0; i < 4; ++i) {
      const volatile double* const values = partial.data() + entries[i].at * N;
      for (int m = 0; m < N; ++m) read[i][m] = values[m];
    }
    for (int i = 0; i < 4; ++i)
      for (int m = 0; m < N; ++m) sums.value[m] += read[i][m];
  }
};

}  // namespace Tomokkos::Impl
