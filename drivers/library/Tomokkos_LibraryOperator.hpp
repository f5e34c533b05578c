// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <string>

namespace Tomokkos {

/// \brief Returns the name and the version of the library that `operator.variant: library` stands
/// for; empty if the program was built without it.
std::string library_name();

/// \brief Builds an operator whose products are those of Kokkos Kernels, by its native algorithm:
/// `A x`, and `A^T y` with a transpose stored in CSR.
///
/// Values and columns of \p A are shared. Row offsets are copied to 32 bits. Several vectors are
/// multiplied one after the other. The operator has the diagonal of A, but no ranges of rows.
///
/// \throws Refused without Kokkos Kernels, and for 2^31 or more nonzeros
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_library_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    bool with_transpose, TransposeVariant transposition);

}  // namespace Tomokkos
