// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Images that the threads of a host add into, each into one of its own: the workspace of
/// `spmv_transpose_private`. Copies share it, so it serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class PrivateImages {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  PrivateImages() = default;
  /// \brief \p count images of \p columns x \p vectors entries. Throws `Error` on a GPU, which has
  /// more threads than room for images, and `MemoryError` with the bytes.
  PrivateImages(const ExecutionSpace& exec, int count, Ordinal columns, int vectors = 1);

  int count() const { return count_; }
  int vectors() const { return vectors_; }
  const Vector<Scalar, memory_space>& values() const { return values_; }
  std::size_t memory_bytes() const { return values_.extent(0) * sizeof(Scalar); }

 private:
  int count_ = 0, vectors_ = 0;
  Vector<Scalar, memory_space> values_;
};

/// \brief `Y = alpha A(rows, :)^T X + beta Y`: a part of the rows, all of about as many nonzeros,
/// is added into each of \p images, and these are added up in their order. X is `rows.size() x s`,
/// Y `A.num_cols x s`; `beta == 0` overwrites Y.
///
/// The bits follow from the number of images, not from that of the threads. Reads the nonzeros of
/// the rows once; writes and reads each image. Two launches, no fence, no allocation. Throws
/// `Error` for a range that does not lie within the rows and for images of fewer vectors,
/// `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void spmv_transpose_private(const ExecutionSpace& exec,
                            const PrivateImages<ExecutionSpace, Scalar>& images,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            RowRange rows, Coefficient<Scalar> alpha,
                            const InputMultiVector<ExecutionSpace, Scalar>& X,
                            Coefficient<Scalar> beta,
                            const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
