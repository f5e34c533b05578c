// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of COO by segmented sums. The list is cut into equal tiles. A row whose entries all
// lie inside of a tile is added to y by that tile; the first and the last row of a tile may go on
// in its neighbours, so their sums are the tile's two carries, and a second launch adds the carries
// of each row in the order of the tiles. `y = beta y` comes before.
#pragma once

#include <Tomokkos_SpmvFormats.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_SpmvPadded_impl.hpp>

namespace Tomokkos::Impl {

template <class Scalar>
struct CooProduct {
  const Ordinal* rows;
  const Ordinal* columns;
  const Scalar* values;
  ProductTarget<Scalar> target;
  Ordinal* carry_rows;
  double* carry_sums;
  Offset nonzeros, items_per_tile;

  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal row, Scalar sum) const {
    target.y[row] += target.alpha * sum;
  }
};

/// \brief A tile by one thread, for hosts.
template <class Scalar>
struct SpmvCooTile {
  CooProduct<Scalar> A;

  KOKKOS_FUNCTION void operator()(const Offset tile) const {
    const Offset begin = tile * A.items_per_tile;
    const Offset next = begin + A.items_per_tile;
    const Offset end = next < A.nonzeros ? next : A.nonzeros;
    const Ordinal first = A.rows[begin];
    Ordinal row = first;
    double first_sum = 0;
    Scalar sum = 0;
    for (Offset k = begin; k < end; ++k) {
      if (A.rows[k] != row) {
        if (row == first)
          first_sum = static_cast<double>(sum);
        else
          A.add(row, sum);
        row = A.rows[k];
        sum = 0;
      }
      sum += A.values[k] * A.target.x[A.columns[k]];
    }
    A.carry_rows[2 * tile] = first;
    A.carry_sums[2 * tile] = first_sum;
    A.carry_rows[2 * tile + 1] = row;
    A.carry_sums[2 * tile + 1] = static_cast<double>(sum);
  }
};

/// \brief A tile by one team: products into scratch by adjacent lanes, then every member sums a run
/// of `items` of them, then a segmented scan over the members joins the runs of one row.
template <class ExecutionSpace, class Scalar>
struct SpmvCooTeam {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = 256;
  // Odd, so that the members' runs start in different banks of the scratch memory.
  static constexpr int items = 7;
  static constexpr int tile_items = members * items;

  CooProduct<Scalar> A;

  static constexpr int scratch_bytes() {
    return tile_items * static_cast<int>(sizeof(Ordinal) + sizeof(Scalar)) +
           2 * members * static_cast<int>(sizeof(Scalar) + sizeof(int)) +
           members * static_cast<int>(sizeof(Ordinal)) + 256;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    auto* const product =
        static_cast<Scalar*>(member.team_shmem().get_shmem(tile_items * sizeof(Scalar)));
    auto* const open =
        static_cast<Scalar*>(member.team_shmem().get_shmem(2 * members * sizeof(Scalar)));
    auto* const row =
        static_cast<Ordinal*>(member.team_shmem().get_shmem(tile_items * sizeof(Ordinal)));
    auto* const last_row =
        static_cast<Ordinal*>(member.team_shmem().get_shmem(members * sizeof(Ordinal)));
    auto* const starts =
        static_cast<int*>(member.team_shmem().get_shmem(2 * members * sizeof(int)));

    const Offset tile = member.league_rank();
    const Offset begin = tile * tile_items;
    const int count =
        static_cast<int>(A.nonzeros - begin < tile_items ? A.nonzeros - begin : Offset(tile_items));
    const int me = member.team_rank();
    for (int i = me; i < count; i += members) {
      row[i] = A.rows[begin + i];
      product[i] = A.values[begin + i] * load_gathered(A.target.x + A.columns[begin + i]);
    }
    member.team_barrier();

    // My run: the sum before its first change of row, the rows between, the sum after its last one.
    const int from = me * items;
    const int to = from + items < count ? from + items : count;
    const Ordinal tile_row = row[0];
    const Ordinal tile_last = row[count - 1];
    Scalar head = 0, sum = 0;
    bool changed = false;
    for (int i = from; i < to; ++i) {
      if (i > from && row[i] != row[i - 1]) {
        if (!changed)
          head = sum;
        else
          A.add(row[i - 1], sum);
        changed = true;
        sum = 0;
      }
      sum += product[i];
    }
    const bool works = from < to;
    last_row[me] = works ? row[to - 1] : -1;
    member.team_barrier();
    const bool continues = works && me > 0 && last_row[me - 1] == row[from];
    open[me] = sum;
    starts[me] = changed || !continues ? 1 : 0;
    member.team_barrier();

    // open[me] becomes the sum of last_row[me] over all runs up to mine.
    int side = 0;
    for (int distance = 1; distance < members; distance *= 2) {
      const int source = side * members, target = (1 - side) * members;
      Scalar value = open[source + me];
      int start = starts[source + me];
      if (start == 0 && me >= distance) {
        value += open[source + me - distance];
        start = starts[source + me - distance];
      }
      open[target + me] = value;
      starts[target + me] = start;
      side = 1 - side;
      member.team_barrier();
    }
    const Scalar* const total = open + side * members;

    if (works) {
      // The row that was open when my run began ends here, or ended just before.
      if (continues && changed) finish(tile, row[from], total[me - 1] + head, tile_row);
      if (!continues && me > 0) finish(tile, last_row[me - 1], total[me - 1], tile_row);
      if (!continues && changed) finish(tile, row[from], head, tile_row);
      if (to == count) {
        A.carry_rows[2 * tile] = tile_row;
        if (tile_row == tile_last) A.carry_sums[2 * tile] = 0;
        A.carry_rows[2 * tile + 1] = tile_last;
        A.carry_sums[2 * tile + 1] = static_cast<double>(total[me]);
      }
    }
  }

  /// \p row has ended inside of the tile.
  KOKKOS_FUNCTION void finish(Offset tile, Ordinal row, Scalar sum, Ordinal tile_row) const {
    if (row == tile_row)
      A.carry_sums[2 * tile] = static_cast<double>(sum);
    else
      A.add(row, sum);
  }
};

/// \brief Adds the carries of each row, in order, by the thread of the first of them.
template <class Scalar>
struct AddCooCarries {
  CooProduct<Scalar> A;
  Offset num_carries;

  KOKKOS_FUNCTION void operator()(const Offset carry) const {
    const Ordinal row = A.carry_rows[carry];
    if (carry > 0 && A.carry_rows[carry - 1] == row) return;
    double sum = 0;
    for (Offset c = carry; c < num_carries && A.carry_rows[c] == row; ++c) sum += A.carry_sums[c];
    A.target.y[row] += static_cast<Scalar>(static_cast<double>(A.target.alpha) * sum);
  }
};

template <class Scalar>
struct ScaleTarget {
  ProductTarget<Scalar> target;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    target.y[row] = target.beta == Scalar(0) ? Scalar(0) : target.beta * target.y[row];
  }
};

/// Entries of a tile: as the team takes them on a GPU; on a host a tile a thread, or a fixed number
/// of tiles.
template <class ExecutionSpace, class Scalar>
Offset coo_tile_items(const ExecutionSpace& exec, Offset nonzeros, bool deterministic) {
  if constexpr (is_host_space<ExecutionSpace>) {
    const Offset tiles = deterministic ? 256 : concurrency(exec);
    return std::max<Offset>(1, (nonzeros + tiles - 1) / tiles);
  } else {
    (void)exec, (void)nonzeros, (void)deterministic;
    return SpmvCooTeam<ExecutionSpace, Scalar>::tile_items;
  }
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
void launch_spmv(const ExecutionSpace& exec,
                 const SpmvPlan<ExecutionSpace, CooMatrix<Scalar, MemorySpace>>& plan,
                 const CooMatrix<Scalar, MemorySpace>& A, const ProductTarget<Scalar>& target) {
  if (target.beta != Scalar(1))
    Kokkos::parallel_for("Tomokkos::spmv::coo::scale",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                         ScaleTarget<Scalar>{target});
  if (plan.num_tiles() == 0) return;
  const CooProduct<Scalar> product{A.rows.data(),
                                   A.columns.data(),
                                   A.values.data(),
                                   target,
                                   plan.carry_rows().data(),
                                   plan.carry_sums().data(),
                                   A.num_nonzeros(),
                                   plan.options().items_per_tile};
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("Tomokkos::spmv::coo::segmented",
                         element_range(exec, static_cast<std::size_t>(plan.num_tiles())),
                         SpmvCooTile<Scalar>{product});
  } else {
    using Functor = SpmvCooTeam<ExecutionSpace, Scalar>;
    typename Functor::Policy policy(exec, static_cast<int>(plan.num_tiles()), Functor::members);
    policy.set_scratch_size(0, Kokkos::PerTeam(Functor::scratch_bytes()));
    Kokkos::parallel_for("Tomokkos::spmv::coo::segmented", policy, Functor{product});
  }
  const Offset carries = 2 * plan.num_tiles();
  Kokkos::parallel_for("Tomokkos::spmv::coo::carries",
                       element_range(exec, static_cast<std::size_t>(carries)),
                       AddCooCarries<Scalar>{product, carries});
}

}  // namespace Tomokkos::Impl
