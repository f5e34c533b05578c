// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_InputFile.hpp>
#include <impl/Tomokkos_NpyFormat.hpp>

namespace Tomokkos::Impl {

/// \brief Reads a whole array, header first, in row-major order.
template <class Scalar>
HostArray<Scalar> read_npy_array(ByteSource& source, const ReadOptions& options);

/// \brief Smallest precision that represents every value of the type exactly, otherwise double.
FilePrecision npy_precision(const NpyHeader& header);

/// \brief Stored type with the name that NumPy shows: `uint16`.
std::string npy_type_name(const NpyHeader& header);

}  // namespace Tomokkos::Impl
