// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CooMatrix.hpp>
#include <Tomokkos_EllMatrix.hpp>

namespace Tomokkos {

/// \brief HYB (Bell and Garland 2009): the first `regular.width` entries of every row in ELLPACK,
/// the others in a list. `A = regular + rest`.
///
/// Contract, checked by `validate`: both parts are valid and of the same shape; a row has entries
/// in `rest` only when it fills `regular`, and their columns follow.
///
/// ```
///     1 . 2        width 1      regular  0:1 | 1:3 | 0:4        rest  (0,2):2 (2,1):5
///     . 3 .
///     4 5 .
/// ```
template <class Scalar, class MemorySpace>
struct HybMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  EllMatrix<Scalar, MemorySpace> regular;
  CooMatrix<Scalar, MemorySpace> rest;
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;

  Offset num_nonzeros() const { return regular.num_nonzeros() + rest.num_nonzeros(); }
  /// \brief Entries in memory, padding included.
  Offset num_stored() const { return regular.num_stored() + rest.num_stored(); }
  std::size_t memory_bytes() const { return regular.memory_bytes() + rest.memory_bytes(); }
};

/// \brief Throws `Error` naming what breaks the contract. Three passes and fences.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const HybMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_HybMatrix_impl.hpp>
