// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantOptions.hpp>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchCirculantVectors.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief One block-circulant matrix in one scalar on one backend, with what all candidates share,
/// as `BenchCase`. The matrix is nowhere expanded.
template <class ExecutionSpace, class Scalar>
class CirculantCase {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;
  using csr_type = CsrMatrix<Scalar, memory_space>;
  using csr_case_type = BenchCase<ExecutionSpace, Scalar>;

  /// \param seed of the vectors that are multiplied
  CirculantCase(const ExecutionSpace& exec, matrix_type A, std::uint64_t seed);

  const ExecutionSpace& exec() const { return exec_; }
  /// \brief C, or C^T, which is made when it is first asked for.
  const matrix_type& matrix(bool transposed = false);
  double transposed_seconds();

  /// \brief The first row of blocks of C, or of C^T, for libraries that take CSR.
  csr_case_type& block_row(bool transposed);
  /// \brief The same with its columns as eq. 6 has them: that of column l in block b is `pitch l +
  /// b`. Shares the arrays. Throws `Error` where that is beyond 31 bits.
  csr_type rows_twice(bool transposed);
  /// \brief Offsets of both in 32 bits. Throws `Error` where they need more.
  auto offsets32(bool transposed) { return block_row(transposed).offsets32(); }

  /// \brief The shape of x, or of y, of `y = C x`, or of `y = C^T x`.
  CirculantVector x_shape(bool of_transpose) const { return shape(!of_transpose); }
  CirculantVector y_shape(bool of_transpose) const { return shape(of_transpose); }
  /// \brief x in [-1, 1), and y, as a library wants them.
  Vector<Scalar, memory_space> x(bool of_transpose, VectorLayout layout = VectorLayout::as_it_is);
  Vector<Scalar, memory_space> y(bool of_transpose, VectorLayout layout = VectorLayout::as_it_is);
  const ProductReference<memory_space>& reference(bool of_transpose);

  /// \brief A product as a candidate, on the vectors of this case and checked against its
  /// reference.
  Candidate candidate(const Product<Scalar>& product, bool of_transpose);
  /// \brief `options.products` products in turn, \p forward and then \p backward.
  Candidate alternating(const Product<Scalar>& forward, const Product<Scalar>& backward,
                        int products);

 private:
  CirculantVector shape(bool of_columns) const {
    return {of_columns ? A_.block_cols : A_.block_rows, A_.blocks, A_.pitch};
  }

  ExecutionSpace exec_;
  matrix_type A_;
  std::uint64_t seed_;
  csr_case_type vectors_;  // of the shape alone
  std::optional<matrix_type> transposed_;
  double transposed_seconds_ = 0;
  std::optional<csr_case_type> block_row_[2];
  std::map<std::pair<bool, VectorLayout>, Vector<Scalar, memory_space>> x_, y_;
  std::optional<ProductReference<memory_space>> reference_[2];
};

/// \brief Our own products of a block-circulant matrix: each variant that is asked for; transposed
/// `stored:<variant>`, and `direct`.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> own_circulant_products(CirculantCase<ExecutionSpace, Scalar>& matrix_case,
                                           const BenchOptions& options, bool of_transpose);

/// \brief What can be measured of \p operation by us and by \p peers.
template <class ExecutionSpace, class Scalar>
CandidateList circulant_candidates(CirculantCase<ExecutionSpace, Scalar>& matrix_case,
                                   Operation operation, const BenchOptions& options,
                                   const std::vector<Peer>& peers);

}  // namespace Tomokkos::Bench
