// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComplexCsrMatrix.hpp>
#include <Tomokkos_SharedCsrMatrix.hpp>

namespace Tomokkos {

// Between CSR in host memory and the forms of two components, and from host memory to a device.

/// \brief A matrix of 2 x 2 blocks `[a -b; b a]`, rows sorted, as blocks: those that have an entry.
/// Throws `Error` naming the first block that has another shape, and for an odd number of rows.
template <class Value>
ComplexCsrMatrix<Value, Kokkos::HostSpace> complex_from_csr(const HostCsrMatrix<Value>& A);

/// \brief The same matrix with the a shared and the b that are not 0 as couplings.
template <class Value>
SharedCsrMatrix<Value, Kokkos::HostSpace> shared_from_complex(
    const ComplexCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief The blocks of a matrix whose couplings lie where its shared part has entries, as those of
/// meshes do. Throws `Error` naming the first row where one does not.
template <class Value>
ComplexCsrMatrix<Value, Kokkos::HostSpace> complex_from_shared(
    const SharedCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief All four entries of every block.
template <class Value>
HostCsrMatrix<Value> to_csr(const ComplexCsrMatrix<Value, Kokkos::HostSpace>& A);
/// \brief The shared entries of both components, and the couplings.
template <class Value>
HostCsrMatrix<Value> to_csr(const SharedCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief The same matrix with values rounded to \p Target, the pattern shared.
template <class Target, class Value>
SharedCsrMatrix<Target, Kokkos::HostSpace> convert_values(
    const SharedCsrMatrix<Value, Kokkos::HostSpace>& A);

/// \brief The same matrix in \p TargetSpace. Shares the arrays when they are there already, else
/// copies and fences.
template <class TargetSpace, class ExecutionSpace, class Value, class MemorySpace>
ComplexCsrMatrix<Value, TargetSpace> copy_to(const ExecutionSpace& exec,
                                             const ComplexCsrMatrix<Value, MemorySpace>& A);
template <class TargetSpace, class ExecutionSpace, class Value, class MemorySpace>
SharedCsrMatrix<Value, TargetSpace> copy_to(const ExecutionSpace& exec,
                                            const SharedCsrMatrix<Value, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_TwoComponentConversion_impl.hpp>
