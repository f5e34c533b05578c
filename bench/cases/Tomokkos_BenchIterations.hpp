// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief Iterations after which the images with rounded and with plain values are compared.
inline constexpr int quality_iterations = 20;

/// \brief Makes candidates for one iteration of MLEM or SIRT with the products of one library.
///
/// There is one candidate per transposed product. It uses the forward product of the same name
/// (`stored:X`, `op_t:X`: X), or else the first one. The vector work is that of our solver in every
/// case, so the entry of a peer shows what a user gets by using the products of that library in a
/// fused loop.
///
/// The time is measured between iterate 0 and iterate n of one run, so the preparation of the
/// solver does not count. The check compares the first iterate with one computed in double from
/// plain products. The bound of an entry is `u` times the number of roundings that can affect it
/// times the sum of the magnitudes that it is made of. The likelihood is not computed.
///
/// A candidate with 16-bit values is also compared with that of the same format with plain values,
/// if there is one: `rmse_to_plain` after `quality_iterations`.
///
/// If the matrix has a negative entry, all candidates are refused.
template <class ExecutionSpace, class Scalar>
class IterationBench {
 public:
  /// \brief Prepares the data and the reference.
  ///
  /// \throws Error when the matrix has negative entries
  IterationBench(BenchCase<ExecutionSpace, Scalar>& matrix_case, Operation operation,
                 const TimingOptions& timing);
  ~IterationBench();

  void add(CandidateList& list, const ProductList<Scalar>& forward,
           const ProductList<Scalar>& backward) const;

 private:
  struct Problem;  // data, start and reference of the first iterate
  std::shared_ptr<const Problem> problem_;
};

}  // namespace Tomokkos::Bench
