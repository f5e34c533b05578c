// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of CSR to groups of packed rows, and of packed rows to CSR.
#pragma once

#include <impl/Tomokkos_PackedCsr_impl.hpp>

namespace Tomokkos::Impl {

/// Computes the stored entries of each bundle.
template <class MemorySpace>
struct PackedBundleSizes {
  const Offset* row_offsets;
  const Ordinal* rows;  // row of each slot; null: row s
  Ordinal num_rows;
  int side, pack;
  Kokkos::View<Ordinal*, MemorySpace> lengths;  // of each slot; not written if empty
  Kokkos::View<Offset*, MemorySpace> sizes;     // of each bundle; not written if empty

  KOKKOS_FUNCTION void operator()(const Ordinal b, Offset& all) const {
    Offset longest = 0;
    for (int lane = 0; lane < side; ++lane) {
      const Offset slot = Offset{b} * side + lane;
      Offset length = 0;
      if (slot < num_rows) {
        const Ordinal row = rows == nullptr ? static_cast<Ordinal>(slot) : rows[slot];
        length = row_offsets[row + 1] - row_offsets[row];
      }
      if (lengths.extent(0) > 0) lengths(slot) = static_cast<Ordinal>(length);
      longest = length > longest ? length : longest;
    }
    const Offset size = (longest + pack - 1) / pack * pack * side;
    if (sizes.extent(0) > 0) sizes(b) = size;
    all += size;
  }
};

/// Group of entries, identified by the position of its base.
struct PackedGroup {
  Ordinal bundle;
  Offset chunk;  // within the bundle
  int part, packs;
};

/// Data from which the groups of a packed matrix are built.
struct PackedSource : PackedShape {
  const Offset* row_offsets;  // of A
  const Ordinal* columns;     // of A

  /// Finds a group by binary search. `packs` is 0 if the group has no entries.
  KOKKOS_FUNCTION PackedGroup find(Offset base) const {
    const Offset chunk = base / pack;
    Ordinal low = 0, high = num_bundles;
    while (high - low > 1) {
      const Ordinal middle = low + (high - low) / 2;
      if (first_chunk(middle) <= chunk)
        low = middle;
      else
        high = middle;
    }
    const Offset q = chunk - first_chunk(low);
    return {low, q, static_cast<int>(base % pack), packs(low, q)};
  }
  /// Returns the position in A of the entry in a lane, or -1 for padding.
  KOKKOS_FUNCTION Offset source(const PackedGroup& g, int lane) const {
    Ordinal slot = g.bundle;
    Offset k = g.chunk * chunk() + Offset{g.part} * g.packs + lane;
    if (side > 1) {
      slot = g.bundle * side + lane;
      k = g.chunk * pack + g.part;
    }
    return k < row_lengths[slot] ? row_offsets[row(slot)] + k : -1;
  }
  KOKKOS_FUNCTION Offset target(const PackedGroup& g, int lane) const {
    return bundle_offsets[g.bundle] + g.chunk * chunk() + Offset{lane} * pack + g.part;
  }
  /// Returns the base of a group: its kind and least column. For far groups, only the kind.
  KOKKOS_FUNCTION std::uint32_t base(const PackedGroup& g) const {
    Ordinal least = 0, largest = 0, first = 0;
    bool any = false, run = g.packs == group;
    for (int lane = 0; lane < g.packs; ++lane) {
      const Offset from = source(g, lane);
      if (from < 0) {
        run = false;
        continue;
      }
      const Ordinal column = columns[from];
      if (!any) least = largest = first = column;
      any = true;
      least = column < least ? column : least;
      largest = column > largest ? column : largest;
      run = run && column - lane == first;
    }
    if (largest - least > 65535) return packed_far;
    const auto word = static_cast<std::uint32_t>(least);
    return run && word <= packed_bits ? packed_run | word : word;
  }
};

/// Counts the groups that need whole columns.
struct CountFarGroups {
  PackedSource A;
  Offset* far;  // 1 for each far group; may be null

  KOKKOS_FUNCTION void operator()(const Offset base, Offset& count) const {
    const auto g = A.find(base);
    const bool is_far = g.packs > 0 && A.base(g) >= packed_far;
    if (far != nullptr) far[base] = is_far ? 1 : 0;
    if (is_far) ++count;
  }
};

/// Writes the entries of a group and its padding.
template <class Scalar, StoredPrecision Values>
struct FillPackedGroup {
  PackedSource A;
  const Scalar* source;
  const Offset* far_before;  // number of far groups before each group; null if no group is far
  std::uint32_t* bases;
  Ordinal* far_columns;
  std::uint16_t* offsets;
  Scalar* values;
  std::uint32_t* words;
  float least, step;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const auto g = A.find(at);
    std::uint32_t base = g.packs > 0 ? A.base(g) : 0;
    Ordinal* far = nullptr;
    if (base >= packed_far) {
      base = packed_far | static_cast<std::uint32_t>(far_before[at]);
      far = far_columns + far_before[at] * A.group;
      for (int lane = 0; lane < A.group; ++lane) far[lane] = 0;
    }
    bases[at] = base;
    const std::uint32_t first = base < packed_run ? base : base & packed_bits;
    for (int lane = 0; lane < g.packs; ++lane) {
      const Offset from = A.source(g, lane);
      unsigned offset = 0;
      if (from >= 0) {
        if (far != nullptr)
          far[lane] = A.columns[from];
        else
          offset = static_cast<std::uint32_t>(A.columns[from]) - first;
      }
      put(A.target(g, lane), offset, from);
    }
  }

 private:
  KOKKOS_FUNCTION void put(Offset to, unsigned offset, Offset from) const {
    if constexpr (Values == StoredPrecision::plain) {
      offsets[to] = static_cast<std::uint16_t>(offset);
      values[to] = from >= 0 ? source[from] : Scalar(0);
    } else {
      std::uint32_t code = 0;
      if (from >= 0) {
        if constexpr (Values == StoredPrecision::half)
          code = half_from_float(source[from]);
        else if (step > 0)
          code = static_cast<std::uint32_t>((source[from] - least) / step + 0.5F);
      }
      words[to] = offset | (code < 65535 ? code : 65535U) << 16;
    }
  }
};

/// Copies the rows of a packed matrix to CSR, one thread per row.
template <class Scalar, StoredPrecision Values>
struct CopyPackedRow {
  PackedStreams<Scalar, Values> A;
  const Offset* row_offsets;
  Ordinal* columns;
  Scalar* values;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    const Offset begin = row_offsets[A.row(slot)];
    for (Ordinal k = 0; k < A.row_lengths[slot]; ++k) {
      const PackedPlace at = A.place(slot, k);
      columns[begin + k] = static_cast<Ordinal>(A.column(at));
      values[begin + k] = A.value(at.entry);
    }
  }
};

struct ScatterPackedLengths {
  PackedShape A;
  Offset* counts;
  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    counts[A.row(slot)] = A.row_lengths[slot];
  }
};

}  // namespace Tomokkos::Impl
