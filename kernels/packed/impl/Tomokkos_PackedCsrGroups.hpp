// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of packed rows on their way from CSR, and rows on their way back.
#pragma once

#include <impl/Tomokkos_PackedCsr_impl.hpp>

namespace Tomokkos::Impl {

/// Entries in memory of each bundle.
template <class MemorySpace>
struct PackedBundleSizes {
  const Offset* row_offsets;
  const Ordinal* rows;  // of each slot; null: the same number
  Ordinal num_rows;
  int side, pack;
  Kokkos::View<Ordinal*, MemorySpace> lengths;  // of each slot; may be empty
  Kokkos::View<Offset*, MemorySpace> sizes;     // likewise

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

/// A group of entries of A, found by where its base stands.
struct PackedGroup {
  Ordinal bundle;
  Offset chunk;  // of the bundle
  int part, packs;
};

/// What the groups of a packed matrix are made of.
struct PackedSource : PackedShape {
  const Offset* row_offsets;  // of A
  const Ordinal* columns;     // of A

  /// By halving. Where no entries are, `packs` is 0.
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
  /// Where the entry of a lane lies in A; -1 for padding.
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
  /// The least column, and the bits that say what kind the group is, but for those of a far one.
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

/// Groups that need whole columns.
struct CountFarGroups {
  PackedSource A;
  Offset* far;  // of each group; may be null

  KOKKOS_FUNCTION void operator()(const Offset base, Offset& count) const {
    const auto g = A.find(base);
    const bool is_far = g.packs > 0 && A.base(g) >= packed_far;
    if (far != nullptr) far[base] = is_far ? 1 : 0;
    if (is_far) ++count;
  }
};

/// The entries of a group, with its padding.
template <class Scalar, StoredPrecision Values>
struct FillPackedGroup {
  PackedSource A;
  const Scalar* source;
  const Offset* far_before;  // null: there are no far groups
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

/// Copies the rows of a packed matrix to where they begin in CSR, a thread each.
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
