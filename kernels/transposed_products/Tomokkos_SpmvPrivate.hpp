// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Images into which the parts of a product are added on a host: workspace of
/// `spmv_transpose_private`.
///
/// Each part has its own image. Copies share the images, so they serve one execution-space instance
/// at a time.
template <class ExecutionSpace, class Scalar>
class PrivateImages {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  PrivateImages() = default;
  /// \brief Allocates \p count images of \p columns x \p vectors entries.
  ///
  /// \throws Error on a GPU, which has too many threads for an image each
  /// \throws MemoryError with the bytes needed
  PrivateImages(const ExecutionSpace& exec, int count, Ordinal columns, int vectors = 1);

  int count() const { return count_; }
  int vectors() const { return vectors_; }
  const Vector<Scalar, memory_space>& values() const { return values_; }
  std::size_t memory_bytes() const { return values_.extent(0) * sizeof(Scalar); }

 private:
  int count_ = 0, vectors_ = 0;
  Vector<Scalar, memory_space> values_;
};

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` with private images.
///
/// X is `rows.size() x s`, Y `A.num_cols x s`; `beta == 0` overwrites Y. Each part of the rows,
/// with about equal numbers of nonzeros, is added into one of \p images. The images are then added
/// up in their order. The bits depend on the number of images, not on the number of threads. Reads
/// the nonzeros of the rows once; writes and reads each image. Two launches, no fence, no
/// allocation.
///
/// \throws Error when the range is not within the rows of A, or the images hold fewer vectors
/// \throws DimensionMismatch when X or Y has the wrong shape
template <class ExecutionSpace, class Scalar>
void spmv_transpose_private(const ExecutionSpace& exec,
                            const PrivateImages<ExecutionSpace, Scalar>& images,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            RowRange rows, Coefficient<Scalar> alpha,
                            const InputMultiVector<ExecutionSpace, Scalar>& X,
                            Coefficient<Scalar> beta,
                            const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
