// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchCase.hpp"

namespace Tomokkos::Bench {

/// \brief Matrix that a library multiplies as in eq. 5 and 6, with its vectors.
///
/// X is `A.num_cols x vectors`, Y `A.num_rows x vectors`, row-major or column-major with these
/// leading dimensions.
template <class ExecutionSpace, class Scalar>
struct StridedProblem {
  using memory_space = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  CsrMatrix<Scalar, memory_space> A;
  Kokkos::View<const std::int32_t*, memory_space> offsets;
  Ordinal vectors = 1;
  bool row_major = true;
  Ordinal x_stride = 1, y_stride = 1;
  Vector<Scalar, memory_space> x,
      y;  // vectors of the case, for libraries that need them in the preparation

  /// Makes a product with the sizes and layouts filled in.
  Product<Scalar> product() const {
    Product<Scalar> result;
    result.matrix_bytes = csr_bytes(A, sizeof(std::int32_t));
    result.memory_bytes = result.matrix_bytes;
    result.x_layout = row_major ? VectorLayout::doubled_rows : VectorLayout::doubled_blocks;
    result.y_layout = row_major ? VectorLayout::as_it_is : VectorLayout::blocks;
    return result;
  }
};

}  // namespace Tomokkos::Bench
