// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief What a source of rows is able to do. It is known before there is a matrix.
struct RowTraits {
  bool is_read = false;       ///< the entries come from a file
  bool is_circulant = false;  ///< only the first row of blocks is read or traced
  bool has_views = false;     ///< rows may be views of one detector, one view after the other
  bool in_any_order = false;  ///< rows and columns are built in any order, without another matrix
  bool counts_first = false;  ///< all rows are counted before any is left out or built
  const char* rows = "rows";  ///< what messages call them, and the columns
  const char* columns = "columns";
};

}  // namespace Tomokkos
