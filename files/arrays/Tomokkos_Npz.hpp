// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Reads a sparse matrix written by `scipy.sparse.save_npz`, compressed or not.
///
/// Supports the formats csr, csc and coo. Columns are sorted within each row. Indices have 32 or 64
/// bits; values have any type that `read_npy` supports. Repeated positions are added,
/// as SciPy does, unless the options reject them. Lengths are compared with the bytes in the
/// archive before anything is allocated.
///
/// Cost: csr is read in place. csc and coo need `(8 + sizeof(Scalar)) nnz` additional bytes, csc
/// also its column offsets.
///
/// \throws InputError for a damaged or truncated archive (checksums are verified), missing arrays,
/// inconsistent lengths, indices outside the matrix, decreasing offsets, dimensions beyond 2^31 -
/// 1, and values that are not finite (unless allowed)
/// \throws MemoryError with the file and the bytes if the matrix does not fit in memory, before
/// anything is allocated
template <class Scalar>
HostCsrMatrix<Scalar> read_npz_matrix(const std::filesystem::path& path,
                                      const ReadOptions& options = {});

/// \brief Reads the precision of the values of a sparse matrix from the headers of an archive.
FilePrecision npz_matrix_precision(const std::filesystem::path& path);

/// \brief Reads one array of an `.npz` archive.
///
/// \param name name that NumPy shows, without `.npy`
/// \throws InputError when the archive is damaged or has no array of this name
template <class Scalar>
HostArray<Scalar> read_npz_array(const std::filesystem::path& path, const std::string& name,
                                 const ReadOptions& options = {});

/// \brief Names of the arrays of an archive, in the order of the archive.
std::vector<std::string> npz_array_names(const std::filesystem::path& path);

/// \brief Chooses an array of an archive: \p name or, if it is empty, the only one or the one
/// called \p usual.
///
/// \param advice says how to choose one of several, for the message
/// \throws InputError with the names of all arrays
std::string choose_npz_array(const std::filesystem::path& path, const std::string& name,
                             const std::string& usual, const std::string& advice);

enum class NpzCompression { stored, deflated };

/// \brief Number stored in an archive next to its matrix, as an array without dimensions.
struct NpzNumber {
  std::string name;  ///< must differ from the names of the arrays of the matrix
  std::int64_t value = 0;
};

/// \brief Writes \p A in CSR for `scipy.sparse.load_npz`.
///
/// SciPy ignores the additional \p numbers. Row offsets have 32 bits if they fit, otherwise 64. The
/// matrix is compressed without a copy, except for 32-bit offsets. Archives beyond 4 GB use the
/// zip64 extension.
///
/// \throws OutputError when the file cannot be written; see `AtomicFile`
/// \throws MemoryError when the 32-bit offsets cannot be allocated
template <class Scalar>
void write_npz_matrix(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                      NpzCompression compression = NpzCompression::deflated,
                      const std::vector<NpzNumber>& numbers = {});

/// \brief Kind of the files that `write_npz_matrix` writes and may replace.
extern const OutputKind npz_matrix_output;

}  // namespace Tomokkos
