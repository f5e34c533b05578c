// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop of conjugate gradients of a library, for a symmetric positive definite system with the
// diagonal as the preconditioner.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "Tomokkos_BenchCandidate.hpp"

namespace Tomokkos::Bench {

/// \brief System that every loop solves, starting from x = 0.
template <class ExecutionSpace, class Scalar>
struct PcgProblem {
  using memory_space = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  CsrMatrix<Scalar, memory_space> A;
  /// 32-bit offsets for the libraries that need them; empty if there are too many entries.
  Kokkos::View<const std::int32_t*, memory_space> offsets32;
  Vector<Scalar, memory_space> rhs;
  Vector<Scalar, memory_space> inverse_diagonal;

  Ordinal size() const { return A.num_rows; }
  std::size_t vector_bytes() const { return sizeof(Scalar) * static_cast<std::size_t>(size()); }
};

/// \brief Throws `Error` with the bare \p reason as its message, which appears in the report,
/// unless \p condition holds.
inline void refuse_unless(bool condition, const std::string& reason) {
  if (!condition) throw Error(reason);
}

/// \brief Iterations that a loop is to perform.
struct PcgRequest {
  int iterations = 1;
  double tolerance = 0;  ///< limit of `|r| / |b|` in the recursion; 0: all iterations run
  int check_every = 1;   ///< iterations between checks, unless a loop checks in each one
};

/// \brief Iterations that a loop performed.
struct PcgOutcome {
  int iterations = 0;
  /// Seconds of one iteration, without the work before the first one.
  double seconds = 0;
  std::string reason = "max_iterations";
};

/// \brief Loop of a library, ready to run. `bytes_model` is that of one iteration. The functions
/// own the data that they use.
template <class Scalar>
struct PcgLoop : NamedFigures {
  /// Iterates from 0 and leaves the iterate in x; done when it returns.
  std::function<PcgOutcome(const PcgRequest&, Scalar* x)> run;
  /// Computes the product of an iteration alone, y = A x.
  std::function<void(const Scalar* x, Scalar* y)> multiply;
  std::size_t matrix_bytes = 0;  ///< bytes of the matrix that a product reads
};

/// \brief Loops of one library.
template <class Scalar>
using PcgLoopList = OfferList<PcgLoop<Scalar>>;

/// \brief Bytes of an iteration of three fused kernels on the matrix scaled by `D^-1/2`, in CSR
/// with 32-bit columns and offsets.
///
/// This is the common measure, whatever a candidate stores. It is `(S + 4) nnz + (10 S + 4) n` with
/// S the size of the scalar: 12 nnz + 84 n in double, 8 nnz + 44 n in float.
template <class Scalar>
std::size_t fused_iteration_bytes(Ordinal rows, Offset nonzeros) {
  constexpr std::size_t entry = sizeof(Scalar) + sizeof(Ordinal);
  constexpr std::size_t row = 10 * sizeof(Scalar) + sizeof(std::int32_t);
  return entry * static_cast<std::size_t>(nonzeros) + row * static_cast<std::size_t>(rows);
}

/// \brief Number of vectors read or written per iteration by a loop of separate calls, without the
/// matrix: x and y of the product 2, `p.q` 2, x and r 3 each, z = D^-1 r 3, `r.z` 2, `r.r` 1, p = z
/// + beta p 3.
inline constexpr std::size_t unfused_vectors = 19;

/// \brief Performs the work before the first iteration: x = 0, r = b, p = z = D^-1 r. See
/// `unfused_pcg` for \p calls.
template <class Calls, class Scalar>
void start_pcg(Calls& calls, const Scalar* b, Scalar* x) {
  calls.clear(x);
  calls.copy(b, calls.r());
  calls.precondition(calls.r(), calls.z());
  calls.copy(calls.z(), calls.p());
}

/// \brief Runs conjugate gradients by separate calls of a library, with three reductions whose
/// results the host waits for.
///
/// \param calls `multiply(p, q)`, `precondition(r, z)`, `dot(x, y)`, `axpy(a, x, y)` (`y += a x`),
///   `xpby(x, b, y)` (`y = x + b y`), `copy(x, y)`, `clear(x)`, `fence()`, and the vectors `r()`,
///   `z()`, `p()`, `q()`; pointers into the memory of the library
template <class Calls, class Scalar>
PcgOutcome unfused_pcg(Calls& calls, const PcgRequest& request, const Scalar* b, Scalar* x) {
  using Clock = std::chrono::steady_clock;
  Scalar *const r = calls.r(), *const z = calls.z(), *const p = calls.p(), *const q = calls.q();
  start_pcg(calls, b, x);
  const double bound = request.tolerance * request.tolerance * calls.dot(b, b);
  double rho = calls.dot(r, z);
  PcgOutcome outcome;
  calls.fence();
  const auto begin = Clock::now();
  while (outcome.iterations < request.iterations) {
    calls.multiply(p, q);
    const double alpha = rho / calls.dot(p, q);
    calls.axpy(static_cast<Scalar>(alpha), p, x);
    calls.axpy(static_cast<Scalar>(-alpha), q, r);
    ++outcome.iterations;
    if (calls.dot(r, r) <= bound) {
      outcome.reason = "converged";
      break;
    }
    calls.precondition(r, z);
    const double next = calls.dot(r, z);
    calls.xpby(z, static_cast<Scalar>(next / rho), p);
    rho = next;
  }
  calls.fence();
  outcome.seconds =
      std::chrono::duration<double>(Clock::now() - begin).count() / outcome.iterations;
  return outcome;
}

}  // namespace Tomokkos::Bench
