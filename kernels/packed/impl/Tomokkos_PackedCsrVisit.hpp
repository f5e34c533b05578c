// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits packed rows entry by entry, for work that does not depend on the layout.
#pragma once

#include <impl/Tomokkos_PackedCsr_impl.hpp>

namespace Tomokkos::Impl {

/// Calls `visit(row, column, position)` for the entries of a bundle in one lane of its groups. All
/// lanes together visit every entry of the bundle once. Along rows the lanes share a row, across
/// rows each lane has its own.
template <class Scalar, StoredPrecision Values, class Visitor>
KOKKOS_FORCEINLINE_FUNCTION void visit_packed_lane(const PackedStreams<Scalar, Values>& A,
                                                   Ordinal bundle, int lane, const Visitor& visit) {
  const bool along = A.side == 1;
  const Ordinal slot = along ? bundle : bundle * A.side + lane;
  const Ordinal length = A.row_lengths[slot];
  if (length == 0) return;  // slots after the last row have no row
  const Ordinal row = A.row(slot);
  for (Offset q = 0;; ++q) {
    const int packs = A.packs(bundle, q);
    if (lane >= packs) return;
    const Offset first = A.bundle_offsets[bundle] + q * A.chunk() + Offset{lane} * A.pack;
    const std::uint32_t* const bases = A.bases + (A.first_chunk(bundle) + q) * A.pack;
    for (int c = 0; c < A.pack; ++c) {
      if ((along ? q * A.chunk() + Offset{c} * packs + lane : q * A.pack + c) >= length) break;
      const std::uint32_t base = bases[c];
      visit(row,
            base >= packed_far ? A.far(base)[lane]
                               : static_cast<Ordinal>(A.first_column(base) + A.offset(first + c)),
            first + c);
    }
  }
}

/// Visits the lanes of all bundles as work items `bundle * group + lane`, so that neighbours read
/// neighbouring packs.
template <class Scalar, StoredPrecision Values, class Visitor>
struct VisitPackedLanes {
  PackedStreams<Scalar, Values> A;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Offset item) const {
    const Offset bundle = item / A.group;
    visit_packed_lane(A, static_cast<Ordinal>(bundle), static_cast<int>(item - bundle * A.group),
                      visit);
  }
};

}  // namespace Tomokkos::Impl
