// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_ValidateRayTiles.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_RayTilesStreams.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Faults of a block, in the order of their texts in `block_fault_name`.
enum BlockFault : int {
  fault_place,
  fault_order,
  fault_segments,
  fault_chunks,
  fault_tile_list,
  fault_rows,
  fault_heads,
  fault_counts,
  fault_padding,
  fault_columns,
  fault_values,
  num_block_faults
};

inline const char* block_fault_name(int fault) {
  static constexpr const char* names[] = {
      "is in no tile or in no group",
      "is before a block of a lower tile or group",
      "has no segments, more than 1280, or segments that contradict segment_offsets",
      "has no chunks, or chunks that contradict chunk_offsets",
      "is not listed under its tile by tile_blocks",
      "has rows that do not ascend within its group",
      "has segments that its packs do not begin, or a flag that is not at the first of a pack",
      "has chunks that chunk_segments does not count",
      "has padding that is not at the end of a segment, or a segment without entries",
      "has columns that do not ascend within a segment, or are outside the tile or the matrix",
      "has a value that is not finite"};
  return names[fault];
}

/// Encodes a fault and its block as one number; the lowest number is the first fault.
KOKKOS_INLINE_FUNCTION Offset numbered_fault(Offset block, int fault) {
  return block * num_block_faults + fault;
}

/// Finds the first block whose position, offsets or tile is invalid. Later checks can then follow
/// the lists without reading outside the arrays.
template <class MemorySpace>
struct FirstBadBlock {
  Kokkos::View<const Ordinal*, MemorySpace> tiles, groups;
  Kokkos::View<const Offset*, MemorySpace> segment_offsets, chunk_offsets, tile_blocks;
  Ordinal num_tiles, num_groups;

  KOKKOS_FUNCTION int fault_of(Offset b) const {
    const Ordinal t = tiles(b), g = groups(b);
    if (t < 0 || t >= num_tiles || g < 0 || g >= num_groups) return fault_place;
    if (b > 0 && (t < tiles(b - 1) || (t == tiles(b - 1) && g < groups(b - 1)))) return fault_order;
    const Offset segments = segment_offsets(b + 1) - segment_offsets(b);
    if (segments < 1 || segments > most_tile_segments || (b == 0 && segment_offsets(b) != 0))
      return fault_segments;
    if (chunk_offsets(b + 1) <= chunk_offsets(b) || (b == 0 && chunk_offsets(b) != 0))
      return fault_chunks;
    if (b < tile_blocks(t) || b >= tile_blocks(t + 1)) return fault_tile_list;
    return num_block_faults;
  }
  KOKKOS_FUNCTION void operator()(const Offset b, Offset& first) const {
    const int fault = fault_of(b);
    if (fault < num_block_faults && numbered_fault(b, fault) < first)
      first = numbered_fault(b, fault);
  }
};

/// Finds the first group whose list does not hold its blocks in ascending order.
template <class MemorySpace>
struct FirstBadGroup {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<const Ordinal*, MemorySpace> blocks, groups;
  Offset num_blocks;

  KOKKOS_FUNCTION bool is_bad(Offset g) const {
    const Offset begin = offsets(g), end = offsets(g + 1);
    if (begin < 0 || end < begin || end > num_blocks) return true;
    for (Offset at = begin; at < end; ++at) {
      const Offset b = blocks(at);
      if (b < 0 || b >= num_blocks || groups(b) != g) return true;
      if (at > begin && blocks(at - 1) >= b) return true;
    }
    return false;
  }
  KOKKOS_FUNCTION void operator()(const Offset g, Offset& first) const {
    if (g < first && is_bad(g)) first = g;
  }
};

/// Finds the first block with a wrong row or entry, and counts the entries of all blocks.
template <class Scalar, StoredPrecision Values>
struct FirstBadEntries {
  RayTilesStreams<Scalar, Values> A;
  Offset num_rows;

  KOKKOS_FUNCTION int fault_of(Offset b, Offset& entries) const {
    const auto block = A.block(b);
    for (unsigned s = 0; s < block.num_segments; ++s) {
      const Offset row = block.rows[s];
      if (row >= A.group_rows || block.first_row + row >= num_rows ||
          (s > 0 && block.rows[s - 1] >= row))
        return fault_rows;
    }
    const auto tile = static_cast<unsigned>(A.tile);
    unsigned segments = 0, last = tile;
    bool ended = true;  // only padding may follow
    for (unsigned p = 0; p < block.num_chunks * tile_chunk; ++p) {
      if (p % tile_chunk == 0 && block.chunk_segments[p / tile_chunk] != segments)
        return fault_counts;
      const auto pack = block.pack(p);
      if (pack.begins_segment()) {
        if (++segments > block.num_segments) return fault_heads;
        if (pack.index(0) == tile) return fault_padding;
        ended = false;
        last = tile;
      }
      for (int c = 0; c < tile_pack; ++c) {
        const unsigned index = pack.index(c);
        if ((index & segment_flag) != 0) return fault_heads;
        if (index == tile) {
          ended = true;
          continue;
        }
        if (segments == 0) return fault_heads;
        if (ended) return fault_padding;
        if (index >= static_cast<unsigned>(block.width) || (last != tile && index <= last))
          return fault_columns;
        last = index;
        const auto value = static_cast<double>(block.value(pack, c));
        if (!(value - value == 0)) return fault_values;
        ++entries;
      }
    }
    return segments == block.num_segments ? num_block_faults : fault_heads;
  }
  KOKKOS_FUNCTION void operator()(const Offset b, Offset& first, Offset& entries) const {
    const int fault = fault_of(b, entries);
    if (fault < num_block_faults && numbered_fault(b, fault) < first)
      first = numbered_fault(b, fault);
  }
};

inline void throw_block_fault(Offset numbered) {
  throw Refused(Impl::text("not valid ray tiles: block {} {}", numbered / num_block_faults,
                           block_fault_name(static_cast<int>(numbered % num_block_faults))));
}

template <class View>
void require_entries(const char* what, const View& view, const char* expected_name,
                     Offset expected) {
  require_equal(std::string("length of ") + what, static_cast<long long>(view.extent(0)),
                expected_name, expected);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void validate(const ExecutionSpace& exec,
              const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(A.num_rows >= 0 && A.num_cols >= 0 && A.nonzeros >= 0,
          "a matrix has a negative number of rows, columns or entries");
  require(A.tile >= 1 && A.tile <= largest_tile && A.group_rows >= 1,
          "not valid ray tiles: a tile has 1 to 4096 columns, a group at least one row");
  const Offset blocks = A.num_blocks();
  Impl::require_entries("tile_blocks", A.tile_blocks, "the number of tiles + 1",
                        Offset{A.num_tiles()} + 1);
  Impl::require_entries("group_offsets", A.group_offsets, "the number of groups + 1",
                        Offset{A.num_groups()} + 1);
  Impl::require_entries("group_blocks", A.group_blocks, "the number of blocks", blocks);
  Impl::require_entries("block_groups", A.block_groups, "the number of blocks", blocks);
  Impl::require_entries("segment_offsets", A.segment_offsets, "the number of blocks + 1",
                        blocks + 1);
  Impl::require_entries("chunk_offsets", A.chunk_offsets, "the number of blocks + 1", blocks + 1);
  const auto last = [&](const auto& view, Offset at, const char* why) {
    return Impl::read_entry(exec, view, static_cast<std::size_t>(at), why);
  };
  Impl::require_entries("segment_rows", A.segment_rows, "the end of segment_offsets",
                        last(A.segment_offsets, blocks, "validate: the number of segments"));
  const Offset chunks = last(A.chunk_offsets, blocks, "validate: the number of chunks");
  Impl::require_entries("chunk_segments", A.chunk_segments, "the end of chunk_offsets", chunks);
  const Offset entries = chunks * tile_chunk * tile_pack;
  constexpr bool packed = RayTilesMatrix<Scalar, MemorySpace, Values>::is_packed;
  Impl::require_entries("indices", A.indices, "the entries of the chunks", packed ? 0 : entries);
  Impl::require_entries("values", A.values, "the entries of the chunks", packed ? 0 : entries);
  Impl::require_entries("words", A.words, "the entries of the chunks", packed ? entries : 0);
  require_equal("the end of tile_blocks",
                last(A.tile_blocks, A.num_tiles(), "validate: the end of the tiles"),
                "the number of blocks", blocks);
  require_equal("the end of group_offsets",
                last(A.group_offsets, A.num_groups(), "validate: the end of the groups"),
                "the number of blocks", blocks);

  const Offset none = blocks * Impl::num_block_faults;
  Offset first = none;
  Kokkos::parallel_reduce("Tomokkos::validate::blocks", Impl::element_range(exec, blocks),
                          Impl::FirstBadBlock<MemorySpace>{
                              A.block_tiles, A.block_groups, A.segment_offsets, A.chunk_offsets,
                              A.tile_blocks, A.num_tiles(), A.num_groups()},
                          Kokkos::Min<Offset>(first));
  Impl::fence(exec, "validate: the first bad block");
  if (first < none) Impl::throw_block_fault(first);

  Offset group = A.num_groups();
  Kokkos::parallel_reduce(
      "Tomokkos::validate::groups", Impl::element_range(exec, A.num_groups()),
      Impl::FirstBadGroup<MemorySpace>{A.group_offsets, A.group_blocks, A.block_groups, blocks},
      Kokkos::Min<Offset>(group));
  Impl::fence(exec, "validate: the first bad group");
  if (group < A.num_groups())
    throw Refused(
        Impl::text("not valid ray tiles: group {} does not list its blocks in their order", group));

  Offset count = 0;
  first = none;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::entries", Impl::element_range(exec, blocks),
      Impl::FirstBadEntries<Scalar, Values>{Impl::RayTilesStreams<Scalar, Values>(A), A.num_rows},
      Kokkos::Min<Offset>(first), Kokkos::Sum<Offset>(count));
  Impl::fence(exec, "validate: the first bad entry, and how many there are");
  if (first < none) Impl::throw_block_fault(first);
  require_equal("number of entries without padding", count, "the number of nonzeros", A.nonzeros);
}

#define TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, VALUES) \
  template void validate<SPACE, SCALAR, VALUES>(           \
      const SPACE&, const RayTilesMatrix<SCALAR, SPACE::memory_space, VALUES>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, SCALAR, StoredPrecision::plain)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE)                                \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::half) \
  TOMOKKOS_INSTANTIATE_VALUES(SPACE, float, StoredPrecision::scaled)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_VALUES

}  // namespace Tomokkos
