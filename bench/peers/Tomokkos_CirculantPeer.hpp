// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with block-circulant matrices by Kokkos Kernels, which is linked only into
// tomokkos-bench.
#pragma once

#include <Tomokkos_BlockCirculantOperator.hpp>

namespace Tomokkos {

/// \brief Makes the product with \p A by a sparse times dense product of Kokkos Kernels (native
/// kernels).
///
/// \throws Error when the program has no Kokkos Kernels, or there are more entries than 32 bits can
/// count
template <class ExecutionSpace, class Scalar>
CirculantRoute<Scalar> circulant_library_route(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
