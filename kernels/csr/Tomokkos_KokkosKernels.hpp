// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of Kokkos Kernels as ours, and ours as theirs. Includes nothing of that library: its
// types are template parameters.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <string>
#include <type_traits>

namespace Tomokkos {

/// \brief A `KokkosSparse::CrsMatrix` as our CSR matrix. Values and columns are shared; so are the
/// row offsets where they are `Offset`, others are copied to that type (8 bytes a row).
///
/// \tparam CrsMatrixType a `KokkosSparse::CrsMatrix` of float or double with 32-bit signed
///   ordinals, in memory that \p ExecutionSpace reaches. What it manages lives as long as the
///   result; of unmanaged Views the user takes care.
///
/// Complete on return; one fence where offsets are copied. Rows are not looked at: `validate` does
/// that. Throws `DimensionMismatch` where columns and values differ in length, `MemoryError`.
template <class ExecutionSpace, class CrsMatrixType>
CsrMatrix<std::remove_const_t<typename CrsMatrixType::value_type>,
          typename CrsMatrixType::memory_space>
from_kokkos_kernels(const ExecutionSpace& exec, const CrsMatrixType& A);

/// \brief Our CSR matrix as a `KokkosSparse::CrsMatrix`, for its functions. Values and columns are
/// shared; so are the row offsets where its `size_type` is `Offset`, others are copied to that
/// type.
///
/// \tparam CrsMatrixType a `KokkosSparse::CrsMatrix<const Scalar, const Ordinal, Device,
///   MemoryTraits, SizeType>`: what is shared is constant
///
/// Complete on return; one fence where offsets are copied. Throws `Error` where `size_type` does
/// not count the nonzeros, `MemoryError`.
template <class CrsMatrixType, class ExecutionSpace, class Scalar, class MemorySpace>
CrsMatrixType to_kokkos_kernels(const ExecutionSpace& exec,
                                const CsrMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_KokkosKernels_impl.hpp>
