// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Describe.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief List of types that can be passed as a value, for functions that are called once per type.
template <class... Types>
struct TypeList {
  /// \brief Calls `visit.template operator()<Type>()` for every type.
  template <class Visit>
  static void for_each(const Visit& visit) {
    (visit.template operator()<Types>(), ...);
  }
};

/// \brief Properties and conversions of a stored matrix type.
///
/// A format consists of a struct (`SellFormat`) for everything that is independent of the type of
/// the values, and a specialisation of `FormatTraits`, derived from it, for each of its matrix
/// types. Both are in the header of the format, which `Tomokkos_Formats.hpp` includes. The format
/// has one line in `TOMOKKOS_FOR_EACH_FORMAT`. The struct has
///
///  - `format`: its value of `MatrixFormat`, and `summary`: one sentence for the documentation;
///  - `Options`: options of the conversion, with `describe(key, options)`, which describes their
///    keys in configurations (Tomokkos_Describe.hpp);
///  - `Matrices<Scalar, MemorySpace>`: a `TypeList` of its matrix types;
///  - `pads`: true if `Options` has a `PaddingLimit limit` that configurations may set;
///  - `transposes`: the methods that compute A^T x, the default first; empty if one copy serves
///    both products (`one_copy`);
///  - `row_ranges`: true if `spmm` and `TransposedProducts::apply` take a range of rows (formats
///  with
///    `one_copy` have ranges of their own kind);
///  - `single_rows`: true if single rows can be read, for row-action methods;
///  - for the automatic choice, `chosen_shape(options)` for the report and either `offers(matrix)`,
///    or a type `Statistics` with `statistics(exec, A, rows)` and `offers(matrix, statistics)`;
///  - for `format_sizes`, `count_sizes(pattern, sizes)`;
///  - `for_each_shape(on_host, visit)`, the options that benchmarks and tests try, and
///    `shape_name(options)`, their names in benchmarks.
///
/// A specialisation for a matrix type has
///
///  - `from_csr(exec, A, options)`, and next to it an overload of `to_csr(exec, matrix)`;
///  - `matches_options(options)`, for formats with several matrix types: true for the type that the
///    options select;
///  - `several_vectors`: true if the format has `spmm`; `has_dot`: true if it may have `spmv_dot`;
///    `has_entries`: true if its entries can be visited one by one, for the diagonal, the scaled
///    matrix and atomic additions;
///  - with `single_rows`, except for CSR: the type `RowIndex`, `row_index(exec, matrix)`, and
///    `rows(matrix, index)` with the interface of `CsrRows`;
///  - `figures(matrix)`: figures that reports print in addition to the fill.
///
/// The kernels of a format are called through `Impl::FormatKernels`.
template <class Matrix>
struct FormatTraits;

template <class ExecutionSpace, class Matrix>
class SpmvPlan;

/// \brief Conditions of the run that the memory check before a conversion considers.
struct MemoryCheckOptions {
  std::optional<TransposeMethod> transpose{};
  bool deterministic = false;
  std::uint64_t available_bytes = std::numeric_limits<std::uint64_t>::max();
  int vectors = 1;  ///< vectors that products multiply together
};

/// \brief Default properties, which a format inherits and may hide.
struct FormatDefaults {
  /// Plan type for the products of a matrix.
  template <class ExecutionSpace, class Matrix>
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static constexpr bool pads = false;
  static constexpr bool one_copy = false;
  static constexpr bool row_ranges = false;
  static constexpr bool single_rows = false;
  static constexpr bool several_vectors = false;
  static constexpr bool has_dot = false;
  static constexpr bool has_entries = false;

  template <class Visitor, class Options>
  static void describe(Visitor&&, Options&) {}
  template <class Options>
  static constexpr bool matches_options(const Options&) {
    return true;
  }
  /// \brief Returns the reason why no matrix type matches \p options.
  template <class Options>
  static std::string refusal_reason(const Options&) {
    return "16-bit values require products in float";
  }
  /// \brief Returns \p options of the product, completed from the options of the format.
  template <class Options>
  static SpmvOptions product_options(const SpmvOptions& options, const Options&) {
    return options;
  }
  /// \brief Checks that A in this format, and its stored transpose if requested, fits in memory.
  ///
  /// It is called before anything is allocated, and again when \p transposed exists. Formats that
  /// allocate exactly what they have counted check this themselves.
  ///
  /// \throws MemoryError with the bytes needed
  template <class ExecutionSpace, class Csr, class Options>
  static void require_room(const ExecutionSpace&, const Csr&, const Options&,
                           const MemoryCheckOptions&, const Csr*) {}
  /// \brief Returns the bytes per entry with values of \p scalar_bytes, for checks before a
  /// conversion; 0 if they depend on the matrix.
  template <class Options>
  static double entry_bytes(const Options&, std::size_t scalar_bytes) {
    (void)scalar_bytes;
    return 0;
  }
  /// Stored entries per nonzero of the matrices of scans, for formats with known bytes per entry:
  /// packs are not completely filled.
  static constexpr double usual_fill = 1.0;
  /// \brief Returns the memory needs of the transposed products, for `choose_transpose`.
  ///
  /// The transpose is first formed in CSR, so a stored copy needs about twice the memory of A.
  template <class ExecutionSpace, class Csr, class Options>
  static TransposeNeeds transpose_needs(const ExecutionSpace&, const Csr& A, const Options&, bool) {
    TransposeNeeds needs;
    needs.stored_bytes = 2 * static_cast<std::uint64_t>(A.memory_bytes());
    needs.private_bytes = std::numeric_limits<std::uint64_t>::max();
    return needs;
  }
  /// \brief Returns the report entries for a shape that `choose_format` has chosen.
  template <class Options>
  static Description chosen_shape(const Options&) {
    return {};
  }
  /// \brief Returns the report entries for a matrix, in addition to its fill.
  template <class Matrix>
  static Description figures(const Matrix&) {
    return {};
  }
  /// \brief Returns the bytes of the matrix that a product reads.
  template <class Matrix>
  static std::size_t product_bytes(const Matrix& A) {
    return A.memory_bytes();
  }
};

/// \brief Base of formats with exactly one matrix type per type of values.
template <template <class, class> class MatrixOf>
struct SingleMatrixFormat : FormatDefaults {
  template <class Scalar, class MemorySpace>
  using Matrices = TypeList<MatrixOf<Scalar, MemorySpace>>;
};

/// \brief Storage that a format would need for a matrix.
struct FormatSize {
  std::string name;         ///< name as in configurations; `bcsr` with its block size: `bcsr_2x2`
  Offset stored = 0;        ///< stored entries, including padding and fill
  std::size_t indices = 0;  ///< bytes of everything except the values

  /// \brief Returns the total bytes with values of \p scalar_bytes each.
  std::size_t bytes(std::size_t scalar_bytes) const {
    return indices + static_cast<std::size_t>(stored) * scalar_bytes;
  }
};

/// \brief Pattern of a CSR matrix in host memory, with sorted rows.
struct HostPattern {
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets;
  Kokkos::View<const Ordinal*, Kokkos::HostSpace> columns;

  Offset num_nonzeros() const { return static_cast<Offset>(columns.extent(0)); }
  Offset length(Ordinal row) const { return row_offsets(row + 1) - row_offsets(row); }
};

}  // namespace Tomokkos
