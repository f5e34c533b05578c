// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Reads a matrix from a Matrix Market file (`.mtx`), columns sorted within each row.
///
/// Read are objects `matrix` and `vector` (an n x 1 matrix), formats `coordinate` and `array`,
/// fields `real` (also as `double`), `integer` and `pattern` (every value 1), symmetries
/// `general`, `symmetric`, `skew-symmetric` and, with real values, `hermitian`. The symmetric ones
/// are expanded; their entries may lie on either side of the diagonal but on one only. Entries
/// that are given twice are added, or refused on request. Zeros of an `array` are not stored.
/// Leading blanks, empty lines, CR LF and a banner with one `%` are accepted.
///
/// A number is rounded once to \p Scalar. Throws `InputError` `file:line: ...` for everything
/// else: complex values, an index outside the matrix, a number beyond the range of \p Scalar or
/// rounded to zero by it, NaN and infinity (unless allowed), too few or too many entries,
/// dimensions beyond 2^31 - 1, a header that promises more entries than the rest of the file can
/// hold (before any allocation).
///
/// Cost: one pass over the file; at the peak `8 + sizeof(Scalar)` bytes per entry of the file (of
/// an `array` the zeros as well) beside the matrix. Throws `MemoryError` with the file and the
/// bytes when that does not fit in memory, before anything is allocated.
template <class Scalar>
HostCsrMatrix<Scalar> read_matrix_market(const std::filesystem::path& path,
                                         const ReadOptions& options = {});

/// \brief Reads a Matrix Market file with one column, or one row, as a dense vector.
///
/// Positions that a `coordinate` file leaves out are 0. Otherwise as `read_matrix_market`.
template <class Scalar>
std::vector<Scalar> read_matrix_market_vector(const std::filesystem::path& path,
                                              const ReadOptions& options = {});

/// \brief Writes \p A as `coordinate real general`: indices from 1, row by row, each value with
/// the fewest digits that read back to the same bits. Throws `OutputError`; see `AtomicFile`.
///
/// \param comment a line behind the banner; empty: none
template <class Scalar>
void write_matrix_market(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                         const std::string& comment = {});

/// \brief Writes a vector as an n x 1 matrix in `array real general`.
template <class Scalar>
void write_matrix_market_vector(const std::filesystem::path& path, std::span<const Scalar> values);

/// \brief Writes \p columns columns, \p values holding one after the other, in `array real
/// general`.
template <class Scalar>
void write_matrix_market_array(const std::filesystem::path& path, std::span<const Scalar> values,
                               std::size_t columns);

}  // namespace Tomokkos
