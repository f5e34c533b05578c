// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Reads a NumPy array (`.npy`, format 1.0, 2.0 or 3.0) of any rank, in row-major order.
///
/// Supports f2, f4, f8, i1 ... i8, u1 ... u8 and b1 in either byte order, in C and Fortran order
/// (converted). Values are rounded to \p Scalar. Fortran order needs twice the memory of the array.
///
/// \throws InputError `file: byte N: ...` for Python objects, structured and complex arrays, a file
/// that is shorter or longer than its shape requires (before any allocation), and, unless allowed,
/// NaN, infinity and values beyond the range of single precision
/// \throws MemoryError with the file and the bytes if the array does not fit in memory, before
/// anything is allocated
template <class Scalar>
HostArray<Scalar> read_npy(const std::filesystem::path& path, const ReadOptions& options = {});

/// \brief Reads \p count entries from index \p first on along \p axis, and all along the other
/// axes.
///
/// From a file in C order only these entries are read, in as many pieces as the axes before \p axis
/// have entries. Close pieces are read together with what lies between them. A file in Fortran
/// order is read completely and needs memory for the whole array. Only entries that are kept are
/// checked to be finite.
///
/// \throws InputError with the shape when there are no such entries; other errors like `read_npy`
template <class Scalar>
HostArray<Scalar> read_npy_range(const std::filesystem::path& path, std::size_t axis,
                                 std::size_t first, std::size_t count,
                                 const ReadOptions& options = {});

/// \brief Reads the entries with index \p index along \p axis, like `numpy.take`: one entry of
/// `read_npy_range`. The result has the shape of the array without \p axis.
template <class Scalar>
HostArray<Scalar> read_npy_slice(const std::filesystem::path& path, std::size_t axis,
                                 std::size_t index, const ReadOptions& options = {});

/// \brief Shape and type of a NumPy array, from its header.
struct NpyInfo {
  std::vector<std::size_t> shape;
  FilePrecision precision;  ///< that can hold the values
  std::string type;         ///< stored type with the name that NumPy shows: `uint16`
};

/// \brief Reads only the header. Throws like `read_npy`.
NpyInfo read_npy_info(const std::filesystem::path& path);

/// \brief Writes row-major \p data like `numpy.save`: format 1.0, C order, `<f4` or `<f8`.
///
/// \pre the product of \p shape is the length of \p data
/// \throws OutputError when the file cannot be written; see `AtomicFile`
template <class Scalar>
void write_npy(const std::filesystem::path& path, std::span<const Scalar> data,
               const std::vector<std::size_t>& shape);

/// \brief Kind of the files that `write_npy` writes and may replace.
extern const OutputKind npy_output;

}  // namespace Tomokkos
