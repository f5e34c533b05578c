// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FormatChoice.hpp>
#include <Tomokkos_FormatTraits.hpp>
#include <array>

namespace Tomokkos {

/// \brief Options of CSR: none. `SpmvOptions` selects the variant of its product.
struct CsrOptions {};

/// \brief Registry entry of CSR.
struct CsrFormat : SingleMatrixFormat<CsrMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::csr;
  static constexpr std::string_view summary =
      "Compressed sparse rows: the input format, used without a conversion.";
  using Options = CsrOptions;
  static constexpr bool row_ranges = true;
  static constexpr bool single_rows = true;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic,
                                         TransposeMethod::private_images,
                                         TransposeMethod::windowed};

  /// \brief Returns the cost of a product, comparable to the offers of other formats.
  static double cost(const FormatChoiceInput& matrix);
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
};

template <class Scalar, class MemorySpace>
struct FormatTraits<CsrMatrix<Scalar, MemorySpace>> : CsrFormat {
  static constexpr bool several_vectors = true;
  static constexpr bool has_dot = true;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static CsrMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace&,
                                                 const CsrMatrix<Scalar, MemorySpace>& A,
                                                 const Options&) {
    return A;
  }
};

}  // namespace Tomokkos
