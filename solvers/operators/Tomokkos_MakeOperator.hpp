// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Figure.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief How `make_operator` makes an operator of a CSR matrix.
struct MakeOptions : OperatorOptions {
  FormatOptions format = CsrOptions{};
  /// False: no transposed product is needed, so nothing is made for one.
  bool with_transpose = true;
};

/// \brief What `make_operator` made.
template <class ExecutionSpace, class Scalar>
struct MadeOperator {
  AnyOperator<ExecutionSpace, Scalar> A;
  /// Stored entries over nonzeros, of the matrix and of its transpose (0 without a copy).
  double fill = 1;
  double transposed_fill = 0;
  /// How it is transposed; nothing where it is not, and where the one copy serves both products.
  std::optional<TransposeMethod> transpose = {};
  bool one_copy = false;
  /// What the format says of the matrix.
  std::vector<Figure> figures = {};
};

/// \brief \p A, its rows sorted, in the format of \p options as an operator.
///
/// A format that is transposed by `TransposeMethod::stored` gets a copy of the transpose in the
/// same format; `automatic` weighs the memory that is left. What is needed is checked before it is
/// made, as far as it can be known. Throws what conversions throw: `Error` where the format does
/// not suit the matrix, `MemoryError` with the bytes.
template <class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MakeOptions& options = {});

}  // namespace Tomokkos
