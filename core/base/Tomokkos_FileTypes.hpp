// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers and writers of files share.
#pragma once

#include <cstddef>
#include <vector>

namespace Tomokkos {

/// \brief A dense array in host memory, row-major (the last index runs fastest).
///
/// `data` holds the product of `shape` values; a shape without entries is a single value.
template <class Scalar>
struct HostArray {
  std::vector<std::size_t> shape;
  std::vector<Scalar> data;
};

/// \brief What a reader of matrices does with a position that is given twice.
///
/// `format_default`: what the format says. Coordinate lists (Matrix Market, SciPy's COO) add the
/// values, compressed rows and columns (npz, csr4) refuse the file.
enum class DuplicatePolicy { format_default, sum, refuse };

/// \brief Options of all readers.
struct ReadOptions {
  /// NaN and infinity are data, not an error.
  bool allow_non_finite = false;
  DuplicatePolicy duplicates = DuplicatePolicy::format_default;
  /// HDF5 scans: an angle per column, and not per view, is data that the caller transposes.
  bool allow_transposed = false;
};

/// \brief The precision in which a file holds its values.
enum class FilePrecision { float32, float64 };

}  // namespace Tomokkos
