// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvPrivate.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_TransposedProducts.hpp>

namespace Tomokkos {

/// \brief Transposed products of CSR: by atomic additions, private images, or windows of columns.
///
/// Supports ranges of rows and several vectors at once. The atomic method uses the sections of
/// `merge_atomic` for one vector of all rows, if the plan has them.
template <class ExecutionSpace, class Scalar>
class TransposedProducts<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;
  static constexpr bool several_vectors = true;

  TransposedProducts() = default;
  /// \brief Lists the windows of A, or allocates the images of one vector, as \p method requires.
  ///
  /// \throws Error for images on a GPU, and for a matrix that cannot have windows
  /// \throws MemoryError when the memory does not suffice
  TransposedProducts(const ExecutionSpace& exec, const Matrix& A, TransposeMethod method,
                     bool deterministic)
      : method_(method) {
    if (method == TransposeMethod::windowed)
      windows_ = WindowedPlan<ExecutionSpace, Scalar>(exec, A);
    if (method == TransposeMethod::private_images) {
      count_ = private_image_count(device_traits(exec), deterministic);
      reserve(exec, A, 1);
    }
  }

  /// \brief Returns the windows; without segments for other methods.
  const WindowedPlan<ExecutionSpace, Scalar>& windows() const { return windows_; }

  /// \brief Allocates the images of products with \p vectors vectors, if the method uses images.
  void reserve(const ExecutionSpace& exec, const Matrix& A, int vectors) {
    if (count_ == 0 || images_.vectors() >= vectors) return;
    images_ = {};  // free the old images first, so that both never exist together
    images_ = PrivateImages<ExecutionSpace, Scalar>(exec, count_, A.num_cols, vectors);
  }
  std::size_t memory_bytes() const { return windows_.memory_bytes() + images_.memory_bytes(); }
  /// \brief Returns the bytes that a product moves in private images: each is written and read
  /// once.
  std::size_t workspace_traffic(int vectors) const {
    return count_ == 0 ? 0 : 2 * images_.memory_bytes() / images_.vectors() * vectors;
  }

  /// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` with the method of this object.
  void apply(const ExecutionSpace& exec, const Plan& plan, const Matrix& A, RowRange rows,
             Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) {
    if (method_ == TransposeMethod::private_images) {
      reserve(exec, A, static_cast<int>(Y.extent(1)));
      spmv_transpose_private<ExecutionSpace, Scalar>(exec, images_, A, rows, alpha, X, beta, Y);
    } else if (method_ == TransposeMethod::windowed) {
      spmv_transpose_windowed<ExecutionSpace, Scalar>(exec, windows_, A, rows, alpha, X, beta, Y);
    } else if (X.extent(1) == 1 && Y.extent(1) == 1 && rows.is_all() &&
               plan.options().variant == SpmvVariant::merge_atomic) {
      spmv_transpose_sections<ExecutionSpace, Scalar>(exec, plan, A, alpha, as_vector(X), beta,
                                                      as_vector(Y));
    } else {
      spmv_transpose_atomic<ExecutionSpace, Scalar>(exec, A, rows, alpha, X, beta, Y);
    }
  }

 private:
  TransposeMethod method_ = TransposeMethod::atomic;
  int count_ = 0;
  WindowedPlan<ExecutionSpace, Scalar> windows_;
  PrivateImages<ExecutionSpace, Scalar> images_;
};

}  // namespace Tomokkos
