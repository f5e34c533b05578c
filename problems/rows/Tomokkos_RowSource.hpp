// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_ScanRows.hpp>
#include <Tomokkos_StencilRows.hpp>
#include <string>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Source of the rows of a matrix: counts them and builds any range of them on a device. To
/// add a geometry, write a struct with these members and add it to this list:
///
///   - `traits`: its abilities;
///   - `name()`: the name of its matrix in messages, after "the matrix";
///   - `describe()`: a description in one line;
///   - `num_rows()`, `num_cols()`: the shape of its matrix;
///   - `build<ExecutionSpace, Scalar>(exec, rows)`: builds a range of rows, with all columns;
///
/// and optionally:
///   - `grids()`: the grids of rows and columns;
///   - `expected_nonzeros()`: the approximate number of entries to be built;
///   - `most_nonzeros()`: an upper bound of the nonzeros of the matrix;
///   - `row_offsets(exec, rows)`: computed without building the rows;
///   - `build_mapped<ExecutionSpace, Scalar>(exec, row_map, column_map, rows, offsets)`, with
///     `traits.in_any_order`: builds rows of the matrix in another order.
///
/// The first alternative is the default: a matrix from a file, with unknown grids.
using RowSource = std::variant<FileRows, ScanRows, ScannerRows, ConeBeamRows, StencilRows,
                               CirculantFileRows, RayRows>;

inline RowTraits traits_of(const RowSource& source) {
  return std::visit([](const auto& rows) { return rows.traits; }, source);
}

inline bool is_traced(const RowSource& source) { return traits_of(source).is_traced; }

/// \brief Returns the name of the matrix in messages, after "the matrix": "of the scanner", or its
/// file.
inline std::string matrix_name(const RowSource& source) {
  return std::visit([](const auto& rows) { return rows.name(); }, source);
}

inline std::string describe(const RowSource& source) {
  return std::visit([](const auto& rows) { return rows.describe(); }, source);
}

/// \brief Returns the number of rows of the matrix.
///
/// \throws InputError for a file, which this call reads
inline Ordinal num_rows(const RowSource& source) {
  return std::visit([](const auto& rows) { return static_cast<Ordinal>(rows.num_rows()); }, source);
}

/// \brief Returns the number of columns of the matrix.
///
/// \throws InputError for a file, which this call reads
inline Ordinal num_cols(const RowSource& source) {
  return std::visit([](const auto& rows) { return static_cast<Ordinal>(rows.num_cols()); }, source);
}

inline MatrixGrids grids_of(const RowSource& source) {
  return std::visit(
      [](const auto& rows) {
        if constexpr (requires { rows.grids(); }) return rows.grids();
        return MatrixGrids{};
      },
      source);
}

/// \brief Returns the approximate number of entries to be built; 0 for a source that must be read
/// first.
inline double expected_nonzeros(const RowSource& source) {
  return std::visit(
      [](const auto& rows) {
        if constexpr (requires { rows.expected_nonzeros(); }) return rows.expected_nonzeros();
        return 0.0;
      },
      source);
}

/// \brief Returns an upper bound of the nonzeros of the matrix.
inline double most_nonzeros(const RowSource& source) {
  return std::visit(
      [](const auto& rows) {
        if constexpr (requires { rows.most_nonzeros(); }) return rows.most_nonzeros();
        return static_cast<double>(rows.num_rows()) * static_cast<double>(rows.num_cols());
      },
      source);
}

/// \brief Returns the lengths of an array of data whose entries belong to the \p rows rows of the
/// matrix.
std::vector<Ordinal> data_shape(const RowSource& source, Ordinal rows);

/// \brief Returns the rows of a parallel or fan beam; nullptr for any other source.
inline const ScanRows* scan_of(const RowSource& source) { return std::get_if<ScanRows>(&source); }

/// \brief Returns the pairs of crystals of a PET scanner; nullptr for any other source.
inline const ScannerRows* scanner_of(const RowSource& source) {
  return std::get_if<ScannerRows>(&source);
}

/// \brief Returns the polar voxels of the columns; nullptr if the columns are not polar voxels.
inline const PolarVolume* polar_volume(const RowSource& source) {
  const auto* rows = std::get_if<ConeBeamRows>(&source);
  return rows != nullptr ? &rows->volume : nullptr;
}

/// \brief Returns false for rows that are always empty because nothing is measured there: pairs of
/// crystals with i >= j.
bool is_measured(const RowSource& source, Ordinal row);

/// \brief Returns the row offsets of a range of rows as a matrix of its own.
///
/// Cost: one pass over the rays of a scan or scanner; any other source builds its rows.
template <class ExecutionSpace>
OffsetsOn<ExecutionSpace> row_offsets(const ExecutionSpace& exec, const RowSource& source,
                                      RowRange rows = all_rows);

/// \brief Returns the number of nonzeros in a range of rows. Cost: see `row_offsets`.
template <class ExecutionSpace>
Offset count_nonzeros(const ExecutionSpace& exec, const RowSource& source,
                      RowRange rows = all_rows);

/// \brief Builds a range of rows, with all columns; row 0 of the result is row `rows.begin`.
///
/// \throws Error when the geometry is invalid, or the range exceeds the rows
/// \throws InputError for a file
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> build_rows(const ExecutionSpace& exec, const RowSource& source,
                                            RowRange rows = all_rows);

/// \brief Builds rows of the matrix in another order, which may leave out rows and columns.
///
/// The entries are those of `csr_mapped` of the matrix; with `traits.in_any_order` the matrix
/// itself is not built.
///
/// \param natural_offsets `row_offsets` of all rows; empty: unknown
/// \param rows range of rows in the order of \p order
/// \throws the errors of `build_rows`
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> build_ordered_rows(
    const ExecutionSpace& exec, const RowSource& source,
    const OffsetsOn<ExecutionSpace>& natural_offsets, const OrderOn<ExecutionSpace>& order,
    RowRange rows = all_rows);

}  // namespace Tomokkos
