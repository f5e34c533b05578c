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
/// Read are f2, f4, f8, i1 ... i8, u1 ... u8 and b1 in either byte order, in C and Fortran order (the
/// latter is converted). Values are rounded to \p Scalar. Throws `InputError` `file: byte N: ...`
/// for Python objects, structured and complex arrays, a file that is shorter or longer than its
/// shape says (before any allocation), NaN, infinity and, in single precision, values beyond its
/// range (unless allowed); `MemoryError` with the file and the bytes when they do not fit in
/// memory, before anything is allocated. Fortran order takes twice the memory of the array.
template <class Scalar>
HostArray<Scalar> read_npy(const std::filesystem::path& path, const ReadOptions& options = {});

/// \brief Reads the entries whose index along \p axis is \p index, as `numpy.take` does: the shape
/// is that of the array without \p axis.
///
/// Of a file in C order only these entries are read, \p axis apart from 0 in as many pieces as the
/// axes before it have entries; of one in Fortran order, and for the memory, all. Only what is read
/// is checked to be finite. Throws as `read_npy`, and `InputError` with the shape when there is no
/// such axis or index.
template <class Scalar>
HostArray<Scalar> read_npy_slice(const std::filesystem::path& path, std::size_t axis,
                                 std::size_t index, const ReadOptions& options = {});

/// \brief The shape of a NumPy array and the precision that holds its values, from the header.
struct NpyInfo {
  std::vector<std::size_t> shape;
  FilePrecision precision;
};

/// \brief Reads the header only. Throws as `read_npy`.
NpyInfo read_npy_info(const std::filesystem::path& path);

/// \brief Writes \p data, row-major, as `numpy.save` does: format 1.0, C order, `<f4` or `<f8`.
///
/// \pre the product of \p shape is the length of \p data. Throws `OutputError`; see `AtomicFile`.
template <class Scalar>
void write_npy(const std::filesystem::path& path, std::span<const Scalar> data,
               const std::vector<std::size_t>& shape);

}  // namespace Tomokkos
