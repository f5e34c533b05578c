// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief Arrangement of the entries that share a base.
enum class PackedLayout {
  along_rows,   ///< successive entries of one row: for long rows and for rows of unequal length
  across_rows,  ///< the k-th entries of neighbouring rows, padded to the longest: for rows of equal
                ///< length
  automatic     ///< chosen from the backend and the lengths of the rows
};

template <>
struct EnumNames<PackedLayout> {
  static constexpr auto names =
      names_up_to<PackedLayout::automatic>("along_rows", "across_rows", "automatic");
};

/// \brief Constants of the base of a group; its two upper bits give the kind of the group.
///
/// Below `packed_run` the base is the least column of the group, and each entry adds its 16 bits.
/// From `packed_run` on, the group is a run: entry l is in column l + the 30 lower bits. The 16
/// bits contain l, too, but need not be read. From `packed_far` on, the columns are too far apart
/// for 16 bits; the 30 lower bits are the group's position in `far_columns`.
inline constexpr std::uint32_t packed_run = 0x80000000U;
inline constexpr std::uint32_t packed_far = 0xc0000000U;
inline constexpr std::uint32_t packed_bits = 0x3fffffffU;

/// \brief Sparse matrix of compressed rows with 16-bit columns: up to 32 entries form a group and
/// share a base, to which the 16 bits are added.
///
/// Contract, checked by `validate`:
///  - slot s holds row `rows(s)`, or row s if `rows` is empty. Every row has one slot, and
///    `row_lengths(s)` entries with ascending columns. `side` successive slots are a *bundle*;
///  - along rows `side` is 1, and the entries of a bundle are those of its row. Across rows `side`
///    is `group`; entry `k group + l` of a bundle is entry k of its slot l, or padding if that row
///    is too short;
///  - the entries of bundle b are at `bundle_offsets(b)` up to `bundle_offsets(b + 1)`, in chunks
///    of `group pack`. The last chunk of a row has fewer packs, and its last pack may be padded. In
///    a chunk of m packs, entry `c m + l` (l < m) is number c of pack l. The lanes of a GPU thus
///    load whole packs, and gather neighbours of x, one number after the other;
///  - the entries `c m, ..., c m + m - 1` of a chunk are a *group*. For chunk q of bundle b, its
///    base is `bases(pack (bundle_offsets(b) / (group pack) + q) + c)`; along rows the index is
///    larger by `pack b`;
///  - padding has 16 bits of 0 as its column and the value 0. It is skipped.
///
/// ```
///     a . b . .        across rows, group 2, pack 1     bases    0*  2*  4   | 1     * a run
///     . c . d e                                         offsets  0 1 0 1 - 0 | 0 -
///     . f . . .                                         values   a c b d 0 e | f 0
/// ```
///
/// Memory: `entry_bytes` a stored entry, 4 bytes a group and a slot (8 a slot with an order of
/// rows), 8 a bundle, and 4 more an entry of a far group.
template <class Scalar, class MemorySpace, StoredPrecision Values = StoredPrecision::plain>
struct PackedCsrMatrix {
  static_assert(Values == StoredPrecision::plain || std::is_same_v<Scalar, float>,
                "values of 16 bits require vectors in float");
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr StoredPrecision stored_precision = Values;
  static constexpr bool is_packed = Values != StoredPrecision::plain;
  /// Bytes of an entry. Packed entries are one word: the offset in the lower 16 bits, the value in
  /// the upper 16. Plain entries use two arrays.
  static constexpr std::size_t entry_bytes = is_packed ? 4 : 2 + sizeof(Scalar);

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Offset nonzeros = 0;
  int side = 1;
  int group = 1;
  int pack = 1;
  Kokkos::View<const Offset*, MemorySpace> bundle_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> row_lengths;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const std::uint32_t*, MemorySpace> bases;
  Kokkos::View<const Ordinal*, MemorySpace> far_columns;
  Kokkos::View<const std::uint16_t*, MemorySpace> offsets;  // empty if packed
  Kokkos::View<const Scalar*, MemorySpace> values;          // empty if packed
  Kokkos::View<const std::uint32_t*, MemorySpace> words;    // empty unless packed
  /// Constants of `scaled`: value = `least` + code * `step`.
  float least = 0, step = 0;

  PackedLayout layout() const {
    return side == 1 ? PackedLayout::along_rows : PackedLayout::across_rows;
  }
  Ordinal num_bundles() const {
    return bundle_offsets.extent(0) > 0 ? static_cast<Ordinal>(bundle_offsets.extent(0) - 1) : 0;
  }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Stored entries, including padding.
  Offset num_stored() const {
    return static_cast<Offset>(is_packed ? words.extent(0) : values.extent(0));
  }
  /// \brief Number of groups whose columns do not fit into 16 bits relative to a base.
  Offset num_far_groups() const { return static_cast<Offset>(far_columns.extent(0)) / group; }
  std::size_t memory_bytes() const {
    return bundle_offsets.extent(0) * sizeof(Offset) +
           (row_lengths.extent(0) + rows.extent(0) + far_columns.extent(0)) * sizeof(Ordinal) +
           bases.extent(0) * sizeof(std::uint32_t) +
           static_cast<std::size_t>(num_stored()) * entry_bytes;
  }
};

/// \brief Checks the contract of \p A. Three passes, four fences.
///
/// \throws Error naming the first bundle or slot that violates it
template <class ExecutionSpace, class Scalar, class MemorySpace, StoredPrecision Values>
void validate(const ExecutionSpace& exec, const PackedCsrMatrix<Scalar, MemorySpace, Values>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_PackedCsr_impl.hpp>
