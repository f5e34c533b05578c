// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_Loads_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Arrays of the entries of a matrix in memory.
template <class Value>
struct EntryStreams {
  const Ordinal* columns;
  const Value* values;
  Offset nonzeros;
  /// True if both arrays may be read in packs.
  bool aligned;
};

/// \brief Copies the entries [from, end) to the front of scratch memory, by all members of the
/// team.
///
/// \p from is the start of a pack, and an entry has \p width values. All members may read the
/// copies after the next barrier.
template <int width, class Member, class Value>
KOKKOS_FORCEINLINE_FUNCTION void stage_entries(const Member& member,
                                               const EntryStreams<Value>& streams, Offset from,
                                               Offset end, Ordinal* columns, Value* values) {
  const Ordinal* const from_columns = streams.columns + from;
  const Value* const from_values = streams.values + from * width;
  const int count = static_cast<int>(end - from);
  // The last pack may end after the requested entries, but not after the matrix.
  const int packs = (count + pack_size - 1) / pack_size;
  const Offset there = (streams.nonzeros - from) / pack_size;
  const int whole = !streams.aligned ? 0 : there < packs ? static_cast<int>(there) : packs;
  for (int p = member.team_rank(); p < whole; p += member.team_size())
    copy_pack(from_columns + p * pack_size, columns + p * pack_size);
  for (int p = member.team_rank(); p < whole * width; p += member.team_size())
    copy_pack(from_values + p * pack_size, values + p * pack_size);
  for (int k = whole * pack_size + member.team_rank(); k < count; k += member.team_size()) {
    columns[k] = from_columns[k];
    for (int w = 0; w < width; ++w) values[k * width + w] = from_values[k * width + w];
  }
  wait_for_copies();
}

}  // namespace Tomokkos::Impl
