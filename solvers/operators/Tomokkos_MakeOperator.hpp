// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief How `make_operator` makes an operator of a CSR matrix.
struct MakeOptions : OperatorOptions {
  /// Nothing: the format that suits the matrix, the machine and what is wanted of it.
  std::optional<FormatOptions> format;
  /// False: no transposed product is needed, so nothing is made for one.
  bool with_transpose = true;
  /// For the choice of a format: stored entries over nonzeros that it may have; nothing: the limit
  /// of each format.
  std::optional<double> largest_fill;
  /// For the choice of a format: products with ranges of rows are wanted, or access to single rows.
  bool with_ranges = false;
  /// For the choice of a format: rows are rays through a grid of pixels, which may stand in tiles.
  bool rows_are_rays = false;
};

/// \brief What `make_operator` made.
template <class ExecutionSpace, class Scalar>
struct BuiltOperator {
  AnyOperator<ExecutionSpace, Scalar> A;
  /// Stored entries over nonzeros, of the matrix and of its transpose (0 without a copy).
  double fill = 1;
  double transposed_fill = 0;
  /// How it is transposed; nothing where it is not, and where the one copy serves both products.
  std::optional<TransposeMethod> transpose = {};
  bool one_copy = false;
  /// CSR: the entries of rows were dealt out to the lanes of a product.
  bool is_interleaved = false;
  /// How the format was chosen, its name and figures, how it is transposed.
  Description description = {};
};

/// \brief Describes \p made in another format than CSR, around \p of_matrix, what the format says
/// of the matrix.
template <class ExecutionSpace, class Scalar>
Description describe_in_format(const BuiltOperator<ExecutionSpace, Scalar>& made,
                               MatrixFormat format, const Description& of_matrix) {
  Description result = Description::map().set("format", format).set_all(of_matrix);
  result.set("fill", made.fill);
  if (made.one_copy)
    result.set("transpose", "same_copy");
  else if (made.transpose)
    result.set("transpose", *made.transpose);
  else
    result.set("transpose", "none");
  if (made.transpose == TransposeMethod::stored) result.set("transpose_fill", made.transposed_fill);
  return result;
}

/// \brief \p A, its rows sorted, in the format of \p options as an operator.
///
/// Without a format: ray tiles where rows are rays and these suit, else what `choose_format`
/// chooses, else CSR, which has ranges and single rows and needs no conversion. CSR also serves
/// where the chosen format refuses the matrix or does not fit into memory; the description says
/// why.
///
/// A format that is transposed by `TransposeMethod::stored` gets a copy of the transpose in the
/// same format; `automatic` weighs the memory that is left. What is needed is checked before it is
/// made, as far as it can be known.
///
/// \throws Refused where the format that was asked for does not suit the matrix
/// \throws MemoryError with the bytes
template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MakeOptions& options = {});

}  // namespace Tomokkos
