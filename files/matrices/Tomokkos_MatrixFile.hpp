// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <filesystem>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief File formats of matrices, determined by the extension: Matrix Market (`.mtx`, `.mm`, also
/// compressed as `.mtx.gz`, `.mm.gz`, or as the member `NAME/NAME.mtx` of a `.tar.gz` or `.tgz`
/// archive), `.npz`, `.csr4`.
enum class MatrixFileFormat { matrix_market, npz, csr4 };

/// \brief Extensions that `read_matrix` and `read_vector` accept, for messages.
inline constexpr const char* matrix_file_extensions = ".mtx, .mtx.gz, .tar.gz, .npz, .csr4";
inline constexpr const char* vector_file_extensions = ".npy, .mtx, .mtx.gz";

/// \brief True if \p path has the extension of a matrix file, in upper or lower case.
bool is_matrix_file(const std::filesystem::path& path);

/// \brief True if \p path has the extension of a vector file, in upper or lower case.
bool is_vector_file(const std::filesystem::path& path);

/// \brief Format of a file to read, by its extension in upper or lower case. Throws `InputError`
/// with the allowed extensions for any other.
MatrixFileFormat matrix_file_format(const std::filesystem::path& path);

/// \brief Format of a file to write, never compressed, by its extension. Throws `OutputError` with
/// the allowed extensions for any other.
MatrixFileFormat matrix_output_format(const std::filesystem::path& path);

/// \brief Kind of the files of that format, which may be replaced.
const OutputKind& matrix_output_kind(const std::filesystem::path& path);

/// \brief Precision of the values in a file, from its header, so that conversions can keep it:
/// double for Matrix Market (decimal), float for csr4, the precision of the data for npz.
FilePrecision matrix_file_precision(const std::filesystem::path& path);

/// \brief Reads a matrix in any supported format; see `read_matrix_market`, `read_npz_matrix`,
/// `read_csr4`.
/// `read_csr4`.
template <class Scalar>
HostCsrMatrix<Scalar> read_matrix(const std::filesystem::path& path,
                                  const ReadOptions& options = {});

/// \brief Writes a matrix in the format given by the extension. A csr4 file gets an empty scanner
/// with all columns in one line of its grid.
///
/// \throws OutputError with the allowed extensions for any other; see `AtomicFile`
template <class Scalar>
void write_matrix(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A);

/// \brief Reads a vector from `.npy` (any shape, row by row), or from `.mtx` or `.mtx.gz` (one
/// column or row).
template <class Scalar>
std::vector<Scalar> read_vector(const std::filesystem::path& path, const ReadOptions& options = {});

/// \brief Writes a vector to `.npy` (one dimension) or `.mtx` (n x 1 array).
template <class Scalar>
void write_vector(const std::filesystem::path& path, std::span<const Scalar> values);

}  // namespace Tomokkos
