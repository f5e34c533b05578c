// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays in HDF5 files: one dataset, `image`.
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Returns true if the library was built with HDF5 and zlib.
bool can_write_hdf5();

/// \brief Writes an array as the dataset `image` of a new HDF5 file, in the precision of the
/// values. The file is assembled in memory.
///
/// \throws DimensionMismatch if the length of \p data does not match \p shape
/// \throws OutputError like `AtomicFile`, and if the library was built without HDF5
/// \throws MemoryError if the file does not fit in memory
template <class Scalar>
void write_hdf5(const std::filesystem::path& path, std::span<const Scalar> data,
                const std::vector<std::size_t>& shape);

/// \brief Kind of the files that `write_hdf5` writes and may replace.
extern const OutputKind hdf5_output;

}  // namespace Tomokkos
