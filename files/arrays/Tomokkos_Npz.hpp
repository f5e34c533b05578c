// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Reads a sparse matrix that `scipy.sparse.save_npz` wrote, compressed or not.
///
/// The formats csr, csc and coo are read; columns are sorted within each row. Indices may be 32 or
/// 64 bits wide, values anything that `read_npy` takes. A position that is given twice is refused
/// (csr, csc) or added (coo) unless the options say otherwise.
///
/// Throws `InputError` for a damaged or truncated archive (its check sums are verified), missing
/// arrays, lengths that do not fit, indices outside the matrix, offsets that fall, dimensions
/// beyond 2^31 - 1, values that are not finite (unless allowed). Lengths are compared with the
/// bytes in the archive before anything is allocated.
///
/// Cost: csr is read into place; csc and coo need `(8 + sizeof(Scalar)) nnz` bytes more, csc also
/// its column offsets. Throws `MemoryError` with the file and the bytes when that does not fit in
/// memory, before anything is allocated.
template <class Scalar>
HostCsrMatrix<Scalar> read_npz_matrix(const std::filesystem::path& path,
                                      const ReadOptions& options = {});

/// \brief The precision of the values of a sparse matrix in an archive, from its headers.
FilePrecision npz_matrix_precision(const std::filesystem::path& path);

/// \brief Reads the array \p name (as NumPy shows it, without `.npy`) of an archive.
template <class Scalar>
HostArray<Scalar> read_npz_array(const std::filesystem::path& path, const std::string& name,
                                 const ReadOptions& options = {});

/// \brief The names of the arrays of an archive, in its order.
std::vector<std::string> npz_array_names(const std::filesystem::path& path);

enum class NpzCompression { stored, deflated };

/// \brief A number that an archive holds beside its matrix, an array without dimensions.
struct NpzNumber {
  std::string name;  ///< none of those of the matrix
  std::int64_t value = 0;
};

/// \brief Writes \p A in CSR so that `scipy.sparse.load_npz` opens it.
///
/// What stands beside the matrix, \p numbers, SciPy passes over. Row offsets are 32 bits wide when
/// they fit, else 64. The matrix is compressed from where it lies, without a copy but for offsets
/// of 32 bits; archives beyond 4 GB use the zip64 extension. Throws `OutputError`, see
/// `AtomicFile`; `MemoryError`.
template <class Scalar>
void write_npz_matrix(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                      NpzCompression compression = NpzCompression::deflated,
                      const std::vector<NpzNumber>& numbers = {});

}  // namespace Tomokkos
