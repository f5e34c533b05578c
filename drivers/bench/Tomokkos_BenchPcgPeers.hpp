// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of the libraries beside ours, each in a source file of its own. All solve the same
// system by the same recursion with the same preconditioner, and get the same arrays.
#pragma once

#include <Tomokkos_Error.hpp>

#include "Tomokkos_BenchPcg.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief Throws unless there are offsets of 32 bits.
template <class ExecutionSpace, class Scalar>
void require_offsets32(const PcgProblem<ExecutionSpace, Scalar>& problem) {
  refuse_unless(problem.offsets32.extent(0) > 0,
                "the entries exceed the 32-bit offsets of this library");
}

/// \brief The vectors of the recursion in memory of the backend.
template <class ExecutionSpace, class Scalar>
struct PcgVectors {
  using memory_space = typename ExecutionSpace::memory_space;

  explicit PcgVectors(const PcgProblem<ExecutionSpace, Scalar>& problem) {
    for (auto* vector : {&r, &z, &p, &q}) {
      *vector = allocate<Vector<Scalar, memory_space>>(problem.exec, "Tomokkos::Bench::pcg",
                                                       problem.size());
      Kokkos::deep_copy(problem.exec, *vector, Scalar(0));
    }
    problem.exec.fence();
  }

  Vector<Scalar, memory_space> r, z, p, q;
};

/// \brief The figures of a loop on a matrix of \p matrix_bytes that moves \p vectors vectors beside
/// it, and keeps four.
template <class ExecutionSpace, class Scalar>
PcgLoop<Scalar> unfused_loop(const PcgProblem<ExecutionSpace, Scalar>& problem,
                             std::size_t matrix_bytes, std::size_t vectors = unfused_vectors) {
  PcgLoop<Scalar> loop;
  loop.matrix_bytes = matrix_bytes;
  loop.iteration_bytes = matrix_bytes + vectors * problem.vector_bytes();
  loop.memory_bytes = matrix_bytes + 5 * problem.vector_bytes();
  return loop;
}

#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)
template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> kokkos_kernels_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_CUBLAS)
template <class Scalar>
PcgLoopList<Scalar> cusparse_pcg_loops(const PcgProblem<Kokkos::Cuda, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_MKL)
template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> mkl_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>&);
#endif

#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)
template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> eigen_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>&);
#endif

}  // namespace Tomokkos::Bench
