// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
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

/// \brief Reads the entries with index \p index along \p axis, like `numpy.take`. The result has
/// the shape of the array without \p axis.
///
/// From a file in C order only these entries are read; for an axis other than 0, in as many pieces
/// as the axes before it have entries. A file in Fortran order is read completely and needs memory
/// for the whole array. Only entries that are read are checked to be finite.
///
/// \throws InputError with the shape when there is no such axis or index; other errors like
/// `read_npy`
template <class Scalar>
HostArray<Scalar> read_npy_slice(const std::filesystem::path& path, std::size_t axis,
                                 std::size_t index, const ReadOptions& options = {});

/// \brief Shape and precision of a NumPy array, from its header.
struct NpyInfo {
  std::vector<std::size_t> shape;
  FilePrecision precision;
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

}  // namespace Tomokkos
