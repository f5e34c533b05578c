// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with block-circulant matrices by Kokkos Kernels, to which only tomokkos-bench is linked.
#pragma once

#include <Tomokkos_BlockCirculantOperator.hpp>

namespace Tomokkos {

/// \brief The product with \p A by a sparse times dense product of Kokkos Kernels (its own kernels,
/// native).
///
/// \throw Error without Kokkos Kernels, and for more entries than 32 bits count.
template <class ExecutionSpace, class Scalar>
CirculantRoute<Scalar> circulant_library_route(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
