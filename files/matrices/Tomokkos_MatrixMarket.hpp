// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Reads a matrix from a Matrix Market file (`.mtx`). Columns are sorted within each row.
///
/// Supports the objects `matrix` and `vector` (an n x 1 matrix), the formats `coordinate` and
/// `array`, the fields `real` (also as `double`), `integer` and `pattern` (all values 1), and the
/// symmetries `general`, `symmetric`, `skew-symmetric` and, with real values, `hermitian`.
/// Symmetric matrices are expanded; their entries may lie on either side of the diagonal, but only
/// on one. Repeated entries are added, or rejected on request. Zeros of an `array` are not stored.
/// Leading blanks, empty lines, CR LF and a banner with one `%` are accepted. Numbers are rounded
/// once to \p Scalar.
///
/// Cost: one pass over the file. The peak is `8 + sizeof(Scalar)` bytes per entry of the file
/// (including zeros of an `array`) in addition to the matrix.
///
/// \throws InputError `file:line: ...` for everything else: complex values, an index outside the
/// matrix, a number beyond the range of \p Scalar or rounded to zero by it, NaN and infinity
/// (unless allowed), too few or too many entries, dimensions beyond 2^31 - 1, a header with more
/// entries than the rest of the file can hold (before any allocation)
/// \throws MemoryError with the file and the bytes if the matrix does not fit in memory, before
/// anything is allocated
template <class Scalar>
HostCsrMatrix<Scalar> read_matrix_market(const std::filesystem::path& path,
                                         const ReadOptions& options = {});

/// \brief Reads a Matrix Market file with one column, or one row, as a dense vector.
///
/// Missing positions of a `coordinate` file are 0. Otherwise like `read_matrix_market`.
template <class Scalar>
std::vector<Scalar> read_matrix_market_vector(const std::filesystem::path& path,
                                              const ReadOptions& options = {});

/// \brief Writes \p A as `coordinate real general`: indices from 1, row by row. Each value has the
/// fewest digits that read back to the same bits.
///
/// \param comment line after the banner; empty: no comment
/// \throws OutputError when the file cannot be written; see `AtomicFile`
template <class Scalar>
void write_matrix_market(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                         const std::string& comment = {});

/// \brief Writes a vector as an n x 1 matrix in `array real general`.
template <class Scalar>
void write_matrix_market_vector(const std::filesystem::path& path, std::span<const Scalar> values);

/// \brief Writes \p columns columns in `array real general`. \p values contains one column after
/// the other.
template <class Scalar>
void write_matrix_market_array(const std::filesystem::path& path, std::span<const Scalar> values,
                               std::size_t columns);

/// \brief Kind of the Matrix Market files that are written and may be replaced.
extern const OutputKind matrix_market_output;

}  // namespace Tomokkos
