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

/// \brief Types as a value, for functions that are called once per type.
template <class... Types>
struct TypeList {
  /// \brief Calls `visit.template operator()<Type>()` for every type.
  template <class Visit>
  static void for_each(const Visit& visit) {
    (visit.template operator()<Types>(), ...);
  }
};

/// \brief What the library knows of a stored matrix type.
///
/// A format is a struct (`SellFormat`) with what does not depend on the type of the values, and a
/// specialisation of `FormatTraits`, derived from it, for each of its matrix types. Both stand in
/// the header of the format, which `Tomokkos_Formats.hpp` includes, and the format has one line in
/// `TOMOKKOS_FOR_EACH_FORMAT`. The struct has
///
///  - `format`: its entry of `MatrixFormat`, and `summary`: one sentence for the documentation;
///  - `Options`: how a matrix is brought into it, with `describe(key, options)`, which describes
///  the
///    keys that configurations have for it (Tomokkos_Describe.hpp);
///  - `Matrices<Scalar, MemorySpace>`: a `TypeList` of its matrix types;
///  - `pads`: true where `Options` has a `PaddingLimit limit` that configurations may set;
///  - `transposes`: the methods that form A^T x, the default first; empty where the one copy serves
///    both products (`one_copy`);
///  - where `choose_format` may take it `offers(matrix)`, or with `Statistics` and
///  `statistics(exec, A,
///    rows)` of its own `offers(matrix, statistics)`, and `chosen_shape(options)` for the report;
///  - where `format_sizes` counts it `count_sizes(pattern, sizes)`;
///  - `for_each_shape(on_host, visit)`, the options that benchmarks and tests try, and
///    `shape_name(options)`, as which benchmarks name them.
///
/// A specialisation for a matrix type has
///
///  - `from_csr(exec, A, options)`, and beside it an overload of `to_csr(exec, matrix)`;
///  - `is_named_by(options)`, where a format has several matrix types: true for the one that the
///    options ask for;
///  - `several_vectors`: true where the format has `spmm`; `has_dot`: where it may have `spmv_dot`;
///    `has_entries`: where its entries can be visited one by one, for the diagonal, the scaled
///    matrix and atomic additions;
///  - `figures(matrix)`: what reports say of the matrix beside its fill.
///
/// The kernels of a format are called through `Impl::FormatKernels`.
template <class Matrix>
struct FormatTraits;

template <class ExecutionSpace, class Matrix>
class SpmvPlan;

/// \brief What the check of memory before a conversion knows.
struct RoomCase {
  std::optional<TransposeMethod> transpose;
  bool deterministic = false;
  std::uint64_t available_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// \brief What formats have unless they say otherwise.
struct FormatDefaults {
  /// What the products of a matrix are planned by.
  template <class ExecutionSpace, class Matrix>
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static constexpr bool pads = false;
  static constexpr bool one_copy = false;
  static constexpr bool several_vectors = false;
  static constexpr bool has_dot = false;
  static constexpr bool has_entries = false;

  template <class Visitor, class Options>
  static void describe(Visitor&&, Options&) {}
  template <class Options>
  static constexpr bool is_named_by(const Options&) {
    return true;
  }
  /// \brief Why no matrix type is named by \p options.
  template <class Options>
  static std::string refused_options(const Options&) {
    return "values of 16 bits are for products in float";
  }
  /// \brief \p options of the product with what the options of the format say of it.
  template <class Options>
  static SpmvOptions product_options(const SpmvOptions& options, const Options&) {
    return options;
  }
  /// \brief Throws `MemoryError` with the figure where A in this format, and its stored transpose
  /// where there is to be one, would not fit. Called before anything is made, and again when
  /// \p transposed is there. Formats that allocate what they have counted check that themselves.
  template <class ExecutionSpace, class Csr, class Options>
  static void require_room(const ExecutionSpace&, const Csr&, const Options&, const RoomCase&,
                           const Csr*) {}
  /// \brief Bytes of an entry with values of \p scalar_bytes, for checks before there is a matrix;
  /// 0 where that depends on the matrix.
  template <class Options>
  static double entry_bytes(const Options&, std::size_t scalar_bytes) {
    (void)scalar_bytes;
    return 0;
  }
  /// \brief What the choice of a transposed product weighs. A copy is CSR first, so it takes about
  /// twice what A does.
  template <class ExecutionSpace, class Csr, class Options>
  static TransposeNeeds transpose_needs(const ExecutionSpace&, const Csr& A, const Options&, bool) {
    TransposeNeeds needs;
    needs.stored_bytes = 2 * static_cast<std::uint64_t>(A.memory_bytes());
    needs.private_bytes = std::numeric_limits<std::uint64_t>::max();
    return needs;
  }
  /// \brief What a report says of a shape that `choose_format` has chosen.
  template <class Options>
  static Description chosen_shape(const Options&) {
    return {};
  }
  template <class Matrix>
  static Description figures(const Matrix&) {
    return {};
  }
  template <class Matrix>
  static std::size_t product_bytes(const Matrix& A) {
    return A.memory_bytes();
  }
};

/// \brief A format in which every type of values has one matrix type.
template <template <class, class> class MatrixOf>
struct SingleMatrixFormat : FormatDefaults {
  template <class Scalar, class MemorySpace>
  using Matrices = TypeList<MatrixOf<Scalar, MemorySpace>>;
};

/// \brief What a format would store of a matrix.
struct FormatSize {
  std::string name;         ///< as in configurations, with the block of `bcsr`: `bcsr_2x2`
  Offset stored = 0;        ///< entries, padding and fill included
  std::size_t indices = 0;  ///< bytes of everything but the values

  /// \brief Bytes with values of \p scalar_bytes each.
  std::size_t bytes(std::size_t scalar_bytes) const {
    return indices + static_cast<std::size_t>(stored) * scalar_bytes;
  }
};

/// \brief The pattern of a CSR matrix in host memory, its rows sorted.
struct HostPattern {
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Offset*, Kokkos::HostSpace> row_offsets;
  Kokkos::View<const Ordinal*, Kokkos::HostSpace> columns;

  Offset num_nonzeros() const { return static_cast<Offset>(columns.extent(0)); }
  Offset length(Ordinal row) const { return row_offsets(row + 1) - row_offsets(row); }
};

}  // namespace Tomokkos
