// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the peer libraries, each in its own source file. All of them solve the same system by
// the same recursion with the same preconditioner, on the same arrays.
#pragma once

#include <Tomokkos_Error.hpp>
#include <memory>
#include <utility>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief Throws `Error` if there are no 32-bit offsets.
template <class ExecutionSpace, class Scalar>
void require_offsets32(const PcgProblem<ExecutionSpace, Scalar>& problem) {
  refuse_unless(problem.offsets32.extent(0) > 0,
                "the entries exceed the 32-bit offsets of this library");
}

/// \brief Common part of the calls of every library (see `unfused_pcg`): the vectors of the
/// recursion, in memory of the backend, and the product.
template <class ExecutionSpace, class Scalar>
class PcgCalls {
 public:
  PcgCalls(const PcgProblem<ExecutionSpace, Scalar>& problem, Product<Scalar> product)
      : problem_(problem), product_(std::move(product)) {
    for (auto* vector : {&r_, &z_, &p_, &q_}) {
      *vector = allocate<VectorType>(problem.exec, "Tomokkos::Bench::pcg", problem.size());
      Kokkos::deep_copy(problem.exec, *vector, Scalar(0));
    }
    problem.exec.fence();
  }

  Scalar* r() const { return r_.data(); }
  Scalar* z() const { return z_.data(); }
  Scalar* p() const { return p_.data(); }
  Scalar* q() const { return q_.data(); }

  void multiply(const Scalar* x, Scalar* y) const { product_.run(x, y); }

 protected:
  Ordinal size() const { return problem_.size(); }

  PcgProblem<ExecutionSpace, Scalar> problem_;

 private:
  using VectorType = Vector<Scalar, typename ExecutionSpace::memory_space>;

  Product<Scalar> product_;
  VectorType r_, z_, p_, q_;
};

/// \brief Makes a loop without the function that runs it.
///
/// Its matrix has \p matrix_bytes. An iteration moves \p vectors vectors in addition, and the loop
/// keeps four vectors.
template <class ExecutionSpace, class Scalar>
PcgLoop<Scalar> unfused_loop(const PcgProblem<ExecutionSpace, Scalar>& problem,
                             std::size_t matrix_bytes, std::size_t vectors = unfused_vectors) {
  PcgLoop<Scalar> loop;
  loop.matrix_bytes = matrix_bytes;
  loop.bytes_model = matrix_bytes + vectors * problem.vector_bytes();
  loop.memory_bytes = matrix_bytes + 5 * problem.vector_bytes();
  return loop;
}

/// \brief Makes a loop with the \p product of a library, without the function that runs it.
template <class ExecutionSpace, class Scalar>
PcgLoop<Scalar> product_loop(const PcgProblem<ExecutionSpace, Scalar>& problem,
                             const Product<Scalar>& product,
                             std::size_t vectors = unfused_vectors) {
  PcgLoop<Scalar> loop = unfused_loop(problem, product.matrix_bytes, vectors);
  loop.memory_bytes += product.memory_bytes - product.matrix_bytes;
  loop.setup_seconds = product.setup_seconds;
  loop.multiply = product.run;
  return loop;
}

/// \brief Makes a loop that is run by `unfused_pcg` with \p calls.
template <class Calls, class ExecutionSpace, class Scalar>
PcgLoop<Scalar> calls_loop(const PcgProblem<ExecutionSpace, Scalar>& problem,
                           const Product<Scalar>& product, const std::shared_ptr<Calls>& calls,
                           std::size_t vectors = unfused_vectors) {
  PcgLoop<Scalar> loop = product_loop(problem, product, vectors);
  loop.run = [calls, rhs = problem.rhs](const PcgRequest& request, Scalar* x) {
    return unfused_pcg(*calls, request, rhs.data(), x);
  };
  return loop;
}

}  // namespace Tomokkos::Bench
