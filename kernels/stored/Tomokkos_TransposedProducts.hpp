// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatOps.hpp>
#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Computes `Y = alpha A^T X + beta Y` from the arrays of A, without a copy of the
/// transpose.
///
/// Formats with more methods than atomic additions specialise it. An object holds the workspace of
/// its method, so it serves one execution-space instance at a time.
template <class ExecutionSpace, class Matrix>
class TransposedProducts {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;
  /// True if X and Y may have several columns; otherwise the caller multiplies column by column.
  static constexpr bool several_vectors = true;

  TransposedProducts() = default;
  /// \param method must be `atomic`; otherwise `Error` is thrown
  /// \param deterministic divides the work into the same parts for any number of threads
  TransposedProducts(const ExecutionSpace&, const Matrix&, TransposeMethod method,
                     [[maybe_unused]] bool deterministic) {
    require(method == TransposeMethod::atomic,
            "without a stored transpose, this format supports only atomic additions");
  }

  /// \brief Allocates the workspace of products with \p vectors vectors.
  void reserve(const ExecutionSpace&, const Matrix&, int) const {}
  std::size_t memory_bytes() const { return 0; }
  /// \brief Returns the bytes that a product moves in addition to A and the vectors.
  std::size_t workspace_traffic(int) const { return 0; }

  /// \brief Computes `Y = alpha A^T X + beta Y`.
  void apply(const ExecutionSpace& exec, const Matrix& A, scalar_type alpha,
             const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
             const MultiVectorView<scalar_type, memory_space>& Y) const {
    format_transpose_atomic<ExecutionSpace, Matrix>(exec, A, alpha, X, beta, Y);
  }
};

}  // namespace Tomokkos
