// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge path of CSR. Place the ends of the rows along one axis of a grid and the nonzeros along
// the other. The product is a path from (0, 0) to (rows, nonzeros), with one step down per finished
// row and one step right per nonzero. Tiles are equal pieces of that path, so long or empty rows do
// not unbalance them.
//
// A tile writes the rows that end in it. Its partial sum of a row that ends later is its carry. A
// second launch adds the carries of each row in the order of the tiles. There are no atomic
// additions and y is not cleared first, so a fixed number of tiles gives the same bits on every
// run.
#pragma once

#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Returns the row in which diagonal \p diagonal crosses the merge path: the number of rows
/// that end before it.
KOKKOS_INLINE_FUNCTION Ordinal merge_path_row(const Offset* row_offsets, Ordinal num_rows,
                                              Offset nonzeros, Offset diagonal) {
  Offset low = diagonal > nonzeros ? diagonal - nonzeros : 0;
  Offset high = diagonal < num_rows ? diagonal : num_rows;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (row_offsets[middle + 1] <= diagonal - middle - 1)
      low = middle + 1;
    else
      high = middle;
  }
  return static_cast<Ordinal>(low);
}

/// \brief Finds the row at which each tile begins.
template <class MemorySpace>
struct FindMergePathTiles {
  const Offset* row_offsets;
  Ordinal num_rows;
  Offset nonzeros, items_per_tile;
  Kokkos::View<Ordinal*, MemorySpace> tile_rows;

  KOKKOS_FUNCTION void operator()(const Offset tile) const {
    const Offset last = static_cast<Offset>(num_rows) + nonzeros;
    const Offset diagonal = tile * items_per_tile < last ? tile * items_per_tile : last;
    tile_rows(tile) = merge_path_row(row_offsets, num_rows, nonzeros, diagonal);
  }
};

/// \brief Rows and nonzeros of one tile of the path.
struct MergePathTile {
  // Rows [first_row, last_row) end in the tile; last_row continues in the next one.
  Ordinal first_row, last_row;
  // Nonzeros of the tile.
  Offset begin, end;

  KOKKOS_FUNCTION MergePathTile(const Ordinal* tile_rows, Offset tile, Offset items_per_tile,
                                Offset path_length)
      : first_row(tile_rows[tile]), last_row(tile_rows[tile + 1]) {
    const Offset next = (tile + 1) * items_per_tile;
    begin = tile * items_per_tile - first_row;
    end = (next < path_length ? next : path_length) - last_row;
  }

  /// Returns the part of \p row in this tile.
  KOKKOS_FUNCTION void piece(const Offset* row_offsets, Ordinal row, Offset& piece_begin,
                             Offset& piece_end) const {
    piece_begin = row == first_row ? begin : row_offsets[row];
    piece_end = row == last_row ? end : row_offsets[row + 1];
  }
};

template <class Scalar, class MemorySpace>
struct MergePathData {
  CsrStreams<Scalar> A;
  const Offset* row_offsets;
  const Ordinal* tile_rows;
  double* carries;
  Scalar* y;
  Scalar alpha, beta;
  Ordinal num_rows;
  Offset items_per_tile, num_tiles;

  KOKKOS_FUNCTION MergePathTile tile(Offset index) const {
    return {tile_rows, index, items_per_tile, num_rows + A.nonzeros};
  }

  /// Stores the sum of the piece of \p row in a tile: in y if the row ends there, otherwise in the
  /// carry of the tile.
  KOKKOS_FUNCTION void finish(const MergePathTile& tile, Offset index, Ordinal row,
                              Scalar sum) const {
    if (row < tile.last_row)
      y[row] = combine(alpha, sum, beta, y[row]);
    else
      carries[index] = static_cast<double>(sum);
  }
};

/// \brief Processes a tile with one team.
///
/// The row pieces are distributed cyclically over the members, so members work on adjacent rows at
/// the same time and use the same part of x. On a GPU this doubles the speed of tomography compared
/// with a tile per member.
///
/// With \p share_long_rows, the whole team sums each piece of a tile if it has so few pieces that
/// most members would idle. On a host a team is one thread, which processes all pieces in order.
template <class ExecutionSpace, class Scalar, bool share_long_rows>
struct SpmvMergePath {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  MergePathData<Scalar, MemorySpace> data;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const MergePathTile tile = data.tile(member.league_rank());
    if constexpr (share_long_rows) {
      if (2 * (tile.last_row - tile.first_row + 1) <= member.team_size()) {
        share_pieces(member, tile);
        return;
      }
    }
    deal_pieces(member, tile);
  }

  KOKKOS_FUNCTION void deal_pieces(const Member& member, const MergePathTile& tile) const {
    for (Offset i = tile.first_row + member.team_rank(); i <= tile.last_row;
         i += member.team_size()) {
      const auto row = static_cast<Ordinal>(i);
      Offset begin, end;
      tile.piece(data.row_offsets, row, begin, end);
      const Scalar sum = vector_row_sum(member, data.A, begin, end);
      Kokkos::single(Kokkos::PerThread(member),
                     [&]() { data.finish(tile, member.league_rank(), row, sum); });
    }
  }

  KOKKOS_FUNCTION void share_pieces(const Member& member, const MergePathTile& tile) const {
    const int members = member.team_size();
    auto* partial = static_cast<Scalar*>(member.team_shmem().get_shmem(members * sizeof(Scalar)));
    for (Ordinal row = tile.first_row; row <= tile.last_row; ++row) {
      Offset begin, end;
      tile.piece(data.row_offsets, row, begin, end);
      // Shares end on packs, so all but the two outer ones load 16 bytes at a time.
      const Offset share = (end - begin) / members + pack_size;
      const auto cut = [&](int m) {
        const Offset at = m == 0 ? begin : (begin + m * share) / pack_size * pack_size;
        return m == members || at > end ? end : at;
      };
      const Scalar sum =
          vector_row_sum(member, data.A, cut(member.team_rank()), cut(member.team_rank() + 1));
      Kokkos::single(Kokkos::PerThread(member), [&]() { partial[member.team_rank()] = sum; });
      member.team_barrier();
      Kokkos::single(Kokkos::PerTeam(member), [&]() {
        Scalar total = 0;
        for (int m = 0; m < members; ++m) total += partial[m];
        data.finish(tile, member.league_rank(), row, total);
      });
      member.team_barrier();
    }
  }
};

/// \brief Adds the carries of each row. The member of the first tile of a row adds them, in an
/// order that depends only on the tiles.
template <class ExecutionSpace, class Scalar>
struct AddCarries {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;

  MergePathData<Scalar, typename ExecutionSpace::memory_space> data;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset tile =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    if (tile >= data.num_tiles) return;
    const Ordinal row = data.tile_rows[tile + 1];
    if (row >= data.num_rows || (tile > 0 && data.tile_rows[tile] == row)) return;
    double sum = 0;
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, carries_of(row, tile)),
                            SumCarries{data.carries + tile}, sum);
    Kokkos::single(Kokkos::PerThread(member), [&]() {
      data.y[row] += static_cast<Scalar>(static_cast<double>(data.alpha) * sum);
    });
  }

 private:
  struct SumCarries {
    const double* carries;

    KOKKOS_FUNCTION void operator()(const int i, double& sum) const { sum += carries[i]; }
  };

  /// Returns the number of tiles from \p first on that leave \p row open: thousands for a dense
  /// row.
  KOKKOS_FUNCTION int carries_of(Ordinal row, Offset first) const {
    Offset low = first + 1, high = data.num_tiles;
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (data.tile_rows[middle + 1] == row)
        low = middle + 1;
      else
        high = middle;
    }
    return static_cast<int>(low - first);
  }
};

template <class ExecutionSpace, class Scalar>
void add_carries(const ExecutionSpace& exec,
                 const MergePathData<Scalar, typename ExecutionSpace::memory_space>& data) {
  using Functor = AddCarries<ExecutionSpace, Scalar>;
  const int members = is_host_space<ExecutionSpace> ? 1 : merge_carry_members;
  const int lanes = is_host_space<ExecutionSpace> ? 1 : merge_carry_lanes;
  Kokkos::parallel_for(
      "Tomokkos::spmv::csr::merge_path::carries",
      typename Functor::Policy(exec, static_cast<int>((data.num_tiles - 1) / members + 1), members,
                               lanes),
      Functor{data});
}

template <class ExecutionSpace, class Scalar>
void launch_spmv_merge_path(
    const ExecutionSpace& exec, const SpmvOptions& options, bool share_long_rows,
    const MergePathData<Scalar, typename ExecutionSpace::memory_space>& data) {
  const auto launch = [&](const auto& functor) {
    using Functor = std::decay_t<decltype(functor)>;
    typename Functor::Policy policy(exec, static_cast<int>(data.num_tiles), options.team_size,
                                    options.vector_length);
    policy.set_scratch_size(0, Kokkos::PerTeam(options.team_size * sizeof(Scalar)));
    Kokkos::parallel_for("Tomokkos::spmv::csr::merge_path", policy, functor);
  };
  if (share_long_rows)
    launch(SpmvMergePath<ExecutionSpace, Scalar, true>{data});
  else
    launch(SpmvMergePath<ExecutionSpace, Scalar, false>{data});
  add_carries(exec, data);
}

}  // namespace Tomokkos::Impl
