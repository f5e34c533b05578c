// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief Which entries of a packed matrix share a base, and so stand together.
enum class PackedLayout {
  along_rows,   ///< successive entries of one row: for long rows, and for unequal ones
  across_rows,  ///< the k-th entries of neighbouring rows, padded to the longest: for equal rows
  automatic     ///< one of these, from the backend and the lengths of the rows
};

template <>
struct EnumNames<PackedLayout> {
  static constexpr std::array<std::pair<PackedLayout, std::string_view>, 3> names{
      {{PackedLayout::along_rows, "along_rows"},
       {PackedLayout::across_rows, "across_rows"},
       {PackedLayout::automatic, "automatic"}}};
};

/// \brief How a group of entries finds its columns: the two upper bits of its base.
///
/// Below `packed_run` the base is the least column, to which each entry adds its 16 bits. From
/// `packed_run` on entry l of the group lies in column l + the 30 lower bits: its 16 bits say so,
/// too, but need not be read. From `packed_far` on the columns are too far from each other; the 30
/// lower bits tell where they stand in `far_columns`.
inline constexpr std::uint32_t packed_run = 0x80000000U;
inline constexpr std::uint32_t packed_far = 0xc0000000U;
inline constexpr std::uint32_t packed_bits = 0x3fffffffU;

/// \brief Compressed rows whose entries tell their columns in 16 bits beside a base that a group of
/// up to 32 entries shares.
///
/// Contract, checked by `validate`:
///  - slot s holds row `rows(s)`, or row s where `rows` is empty; every row has one slot, and
///    `row_lengths(s)` entries with ascending columns. `side` successive slots are a *bundle*;
///  - along rows `side` is 1, and the entries of a bundle are those of its row. Across rows `side`
///    is `group`, entry `k group + l` of a bundle is entry k of its slot l, and rows that are too
///    short have padding there;
///  - the entries of bundle b lie from `bundle_offsets(b)` up to `bundle_offsets(b + 1)`, in chunks
///    of `group pack`; the last chunk of a row holds fewer packs, of which the last may be padded.
///    A chunk of m packs deals its entries out: entry `c m + l` (l < m) is number c of pack l. So
///    the lanes of a GPU load whole packs, and gather neighbours of x, one number after the other;
///  - the entries `c m, ..., c m + m - 1` of a chunk are a *group*. Its base stands in `bases` at
///    `pack (bundle_offsets(b) / (group pack) + q) + c` for the chunk q of the bundle b; along rows
///    `pack b` further;
///  - padding has 16 bits of 0 for its column and a value of 0. It is passed over.
///
/// ```
///     a . b . .        across rows, group 2, pack 1     bases    0*  2*  4   | 1     * a run
///     . c . d e                                         offsets  0 1 0 1 - 0 | 0 -
///     . f . . .                                         values   a c b d 0 e | f 0
/// ```
///
/// Memory: `entry_bytes` a stored entry, 4 bytes a group and a slot (with the order of rows 8), 8 a
/// bundle, and 4 more an entry of a far group.
template <class Scalar, class MemorySpace, StoredPrecision Values = StoredPrecision::plain>
struct PackedCsrMatrix {
  static_assert(Values == StoredPrecision::plain || std::is_same_v<Scalar, float>,
                "16 bits of values are for vectors in float");
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr StoredPrecision stored_precision = Values;
  static constexpr bool is_packed = Values != StoredPrecision::plain;
  /// Offset and value of an entry are 16 bits each of one word, the offset the lower ones; or they
  /// are in two arrays.
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
  Kokkos::View<const std::uint16_t*, MemorySpace> offsets;  // not of packed ones
  Kokkos::View<const Scalar*, MemorySpace> values;          // not of packed ones
  Kokkos::View<const std::uint32_t*, MemorySpace> words;    // of packed ones
  /// Of `scaled`: value = `least` + code `step`.
  float least = 0, step = 0;

  PackedLayout layout() const {
    return side == 1 ? PackedLayout::along_rows : PackedLayout::across_rows;
  }
  Ordinal num_bundles() const {
    return bundle_offsets.extent(0) > 0 ? static_cast<Ordinal>(bundle_offsets.extent(0) - 1) : 0;
  }
  Offset num_nonzeros() const { return nonzeros; }
  /// \brief Entries in memory, padding included.
  Offset num_stored() const {
    return static_cast<Offset>(is_packed ? words.extent(0) : values.extent(0));
  }
  /// \brief Groups whose columns do not fit 16 bits beside a base.
  Offset num_far_groups() const { return static_cast<Offset>(far_columns.extent(0)) / group; }
  std::size_t memory_bytes() const {
    return bundle_offsets.extent(0) * sizeof(Offset) +
           (row_lengths.extent(0) + rows.extent(0) + far_columns.extent(0)) * sizeof(Ordinal) +
           bases.extent(0) * sizeof(std::uint32_t) +
           static_cast<std::size_t>(num_stored()) * entry_bytes;
  }
};

/// \brief Throws `Error` naming the first bundle, or slot, that breaks the contract. Three passes,
/// four fences.
template <class ExecutionSpace, class Scalar, class MemorySpace, StoredPrecision Values>
void validate(const ExecutionSpace& exec, const PackedCsrMatrix<Scalar, MemorySpace, Values>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_PackedCsr_impl.hpp>
