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

/// \brief Options for building an operator from a CSR matrix.
struct MakeOptions : OperatorOptions {
  /// Storage format. Empty: chosen by the matrix, the machine and the required products.
  std::optional<FormatOptions> format{};
  /// False: no transposed product is needed, and nothing is built for one.
  bool with_transpose = true;
  /// Upper limit of the ratio of stored entries to nonzeros when the format is chosen
  /// automatically. Empty: the limit of each format.
  std::optional<double> largest_fill{};
  /// Products with ranges of rows, or access to single rows, are required. Restricts the automatic
  /// choice of a format.
  bool with_ranges = false;
  /// Rows are rays through a grid of pixels, so that ray tiles may be chosen.
  bool rows_are_rays = false;
};

/// \brief Result of `make_operator`.
template <class ExecutionSpace, class Scalar>
struct BuiltOperator {
  AnyOperator<ExecutionSpace, Scalar> A;
  /// Ratio of stored entries to nonzeros, for the matrix and for its transpose (0 without a copy).
  double fill = 1;
  double transposed_fill = 0;
  /// Method of the transposed product. Empty: there is no transposed product, or one copy serves
  /// both products.
  std::optional<TransposeMethod> transpose = {};
  bool one_copy = false;
  /// True for a CSR matrix whose row entries are interleaved for the lanes of a product
  /// (`csr_interleaved`).
  bool is_interleaved = false;
  /// Report of the choice of the format, its name and figures, and the method of transposition.
  Description description = {};
};

/// \brief Describes \p made in a format other than CSR; \p of_matrix holds the figures of the
/// matrix in this format.
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

/// \brief Builds an operator from \p A, whose rows are sorted, in the format of \p options.
///
/// Without a given format: ray tiles if rows are rays and the tiles suit the matrix, otherwise the
/// format of `choose_format`, otherwise CSR, which has ranges and single rows and needs no
/// conversion. CSR is also used if the chosen format refuses the matrix or does not fit into
/// memory; the description gives the reason.
///
/// With `TransposeMethod::stored` the operator gets a copy of the transpose in the same format;
/// `automatic` depends on the free memory. Memory is checked before a conversion as far as the need
/// can be known.
///
/// \throws Refused when the requested format does not suit the matrix
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MakeOptions& options = {});

}  // namespace Tomokkos
