// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief Iterations after which images by rounded and by plain values are compared.
inline constexpr int quality_iterations = 20;

/// \brief One iteration of MLEM or SIRT with the products of one library: one candidate per
/// transposed product, each with the forward product of the same name (`stored:X`, `op_t:X`: X), or
/// else the first one. The vector work is that of our solver in every case, so a peer's entry is
/// what a user gets who puts that library's products into a fused loop.
///
/// Timed between iterate 0 and iterate n of one run, so the solver's preparation does not count.
/// The check compares the first iterate with one computed in double from plain products; the bound
/// of an entry is `u` times the number of roundings that can meet in it times the sum of the
/// magnitudes that it is made of. The likelihood is not formed.
///
/// A candidate with values of 16 bits is also run beside that of its format with plain ones, where
/// there is one: `rmse_to_plain` after `quality_iterations`.
///
/// The matrix must hold no negative entry; otherwise all are refused.
template <class ExecutionSpace, class Scalar>
class IterationBench {
 public:
  /// \brief Throws `Error` for a matrix with negative entries.
  IterationBench(BenchCase<ExecutionSpace, Scalar>& matrix_case, Operation operation,
                 const TimingOptions& timing);
  ~IterationBench();

  void add(CandidateList& list, const ProductList<Scalar>& forward,
           const ProductList<Scalar>& backward) const;

 private:
  struct Problem;  // data, start and the reference of the first iterate
  std::shared_ptr<const Problem> problem_;
};

}  // namespace Tomokkos::Bench
