// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types shared by the readers and writers of files.
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

/// \brief How a reader of matrices handles several entries at one position.
///
/// `format_default` follows the convention of the file format: Matrix Market and the archives
/// of SciPy (npz) add the values; csr4 rejects the file.
enum class DuplicatePolicy { format_default, sum, refuse };

/// \brief Options of all readers.
struct ReadOptions {
  /// Accept NaN and infinity as data.
  bool allow_non_finite = false;
  DuplicatePolicy duplicates = DuplicatePolicy::format_default;
};

/// \brief Precision of the values in a file.
enum class FilePrecision { float32, float64 };

}  // namespace Tomokkos
