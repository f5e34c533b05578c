// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatOps.hpp>
#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief `Y = alpha A^T X + beta Y` from the arrays of A, by one of the methods of the format that
/// keep no copy of the transpose. Specialised for formats that have more than atomic additions.
///
/// Holds the workspace of the method, so an object serves one execution-space instance at a time.
template <class ExecutionSpace, class Matrix>
class TransposedProducts {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;
  /// True where X and Y may have several columns; else the caller goes column by column.
  static constexpr bool several_vectors = true;

  TransposedProducts() = default;
  /// \param method only `atomic`; others throw `Error`
  /// \param deterministic divides the work into the same parts for any number of threads
  TransposedProducts(const ExecutionSpace&, const Matrix&, TransposeMethod method,
                     [[maybe_unused]] bool deterministic) {
    require(method == TransposeMethod::atomic,
            "without a copy the transposed product of this format is by atomic additions");
  }

  /// \brief Allocates what products with \p vectors vectors need.
  void reserve(const ExecutionSpace&, const Matrix&, int) const {}
  std::size_t memory_bytes() const { return 0; }
  /// \brief Bytes that a product moves beside A and the vectors.
  std::size_t workspace_traffic(int) const { return 0; }

  void apply(const ExecutionSpace& exec, const Matrix& A, scalar_type alpha,
             const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
             const MultiVectorView<scalar_type, memory_space>& Y) const {
    format_transpose_atomic<ExecutionSpace, Matrix>(exec, A, alpha, X, beta, Y);
  }
};

}  // namespace Tomokkos
