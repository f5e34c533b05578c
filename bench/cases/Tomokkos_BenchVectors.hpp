// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <limits>
#include <memory>

#include "Tomokkos_BenchCandidate.hpp"
#include "Tomokkos_BenchOptions.hpp"
#include "Tomokkos_BenchReference.hpp"

namespace Tomokkos::Bench {

/// \brief Two vectors, and what is done with them.
template <class ExecutionSpace, class Scalar>
struct VectorProblem {
  using memory_space = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  bool is_dot = false;
  /// y = a x + y. Small, so that y stays of its size however often that is done.
  Scalar a = Scalar(1) / Scalar(1 << 12);
  Vector<Scalar, memory_space> x, y;

  Ordinal size() const { return static_cast<Ordinal>(x.extent(0)); }
};

/// \brief One library's way; owns what it needs.
struct VectorWork {
  std::function<void()> launch;
  /// `x . y` of the last launch, once it is done; of `dot`.
  std::function<double()> value = {};
};

/// \brief The work of a library whose \p dot waits for its result and returns it.
template <class Dot>
VectorWork dot_work(const Dot& dot) {
  const auto result = std::make_shared<double>(std::numeric_limits<double>::quiet_NaN());
  return {[dot, result] { *result = dot(); }, [result] { return *result; }};
}

/// \brief `y = a x + y` or `x . y` of vectors of \p length, by us and by \p peers.
///
/// Timed as any other work: `axpy` moves `3 n` values, `dot` `2 n`. Both are `2 n` operations.
/// Checked in double: an entry of y within two roundings; a dot product within `4 (log2 n + 2) u
/// sum |x_i y_i|`.
template <class ExecutionSpace, class Scalar>
CandidateList vector_candidates(const ExecutionSpace& exec, Operation operation, Ordinal length,
                                const BenchOptions& options, const std::vector<Peer>& peers);

// One per peer. Those of a host library exist for the host backend alone, cuBLAS for CUDA alone.

#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
template <class ExecutionSpace, class Scalar>
VectorWork kokkos_blas_work(const VectorProblem<ExecutionSpace, Scalar>& problem);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_CUBLAS)
template <class Scalar>
VectorWork cublas_work(const VectorProblem<Kokkos::Cuda, Scalar>& problem);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_MKL)
template <class ExecutionSpace, class Scalar>
VectorWork mkl_blas_work(const VectorProblem<ExecutionSpace, Scalar>& problem);
#endif

}  // namespace Tomokkos::Bench
