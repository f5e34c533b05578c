// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief How `A^T` is made of A. All give the same bytes.
enum class TransposeVariant {
  automatic,    ///< `banded` on a host; on a GPU `multisplit`, or `claims` where the workspace of
                ///< that does not fit
  banded,       ///< hosts: a counting sort in parts of the rows and bands of the columns, whose
                ///< places stay in the cache
  scan_trans,   ///< hosts: ScanTrans of Wang, Liu, Hou and Feng, 2016: the place of every entry by
                ///< two scans
  merge_trans,  ///< hosts: MergeTrans of the same: parts are transposed alone, then merged in pairs
  multisplit,   ///< stable splits by the digits of the column, blocks of entries ordered in scratch
                ///< memory before they are written; on a host a team is one thread
  claims        ///< GPUs: places claimed by atomics, then every column sorted; little workspace
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

/// \brief How to transpose; 0 means "chosen by the library". No choice changes the result.
struct TransposeOptions {
  TransposeVariant variant = TransposeVariant::automatic;
  /// Parts of the rows (`banded`) or of the entries (`scan_trans`, `merge_trans`: a power of two)
  /// that are worked on at the same time, each by one thread.
  int parts = 0;
  /// Columns of a band (`banded`).
  Ordinal band_columns = 0;
};

/// \brief What the cost of a transposition depends on.
struct MatrixShape {
  Ordinal rows = 0;
  Ordinal columns = 0;
  Offset nonzeros = 0;
};

}  // namespace Tomokkos
