// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CirculantRows.hpp>
#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_ScanRows.hpp>
#include <Tomokkos_ScannerRows.hpp>
#include <Tomokkos_StencilRows.hpp>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Anything that can count its rows and build a range of them on a device. This is the list
/// of geometries: a further one is a struct with these members and a line here.
///
///  - `traits`: what it is able to do;
///  - `name()`: how messages call its matrix, after "the matrix";
///  - `describe()`: what it is, in a line for a person;
///  - `num_rows()`, `num_cols()`: the shape of its matrix;
///  - `build<ExecutionSpace, Scalar>(exec, rows)`: a range of rows, with all columns;
///
/// and, as far as there is more to say:
///  - `grids()`: how rows and columns lie;
///  - `expected_nonzeros()`: about how many entries will be built;
///  - `most_nonzeros()`: a bound of the nonzeros of the matrix;
///  - `count(exec, rows)` and `row_offsets(exec, rows)`: without building the rows;
///  - `build_mapped<ExecutionSpace, Scalar>(exec, offsets, order, rows)`, with
///    `traits.in_any_order`: rows of the matrix in another order.
///
/// The first one is the default: a matrix from a file, of which nothing is known.
using RowSource =
    std::variant<FileRows, ScanRows, ScannerRows, ConeBeamRows, StencilRows, CirculantFileRows>;

inline RowTraits traits_of(const RowSource& source) {
  return std::visit([](const auto& rows) { return rows.traits; }, source);
}

/// \brief How messages call the matrix, after "the matrix": "of the scanner", or its file.
inline std::string matrix_name(const RowSource& source) {
  return std::visit([](const auto& rows) { return rows.name(); }, source);
}

inline std::string describe(const RowSource& source) {
  return std::visit([](const auto& rows) { return rows.describe(); }, source);
}

/// \throw InputError for a file, which is read for it.
inline Ordinal num_rows(const RowSource& source) {
  return std::visit([](const auto& rows) { return static_cast<Ordinal>(rows.num_rows()); }, source);
}

/// \throw InputError for a file, which is read for it.
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

/// \brief About how many entries will be built; 0 where only a file knows.
inline double expected_nonzeros(const RowSource& source) {
  return std::visit(
      [](const auto& rows) {
        if constexpr (requires { rows.expected_nonzeros(); }) return rows.expected_nonzeros();
        return 0.0;
      },
      source);
}

/// \brief A bound of the nonzeros of the matrix.
inline double most_nonzeros(const RowSource& source) {
  return std::visit(
      [](const auto& rows) {
        if constexpr (requires { rows.most_nonzeros(); }) return rows.most_nonzeros();
        return static_cast<double>(rows.num_rows()) * static_cast<double>(rows.num_cols());
      },
      source);
}

/// \brief The lengths of an array of the data, whose entries are the \p rows rows of the matrix.
std::vector<Ordinal> data_shape(const RowSource& source, Ordinal rows);

/// \brief The polar voxels that the columns are; nullptr: they are others.
inline const PolarVolume* polar_volume(const RowSource& source) {
  const auto* rows = std::get_if<ConeBeamRows>(&source);
  return rows != nullptr ? &rows->volume : nullptr;
}

/// \brief False for rows that are always empty, since nothing is measured there: pairs of crystals
/// i >= j.
bool is_measured(const RowSource& source, Ordinal row);

/// \brief Where the rows of a range begin in a matrix of their own.
///
/// Cost: one pass over the rays of a scan or scanner; any other source builds its rows for it.
template <class ExecutionSpace>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> row_offsets(
    const ExecutionSpace& exec, const RowSource& source, RowRange rows = all_rows);

/// \brief Nonzeros of a range of rows. Cost: as `row_offsets`.
template <class ExecutionSpace>
Offset count_nonzeros(const ExecutionSpace& exec, const RowSource& source,
                      RowRange rows = all_rows);

/// \brief About how many nonzeros the matrix has, from up to 16 views, or first crystals. Counts
/// all of a source that has neither.
template <class ExecutionSpace>
double sampled_nonzeros(const ExecutionSpace& exec, const RowSource& source);

/// \brief A range of rows, with all columns; row 0 of the result is row `rows.begin`.
///
/// \throw Error for a geometry that cannot be used, and a range that lies outside; InputError for a
/// file; MemoryError with the bytes.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_rows(const ExecutionSpace& exec,
                                                                    const RowSource& source,
                                                                    RowRange rows = all_rows);

/// \brief Rows of the matrix in another order, which may leave rows and columns out: the entries of
/// `csr_mapped` of it, without that matrix beside it where `traits.in_any_order`.
///
/// \param natural_offsets `row_offsets` of all rows; empty: they are not known
/// \param rows a range of the rows as \p order has them. All of them where columns are left out, or
/// the offsets are not known.
/// \throw as `build_rows`.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_ordered_rows(
    const ExecutionSpace& exec, const RowSource& source,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& natural_offsets,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, RowRange rows = all_rows);

}  // namespace Tomokkos
