// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief Algorithm for computing `A^T`. All give the same bytes.
enum class TransposeVariant {
  automatic,    ///< `banded` on a host; on a GPU `multisplit`, or `claims` if the workspace of
                ///< `multisplit` does not fit
  banded,       ///< hosts: a counting sort in parts of the rows and bands of the columns, whose
                ///< positions stay in the cache
  scan_trans,   ///< hosts: ScanTrans of Wang, Liu, Hou and Feng, 2016: computes the position of
                ///< every entry by two scans
  merge_trans,  ///< hosts: MergeTrans of the same authors: transposes parts separately, then merges
                ///< them in pairs
  multisplit,   ///< stable splits by the digits of the column; blocks of entries are sorted in
                ///< scratch memory before they are written; on a host a team has one thread
  claims        ///< GPUs: claims positions by atomics, then sorts every column; little workspace
};

template <>
struct EnumNames<TransposeVariant> {
  static constexpr std::array<std::pair<TransposeVariant, std::string_view>, 6> names{
      {{TransposeVariant::automatic, "automatic"},
       {TransposeVariant::banded, "banded"},
       {TransposeVariant::scan_trans, "scan_trans"},
       {TransposeVariant::merge_trans, "merge_trans"},
       {TransposeVariant::multisplit, "multisplit"},
       {TransposeVariant::claims, "claims"}}};
};

/// \brief Algorithm of a transposition and its parameters; 0 means "chosen by the library". No
/// choice changes the result.
struct TransposeOptions {
  TransposeVariant variant = TransposeVariant::automatic;
  /// Number of parts of the rows (`banded`) or of the entries (`scan_trans`, `merge_trans`: a power
  /// of two) that are processed at the same time, each by one thread.
  int parts = 0;
  /// Number of columns of a band (`banded`).
  Ordinal band_columns = 0;
};

/// \brief Size of a matrix, on which the cost of a transposition depends.
struct MatrixShape {
  Ordinal rows = 0;
  Ordinal columns = 0;
  Offset nonzeros = 0;
};

}  // namespace Tomokkos
