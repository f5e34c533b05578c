// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Product of COO by segmented sums. The list is cut into equal tiles. A tile adds the sums of rows
// that lie entirely inside of it to y. The first and the last row of a tile may continue in its
// neighbours, so their sums are the two carries of the tile. A second launch adds the carries of
// each row in the order of the tiles. Before that, y is scaled: `y = beta y`.
#include <Tomokkos_ListFormats.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>

namespace Tomokkos {

// Used for the regular part of HYB.
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_EXTERN_SPMV(SPACE, SCALAR, EllMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos

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

/// \brief Processes a tile with one thread, for hosts.
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

/// \brief Processes a tile with the lanes of one team member, for GPUs.
///
/// In every round a lane processes a pack of four adjacent entries. A segmented scan over the lanes
/// combines the packs of one row. The last row of a round remains open for the next round.
template <class ExecutionSpace, class Scalar>
struct SpmvCooTeam {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int lanes = coo_lanes;

  CooProduct<Scalar> A;
  bool aligned;
  Offset num_tiles;

  KOKKOS_FORCEINLINE_FUNCTION void load(Offset k, Offset end, Ordinal padding_row,
                                        Ordinal (&row)[pack_size],
                                        Scalar (&product)[pack_size]) const {
    if (aligned && k + pack_size <= end) {
      const Pack<Ordinal> rows = load_streamed(A.rows + k);
      const Pack<Ordinal> columns = load_streamed(A.columns + k);
      const Pack<Scalar> values = load_streamed(A.values + k);
      for (int i = 0; i < pack_size; ++i) {
        row[i] = rows.value[i];
        product[i] = values.value[i] * load_gathered(A.target.x + columns.value[i]);
      }
      return;
    }
    // After the end, pad with zeros in the last row.
    for (int i = 0; i < pack_size; ++i) {
      const bool inside = k + i < end;
      row[i] = inside ? A.rows[k + i] : padding_row;
      product[i] =
          inside ? A.values[k + i] * load_gathered(A.target.x + A.columns[k + i]) : Scalar(0);
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset tile =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    if (tile >= num_tiles) return;
    const Offset begin = tile * A.items_per_tile;
    const Offset end =
        begin + A.items_per_tile < A.nonzeros ? begin + A.items_per_tile : A.nonzeros;
    const Ordinal tile_row = A.rows[begin];
    const Ordinal tile_last = A.rows[end - 1];
    const int lane = lane_of_member();
    Ordinal open_row = tile_row;
    Scalar open_sum = 0;
    for (Offset round = begin; round < end; round += lanes * pack_size) {
      Ordinal row[pack_size];
      Scalar product[pack_size];
      load(round + lane * pack_size, end, tile_last, row, product);

      // Pack of this lane: the sum before its first change of row, the rows between, the sum after
      // its last change.
      Scalar head = 0, sum = product[0];
      bool changed = false;
      for (int i = 1; i < pack_size; ++i) {
        if (row[i] != row[i - 1]) {
          if (!changed)
            head = sum;
          else
            A.add(row[i - 1], sum);
          changed = true;
          sum = 0;
        }
        sum += product[i];
      }

      Ordinal row_before = value_of_lane_before(row[pack_size - 1], 1, lanes);
      if (lane == 0) row_before = open_row;
      const bool continues = row_before == row[0];
      int starts = changed || !continues ? 1 : 0;
      if (lane == 0) {
        if (starts == 0) sum += open_sum;
        starts = 1;
      }
      // sum becomes the sum of the last row of this pack over all packs up to this lane.
      for (int distance = 1; distance < lanes; distance *= 2) {
        const Scalar sum_before = value_of_lane_before(sum, distance, lanes);
        const int starts_before = value_of_lane_before(starts, distance, lanes);
        if (lane >= distance && starts == 0) {
          sum += sum_before;
          starts = starts_before;
        }
      }
      Scalar sum_before = value_of_lane_before(sum, 1, lanes);
      if (lane == 0) sum_before = open_sum;

      // The row that was open at the start of this pack ends in it, or ended just before it.
      if (!continues) finish(tile, row_before, sum_before, tile_row);
      if (changed) finish(tile, row[0], continues ? sum_before + head : head, tile_row);
      open_row = value_of_lane(row[pack_size - 1], lanes - 1, lanes);
      open_sum = value_of_lane(sum, lanes - 1, lanes);
    }
    if (lane == 0) {
      A.carry_rows[2 * tile] = tile_row;
      if (tile_row == tile_last) A.carry_sums[2 * tile] = 0;
      A.carry_rows[2 * tile + 1] = tile_last;
      A.carry_sums[2 * tile + 1] = static_cast<double>(open_sum);
    }
  }

  /// Stores the sum of \p row, which ends inside of the tile.
  KOKKOS_FORCEINLINE_FUNCTION void finish(Offset tile, Ordinal row, Scalar sum,
                                          Ordinal tile_row) const {
    if (row == tile_row)
      A.carry_sums[2 * tile] = static_cast<double>(sum);
    else
      A.add(row, sum);
  }
};

/// \brief Adds the carries of each row, in order, with the thread of the first carry.
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

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, CooMatrix<Scalar, MemorySpace>> {
  using Matrix = CooMatrix<Scalar, MemorySpace>;
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;

  static void multiply(const ExecutionSpace& exec, const Plan& plan, const Matrix& A,
                       const ProductTarget<Scalar>& target) {
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
      const bool aligned = is_pack_aligned(A.rows.data()) && is_pack_aligned(A.columns.data()) &&
                           is_pack_aligned(A.values.data());
      const int members = plan.options().team_size;
      const auto teams = static_cast<int>((plan.num_tiles() + members - 1) / members);
      Kokkos::parallel_for("Tomokkos::spmv::coo::segmented",
                           typename Functor::Policy(exec, teams, members, coo_lanes),
                           Functor{product, aligned, plan.num_tiles()});
    }
    const Offset carries = 2 * plan.num_tiles();
    Kokkos::parallel_for("Tomokkos::spmv::coo::carries",
                         element_range(exec, static_cast<std::size_t>(carries)),
                         AddCooCarries<Scalar>{product, carries});
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, HybMatrix<Scalar, MemorySpace>> {
  using Matrix = HybMatrix<Scalar, MemorySpace>;
  using Vector = VectorView<Scalar, MemorySpace>;
  using ConstVector = VectorView<const Scalar, MemorySpace>;

  static void multiply(const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan,
                       const Matrix& A, const ProductTarget<Scalar>& target) {
    const ConstVector x(target.x, A.num_cols);
    const Vector y(target.y, A.num_rows);
    spmv(exec, plan.regular(), A.regular, target.alpha, x, target.beta, y);
    spmv(exec, plan.rest(), A.rest, target.alpha, x, Scalar(1), y);
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
SpmvPlan<ExecutionSpace, CooMatrix<Scalar, typename ExecutionSpace::memory_space>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : options_(choose_coo_launch(device_traits(exec), A.num_nonzeros(), options)) {
  num_tiles_ = (A.num_nonzeros() + options_.items_per_tile - 1) / options_.items_per_tile;
  require(num_tiles_ <= 2147483647,
          "COO has more tiles than a launch can handle; increase items_per_tile");
  carry_rows_ = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::SpmvPlan::carry_rows", 2 * num_tiles_);
  carry_sums_ = allocate<Kokkos::View<double*, memory_space>>(
      exec, "Tomokkos::SpmvPlan::carry_sums", 2 * num_tiles_);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                            \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, CooMatrix<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, HybMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
