// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComplexCsrMatrix.hpp>
#include <Tomokkos_SharedCsrMatrix.hpp>

namespace Tomokkos {

// Conversions between CSR and two-component matrices in host memory, and copies from host memory to
// a device.

/// \brief Converts a matrix of 2 x 2 blocks `[a -b; b a]` with sorted rows to complex blocks. Only
/// blocks with an entry are stored.
///
/// \throws Error naming the first block of another shape, and for an odd number of rows
template <class Value>
ComplexCsrMatrix<Value, Kokkos::HostSpace> complex_from_csr(const HostCsrMatrix<Value>& A);

/// \brief Converts a matrix of blocks [a -b; b a] to a shared matrix of the a, and couplings of the
/// b that are not 0.
template <class Value>
SharedCsrMatrix<Value, Kokkos::HostSpace> shared_from_complex(
    const ComplexCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief Converts a shared matrix to complex blocks. Each coupling must have an entry of the
/// shared part at its position, as in matrices of meshes.
///
/// \throws Error naming the first row where this is not the case
template <class Value>
ComplexCsrMatrix<Value, Kokkos::HostSpace> complex_from_shared(
    const SharedCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief Expands all four entries of every block to CSR.
template <class Value>
HostCsrMatrix<Value> to_csr(const ComplexCsrMatrix<Value, Kokkos::HostSpace>& A);
/// \brief Expands the shared entries of both components, and the couplings, to CSR.
template <class Value>
HostCsrMatrix<Value> to_csr(const SharedCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief Returns the matrix with values rounded to \p Target; shares the pattern.
template <class Target, class Value>
SharedCsrMatrix<Target, Kokkos::HostSpace> convert_values(
    const SharedCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief Returns the matrix in \p TargetSpace. Shares the arrays if they are already there;
/// otherwise copies and fences.
template <class TargetSpace, class ExecutionSpace, class Value, class MemorySpace>
ComplexCsrMatrix<Value, TargetSpace> copy_to(const ExecutionSpace& exec,
                                             const ComplexCsrMatrix<Value, MemorySpace>& A);
template <class TargetSpace, class ExecutionSpace, class Value, class MemorySpace>
SharedCsrMatrix<Value, TargetSpace> copy_to(const ExecutionSpace& exec,
                                            const SharedCsrMatrix<Value, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_TwoComponentConversion_impl.hpp>
