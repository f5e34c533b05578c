// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief Abilities of a source of rows, known before the matrix is built.
struct RowTraits {
  bool is_read = false;       ///< the entries come from a file
  bool is_circulant = false;  ///< only the first row of blocks is read or traced
  bool has_views = false;     ///< rows may be views of one detector, one view after the other
  bool in_any_order = false;  ///< rows and columns can be built in any order, without a second
                              ///< matrix
  bool counts_first = false;  ///< all rows are counted before any is left out or built
  const char* rows = "rows";  ///< name of the rows in messages; the next member names the columns
  const char* columns = "columns";
  bool is_polar = false;  ///< columns are polar voxels (`polar_volume`)
};

}  // namespace Tomokkos
